"""Where a kernel looks: some columns of a table, as numbers or as strings, then a feature map.

    table --Columns--> array, CSR matrix or strings --maps--> what the kernel takes

A `Source` is these steps; a kernel `On` a source is a kernel of the whole table. Kernels that share
a source object share one reading of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import require_range
from learnkernels.errors import InputError
from learnkernels.kernels import tables
from learnkernels.kernels.base import Kernel

__all__ = ["MISSING", "WHOLE", "Columns", "On", "Source"]

# What may happen to samples that a view has not seen.
MISSING = ("error", "neutral")


@dataclass(frozen=True)
class Columns:
    """Some columns of a table; the first step of a view.

    Attributes
    ----------
    positions : tuple of int
        Where the columns stood in the training table.
    names : tuple of str or None
        What they were called there, if it had names; then they are found by name.
    n_columns : int
        Columns of the training table.
    text : bool
        Whether this is one column of strings.
    view : str
        What messages call the view.
    """

    positions: tuple[int, ...]
    names: tuple[str, ...] | None
    n_columns: int
    text: bool
    view: str

    def absent(self, X) -> list[str]:
        """Names of the columns that the table lacks; also raises if it cannot be the same table."""
        present = tables.column_names(X)
        if self.names is not None and present is not None:
            known = set(present)
            return [name for name in self.names if name not in known]
        if tables.n_columns(X) != self.n_columns:
            raise InputError(
                f"X has {tables.n_columns(X)} columns, but the model was trained on "
                f"{self.n_columns}; give the same columns in the same order, or a table with names."
            )
        return []

    def __call__(self, X) -> Any:
        """Numbers of shape (n_samples, n_columns), or strings of shape (n_samples,)."""
        present = tables.column_names(X)
        positions = self.positions
        if self.names is not None and present is not None:
            place = {name: at for at, name in enumerate(present)}
            positions = tuple(place[name] for name in self.names)
        if self.text:
            return tables.strings(X, positions[0], self.view)
        return tables.numbers(X, positions, self.view)

    def nothing(self):
        """Zero samples, in the form of `__call__`."""
        return np.empty(0, dtype=object) if self.text else np.empty((0, len(self.positions)))


@dataclass(frozen=True, eq=False)
class Source:
    """The steps from the user's table to what a kernel takes.

    Attributes
    ----------
    columns : Columns or None
        The choice of columns; None takes X as it is.
    maps : tuple of callable
        Feature maps, one after the other.
    """

    columns: Columns | None = None
    maps: tuple[Callable, ...] = ()

    def then(self, other: Source) -> Source:
        """The steps of this source, then those of another one."""
        steps = () if other.columns is None else (other.columns,)
        return Source(self.columns, (*self.maps, *steps, *other.maps))

    @property
    def view(self) -> str:
        return "X" if self.columns is None else self.columns.view

    def read(self, X, missing: str = "error") -> tuple[Any, np.ndarray | None]:
        """The samples that this source has seen, and which of X they are (None: all).

        Parameters
        ----------
        X : table, array, CSR matrix or strings
            All samples.
        missing : {"error", "neutral"}
            Whether a sample may lack all its values here.
        """
        data, observed = self._selected(X, missing)
        for step in self.maps:
            data = step(data)
        return data, observed

    def _selected(self, X, missing) -> tuple[Any, np.ndarray | None]:
        if self.columns is None:
            if np.ndim(X) == 3:
                return X, None  # a stack, whose matrices miss samples one by one
            data = X
        else:
            absent = self.columns.absent(X)
            if absent and len(absent) == len(self.columns.positions) and missing == "neutral":
                return self.columns.nothing(), np.zeros(tables.n_rows(X), dtype=bool)
            if absent:
                raise InputError(lacking(self.view, absent, missing))
            data = self.columns(X)
        observed = seen(data, self.view)
        if observed.all():
            return data, None
        if missing == "error":
            first = int(np.flatnonzero(~observed)[0])
            raise InputError(
                f"view {self.view!r} has no values for {int((~observed).sum())} samples (the first "
                f'is row {first}); drop them, fill them, or use missing="neutral", which puts them '
                "at the view's mean."
            )
        return data[observed], observed


WHOLE = Source()


@dataclass(frozen=True)
class On(Kernel):
    """A kernel on a source.

    Attributes
    ----------
    source : Source
    kernel : Kernel
        Of what the source gives.
    view : str
        Name of the view, empty if the user made none.
    label : str
        What to call the kernel if not by its own name.
    """

    source: Source
    kernel: Kernel
    view: str = ""
    label: str = ""

    @property
    def semidefinite(self) -> bool:  # type: ignore[override]
        return self.kernel.semidefinite

    @property
    def name(self):
        name = self.label or self.kernel.name
        return f"{self.view}: {name}" if self.view else name

    def __call__(self, X, Z=None):
        return self.kernel(self.source.read(X)[0], None if Z is None else self.source.read(Z)[0])

    def diagonal(self, X):
        return self.kernel.diagonal(self.source.read(X)[0])


def is_strings(X) -> bool:
    """Whether X is a list of strings, one for each sample."""
    return isinstance(X, np.ndarray) and X.ndim == 1


def seen(data, view: str) -> np.ndarray:
    """Which samples have values, shape (n_samples,); a sample with some only is an error."""
    if is_strings(data):
        return np.array([isinstance(text, str) for text in data], dtype=bool)
    values = data.data if sparse.issparse(data) else data
    if np.isinf(values).any():
        raise InputError(f"view {view!r} holds infinite values; all must be finite.")
    require_range(values[~np.isnan(values)], f"view {view!r}")
    if sparse.issparse(data):
        if np.isnan(values).any():
            raise InputError(f"view {view!r} holds NaN in a sparse matrix; fill the values first.")
        return np.ones(data.shape[0], dtype=bool)
    gone = np.isnan(data)
    lost = gone.sum(axis=1)
    partly = np.flatnonzero((lost > 0) & (lost < data.shape[1]))
    if len(partly):
        raise InputError(
            f"Input X contains NaN: view {view!r} lacks {lost[partly[0]]} of {data.shape[1]} "
            f"values in row {partly[0]} (and some in {len(partly) - 1} more rows); fill them, for "
            "example with sklearn.impute.SimpleImputer."
        )
    return lost == 0


def lacking(view: str, absent: list[str], missing: str) -> str:
    more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
    advice = (
        "give all of them, or none for a view that has not been seen"
        if missing == "neutral"
        else 'give them, or train with missing="neutral" if whole views may be absent'
    )
    return f"X lacks columns {absent[:5]}{more} of view {view!r}; {advice}."
