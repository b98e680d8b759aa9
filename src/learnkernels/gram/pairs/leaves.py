"""Compiled functions for pairwise kernels."""

import numpy as np

from learnkernels.jit import compiled


@compiled(fastmath={"contract", "nsz", "reassoc"})
def add_entries(
    L: np.ndarray, R: np.ndarray, rows: np.ndarray, columns: np.ndarray, out: np.ndarray
) -> None:
    """Add the entries (rows[s], columns[s]) of L R' to out[s], without the other entries."""
    for s in range(out.shape[0]):
        left, right = L[rows[s]], R[columns[s]]
        total = 0.0
        for a in range(left.shape[0]):
            total += left[a] * right[a]
        out[s] += total
