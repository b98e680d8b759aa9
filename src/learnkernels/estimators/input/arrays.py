"""Validation of arrays of numbers, sparse matrices and stacks of Gram matrices.

scikit-learn checks them. `as_validation_error` replaces those of its messages that do not name the
cell or the column, or that do not fit these estimators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from reprlib import repr as shortened
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from learnkernels.checks import as_input_error, require_finite, require_range
from learnkernels.errors import InputError, InputTypeError
from learnkernels.kernels import input_kind
from learnkernels.kernels.tables import column_names, first_nested
from learnkernels.plurals import count_text


def validated_numbers(estimator: Any, X: Any, y: Any, *, reset: bool = True, **options: Any) -> Any:
    """Return X as an array, a CSR matrix or a stack of Gram matrices, and y as an array.

    Parameters are those of `validated_table`.
    """
    kind = input_kind(estimator.kernels)
    if kind == "precomputed":
        check_stack(X, None if reset else len(estimator.kernel_names_))
        missing = estimator.missing == "neutral"
        options |= {"allow_nd": True}
    else:
        missing = kind == "encoded" and not sparse.issparse(X)
        options |= {"accept_sparse": "csr", "ensure_min_samples": 2 if reset else 1}
    options |= {"ensure_all_finite": "allow-nan" if missing else True, "reset": reset}
    with as_validation_error(X, y):
        found = validate_data(estimator, X, y, dtype=np.float64, order="C", **options)
    X, *rest = found if reset else (found,)
    if kind != "precomputed":
        X = canonical(X) if sparse.issparse(X) else X
        require_range(X[~np.isnan(X)] if missing else X, "X")
    return (X, *rest) if reset else X


@contextmanager
def as_validation_error(X: Any, y: Any = None) -> Iterator[None]:
    """Raise `InputError` for errors of scikit-learn's validation of X and y.

    Parameters
    ----------
    X, y
        As given by the user.
    """
    with as_input_error():
        try:
            yield
        except (TypeError, ValueError) as error:
            found = str(error)
            for pattern, better in ERRORS:
                if re.search(pattern, found):
                    raise better(X, y, found) from error
            raise


def check_stack(X: Any, n_kernels: int | None) -> None:
    """Raise unless X is a stack of Gram matrices, square in training (`n_kernels` is None)."""
    shape = np.shape(X)
    advice = "stack the Gram matrices with np.stack([K1, K2], axis=-1)"
    if len(shape) != 3 or (n_kernels is None and shape[0] != shape[1]):
        expected = "n_samples, n_samples" if n_kernels is None else "n_samples, n_samples_train"
        raise InputError(
            f'kernels="precomputed" needs X of shape ({expected}, n_kernels), found {shape}; '
            f"{advice}."
        )
    if shape[2] == 0:
        raise InputError(
            "the precomputed stack contains no kernel: its last axis has length 0. Stack at least "
            "one Gram matrix with np.stack([K1, K2], axis=-1)."
        )
    if n_kernels is not None and shape[2] != n_kernels:
        raise InputError(
            f"the number of kernels in the stack is {shape[2]}, but the model was trained on "
            f"{n_kernels}; give the same ones in the same order."
        )
    if n_kernels is None and shape[0] < 2:
        raise InputError(
            f"found a stack for {count_text(shape[0], 'sample')}; at least 2 are needed. Add "
            "samples."
        )


def canonical(X: Any) -> Any:
    """Return a CSR matrix in canonical format, with 32-bit indices if they suffice.

    The user's matrix is not changed.
    """
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) < np.iinfo(np.int32).max:
        narrow = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = type(X)(narrow, shape=X.shape)
    return X


def require_single_targets(y: Any) -> None:
    """Raise if cells of y contain several values, or its rows have different lengths."""
    try:
        values = np.asarray(y)
    except ValueError:
        values = np.fromiter(y, dtype=object)
    nested = first_nested(values.ravel())
    if nested is not None:
        raise InputError(
            "y contains several values in a cell, or rows of different lengths (the first is "
            f"{shortened(nested)}); expected one number or class label for each row of X: compute "
            "single values from them."
        )


def not_numbers(X: Any, y: Any, error: str) -> InputError:
    """Return the error for columns of X, or y, that contain text or dates in place of numbers."""
    names = []
    for name in getattr(X, "columns", []):
        try:
            values = np.asarray(X[name])
            if values.dtype.kind in "mM":  # numpy converts dates, but not beside numbers
                raise TypeError
            values.astype(float)
        except (TypeError, ValueError):
            names.append(str(name))
    if "promoted" in error:
        where = f"columns {names} contain" if names else "X contains"
        return InputError(
            f"{where} dates where numbers are expected; convert them, for example to days since a "
            "date, or drop them."
        )
    if "setting an array element" in error:
        where = f"cells of columns {names} contain" if names else "cells of X contain"
        return InputError(
            f"{where} several values, or rows of different lengths ({error}); expected "
            "one number in each cell: drop these columns, or compute columns of numbers from them."
        )
    if hasattr(X, "columns") and not names and not isinstance(y, str):
        return InputError(
            f"y contains text ({error}); KernelRegressor needs numbers: use KernelClassifier."
        )
    where = f"columns {names} contain" if names else "X contains"
    return InputError(
        f"{where} text where numbers are expected ({error}); give texts and sequences a view of "
        "their own, for example lk.on(column, lk.ngrams()), encode categories, for example with "
        "OneHotEncoder in a ColumnTransformer, or drop them."
    )


def not_plain_values(X: Any, y: Any, error: str) -> InputError:
    """Return the error for objects in place of numbers."""
    return InputTypeError(
        f"the data contain objects that are not numbers ({error}); expected numbers. For graphs "
        'and other objects pass a stack of their Gram matrices and kernels="precomputed".'
    )


def missing_cells(X: Any, y: Any, error: str) -> InputError:
    """Return the error for missing cells, in place of one that recommends other estimators."""
    return InputError(
        "Input X contains NaN, which these kernels do not take. Pass kernels=lk.table(kernels), "
        "which fills missing cells, or fill them before. If samples lack all columns of a view, "
        'pass kernels=lk.on(columns, ...) and missing="neutral".'
    )


def infinite_values(X: Any, y: Any, error: str) -> InputError:
    """Return the error for infinite cells of X."""
    values = check_array(
        X, accept_sparse="csr", dtype=np.float64, allow_nd=True, ensure_all_finite=False
    )
    require_finite(values, "X", column_names(X))
    return InputError(error)


def wrong_shape(X: Any, y: Any = None, error: str = "") -> InputError:
    """Return the error for X that does not have two dimensions."""
    shape, kind = np.shape(X), type(X).__name__
    if len(shape) == 2:  # y has too many dimensions
        return InputError(error)
    expected = "expected a table of shape (n_samples, n_columns)"
    if not shape:
        return InputError(f"X is a {kind}; {expected}: pass an array or a frame.")
    if hasattr(X, "to_frame"):
        return InputError(f"X is a {kind} of shape {shape}; {expected}: pass X.to_frame().")
    ways = "np.reshape(X, (-1, 1)) if it is one column, np.reshape(X, (1, -1)) if it is one sample"
    if len(shape) > 2:
        ways = "np.reshape(X, (len(X), -1)), one row for each sample"
    return InputError(
        f"X has shape {shape}; expected (n_samples, n_columns). Reshape your data: pass {ways}."
    )


def require_two_dimensions(X: Any) -> None:
    """Raise unless X has two dimensions, or contains texts, of shape (n_samples,)."""
    shape = np.shape(X)
    texts = getattr(getattr(X, "dtype", None), "kind", "O") in "OUST"
    if len(shape) != 2 and not (len(shape) == 1 and texts):
        raise wrong_shape(X)


def other_columns(X: Any, y: Any, error: str) -> InputError:
    """Return the error for another number of columns than in training."""
    return InputError(
        f"{error.removesuffix('.')}: pass the columns of the training data, in the same order."
    )


# Messages of scikit-learn and NumPy, and functions of X, y and the message that return our errors.
ERRORS: tuple[tuple[str, Callable[[Any, Any, str], InputError]], ...] = (
    ("could not convert|promoted|setting an array element", not_numbers),
    ("a real number, not", not_plain_values),
    ("X contains NaN", missing_cells),
    ("X contains infinity", infinite_values),
    ("Expected 2D array|Expected a 2-dimensional|Found array with dim", wrong_shape),
    (r"X has \d+ features, but", other_columns),
)
