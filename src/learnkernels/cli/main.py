"""Run a command, and report errors in one line."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

TYPE_CHECKING = False  # not that of typing: its import takes time in which Ctrl-C is possible
if TYPE_CHECKING:
    from typing import Any

INTERRUPTED = 130
# A message may contain ten names from a file, and names may be long.
MAX_MESSAGE = 2000
# Errors that other libraries raise for invalid input, in addition to InputError.
BAD_INPUT = (ValueError, TypeError, OSError, ArithmeticError, MemoryError, ImportError)
# Bytes of address space: below the first OpenBLAS waits forever or aborts, below the second its
# buffers for many threads do not fit.
LEAST_SPACE, SPACE_FOR_THREADS = 1.2e9, 4e9


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0 on success, 2 on invalid arguments or input."""
    write_utf8()
    try:
        with immediate_interrupts():
            limit_threads(address_space())
            require_standard_output()
            # Takes seconds, in which Ctrl-C is possible.
            import warnings

            from learnkernels.cli.parser import parser
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


@contextmanager
def immediate_interrupts() -> Iterator[None]:
    """End the process at once on Ctrl-C: libraries print tracebacks if their import is stopped."""

    def stop(*_: Any) -> None:
        os.write(2, b"learnkernels: interrupted.\n")
        os._exit(INTERRUPTED)

    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # not the main thread, which alone receives signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def address_space() -> float:
    """Return the limit on the address space of this process (``ulimit -v``) in bytes."""
    try:
        import resource
    except ImportError:  # not on Windows
        return float("inf")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else float(limit)


def limit_threads(space: float) -> None:
    """Let BLAS use one thread if the address space is small; raise if it is too small."""
    if space < LEAST_SPACE:
        raise MemoryError(
            f"the address space is limited to {space / 1024:,.0f} kB (ulimit -v); at least "
            f"{LEAST_SPACE / 1024:,.0f} kB are needed: raise the limit."
        )
    if space < SPACE_FOR_THREADS:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def require_standard_output() -> None:
    """Raise if standard output is closed; without standard error, messages are dropped."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    if sys.stdout is None:
        raise OSError("standard output is closed; redirect it to a file, or to /dev/null.")


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
    from learnkernels.cli.advice import as_options
    from learnkernels.escaping import printable

    text = printable(" ".join(as_options(str(message)).split()))
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
