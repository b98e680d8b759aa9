"""What an experiment is: pieces of work, and what is concluded from them.

A *protocol* is how a paper did something: a list of pieces, each independent of the others and
each a function of a few plain numbers and names. An *experiment* is a table or figure of a paper:
it reads the results of a protocol's pieces and says what they come to. Two tables that read the
same pieces share them, so that nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from json import loads
from typing import Any

import numpy as np

__all__ = [
    "Claim",
    "Experiment",
    "Grid",
    "Line",
    "Outcome",
    "Panel",
    "Piece",
    "Protocol",
    "Value",
    "generator",
    "paper_numbers",
    "random_state",
    "within_two_deviations",
]


@dataclass(frozen=True)
class Piece:
    """One piece of work and, once done, its result.

    Attributes
    ----------
    parameters : dict
        Plain names and numbers: all that the piece depends on besides the data.
    result : dict
        Plain names and numbers too.
    """

    parameters: dict[str, Any]
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of its file."""
        return "-".join(f"{name}_{value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class Protocol:
    """How a paper did something.

    Attributes
    ----------
    name : str
    plan : callable
        ``plan(quick)`` lists the parameters of every piece, without the seed.
    run : callable
        ``run(seed=..., **parameters)`` computes one piece.
    needs : callable
        ``needs(parameters)`` names the data set that a piece reads, or None.
    revision : int, default=1
        Raised whenever pieces come to compute something else, so that older ones are not used.
    """

    name: str
    plan: Callable[[bool], list[dict[str, Any]]]
    run: Callable[..., dict[str, Any]]
    needs: Callable[[dict[str, Any]], str | None]
    revision: int = 1

    def pieces(self, quick: bool, seed: int) -> list[Piece]:
        return [Piece(parameters | {"seed": seed}) for parameters in self.plan(quick)]


@dataclass(frozen=True)
class Value:
    """A number of ours with the paper's beside it, where there is one."""

    ours: float
    spread: float | None = None
    paper: float | None = None
    paper_spread: float | None = None

    @property
    def deviations(self) -> float | None:
        """How far ours is from the paper's, in the paper's standard deviations."""
        if self.paper is None or not self.paper_spread:
            return None
        return abs(self.ours - self.paper) / self.paper_spread

    def shown(self, digits: int) -> str:
        """Ours as text."""
        return number(self.ours, self.spread, digits)

    def paper_shown(self, digits: int) -> str:
        """The paper's as text, empty where there is none."""
        return "" if self.paper is None else number(self.paper, self.paper_spread, digits)


def number(mean: float, spread: float | None, digits: int) -> str:
    return f"{mean:.{digits}f}" + ("" if spread is None else f" ± {spread:.{digits}f}")


@dataclass(frozen=True)
class Grid:
    """A table: ``values[row][column]``.

    Attributes
    ----------
    title : str
    corner : str
        What the rows are.
    values : dict of str to dict of str to Value
    digits : int
        Decimals to print.
    """

    title: str
    corner: str
    values: dict[str, dict[str, Value]]
    digits: int = 3

    @property
    def columns(self) -> list[str]:
        """Of all rows, in order; where rows and columns are the same, in the order of the rows."""
        found = list(dict.fromkeys(column for row in self.values.values() for column in row))
        return list(self.values) if set(found) == set(self.values) else found

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any of the numbers."""
        return any(v.paper is not None for row in self.values.values() for v in row.values())


@dataclass(frozen=True)
class Claim:
    """A sentence that the numbers bear out or do not, and the numbers."""

    text: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True)
class Line:
    """One series of a figure.

    Attributes
    ----------
    label : str
    x : list
        Numbers; names of bars.
    y : list of float
    kind : {"line", "curve", "band", "diagonal", "points", "bars"}
        A line has a mark at every value; a band is a broad curve that others lie upon.
    spread : list of float or None
        Of lines and bars.
    """

    label: str
    x: list
    y: list[float]
    kind: str = "line"
    spread: list[float] | None = None


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str
    y: str
    lines: list[Line]


@dataclass(frozen=True)
class Outcome:
    """What the pieces come to."""

    grids: list[Grid]
    claims: list[Claim] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    title : str
    protocol : Protocol
    conclude : callable
        ``conclude(pieces)`` is the outcome.
    """

    title: str
    protocol: Protocol
    conclude: Callable[[list[Piece]], Outcome]


def paper_numbers(package: str, name: str) -> Any:
    """What a paper printed, from the file beside its protocol."""
    return loads((files(package) / "paper.json").read_text(encoding="utf-8"))[name]


def generator(seed: int, repetition: int) -> np.random.Generator:
    """Random numbers of one repetition, the same for all that takes part in it."""
    return np.random.default_rng([seed, repetition])


def random_state(seed: int, repetition: int) -> int:
    """The same as a whole number, for what splits samples."""
    return int(generator(seed, repetition).integers(2**31))


def within_two_deviations(grids: Iterable[Grid]) -> Claim:
    """Whether all numbers lie within two of the paper's standard deviations of the paper's."""
    far = [
        f"{row} {column} {value.ours:.{grid.digits}f} (paper {value.paper:.{grid.digits}f} ± "
        f"{value.paper_spread:.{grid.digits}f})"
        for grid in grids
        for row, columns in grid.values.items()
        for column, value in columns.items()
        if (value.deviations or 0) > 2
    ]
    text = "every number is within two of the paper's standard deviations of the paper's"
    return Claim(text, not far, "outside: " + ", ".join(far) if far else "")
