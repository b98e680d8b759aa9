"""Views: kernels on some columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.checks import as_input_error, is_several, is_whole
from learnkernels.errors import InputError
from learnkernels.kernels import tables
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.resolve import input_kind, kernels_on
from learnkernels.kernels.sources import Source, source_of_columns
from learnkernels.plurals import count_text


@dataclass(frozen=True)
class View(Family):
    """Kernels on some columns; see `on`."""

    columns: Any
    kernels: Any
    name: str | None = None

    takes = "table"

    def members(self, data: TrainingData) -> list[Kernel]:
        source = self.source(data)
        return kernels_on(source, self.kernels, data, source.view)

    def source(self, data: TrainingData) -> Source:
        """Return the source of the selected columns."""
        names = tables.column_names(data.X) if data.names is None else list(data.names)
        view = self.name or columns_name(self.columns)
        positions = select(self.columns, data.X, names, view)
        encoded = input_kind(self.kernels) == "encoded"
        return source_of_columns(data, positions, view, encoded)


@dataclass(frozen=True)
class OtherColumns:
    """A selector of the columns that are in no other view.

    Attributes
    ----------
    columns : tuple of str
        Names of columns in other views.
    prefixes : tuple of str
        Beginnings of the names of columns in other views.
    """

    columns: tuple[str, ...]
    prefixes: tuple[str, ...]

    def __call__(self, X: Any) -> list[str]:
        return [
            name
            for name in X.columns
            if name not in self.columns and not name.startswith(self.prefixes)
        ]


def on(columns: Any, kernels: Any = None, name: str | None = None) -> Family:
    """Return a view: kernels on some columns of a table.

    Parameters
    ----------
    columns : str, int, slice, list of str or int, boolean mask or callable
        Columns of the view: a name, or if no column has this name a prefix of names (``"mrna:"``);
        a position or a slice of positions; a list of names or positions; a boolean for each
        column; or a function of the table that returns one of these, such as
        ``sklearn.compose.make_column_selector``. The kernels receive a single column of strings
        as text.
    kernels : list, family, kernel, str or None, default=None
        Kernels on these columns, as in `KernelClassifier`. None uses `table`.
    name : str or None, default=None
        Name of the view in reports. None makes a name from the columns.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum with other views.

    Examples
    --------
    >>> import pandas as pd
    >>> import learnkernels as lk
    >>> table = pd.DataFrame(
    ...     {
    ...         "size": [1.0, 1.2, 3.1, 3.3],
    ...         "weight": [2.0, 2.3, 2.2, 2.1],
    ...         "promoter": ["ACGTACGT", "ACGTACGA", "TTGTACCC", "TTGAACCC"],
    ...     }
    ... )
    >>> model = lk.KernelClassifier(
    ...     kernels=[
    ...         lk.on(["size", "weight"], lk.linear(), name="body"),
    ...         lk.on("promoter", lk.spectrum(2)),
    ...     ],
    ... ).fit(table, [0, 0, 1, 1])
    >>> list(model.kernel_names_)
    ['body: linear', 'promoter: spectrum(2)']
    >>> sorted(model.view_weights_)
    ['body', 'promoter']
    """
    if name is not None and not (isinstance(name, str) and name):  # type: ignore[redundant-expr]
        raise InputError(f"on() got name={name!r}; it must be a non-empty string, or None.")
    return View(columns, kernels, name)


def select(columns: Any, X: Any, names: Sequence[str] | None, view: str) -> list[int]:
    """Return the positions of the columns that the user selected."""
    if callable(columns):
        with as_input_error(f"the function that selects the columns of view {view!r}: "):
            columns = columns(X)
        return select(columns, X, names, view)
    n = tables.n_columns(X)
    if isinstance(columns, str):
        return by_name(columns, names, view)
    if isinstance(columns, slice):
        positions = by_slice(columns, names, n, view)
    else:
        entries = list(columns) if is_several(columns) else [columns]
        if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
            positions = by_mask(entries, n, view)
        else:
            positions = [one_position(entry, names, n, view) for entry in entries]
    if not positions:
        raise InputError(f"view {view!r} has no column; select at least one.")
    if len(set(positions)) < len(positions):
        raise InputError(f"view {view!r} contains a column twice; list every column once.")
    return positions


def by_name(name: str, names: Sequence[str] | None, view: str) -> list[int]:
    """Return the position of the column of this name, or else of all names that begin with it."""
    known = list(names or [])
    if name in known:
        return [known.index(name)]
    found = [i for i, column in enumerate(known) if name and column.startswith(name)]
    if not found:
        raise InputError(unknown_column(name, names, view))
    return found


def by_slice(columns: slice, names: Sequence[str] | None, n: int, view: str) -> list[int]:
    """Return the positions of a slice; with names both ends are included, as in pandas."""
    start, stop = columns.start, columns.stop
    if not (isinstance(start, str) or isinstance(stop, str)):
        return list(range(*columns.indices(n)))
    first = 0 if start is None else one_position(start, names, n, view)
    last = n - 1 if stop is None else one_position(stop, names, n, view)
    return list(range(first, last + 1, columns.step or 1))


def by_mask(mask: list[Any], n: int, view: str) -> list[int]:
    """Return the positions where a mask is true."""
    if len(mask) != n:
        raise InputError(
            f"view {view!r} is a mask of {len(mask)} columns, but X has {n}; pass one boolean for "
            "each column."
        )
    return [int(position) for position in np.flatnonzero(mask)]


def one_position(entry: Any, names: Sequence[str] | None, n: int, view: str) -> int:
    """Return the position of one column, given by name or position."""
    if isinstance(entry, str):
        if names is None or entry not in names:
            raise InputError(unknown_column(entry, names, view))
        return list(names).index(entry)
    if not is_whole(entry):
        raise InputError(
            f"view {view!r} contains {entry!r} of type {type(entry).__name__}; select columns by "
            "names or whole numbers."
        )
    if not -n <= entry < n:
        raise InputError(
            f"view {view!r} contains column {entry}, but X has {count_text(n, 'column')}; select "
            f"positions from {-n} to {n - 1}."
        )
    return int(entry) % n


def unknown_column(name: str, names: Sequence[str] | None, view: str) -> str:
    """Return the message for a name that no column has."""
    if names is None:
        return (
            f"view {view!r} contains column {name!r}, but X has no column names; pass a table with "
            "names (pandas, polars), or select by position."
        )
    listed = ", ".join(repr(column) for column in names[:10])
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return (
        f"view {view!r}: no column is called {name!r} and no name begins with it; the columns are "
        f"{listed}{more}."
    )


def columns_name(columns: Any) -> str:
    """Return a name for the view of these columns."""
    if isinstance(columns, str):
        return columns.rstrip(":_-. ") or columns
    if callable(columns):
        return str(getattr(columns, "__name__", type(columns).__name__))
    if isinstance(columns, slice):
        ends = ["" if end is None else str(end) for end in (columns.start, columns.stop)]
        return f"columns {ends[0]}:{ends[1]}"
    entries = list(columns) if isinstance(columns, Iterable) else [columns]
    if len(entries) <= 3:
        return "+".join(str(entry) for entry in entries)
    return f"{entries[0]}..{entries[-1]}"
