"""Inner products of sparse rows as a dense matrix, without a sparse one between."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from learnkernels.jit import compiled

__all__ = ["add_products", "sparse_dots"]


@compiled(fastmath={"contract", "nsz"})
def add_products(
    indptr, indices, data, column_indptr, column_indices, column_data, factors, first, last, out,
):  # fmt: skip
    """out[i - first, j] += sum_c A[i, c] factors[c] B[j, c] for first <= i < last, all j.

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
        for at in range(indptr[i], indptr[i + 1]):
            c = indices[at]
            value = data[at] * factors[c]
            if value != 0.0:
                for other in range(column_indptr[c], column_indptr[c + 1]):
                    row[column_indices[other]] += value * column_data[other]


def sparse_dots(X, Z) -> np.ndarray:
    """X Z' for sparse X and Z, dense, shape (rows of X, rows of Z)."""
    X, Z = sparse.csr_array(X, dtype=float), sparse.csr_array(Z, dtype=float)
    if X.shape[1] > X.nnz + Z.nnz:  # mostly empty: look at the columns that both have
        shared = np.intersect1d(X.indices, Z.indices)
        X, Z = only_columns(X, shared), only_columns(Z, shared)
    columns = sparse.csc_array(Z)
    out = np.zeros((X.shape[0], columns.shape[0]))
    ones = np.ones(X.shape[1])
    add_products(
        X.indptr, X.indices, X.data, columns.indptr, columns.indices, columns.data, ones,
        0, X.shape[0], out,
    )  # fmt: skip
    return out


def only_columns(A, chosen: np.ndarray):
    """The chosen columns (in rising order) of a CSR matrix, at a price that its entries set."""
    place = np.searchsorted(chosen, A.indices)
    kept = place < len(chosen)
    kept[kept] = chosen[place[kept]] == A.indices[kept]
    ends = np.concatenate([[0], np.cumsum(kept)])[A.indptr]
    return sparse.csr_array((A.data[kept], place[kept], ends), shape=(A.shape[0], len(chosen)))
