"""What a person who waits is shown: one line with a bar on a terminal, nothing anywhere else.

Long work gets a `Progress` and tells it what it is at; the silent one, the default everywhere,
does nothing. Whoever owns the whole job makes the line with `shown`; parts of the job say where
they are with `within`, so that a gap reads "fold 2 of 5, l1-svm, gap 3.1e-04, step 6".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from learnkernels.checks import require_truth

__all__ = ["SILENT", "Progress", "Say", "gap_reached", "shown", "silent"]

# Told in a few words what is going on.
Say = Callable[[str], None]


def silent(text: str) -> None:
    """Say nothing."""


def gap_reached(gap: float, steps: int) -> str:
    """What an iteration says of itself."""
    return f"gap {gap:.1e}, step {steps}"


@dataclass(frozen=True)
class Progress:
    """Where a job is, for those who watch.

    Attributes
    ----------
    line : Line or None
        What is shown; None is silence.
    where : tuple of str
        The parts of the job that this part lies in.
    """

    line: Line | None = None
    where: tuple[str, ...] = ()

    def within(self, *where: str) -> Progress:
        """The progress of a part of the job."""
        return replace(self, where=self.where + where)

    def say(self, text: str) -> None:
        """Show what is going on."""
        if self.line is not None:
            self.line.write(", ".join((*self.where, text)))

    @contextmanager
    def counting(self, total: int, what: str = "", done: int = 0) -> Iterator[Callable[[], None]]:
        """A bar for so many parts, some of them done, and the function that counts one more.

        Parts that count parts of their own leave the bar to the whole; `what` names the work as
        long as nobody has said more.
        """
        if self.line is None or self.line.counted:
            yield lambda: None
            return
        with self.line.bar_of(total, what, done) as advance:
            yield advance

    def track(self, results: Iterable, total: int, what: str) -> Iterator:
        """The results as they come, counted."""
        with self.counting(total, what) as advance:
            for result in results:
                yield result
                advance()


SILENT = Progress()


class Line:
    """A line on the terminal: a bar that runs, or counts, and what is going on."""

    def __init__(self, bars: Bars):
        self.bars = bars
        self.counted = False
        self.text = ""
        self.task = bars.add_task("", total=None)

    def write(self, text: str) -> None:
        self.text = text
        self.bars.update(self.task, description=text)

    @contextmanager
    def bar_of(self, total: int, what: str, done: int) -> Iterator[Callable[[], None]]:
        self.counted = True
        self._renew(total, self.text or what, done)
        try:
            yield lambda: self.bars.advance(self.task)
        finally:
            self.counted = False
            self._renew(None, self.text)

    def _renew(self, total: int | None, text: str, done: int = 0) -> None:
        self.bars.remove_task(self.task)
        self.task = self.bars.add_task(text, total=total, completed=done)


def on_terminal() -> bool:
    """Whether a person may be watching, whatever the environment says of colours."""
    return sys.stderr is not None and sys.stderr.isatty()


class Description(TextColumn):
    """What is going on, cut where the terminal ends."""

    def render(self, task) -> Text:
        return Text(task.description, no_wrap=True, overflow="ellipsis")


@contextmanager
def shown(verbose: bool | Progress) -> Iterator[Progress]:
    """The progress of a whole job: a line on a terminal if asked for, else silence.

    Parameters
    ----------
    verbose : bool or Progress
        Whether somebody asked; a job that is part of another one gets the other's.
    """
    if isinstance(verbose, Progress):
        yield verbose
        return
    require_truth("verbose", verbose)
    if not (verbose and on_terminal()):
        yield SILENT
        return
    console = Console(stderr=True)
    columns = (BarColumn(bar_width=24), TimeRemainingColumn(compact=True), Description(""))
    with Bars(*columns, console=console, transient=True) as bars:
        yield Progress(Line(bars))
