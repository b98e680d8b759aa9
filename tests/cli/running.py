"""Run the command line in this process."""

from __future__ import annotations

from learnkernels.cli import main


def run(capsys, *arguments):
    """Return exit status, standard output and standard error of a command."""
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err
