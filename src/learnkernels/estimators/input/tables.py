"""Validation of tables for views and of lists of strings, which scikit-learn does not cover."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_y, validate_data

from learnkernels._warnings import warn
from learnkernels.checks import as_input_error
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.input.arrays import as_validation_error, canonical, wrong_shape
from learnkernels.kernels import input_kind
from learnkernels.kernels.encoding import labels, plain_numbers
from learnkernels.kernels.tables import column, holds_text, is_frame, n_rows, strings
from learnkernels.plurals import count_text

# Fewer rows are not searched for row numbers or copies of the target.
MIN_ROWS = 10
# Name of a column without a name in the header.
INDEX = "Unnamed: "
# A correlation with the target that differs from one by rounding only.
SAME = 1e-9


def validated_table(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True, **options: Any
) -> Any:
    """Return a table or strings as they are, and y as an array.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_`` and ``feature_names_in_``.
    X, y
        As given by the user.
    reset : bool
        Whether this is `fit`.
    options : dict
        Of scikit-learn's check of y.
    """
    X = as_table(X)
    if not reset and input_kind(estimator.kernels) == "encoded":
        with as_validation_error(X):
            validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    if not reset:
        known = set(getattr(estimator, "feature_names_in_", ()))
        if known and is_frame(X) and not known & set(X.columns):
            raise InputError(
                "X has none of the columns that the model was trained on "
                f"({sorted(known)[:5]}, ...); check the spelling of the names."
            )
        return same_kind(estimator, X)
    if n_rows(X) < 2:
        raise InputError(
            f"found {count_text(n_rows(X), 'sample')}; at least 2 are needed. Add samples."
        )
    names = X if is_frame(X) else np.empty((n_rows(X), 1 if X.ndim == 1 else X.shape[1]))
    with as_input_error():
        validate_data(estimator, names, y, reset=True, skip_check_array=True)
        y = _check_y(y, estimator=estimator, **options)
        check_consistent_length(X, y)
    estimator._on_strings = not is_frame(X) and X.ndim == 1
    return X, y


def is_mixed(X: Any) -> bool:
    """Return whether X has columns other than numbers, which have to be encoded."""
    if is_frame(X):
        return not plain_numbers(X)
    if X.dtype.kind != "O" if isinstance(X, np.ndarray) else not holds_strings(X):
        return False
    values = np.asarray(X, dtype=object)
    if values.ndim != 2 or not any(isinstance(value, str) for value in values.flat):
        return False
    try:
        values.astype(float)
    except ValueError:
        return True
    return False


def warn_about_columns(X: Any, y: np.ndarray, categories: bool) -> None:
    """Warn of columns of a frame that number its rows, or that give the target away.

    Parameters
    ----------
    X : frame
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
    categories : bool
        Whether text is read as categories; texts that the user selected may determine the target.
    """
    if n_rows(X) < MIN_ROWS:
        return
    n_targets = len(set(y.tolist())) if y.ndim == 1 else 0
    for position, name in enumerate(X.columns):
        values = column(X, position)
        if is_row_number(values, str(name)):
            warn(
                f"column {str(name)!r} numbers the rows, from {values[0]:.0f} to "
                f"{values[-1]:.0f}. Drop it unless the order of the rows matters.",
                TableWarning,
            )
        elif not n_targets or not (categories or values.dtype.kind in "iuf"):
            continue
        elif determines(values, y, n_targets):
            warn(
                f"column {str(name)!r} determines the target: each has one value for each value of "
                "the other. Drop it if it is not known when a prediction is made.",
                TableWarning,
            )


def is_row_number(values: np.ndarray, name: str) -> bool:
    """Return whether a column counts the rows, from 0 or 1, or is an index that pandas wrote.

    Some rows of the file may be gone, so that the index has gaps.
    """
    if values.dtype.kind not in "iu":
        return False
    if name.startswith(INDEX):
        return len(np.unique(values)) == len(values)
    counted = np.arange(len(values)) + values[0]
    return bool(values[0] in (0, 1) and (values == counted).all())


def determines(values: np.ndarray, y: np.ndarray, n_targets: int) -> bool:
    """Return whether a column has the classes, or the numbers up to a scale, of the target.

    Parameters
    ----------
    values, y : ndarray of shape (n_samples,)
    n_targets : int
        Number of different targets.
    """
    numeric = values.dtype.kind in "iuf"
    if 2 * n_targets > len(y):
        if not numeric or y.dtype.kind not in "iuf" or not np.isfinite(values).all():
            return False
        a, b = values - values.mean(), y - y.mean()
        return bool(abs(a @ b) > (1 - SAME) * np.linalg.norm(a) * np.linalg.norm(b) > 0)
    if n_targets < 2 or (numeric and len(np.unique(values)) != n_targets):
        return False
    pairs = set(zip(labels(values), y.tolist(), strict=True))
    return len(pairs) == n_targets == len({value for value, _ in pairs})


def same_kind(estimator: Any, X: Any) -> Any:
    """Return strings if the model was trained on strings: a list, or the column of a table."""
    if not estimator._on_strings or (not is_frame(X) and X.ndim == 1):
        return X
    if X.shape[1] != 1 or sparse.issparse(X) or not holds_text(X, 0):
        raise InputError(
            f"the model was trained on a list of strings, found a table of shape {X.shape}; give a "
            "list of strings, or a table with the one column of strings."
        )
    return strings(X, 0, "X")


def as_table(X: Any) -> Any:
    """Return a frame, CSR matrix, array of two dimensions, or strings of shape (n_samples,)."""
    if is_frame(X):
        names = list(X.columns)
        if len(set(names)) < len(names):
            raise InputError("X has several columns of the same name; rename them.")
        return X
    if sparse.issparse(X):
        return canonical(sparse.csr_array(X, dtype=float))
    with as_input_error("X: "):
        values = np.asarray(X, dtype=object if holds_strings(X) else None)
    if values.ndim == 1 and values.dtype.kind in "OUST":
        return values.astype(object)
    if values.ndim != 2:
        error = wrong_shape(values if isinstance(X, list | tuple) else X)
        advice = " For text kernels, pass a list of strings." if values.ndim == 1 else ""
        raise InputError(f"{error}{advice}")
    if values.dtype.kind in "biuf":
        return values.astype(float)
    return values.astype(object)


def holds_strings(X: Any) -> bool:
    """Return whether a list holds text, into which NumPy would convert all other values."""
    if not isinstance(X, (list, tuple)):
        return False
    return any(
        isinstance(row, str) or (isinstance(row, (list, tuple)) and holds_strings(row)) for row in X
    )
