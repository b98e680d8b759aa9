"""Every command documents its arguments."""

import argparse
from collections.abc import Iterator

import pytest

from learnkernels.cli import main
from learnkernels.cli.parser import parser


def commands(command: argparse.ArgumentParser, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of a command and its subcommands, such as ("datasets", "list")."""
    yield path
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from commands(part, *path, name)


@pytest.mark.parametrize("path", list(commands(parser())), ids=lambda path: " ".join(path) or "top")
def test_help_is_printed_for_every_command(path, capsys):
    with pytest.raises(SystemExit) as end:
        main([*path, "--help"])
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    assert out.startswith(" ".join(["usage: learnkernels", *path]))
