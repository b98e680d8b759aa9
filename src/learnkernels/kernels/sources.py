"""Sources: columns of a table, read as numbers or as strings, and feature maps applied to them.

    table --Columns--> array, CSR matrix or strings --maps--> samples of the kernel

`Columns` encode categories and dates for the kernels of `table`, which also take missing cells.

A kernel `On` a source is a kernel on the whole table. Kernels with the same source object share one
reading of the table. A kernel without a source takes X as the estimator validated it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import require_finite, require_range
from learnkernels.errors import InputError, RowError
from learnkernels.kernels import tables
from learnkernels.kernels.base import Kernel, TrainingData
from learnkernels.kernels.encoding import Encoding, encodings_of
from learnkernels.plurals import count_text

# How a sample without any value in a view is handled.
MISSING = ("error", "neutral")
# The view of kernels for which the user selected no columns.
ALL_COLUMNS = "all columns"


@dataclass(frozen=True)
class Columns:
    """Selected columns of a table.

    Attributes
    ----------
    positions : tuple of int
        Positions in the training table.
    names : tuple of str or None
        Names in the training table, if it has names. A table with names is searched by name.
    n_columns : int
        Number of columns of the training table.
    text : bool
        Whether this is one column of strings.
    view : str
        Name of the view in messages.
    encodings : tuple of Encoding or None
        How each column becomes numbers, NaN where missing; None if all are numbers without missing
        cells, or if this is one column of strings.
    """

    positions: tuple[int, ...]
    names: tuple[str, ...] | None
    n_columns: int
    text: bool
    view: str
    encodings: tuple[Encoding, ...] | None = None

    def absent(self, X: Any) -> list[str]:
        """Return the names that X does not have; raise if X has another number of columns."""
        present = tables.column_names(X)
        if self.names is not None and present is not None:
            known = set(present)
            return [name for name in self.names if name not in known]
        if tables.n_columns(X) != self.n_columns:
            raise InputError(
                f"X has {count_text(tables.n_columns(X), 'column')}, but the model was trained on "
                f"{self.n_columns}; pass the same columns in the same order, or a table with names."
            )
        return []

    def __call__(self, X: Any) -> Any:
        """Return numbers of shape (n_samples, n_columns) or strings of shape (n_samples,)."""
        positions = self.positions_in(X)
        if self.text:
            return tables.strings(X, positions[0], self.view)
        if self.encodings is None or tables.is_numeric(X):
            return tables.numbers(X, positions, self.view)
        columns = zip(self.encodings, positions, self.labels(), strict=True)
        return np.hstack([encoding(tables.column(X, i), name) for encoding, i, name in columns])

    def positions_in(self, X: Any) -> tuple[int, ...]:
        """Return the positions of the columns in X."""
        present = tables.column_names(X)
        if self.names is None or present is None:
            return self.positions
        position = {name: i for i, name in enumerate(present)}
        return tuple(position[name] for name in self.names)

    def labels(self) -> list[str]:
        """Return the names of the columns, or texts with their positions."""
        return list(self.names or (f"x[{position}]" for position in self.positions))

    def new_names(self) -> list[str]:
        """Return the names of the columns that `__call__` returns."""
        if self.encodings is None:
            return self.labels()
        columns = zip(self.encodings, self.labels(), strict=True)
        return [new for encoding, name in columns for new in encoding.names(name)]

    def blocks(self) -> np.ndarray | None:
        """Return the number of the block of each new column; None if each is one."""
        if self.encodings is None:
            return None
        sizes = [size for encoding in self.encodings for size in encoding.blocks]
        return np.repeat(np.arange(len(sizes)), sizes)

    def observed(self, X: Any) -> np.ndarray:
        """Return which samples have a value in any of the columns, shape (n_samples,)."""
        return tables.has_any(X, self.positions_in(X))

    def empty(self) -> np.ndarray:
        """Return zero samples in the form of `__call__`."""
        return np.empty(0, dtype=object) if self.text else np.empty((0, len(self.new_names())))


@dataclass(frozen=True, eq=False)
class Source:
    """Columns of a table and feature maps: the steps from X to the samples of a kernel.

    Attributes
    ----------
    columns : Columns or None
        Selected columns; None takes X as it is.
    maps : tuple of callable
        Feature maps, applied in order.
    """

    columns: Columns | None = None
    maps: tuple[Callable[[Any], Any], ...] = ()

    def then(self, other: Source) -> Source:
        """Return the source with the steps of this source, then those of the other."""
        steps = () if other.columns is None else (other.columns,)
        return Source(self.columns, (*self.maps, *steps, *other.maps))

    @property
    def view(self) -> str:
        """Name of the view in messages."""
        return "X" if self.columns is None else self.columns.view

    def read(self, X: Any, missing: str = "error") -> tuple[Any, np.ndarray | None]:
        """Return the samples that have values in this source.

        Parameters
        ----------
        X : table, array, CSR matrix or strings
            All samples.
        missing : {"error", "neutral"}
            Whether a sample may have no value in this source.

        Returns
        -------
        data : array, CSR matrix or strings
            The samples with values.
        observed : bool ndarray of shape (n_samples,) or None
            Which samples of X have values; None if all have.
        """
        data, observed = self.read_columns(X, missing)
        for step in self.maps:
            data = step(data)
        return data, observed

    def read_columns(self, X: Any, missing: str) -> tuple[Any, np.ndarray | None]:
        """Return the selected columns before the feature maps, and `observed` as in `read`."""
        data = X
        if self.columns is not None:
            absent = self.columns.absent(X)
            if absent and len(absent) == len(self.columns.positions) and missing == "neutral":
                return self.columns.empty(), np.zeros(tables.n_rows(X), dtype=bool)
            if absent:
                raise InputError(absent_columns(self.view, absent, missing))
            data = self.columns(X)
        observed = self.observed(X, data)
        if observed.all():
            return data, None
        if missing == "error":
            first = int(np.flatnonzero(~observed)[0])
            raise InputError(
                f"view {self.view!r} has no values for "
                f"{count_text(int((~observed).sum()), 'sample')} (the first "
                f"is row {first}); every sample needs values: drop or impute them, or pass "
                'missing="neutral" to give them the mean of the view.'
            )
        return data[observed], observed

    def observed(self, X: Any, data: Any) -> np.ndarray:
        """Return which samples have values, where `data` are the columns of X that were read.

        Steps that fill missing cells also take samples without any value, unless these are missing
        in a view that the user selected.
        """
        if self.columns is not None:
            fills = self.columns.encodings is not None
        else:
            fills = bool(self.maps) and getattr(self.maps[0], "fills", False)
        names = None if self.columns is None else self.columns.new_names()
        if not fills:
            return has_values(data, self.view, names)
        check_values(data, self.view, names)
        if self.columns is None or self.view == ALL_COLUMNS:
            return np.ones(tables.n_rows(X), dtype=bool)
        return self.columns.observed(X)


@dataclass(frozen=True)
class On(Kernel):
    """A kernel on a source.

    Attributes
    ----------
    source : Source
        Columns and feature maps.
    kernel : Kernel
        Kernel of the samples that the source returns.
    view : str
        Name of the view, empty if the user selected no columns.
    label : str
        Name of the kernel, empty to use its own.
    """

    source: Source
    kernel: Kernel
    view: str = ""
    label: str = ""

    takes = "table"

    @property
    def semidefinite(self) -> bool:  # type: ignore[override]
        return self.kernel.semidefinite

    @property
    def name(self) -> str:
        name = self.label or self.kernel.name
        return f"{self.view}: {name}" if self.view else name

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return self.kernel(self.source.read(X)[0], None if Z is None else self.source.read(Z)[0])

    def diagonal(self, X: Any) -> np.ndarray:
        return self.kernel.diagonal(self.source.read(X)[0])


def kernels_behind(source: Source, kernels: Sequence[Kernel], view: str = "") -> list[Kernel]:
    """Return kernels on what a source returns as kernels on the table.

    Kernels that share a source still share one.
    """
    joined: dict[Source, Source] = {}
    found: list[Kernel] = []
    for kernel in kernels:
        if isinstance(kernel, On):
            shared = joined.setdefault(kernel.source, source.then(kernel.source))
            found.append(On(shared, kernel.kernel, view, kernel.label or kernel.kernel.name))
        else:
            found.append(On(source, kernel, view))
    return found


def source_of_columns(
    data: TrainingData, positions: Sequence[int], view: str, encode: bool = False
) -> Source:
    """Return the source of some columns of the training table.

    Parameters
    ----------
    data : TrainingData
        Contains the table.
    positions : sequence of int
        The columns: numbers, or one column of strings.
    view : str
        Name of the view in messages.
    encode : bool, default=False
        Whether to encode columns that are not numbers, and to allow missing cells.
    """
    X = data.X
    names = tables.column_names(X) if data.names is None else data.names
    encodings = None
    if encode and not sparse.issparse(X):
        trained = tables.has_any(X, positions)
        if view == ALL_COLUMNS or not trained.any():
            trained[:] = True
        trained &= True if data.weights is None else data.weights > 0
        found = encodings_of(X, positions, names, trained)
        positions, encodings = list(found), tuple(found.values())
    text = encodings is None and check_text(X, positions, names, view)
    kept = None if names is None else tuple(names[position] for position in positions)
    return Source(Columns(tuple(positions), kept, tables.n_columns(X), text, view, encodings))


def check_text(X: Any, positions: Sequence[int], names: Sequence[str] | None, view: str) -> bool:
    """Return whether this is one column of strings; raise if strings are among other columns."""
    text = [position for position in positions if tables.holds_text(X, position)]
    if text and len(positions) > 1:
        found = [names[position] if names is not None else position for position in text]
        raise InputError(
            f"columns {found[:5]} of {described(view)} contain text; expected numbers, or a single "
            "column of text: give each text column a view of its own, for example "
            "lk.on(column, lk.ngrams())."
        )
    return bool(text)


def has_values(data: Any, view: str, names: Sequence[str] | None = None) -> np.ndarray:
    """Return which samples have values, shape (n_samples,); raise if some values are missing."""
    if isinstance(data, np.ndarray) and data.ndim == 1:
        return np.array([isinstance(text, str) for text in data], dtype=bool)
    check_values(data, view, names)
    if sparse.issparse(data):
        if np.isnan(data.data).any():
            raise InputError(
                f"{described(view)} contains NaN in a sparse matrix; expected finite numbers: "
                "replace them, for example by 0."
            )
        return np.ones(data.shape[0], dtype=bool)
    n_missing = np.isnan(data).sum(axis=1)
    partly = np.flatnonzero((n_missing > 0) & (n_missing < data.shape[1]))
    if len(partly):
        raise RowError(
            f"Input X contains NaN: {described(view)} lacks {n_missing[partly[0]]} of "
            f"{data.shape[1]} values in row ",
            int(partly[0]),
            f" (and some in {count_text(len(partly) - 1, 'other row')}); "
            "a sample needs all values of a view or none: pass lk.table(kernels) for this view, "
            "which fills missing cells, or fill them before.",
        )
    return np.asarray(n_missing == 0)


def check_values(data: Any, view: str, names: Sequence[str] | None = None) -> None:
    """Raise if values are infinite or too large; `names` are those of the columns."""
    where = described(view)
    require_finite(data, where, names)
    values = data.data if sparse.issparse(data) else data
    require_range(values[~np.isnan(values)], where)


def described(view: str) -> str:
    """Return the name of a view in messages: X for all columns, which are no view of the user."""
    return "X" if view == ALL_COLUMNS else f"view {view!r}"


def absent_columns(view: str, absent: list[str], missing: str) -> str:
    """Return the message for a table without some columns of a view."""
    more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
    advice = (
        "pass all of them, or none if the whole view is missing"
        if missing == "neutral"
        else 'pass them, or train with missing="neutral" if whole views can be missing'
    )
    return f"X lacks columns {absent[:5]}{more} of view {view!r}; {advice}."
