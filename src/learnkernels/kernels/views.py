"""Views: kernels on some of the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.checks import as_input_error, is_several, is_whole
from learnkernels.errors import InputError
from learnkernels.kernels import tables
from learnkernels.kernels.families import Family, Training
from learnkernels.kernels.sources import Columns, On, Source

__all__ = ["EVERYTHING", "OtherColumns", "View", "on"]

# What the kernels outside of all views look at.
EVERYTHING = "all columns"


@dataclass(frozen=True)
class View(Family):
    """Kernels on some columns; see `on`."""

    columns: Any
    kernels: Any
    name: str | None = None

    def members(self, data: Training):
        return self.on_source(data, self.source(data))

    def source(self, data: Training) -> Source:
        """The chosen columns of the training table."""
        names = tables.column_names(data.X) if data.names is None else list(data.names)
        view = self.name or shown_columns(self.columns)
        positions = chosen(self.columns, data.X, names, view)
        text = [at for at in positions if tables.holds_text(data.X, at)]
        if text and len(positions) > 1:
            found = [names[at] if names else at for at in text]
            if self.name == EVERYTHING:
                raise InputError(
                    f"columns {found[:5]} of X hold text; give each a view of its own, "
                    "lk.on(column, lk.ngrams()) for one, and the numbers theirs."
                )
            raise InputError(
                f"view {view!r} mixes text (columns {found[:5]}) with other columns; give every "
                "text column a view of its own."
            )
        kept = None if names is None else tuple(names[at] for at in positions)
        return Source(Columns(tuple(positions), kept, tables.n_columns(data.X), bool(text), view))

    def on_source(self, data: Training, source: Source) -> list:
        """The kernels that the view's columns give rise to."""
        assert source.columns is not None
        values, observed = source.read(data.X, data.missing)
        weights = data.weights
        if observed is not None and weights is not None:
            weights = weights[observed]
        if observed is not None and observed.sum() < 2:
            raise InputError(
                f"view {source.view!r} has values for {int(observed.sum())} samples only; a view "
                "needs at least 2 in training."
            )
        chosen = source.columns
        names = chosen.names or tuple(f"x[{at}]" for at in chosen.positions)
        inner = data.resolve(self.kernels, replace(data, X=values, weights=weights, names=names))
        joined: dict[int, Source] = {}  # kernels that share a source go on sharing one
        found = []
        for kernel in inner:
            if not isinstance(kernel, On):
                found.append(On(source, kernel, source.view))
                continue
            if kernel.view:
                raise InputError(
                    f"view {source.view!r} holds another view, {kernel.view!r}; lk.on() cannot be "
                    "nested: list the columns of the inner one."
                )
            if id(kernel.source) not in joined:
                joined[id(kernel.source)] = source.then(kernel.source)
            label = kernel.label or kernel.kernel.name
            found.append(On(joined[id(kernel.source)], kernel.kernel, source.view, label))
        return found


@dataclass(frozen=True)
class OtherColumns:
    """A selector: the columns that no other view has taken.

    Attributes
    ----------
    columns : tuple of str
        Taken by name.
    prefixes : tuple of str
        Taken by the beginning of their names.
    """

    columns: tuple[str, ...]
    prefixes: tuple[str, ...]

    def __call__(self, X) -> list[str]:
        return [
            name
            for name in X.columns
            if name not in self.columns and not name.startswith(self.prefixes)
        ]


def on(columns, kernels=None, name: str | None = None) -> Family:
    """Kernels on some columns of a table: a view.

    Parameters
    ----------
    columns : str, int, slice, list of str or int, boolean mask or callable
        Which columns: a name, or if no column has it a prefix of names (``"mrna:"``); a position
        or a slice of positions; a list of names or positions; a boolean for each column; or a
        function of the table that gives one of these, such as
        ``sklearn.compose.make_column_selector``. A single column of strings is given to the
        kernels as text.
    kernels : list, family, kernel, str or None, default=None
        What to combine on these columns, as in `KernelClassifier`. None takes ten Gaussians around
        the median distance, and the linear kernel.
    name : str or None, default=None
        What reports call the view. None makes a name from the columns.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list with other views.

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
    if name is not None and not (isinstance(name, str) and name):
        raise InputError(f"on() got name={name!r}; it must be a text that is not empty, or None.")
    return View(columns, kernels, name)


def chosen(spec, X, names: Iterable[str] | None, view: str) -> list[int]:
    """Positions of the columns that a user's choice stands for."""
    if callable(spec):
        with as_input_error(f"the function that chooses the columns of view {view!r}: "):
            found = spec(X)
        return chosen(found, X, names, view)
    n = tables.n_columns(X)
    known = None if names is None else list(names)
    if isinstance(spec, str):
        return by_name(spec, known, view)
    if isinstance(spec, slice):
        positions = by_slice(spec, known, n, view)
    elif is_whole(spec):
        positions = [in_range(int(spec), n, view)]
    else:
        entries = list(spec) if is_several(spec) else [spec]
        if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
            if len(entries) != n:
                raise InputError(
                    f"view {view!r} is a mask of {len(entries)} columns, but X has {n}; give one "
                    "boolean for each column."
                )
            positions = [int(at) for at in np.flatnonzero(entries)]
        else:
            positions = [one_of(entry, known, n, view) for entry in entries]
    if not positions:
        raise InputError(f"view {view!r} holds no column; choose at least one.")
    if len(set(positions)) < len(positions):
        raise InputError(f"view {view!r} names a column twice; list every column once.")
    return positions


def one_of(entry, known, n, view) -> int:
    if isinstance(entry, str):
        if known is None or entry not in known:
            raise InputError(unknown(entry, known, view))
        return known.index(entry)
    if is_whole(entry):
        return in_range(int(entry), n, view)
    raise InputError(
        f"view {view!r} holds {entry!r} of type {type(entry).__name__}; columns are given by names "
        "or whole numbers."
    )


def by_name(spec: str, known, view) -> list[int]:
    """The column of this name, or else all whose names begin with it."""
    if known is not None and spec in known:
        return [known.index(spec)]
    found = [at for at, name in enumerate(known or []) if spec and name.startswith(spec)]
    if not found:
        raise InputError(unknown(spec, known, view))
    return found


def by_slice(spec: slice, known, n, view) -> list[int]:
    """Positions of a slice; with names, as in pandas, both ends belong to it."""
    ends = [spec.start, spec.stop]
    if any(isinstance(end, str) for end in ends):
        first = 0 if spec.start is None else one_of(spec.start, known, n, view)
        last = n - 1 if spec.stop is None else one_of(spec.stop, known, n, view)
        return list(range(first, last + 1, spec.step or 1))
    return list(range(*spec.indices(n)))


def in_range(position: int, n: int, view: str) -> int:
    if not -n <= position < n:
        raise InputError(f"view {view!r} names column {position}, but X has {n} columns.")
    return position % n


def unknown(name: str, known, view) -> str:
    if known is None:
        return (
            f"view {view!r} names column {name!r}, but X has no column names; give a table with "
            "names (pandas, polars), or positions."
        )
    listed = ", ".join(repr(column) for column in known[:10])
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return (
        f"view {view!r}: no column is called {name!r} and no name begins with it; the columns are "
        f"{listed}{more}."
    )


def shown_columns(spec: Any) -> str:
    """A name for a view from its choice of columns."""
    if isinstance(spec, str):
        return spec.rstrip(":_-. ") or spec
    if callable(spec):
        return getattr(spec, "__name__", type(spec).__name__)
    if isinstance(spec, slice):
        ends = ["" if end is None else str(end) for end in (spec.start, spec.stop)]
        return f"columns {ends[0]}:{ends[1]}"
    entries = list(spec) if isinstance(spec, Iterable) else [spec]
    if len(entries) <= 3:
        return "+".join(str(entry) for entry in entries)
    return f"{entries[0]}..{entries[-1]}"
