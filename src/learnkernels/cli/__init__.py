"""Command line: argument parsing and printing."""

from learnkernels.cli.main import main

__all__ = ["main"]
