"""Progress of long work: a bar on a terminal, plain lines in notebooks and pipes.

The display belongs to the context that opened it with `showing`, and to the threads that `Threads`
starts from there. Code that takes long calls `report`, `within`, `counting` and `track`. Without a
display they do nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from learnkernels.checks import require_truth

Item = TypeVar("Item")

# Seconds between two plain lines.
INTERVAL = 2.0


class Display(Protocol):
    """A line of text and a bar that counts.

    Attributes
    ----------
    counted : bool
        Whether a bar is counting; an inner loop leaves it to the outer one.
    """

    counted: bool

    def write(self, text: str) -> None:
        """Show what is going on."""

    def start(self, total: int | None, what: str, done: int = 0) -> None:
        """Start a bar of `total` parts; None stops counting."""

    def advance(self) -> None:
        """Count one more part."""


DISPLAY: ContextVar[Display | None] = ContextVar("learnkernels display", default=None)
WHERE: ContextVar[tuple[str, ...]] = ContextVar("learnkernels progress", default=())


@contextmanager
def showing(verbose: bool) -> Iterator[None]:
    """Show the progress of everything inside the block.

    Parameters
    ----------
    verbose : bool
        False shows nothing. A display that is open already is used again.
    """
    require_truth("verbose", verbose)
    if not verbose or DISPLAY.get() is not None:
        yield
        return
    with terminal_display() if on_terminal() else plain_display() as display:
        token = DISPLAY.set(display)
        try:
            yield
        finally:
            DISPLAY.reset(token)


def report(text: str) -> None:
    """Show what is going on, after the names of the parts of the job it belongs to."""
    display = DISPLAY.get()
    if display is not None:
        display.write(", ".join((*WHERE.get(), text)))


@contextmanager
def within(*where: str) -> Iterator[None]:
    """Name a part of the job; reports inside the block begin with it."""
    token = WHERE.set(WHERE.get() + where)
    try:
        yield
    finally:
        WHERE.reset(token)


@contextmanager
def counting(total: int, what: str, done: int = 0) -> Iterator[Callable[[], None]]:
    """Count parts in a bar, and yield the function that counts one more.

    Parameters
    ----------
    total, done : int
        Parts, and how many of them are done already.
    what : str
        Name of the work, shown until something is reported.
    """
    display = DISPLAY.get()
    if display is None or display.counted:
        yield lambda: None
        return
    display.start(total, what, done)
    try:
        yield display.advance
    finally:
        display.start(None, "")


def track(results: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Yield the results as they come and count them."""
    with counting(total, what) as advance:
        for result in results:
            yield result
            advance()


def on_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def terminal_display() -> Iterator[Display]:
    """Show a line of rich, and remove it at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Description(TextColumn):
        """Cut the text where the terminal ends; never read it as markup."""

        def render(self, task: Task) -> Text:
            return Text(task.description, no_wrap=True, overflow="ellipsis")

    class TerminalDisplay:
        def __init__(self, bars: Progress):
            self.bars = bars
            self.counted = False
            self.text = ""
            self.task = bars.add_task("", total=None)

        def write(self, text: str) -> None:
            self.text = text
            self.bars.update(self.task, description=text)

        def start(self, total: int | None, what: str, done: int = 0) -> None:
            self.counted = total is not None
            self.bars.remove_task(self.task)
            self.task = self.bars.add_task(what or self.text, total=total, completed=done)

        def advance(self) -> None:
            self.bars.advance(self.task)

    columns = (BarColumn(bar_width=24), TimeRemainingColumn(compact=True), Description(""))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield TerminalDisplay(bars)


@contextmanager
def plain_display() -> Iterator[Display]:
    """Lines on standard error, at most one every few seconds."""
    yield PlainDisplay()


class PlainDisplay:
    """Progress as lines of text, for notebooks, pipes and log files."""

    def __init__(self) -> None:
        self.counted = False
        self.what = ""
        self.total = self.done = 0
        self.last = time.monotonic()

    def write(self, text: str) -> None:
        """Print the text, unless a line was printed a moment ago."""
        if time.monotonic() - self.last < INTERVAL or sys.stderr is None:
            return
        self.last = time.monotonic()
        counted = f"{self.done} of {self.total}, " if self.counted else ""
        print(f"learnkernels: {counted}{text}", file=sys.stderr, flush=True)

    def start(self, total: int | None, what: str, done: int = 0) -> None:
        """Start or stop counting."""
        self.counted, self.what = total is not None, what
        self.total, self.done = total or 0, done
        if what:
            self.write(what)

    def advance(self) -> None:
        """Count one more part."""
        self.done += 1
        self.write(self.what)  # what was reported last is of an earlier part
