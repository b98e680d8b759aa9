"""Encodings: from one column of a table to columns of numbers, NaN where a number is missing.

    numbers, booleans   as they are
    dates               days, and sine and cosine of the year if they span more than one
    categories          a column of zeros and ones for each of the most frequent values, and one
                        for missing cells

An encoding is fitted to the training samples. `encodings_of` chooses one for each column, and
leaves columns out that are unique in every row, or whose cells contain several values.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Real
from reprlib import repr as shortened
from typing import Any, ClassVar

import numpy as np

from learnkernels._warnings import warn
from learnkernels.errors import InputError, RowError, TableWarning
from learnkernels.kernels import tables
from learnkernels.plurals import count_text

# A year, in days; longer spans have a season.
YEAR = 365.2425
DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")
OTHER_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}\b")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# Fewer samples may have a different category each.
MIN_SAMPLES = 10
# More categories than this, and than this part of the samples, are probably none.
MIN_CATEGORIES, MAX_DISTINCT = 20, 0.5
# Only so many categories of a column have a column of their own: the most frequent ones.
MAX_CATEGORIES = 200
# A column of text is probably numeric up to this part of cells that are not numbers.
MAX_WRONG = 0.2


@dataclass(frozen=True)
class Numbers:
    """Numbers and booleans as they are; durations in days."""

    blocks: ClassVar[tuple[int, ...]] = (1,)

    def __call__(self, values: np.ndarray, name: str) -> np.ndarray:
        """Return floats of shape (n_samples, 1), NaN where missing."""
        if values.dtype.kind == "m":
            values = days_of(values)
        if values.dtype.kind == "O":
            values = np.array([number_of(value) for value in values], dtype=object)
        try:
            return values.astype(float)[:, None]
        except (TypeError, ValueError):
            raise not_numbers(values, name) from None

    def names(self, name: str) -> list[str]:
        """Return the names of the new columns."""
        return [name]


@dataclass(frozen=True)
class Dates:
    """Dates as days since 1970, and the season as sine and cosine of the year.

    Attributes
    ----------
    season : bool
    """

    season: bool

    def __call__(self, values: np.ndarray, name: str) -> np.ndarray:
        """Return floats of shape (n_samples, 1 or 3), NaN where missing."""
        days = days_of(as_dates(values, name))
        if not self.season:
            return days[:, None]
        angle = 2 * np.pi * days / YEAR
        return np.column_stack([days, np.sin(angle), np.cos(angle)])

    def names(self, name: str) -> list[str]:
        """Return the names of the new columns."""
        return [name, f"sine of year of {name}", f"cosine of year of {name}"][: sum(self.blocks)]

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of new columns that are scaled together."""
        return (1, 2) if self.season else (1,)


@dataclass(frozen=True)
class Categories:
    """A column of zeros and ones for each category; other categories are zeros in all of them.

    Attributes
    ----------
    values : tuple of str
        The categories.
    missing : bool
        Whether missing cells have a column too. If not, they are zeros.
    """

    values: tuple[str, ...]
    missing: bool

    def __call__(self, values: np.ndarray, name: str) -> np.ndarray:
        """Return zeros and ones of shape (n_samples, n_categories + missing)."""
        position = {value: k for k, value in enumerate(self.values)}
        absent = len(self.values) if self.missing else -1
        codes = np.array(
            [absent if one is None else position.get(one, -1) for one in labels(values)],
            dtype=np.intp,
        )
        return (codes[:, None] == np.arange(sum(self.blocks))).astype(float)

    def names(self, name: str) -> list[str]:
        """Return the names of the new columns."""
        return [f"{name}={value}" for value in (*self.values, "missing")][: sum(self.blocks)]

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of new columns that are scaled together."""
        return (len(self.values) + self.missing,)


Encoding = Numbers | Dates | Categories


def encodings_of(
    X: Any, positions: Sequence[int], names: Sequence[str] | None, trained: np.ndarray
) -> dict[int, Encoding]:
    """Return the encoding of each column that is used; warn about those that are left out.

    Parameters
    ----------
    X : table
    positions : sequence of int
        The columns.
    names : sequence of str or None
        Names of all columns of X.
    trained : ndarray of bool of shape (n_samples,)
        The samples that count.
    """
    found: dict[int, Encoding] = {}
    for position in positions:
        values = tables.column(X, position)
        name = str(position) if names is None else names[position]
        encoding = encoding_of(values[trained], name, is_categorical(X, position))
        if encoding is not None:
            found[position] = encoding
    if not found:
        raise InputError(
            f"no column of X can be used: each of {count_text(len(positions), 'column')} is empty, "
            "or text that is different in every row, or contains several values in a cell. Add "
            "columns of numbers or categories, or read texts with lk.on(column, lk.ngrams())."
        )
    return found


def encoding_of(values: np.ndarray, name: str, categorical: bool) -> Encoding | None:
    """Return the encoding of a column with these training values, None to leave it out."""
    nested = None if categorical else tables.first_nested(values)
    if nested is not None:
        warn(
            f"column {name!r} is left out: its cells contain several values (the first is "
            f"{shortened(nested)}), and a number, a date or a category is expected. Drop it, or "
            "compute columns of single values from it.",
            TableWarning,
        )
        return None
    if not categorical:
        if holds_numbers(values):
            return Numbers()
        if holds_dates(values):
            days = days_of(as_dates(values, name))
            days = days[~np.isnan(days)]
            return Dates(bool(np.ptp(days) > YEAR and len(np.unique(days % YEAR // 1)) > 2))
    found = labels(values)
    counts = Counter(value for value in found if value is not None)
    if not counts:
        warn(f"column {name!r} has no value in the training data and is left out.", TableWarning)
        return None
    total = counts.total()
    example = next(iter(counts))
    if len(counts) == total >= MIN_SAMPLES:
        message = nearly_numbers(name, counts, "left out") or numbers_as_text(name, counts)
        warn(message or left_out(name, total, example), TableWarning)
        return None
    warn_about_categories(name, counts, example)
    frequent = sorted(counts, key=lambda value: (-counts[value], value))[:MAX_CATEGORIES]
    return Categories(tuple(sorted(frequent)), total < len(found))


def left_out(name: str, total: int, example: str) -> str:
    """Return the message for a column of text that is unique in every row."""
    return (
        f"column {name!r} is left out: its {count_text(total, 'value')} are all different (the "
        f"first is {example!r}), as in an identifier or a file name. Drop it, or use what it "
        "contains: texts with lk.on(column, lk.ngrams()), sequences with "
        "lk.on(column, lk.spectrum(3)), dates by conversion with pandas.to_datetime."
    )


def nearly_numbers(name: str, counts: Counter[str], use: str) -> str:
    """Return the message for a column of numbers with a few cells of text; empty for others."""
    total = counts.total()
    wrong = [value for value in counts if not is_number_text(value)]
    n_wrong = sum(counts[value] for value in wrong)
    if not 0 < n_wrong <= MAX_WRONG * total:
        return ""
    return (
        f"column {name!r} is {use}, because {n_wrong} of {count_text(total, 'value')} "
        f"{'is' if n_wrong == 1 else 'are'} not a number: {wrong[0]!r}. If it contains numbers, "
        f"replace {wrong[0]!r} by a missing cell."
    )


def numbers_as_text(name: str, counts: Counter[str]) -> str:
    """Return the message for a column of text that are all numbers; empty for others.

    A word may be in other rows, for example outside of the subsample of a fit.
    """
    numbers = [float(value) for value in counts if is_number_text(value)]
    largest = max((abs(value) for value in numbers if isfinite(value)), default=0.0)
    if len(numbers) < len(counts) or largest >= 2**63:  # longer ones are keys
        return ""
    return (
        f"column {name!r} is left out: its {count_text(counts.total(), 'value')} are all different "
        f"numbers written as text (the first is {next(iter(counts))!r}), as in a column with a "
        "word in other rows, or in an identifier. If it contains quantities, convert it with "
        'pandas.to_numeric(column, errors="coerce"), which makes words missing cells. Drop it if '
        "it is an identifier."
    )


def warn_about_categories(name: str, counts: Counter[str], example: str) -> None:
    """Warn of categories that are probably numbers, or texts."""
    total = counts.total()
    message = nearly_numbers(name, counts, "used as categories")
    if message:
        warn(message, TableWarning)
    elif all(map(OTHER_DATE.match, counts)):
        warn(
            f"column {name!r} is used as categories, but contains dates such as {example!r}: use "
            "dates by conversion with pandas.to_datetime.",
            TableWarning,
        )
    elif len(counts) > max(MIN_CATEGORIES, min(MAX_CATEGORIES, MAX_DISTINCT * total)):
        warn(
            f"column {name!r} is used as categories, and {len(counts):,} of "
            f"{count_text(total, 'value')} are different (the first is {example!r}); the "
            f"{MAX_CATEGORIES} most frequent are used. Drop it if it is an identifier, group rare "
            "values, or use its texts with lk.on(column, lk.ngrams()).",
            TableWarning,
        )


def is_categorical(X: Any, position: int) -> bool:
    """Return whether a column of a pandas frame has the type of categories."""
    return hasattr(X, "iloc") and getattr(X.dtypes.iloc[position], "name", "") == "category"


def plain_numbers(X: Any) -> bool:
    """Return whether all columns of a table are numbers, which need no encoding."""
    return all(
        not is_categorical(X, position)
        and (values := tables.column(X, position)).dtype.kind != "m"
        and holds_numbers(values)
        for position in range(tables.n_columns(X))
    )


def holds_numbers(values: np.ndarray) -> bool:
    """Return whether a column contains numbers, booleans or durations, or no value at all."""
    if values.dtype.kind != "O":
        return values.dtype.kind in "biufm"
    some = [value for value in values if not tables.is_missing(value)]
    return bool(some) and all(map(is_number, some))


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and not a key of more than 64 bits."""
    if isinstance(value, int) and abs(value) >= 2**63:
        return False
    return isinstance(value, (Real, Decimal, np.bool_, datetime.timedelta))


def holds_dates(values: np.ndarray) -> bool:
    """Return whether a column contains dates, or texts such as 2024-02-29."""
    if values.dtype.kind != "O":
        return values.dtype.kind == "M"
    some = [value for value in values if not tables.is_missing(value)]
    return bool(some) and all(map(is_date, some))


def is_date(value: Any) -> bool:
    """Return whether a value is a date, or a text that is one."""
    if isinstance(value, str) and ISO_DATE.match(value):
        try:
            datetime.datetime.fromisoformat(value)
        except ValueError:
            return False
        return True
    return isinstance(value, (datetime.date, np.datetime64))


def as_dates(values: np.ndarray, name: str) -> np.ndarray:
    """Return a column of dates as datetime64, times without a zone in UTC."""
    if values.dtype.kind == "M":
        return values
    found = np.full(len(values), np.datetime64("NaT"), dtype="datetime64[us]")
    for i, value in enumerate(values):
        if tables.is_missing(value):
            continue
        if not is_date(value):
            raise RowError(
                f"column {name!r} contains {value!r} in row ",
                i,
                ", but the model was trained on dates; write dates such as 2024-02-29, or convert "
                "them with pandas.to_datetime.",
            )
        one = datetime.datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(one, datetime.datetime) and one.tzinfo is not None:
            one = one.astimezone(datetime.UTC).replace(tzinfo=None)
        found[i] = np.datetime64(one, "us")
    return found


def days_of(values: np.ndarray) -> np.ndarray:
    """Return dates (since 1970) or durations in days, NaN where missing."""
    unit = "datetime64[us]" if values.dtype.kind == "M" else "timedelta64[us]"
    found = values.astype(unit)
    return np.where(np.isnat(found), np.nan, found.astype(np.int64) / DAY)


def number_of(value: Any) -> Any:
    """Return a value of a column of numbers as a float if it is one; durations in days."""
    if tables.is_missing(value):
        return np.nan
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(days=1)
    return value


def labels(values: np.ndarray) -> list[str | None]:
    """Return the categories as texts, None where missing; 2.0 is the category 2."""
    if values.dtype.kind == "O":
        return [None if tables.is_missing(value) else label(value) for value in values]
    if values.dtype.kind in "fM":
        return [None if value != value else label(value) for value in values]
    return [label(value) for value in values]


def label(value: Any) -> str:
    """Return one category as text."""
    whole = isinstance(value, (float, np.floating)) and value.is_integer()
    return str(int(value)) if whole else str(value)


def is_number_text(value: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def not_numbers(values: np.ndarray, name: str) -> InputError:
    """Return the error for texts in a column that had numbers in training."""
    wrong = [
        i
        for i, value in enumerate(values)
        if not (isinstance(value, (Real, np.bool_)) or is_number_text(str(value)))
    ]
    found = f"column {name!r} contains text in {count_text(len(wrong), 'row')}"
    advice = ", but the model was trained on numbers; write numbers, or leave these cells missing."
    if not wrong:
        return InputError(f"{found}{advice}")
    first = wrong[0]
    return RowError(f"{found}, the first is {values[first]!r} in row ", first, advice)
