"""Tables as users bring them: pandas and polars frames, arrays, sparse matrices, lists of strings.

The few questions that views ask of a table, answered for each kind without importing any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError

__all__ = ["column_names", "holds_text", "is_frame", "n_columns", "n_rows", "numbers", "strings"]


def is_frame(X) -> bool:
    """Whether X is a pandas or polars frame: columns with names and types of their own."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def n_rows(X) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def n_columns(X) -> int:
    shape = np.shape(X) if not hasattr(X, "shape") else X.shape
    return shape[1] if len(shape) > 1 else 1


def column_names(X) -> list[str] | None:
    """Names of the columns, None if the table has none."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def taken(X, positions: Sequence[int]):
    """The columns at these places, as a table of the same kind."""
    if hasattr(X, "iloc"):
        return X.iloc[:, list(positions)]
    return X[:, list(positions)]


def column(X, position: int) -> np.ndarray:
    """One column as an array, shape (n_samples,)."""
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, position])
    if is_frame(X):
        return X[:, position].to_numpy()
    return X if X.ndim == 1 else X[:, position]


def holds_text(X, position: int) -> bool:
    """Whether a column holds strings."""
    if sparse.issparse(X):
        return False
    values = column(X, position)
    if values.dtype.kind in "biuf":
        return False
    return any(isinstance(value, str) for value in values)


def strings(X, position: int, view: str) -> np.ndarray:
    """One column of strings, missing ones None, shape (n_samples,)."""
    out = np.empty(n_rows(X), dtype=object)
    for i, value in enumerate(column(X, position)):
        if isinstance(value, str):
            out[i] = str(value)
        elif not is_missing(value):
            raise InputError(
                f"view {view!r} holds {value!r} in row {i} where text is expected; "
                "make every value a string."
            )
    return out


def is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def numbers(X, positions: Sequence[int], view: str) -> Any:
    """Columns of numbers as floats, missing ones NaN, shape (n_samples, n_columns)."""
    if sparse.issparse(X):
        return sparse.csr_array(X[:, list(positions)], dtype=float)
    part = taken(X, positions)
    try:
        if hasattr(part, "iloc"):
            return np.ascontiguousarray(part.to_numpy(dtype=float, na_value=np.nan))
        if is_frame(part):
            return np.ascontiguousarray(part.to_numpy(), dtype=float)
        return np.ascontiguousarray(part, dtype=float)
    except (TypeError, ValueError) as error:
        names = column_names(X) or [str(at) for at in range(n_columns(X))]
        text = [names[at] for at in positions if holds_text(X, at)]
        raise InputError(
            f"view {view!r} takes numbers, but columns {text[:5]} hold text; give text columns "
            "views of their own, with lk.ngrams(), lk.spectrum(k) or lk.weighted_degree(d), or "
            "encode them."
        ) from error
