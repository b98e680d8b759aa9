"""Data structures of an experiment: protocol, pieces, tables, figures and claims.

A *protocol* is a list of independent pieces of a computation, each a function of a few numbers and
names. An *experiment* is a table or figure of a paper, computed from the results of a protocol's
pieces. Experiments with the same protocol share its pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from json import loads
from typing import Any

import numpy as np
from scipy.stats import t as student

# Confidence of every interval.
LEVEL = 0.95


@dataclass(frozen=True)
class Piece:
    """A piece of a protocol: its parameters and, after it was run, its result.

    Attributes
    ----------
    parameters : dict
        Numbers and names; the result depends only on them and the data set.
    result : dict
        Numbers and names that can be written as JSON.
    """

    parameters: dict[str, Any]
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Return the name of its cache file, without suffix."""
        return "-".join(f"{name}_{value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class Protocol:
    """A paper's protocol as a list of independent pieces.

    Attributes
    ----------
    name : str
    plan : callable
        ``plan(quick)`` returns the parameters of every piece, without `random_state`.
    run : callable
        ``run(random_state=..., **parameters)`` computes the result of one piece.
    needs : callable
        ``needs(parameters)`` returns the name of the data set that a piece reads, or None.
    revision : int, default=1
        Increased whenever `run` changes, so that cached results of older revisions are not used.
    """

    name: str
    plan: Callable[[bool], list[dict[str, Any]]]
    run: Callable[..., dict[str, Any]]
    needs: Callable[[dict[str, Any]], str | None]
    revision: int = 1

    def pieces(self, quick: bool, random_state: int) -> list[Piece]:
        """Return all pieces, without results."""
        seed = {"random_state": random_state}
        return [Piece(parameters | seed) for parameters in self.plan(quick)]


@dataclass(frozen=True)
class Value:
    """A number and, if published, the paper's number, both with their spread."""

    ours: float
    spread: float | None = None
    paper: float | None = None
    paper_spread: float | None = None

    @property
    def deviations(self) -> float | None:
        """Return the distance from the paper's number in the paper's standard deviations."""
        if self.paper is None or not self.paper_spread:
            return None
        return abs(self.ours - self.paper) / self.paper_spread

    def shown(self, digits: int) -> str:
        """Format our number."""
        return number(self.ours, self.spread, digits)

    def paper_shown(self, digits: int) -> str:
        """Format the paper's number; empty if it is not published."""
        return "" if self.paper is None else number(self.paper, self.paper_spread, digits)


def number(mean: float, spread: float | None, digits: int) -> str:
    """Format a mean and its spread."""
    return f"{mean:.{digits}f}" + ("" if spread is None else f" ± {spread:.{digits}f}")


@dataclass(frozen=True)
class ResultTable:
    """A table: ``values[row][column]``.

    Attributes
    ----------
    title : str
    corner : str
        Header of the column of row names.
    values : dict of str to dict of str to Value
    digits : int
        Number of decimals.
    """

    title: str
    corner: str
    values: dict[str, dict[str, Value]]
    digits: int = 3

    @property
    def columns(self) -> list[str]:
        """Return the names of all columns, in the order of the rows if both have the same names."""
        found = list(dict.fromkeys(column for row in self.values.values() for column in row))
        return list(self.values) if set(found) == set(self.values) else found

    @property
    def has_paper(self) -> bool:
        """Return whether any of the numbers is published."""
        return any(v.paper is not None for row in self.values.values() for v in row.values())


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, whether our numbers confirm it, and those numbers.

    A claim that something is larger or smaller holds if an `Interval` excludes the opposite; the
    sign of a mean is not enough.
    """

    text: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def shown(self, digits: int = 3) -> str:
        """Format the mean and the interval with signs."""
        return f"{self.mean:+.{digits}f} [{self.low:+.{digits}f}, {self.high:+.{digits}f}]"


def interval(values: Any, overlap: float = 0.0) -> Interval:
    """Return the mean of repeated measurements and its 95 % confidence interval.

    Student's t with the variance of Nadeau and Bengio (2003), s^2 (1 / J + overlap) for J values.
    A single value has an unbounded interval.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        One number per repetition (per fold, if a cross-validation is repeated): as a rule a
        difference between two methods on the same samples.
    overlap : float, default=0.0
        Number of test samples per training sample if repetitions train on overlapping parts of
        one data set, as folds and halves do. 0 if each repetition draws a small training part: the
        interval is then that of the mean over such draws from the data set.

    Examples
    --------
    >>> from learnkernels.reproductions.experiment import interval
    >>> interval([0.1, 0.3]).shown(1), interval([0.1, 0.3], overlap=1.0).shown(1)
    ('+0.2 [-1.1, +1.5]', '+0.2 [-2.0, +2.4]')
    """
    found = np.asarray(values, dtype=float)
    mean, count = float(found.mean()), len(found)
    if count < 2:
        return Interval(mean, -np.inf, np.inf)
    error = float(found.std(ddof=1)) * np.sqrt(1 / count + overlap)
    half = float(student.ppf((1 + LEVEL) / 2, count - 1) * error)
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Series:
    """A data series of a figure.

    Attributes
    ----------
    label : str
    x : list
        Numbers, or names of bars.
    y : list of float
    kind : {"line", "curve", "band", "diagonal", "points", "bars"}
        A line has a marker at every value; a band is a wide curve drawn below others.
    spread : list of float or None
        Lengths of the error bars of lines and bars.
    """

    label: str
    x: list[Any]
    y: list[float]
    kind: str = "line"
    spread: list[float] | None = None


@dataclass(frozen=True)
class Panel:
    """A pair of axes of a figure."""

    title: str
    x: str
    y: str
    series: list[Series]


@dataclass(frozen=True)
class Outcome:
    """Tables, claims and figures of an experiment."""

    tables: list[ResultTable]
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
        ``conclude(pieces)`` computes the `Outcome` from the results of all pieces.
    """

    title: str
    protocol: Protocol
    conclude: Callable[[list[Piece]], Outcome]


def paper_numbers(package: str, name: str) -> Any:
    """Return published numbers from the file ``paper.json`` of a package."""
    return loads((files(package) / "paper.json").read_text(encoding="utf-8"))[name]


def generator(random_state: int, repetition: int) -> np.random.Generator:
    """Return the random number generator of a repetition, the same for all pieces in it."""
    return np.random.default_rng([random_state, repetition])


def integer_seed(random_state: int, repetition: int) -> int:
    """Return a random integer for scikit-learn's splitters."""
    return int(generator(random_state, repetition).integers(2**31))


def within_two_deviations(tables: Iterable[ResultTable]) -> Claim:
    """Check that all numbers are within two standard deviations of the paper's numbers."""
    far = [
        f"{row} {column} {value.ours:.{table.digits}f} (paper {value.paper:.{table.digits}f} ± "
        f"{value.paper_spread:.{table.digits}f})"
        for table in tables
        for row, columns in table.values.items()
        for column, value in columns.items()
        if (value.deviations or 0) > 2
    ]
    text = "every number is within two of the paper's standard deviations of the paper's"
    return Claim(text, not far, "outside: " + ", ".join(far) if far else "")
