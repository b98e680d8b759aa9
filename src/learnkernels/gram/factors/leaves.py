"""Compiled functions for kernels held as factors; results are dense."""

import numpy as np

from learnkernels.jit import compiled


@compiled(fastmath={"contract", "nsz"})
def add_outer(h: np.ndarray, f: np.ndarray, e: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Add h[i] f[j] + e[i] u[j] to out[i, j]."""
    for i in range(out.shape[0]):
        row, left, right = out[i], h[i], e[i]
        for j in range(out.shape[1]):
            row[j] += left * f[j] + right * u[j]


@compiled(fastmath={"contract", "nsz"})
def column_forms(
    column_indptr: np.ndarray,
    column_indices: np.ndarray,
    column_data: np.ndarray,
    K: np.ndarray,
    out: np.ndarray,
) -> None:
    """Compute out[c] = a_c'K a_c for every column of a CSC matrix and a symmetric K."""
    for c in range(out.shape[0]):
        total = 0.0
        start, stop = column_indptr[c], column_indptr[c + 1]
        for left in range(start, stop):
            row = K[column_indices[left]]
            part = 0.0
            for right in range(start, left):
                part += column_data[right] * row[column_indices[right]]
            own = column_data[left]
            total += own * (2.0 * part + own * row[column_indices[left]])
        out[c] = total
