"""Access to tables: pandas and polars frames, arrays, sparse matrices, lists of strings.

Each function accepts every kind of table, and none imports pandas or polars.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError, RowError


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def is_numeric(X: Any) -> bool:
    """Return whether X is a sparse matrix, or an array of numbers."""
    return sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf")


def is_lazy(X: Any) -> bool:
    """Return whether X is a table whose rows are not in memory: of Dask, Parquet, Zarr or HDF5."""
    if hasattr(X, "__dask_graph__"):
        return True
    in_memory = isinstance(X, np.ndarray | list | tuple) or sparse.issparse(X) or is_frame(X)
    series = hasattr(X, "to_frame")
    return not (in_memory or series) and hasattr(X, "shape") and hasattr(X, "__getitem__")


def n_rows(X: Any) -> int:
    """Return the number of samples."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def n_columns(X: Any) -> int:
    """Return the number of columns; a list of strings has one."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    return int(shape[1]) if len(shape) > 1 else 1


def column_names(X: Any) -> list[str] | None:
    """Return the column names, None if the table has none."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def take(X: Any, positions: Sequence[int]) -> Any:
    """Return the columns at these positions as a table of the same kind."""
    if list(positions) == list(range(n_columns(X))):
        return X
    if hasattr(X, "iloc"):
        return X.iloc[:, list(positions)]
    return X[:, list(positions)]


def rows(X: Any, samples: np.ndarray | slice) -> Any:
    """Return some samples as a table of the same kind."""
    return X.iloc[samples] if hasattr(X, "iloc") else X[samples]


def column(X: Any, position: int) -> np.ndarray:
    """Return one column as an array of shape (n_samples,)."""
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, position])
    if is_frame(X):
        return cells(X[:, position].to_numpy())
    return np.asarray(X if X.ndim == 1 else X[:, position])


def cells(values: np.ndarray) -> np.ndarray:
    """Return the cells of a column; arrays and structs of polars have a second dimension."""
    if values.ndim == 1:
        return values
    found = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        found[i] = value
    return found


def holds_text(X: Any, position: int) -> bool:
    """Return whether a column contains strings."""
    if sparse.issparse(X):
        return False
    values = column(X, position)
    return values.dtype.kind not in "biuf" and any(isinstance(value, str) for value in values)


def strings(X: Any, position: int, view: str) -> np.ndarray:
    """Return one column of strings, None where missing, shape (n_samples,)."""
    out = np.empty(n_rows(X), dtype=object)
    for i, value in enumerate(column(X, position)):
        if isinstance(value, str):
            out[i] = str(value)
        elif not is_missing(value):
            raise RowError(
                f"view {view!r} contains {value!r} in row ",
                i,
                " where text is expected; convert every value to a string.",
            )
    return out


def missing_cells(X: Any, position: int) -> np.ndarray:
    """Return which cells of a column are missing, shape (n_samples,)."""
    values = column(X, position)
    if values.dtype.kind in "fmM":
        return np.asarray(values != values)
    if values.dtype.kind == "O":
        return np.array([is_missing(value) for value in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def has_any(X: Any, positions: Sequence[int]) -> np.ndarray:
    """Return which samples have a value in any of these columns, shape (n_samples,)."""
    found = np.zeros(n_rows(X), dtype=bool)
    for position in positions:
        if found.all():  # reading a column of a frame is slow
            break
        found |= ~missing_cells(X, position)
    return found


def is_missing(value: Any) -> bool:
    """Return whether a value of a column of objects is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def first_nested(values: np.ndarray) -> Any:
    """Return the first cell of a column that contains several values, None if there is none."""
    if values.dtype.kind != "O":
        return None
    kinds = {kind for kind in set(map(type, values)) if is_nested(kind)}
    return next((value for value in values if type(value) in kinds), None)


def is_nested(kind: type) -> bool:
    """Return whether values of a type contain several others, as lists and structs do."""
    return issubclass(kind, Collection) and not issubclass(kind, str | bytes)


def numbers(X: Any, positions: Sequence[int], view: str) -> Any:
    """Return columns of numbers as floats, NaN where missing, shape (n_samples, n_columns)."""
    part = take(X, positions)
    if sparse.issparse(X):
        return sparse.csr_array(part, dtype=float)
    try:
        if hasattr(part, "iloc"):
            return np.ascontiguousarray(part.to_numpy(dtype=float, na_value=np.nan))
        if is_frame(part):
            return np.ascontiguousarray(part.to_numpy(), dtype=float)
        return np.ascontiguousarray(part, dtype=float)
    except (TypeError, ValueError) as error:
        names = column_names(X) or [str(position) for position in range(n_columns(X))]
        nested = [names[i] for i in positions if first_nested(column(X, i)) is not None]
        if nested:
            raise InputError(
                f"cells of columns {nested[:5]} of view {view!r} contain several values; expected "
                "one number or text in each: leave these columns out, or compute columns of single "
                "values from them."
            ) from error
        text = [names[position] for position in positions if holds_text(X, position)]
        raise InputError(
            f"view {view!r} takes numbers, but columns {text[:5]} contain text; encode them, or "
            "give each text column a view of its own with lk.ngrams(), lk.spectrum(k) or "
            "lk.weighted_degree(d)."
        ) from error
