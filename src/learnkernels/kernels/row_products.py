"""Inner products of the rows of dense and sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.jit import compiled
from learnkernels.plurals import count_text


def dots(X: Any, Z: Any) -> np.ndarray:
    """Return X Z' as a dense array of shape (rows of X, rows of Z)."""
    if sparse.issparse(X) and sparse.issparse(Z):
        require_columns(X, Z)
        return sparse_dots(X, Z)
    if sparse.issparse(X) or sparse.issparse(Z):
        return np.asarray(X @ Z.T)
    return np.asarray(np.asarray(X, dtype=float) @ np.asarray(Z, dtype=float).T)


def squared_norms(X: Any) -> np.ndarray:
    """Return |x|^2 for every row, shape (n_samples,)."""
    if sparse.issparse(X):
        return np.asarray(sparse.csr_array(X).power(2).sum(axis=1)).ravel()
    X = np.asarray(X, dtype=float)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def require_columns(X: Any, Z: Any) -> None:
    """Raise if X and Z differ in the number of columns, which compiled code does not check."""
    if X.shape[1] != Z.shape[1]:
        raise InputError(
            f"samples have {count_text(X.shape[1], 'column')}, expected {Z.shape[1]}; pass the "
            "columns that the model was trained on."
        )


def sparse_dots(X: Any, Z: Any) -> np.ndarray:
    """Return X Z' for sparse X and Z as a dense array, without a sparse intermediate result."""
    X, Z = sparse.csr_array(X, dtype=float), sparse.csr_array(Z, dtype=float)
    if X.shape[1] > X.nnz + Z.nnz:  # most columns are empty: keep those that both have
        shared = np.intersect1d(X.indices, Z.indices)
        X, Z = take_columns(X, shared), take_columns(Z, shared)
    columns = sparse.csc_array(Z)
    out = np.zeros((X.shape[0], columns.shape[0]))
    ones = np.ones(X.shape[1])
    add_products(
        X.indptr, X.indices, X.data, columns.indptr, columns.indices, columns.data, ones,
        0, X.shape[0], out,
    )  # fmt: skip
    return out


def take_columns(A: Any, chosen: np.ndarray) -> Any:
    """Return the chosen columns (sorted) of a CSR matrix, in time linear in its entries."""
    index = np.searchsorted(chosen, A.indices)
    kept = index < len(chosen)
    kept[kept] = chosen[index[kept]] == A.indices[kept]
    ends = np.concatenate([[0], np.cumsum(kept)])[A.indptr]
    return sparse.csr_array((A.data[kept], index[kept], ends), shape=(A.shape[0], len(chosen)))


@compiled(fastmath={"contract", "nsz"})
def add_products(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray,
    column_indptr: np.ndarray, column_indices: np.ndarray, column_data: np.ndarray,
    factors: np.ndarray, first: int, last: int, out: np.ndarray,
) -> None:  # fmt: skip
    """Compute out[i - first, j] += sum_c A[i, c] factors[c] B[j, c], first <= i < last, all j.

    Parameters
    ----------
    indptr, indices, data : arrays of a CSR matrix A of shape (n, q)
    column_indptr, column_indices, column_data : arrays of a CSC matrix B of shape (m, q)
    factors : float64 array of shape (q,)
    first, last : int
        Rows of A.
    out : float64 array of shape (last - first, m)
    """
    for i in range(first, last):
        row = out[i - first]
        for k in range(indptr[i], indptr[i + 1]):
            c = indices[k]
            value = data[k] * factors[c]
            if value != 0.0:
                for other in range(column_indptr[c], column_indptr[c + 1]):
                    row[column_indices[other]] += value * column_data[other]
