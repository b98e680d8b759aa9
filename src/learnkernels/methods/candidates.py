"""Candidates among which a fit chose, with their held-out errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnkernels.significance import standard_error


@dataclass(frozen=True)
class Candidate:
    """One candidate.

    Attributes
    ----------
    name : str
        The method, or the family of kernels.
    error : float
        Held-out error.
    standard_error : float
        Of the error.
    chosen : bool
    reason : str
        Why it was chosen; empty if it was not.
    question : {"weights", "widths", "kernels"}
        What the candidates of a question are alternatives for.
    """

    name: str
    error: float
    standard_error: float
    chosen: bool = False
    reason: str = ""
    question: str = "weights"

    @classmethod
    def of(
        cls, name: str, errors: np.ndarray, reason: str = "", question: str = "weights"
    ) -> Candidate:
        """Return a candidate from the errors of single samples; chosen if there is a reason."""
        error, spread = float(errors.mean()), standard_error(errors)
        return cls(name, error, spread, bool(reason), reason, question)


@dataclass(frozen=True)
class Selection:
    """The candidates of a fit, as a small table.

    Attributes
    ----------
    candidates : tuple of Candidate
    criterion : str
        The error by which they were compared.

    Examples
    --------
    >>> from learnkernels.methods.candidates import Candidate, Selection
    >>> rows = Candidate("unif", 0.2, 0.01), Candidate("loo", 0.1, 0.01, True, "lowest")
    >>> print(Selection(rows, "squared error"))
             candidate  squared error  standard error  chosen
    weights  unif               0.200           0.010
             loo                0.100           0.010  lowest
    """

    candidates: tuple[Candidate, ...]
    criterion: str

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def chosen(self) -> dict[str, Candidate]:
        """The candidate that was chosen for each question."""
        return {one.question: one for one in self.candidates if one.chosen}

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        return {
            "criterion": self.criterion,
            "candidates": [asdict(candidate) for candidate in self.candidates],
        }

    def __str__(self) -> str:
        width = max(len("candidate"), *(len(one.name) for one in self.candidates))
        lines = [f"{'':7}  {'candidate':{width}}  {self.criterion}  standard error  chosen"]
        before = ""
        for one in self.candidates:
            question = "" if one.question == before else one.question
            before = one.question
            error = rounded(one.error, 3).rjust(len(self.criterion))
            spread = rounded(one.standard_error, 2).rjust(len("standard error"))
            line = f"{question:7}  {one.name:{width}}  {error}  {spread}  {one.reason}"
            lines.append(line.rstrip())
        return "\n".join(lines)


def rounded(value: float, digits: int) -> str:
    """Return a number with some significant digits; a larger one is a whole number up to 10^6.

    Examples
    --------
    >>> rounded(2921.76, 3), rounded(178.9, 2), rounded(0.1, 2)
    ('2922', '179', '0.10')
    """
    if 10**digits <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:#.{digits}g}".rstrip(".")
