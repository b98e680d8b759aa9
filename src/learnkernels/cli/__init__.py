"""The command line: arguments and printing, no mathematics."""

from learnkernels.cli.main import main

__all__ = ["main"]
