"""Run a command, and report errors in one line."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from learnkernels.cli.advice import as_options
from learnkernels.escaping import printable

INTERRUPTED = 130
# A message may contain ten names from a file, and names may be long.
MAX_MESSAGE = 2000
# Errors that other libraries raise for invalid input, in addition to InputError.
BAD_INPUT = (ValueError, TypeError, OSError, ArithmeticError, MemoryError, ImportError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0 on success, 2 on invalid arguments or input."""
    write_utf8()
    try:
        from learnkernels.cli.parser import parser  # takes a second, in which Ctrl-C is possible

        options = parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = one_line_warning
            options.run(options)
        sys.stdout.flush()  # report a full disk here, not when the interpreter exits
    except KeyboardInterrupt as stop:
        print(f"learnkernels: interrupted. {one_line(stop)}".rstrip(), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader closed the pipe, which is not an error
        return 0
    except BAD_INPUT as error:
        print(f"learnkernels: {one_line(error)}", file=sys.stderr)
        return 2
    return 0


def write_utf8() -> None:
    """Write UTF-8 to files and pipes: tables are read as UTF-8, and Windows would use cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")


def one_line_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line; replaces `warnings.showwarning`."""
    print(f"learnkernels: warning: {one_line(message)}", file=sys.stderr)


def one_line(message: object) -> str:
    """Return a message in one line, with options for parameters and escaped control characters."""
    text = printable(" ".join(as_options(str(message)).split()))
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
