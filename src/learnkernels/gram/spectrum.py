"""The largest eigenvalues of a Gram matrix, and the sum of the others."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, qr

__all__ = ["largest_eigenpairs", "tail_sum"]

# Vectors of a block beyond those asked for, and the most blocks before the dense way is quicker.
SPARE, BLOCKS = 6, 20
# The sum of the eigenvalues is known once a further block changes it by this part of the tail.
SETTLED = 1e-7


def largest_eigenpairs(K: np.ndarray, theta: int) -> tuple[np.ndarray, np.ndarray]:
    """The theta largest eigenvalues of shape (theta,) and their vectors of shape (n, theta).

    By block Lanczos, which reads K once for a whole block of vectors; densely where theta is a
    large part of n, or where eigenvalues are too close for Lanczos to settle.
    """
    n = len(K)
    if theta == 0:
        return np.zeros(0), np.zeros((n, 0))
    if BLOCKS * (theta + SPARE) < n:
        found = block_lanczos(K, theta)
        if found is not None:
            return found
    return eigh(K, subset_by_index=[max(n - theta, 0), n - 1], check_finite=False)


def block_lanczos(K: np.ndarray, theta: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Largest eigenpairs from the Krylov space of a random block, or None if they do not settle."""
    n, m = len(K), theta + SPARE
    trace = np.trace(K)
    basis = np.empty((n, 0))
    T = np.empty((0, 0))  # basis'K basis
    V = orthonormal(np.random.default_rng(0).standard_normal((n, m)))
    last = np.inf
    for _ in range(BLOCKS):
        W = K @ V
        basis = np.hstack([basis, V])
        column = basis.T @ W
        T = np.block([[T, column[:-m]], [column[:-m].T, column[-m:]]])
        eigenvalues, vectors = np.linalg.eigh((T + T.T) / 2)
        total = eigenvalues[-theta:].sum()
        if abs(total - last) <= SETTLED * max(trace - total, 1e-6 * abs(trace)):
            return eigenvalues[-theta:], basis @ vectors[:, -theta:]
        last = total
        for _ in range(2):  # twice is enough
            W = W - basis @ (basis.T @ W)
        V = orthonormal(W)
    return None


def orthonormal(W: np.ndarray) -> np.ndarray:
    return qr(W, mode="economic", check_finite=False)[0]


def tail_sum(K: np.ndarray, theta: int) -> float:
    """Trace of K minus the sum of its theta largest eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.gram import tail_sum
    >>> round(tail_sum(np.diag([5.0, 2.0, 1.0]), theta=1), 9)
    3.0
    """
    return float(np.trace(K) - largest_eigenpairs(K, theta)[0].sum())
