"""The largest eigenvalues of a Gram matrix, and its tail sum."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, qr

# Additional vectors of a block, and the number of blocks after which a dense solver is faster.
SPARE, BLOCKS = 6, 20
# Stop when a further block changes the sum of the eigenvalues by this part of the tail sum.
SETTLED = 1e-7


def largest_eigenpairs(K: np.ndarray, theta: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the theta largest eigenvalues, shape (theta,), and eigenvectors, shape (n, theta).

    Block Lanczos reads K once for a whole block of vectors. A dense solver is used if theta is a
    large part of n, or if Lanczos does not converge because eigenvalues are close.
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
    """Return the largest eigenpairs from a Krylov space, or None if they do not converge."""
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
    """Return an orthonormal basis of the columns of W."""
    return qr(W, mode="economic", check_finite=False)[0]


def tail_sum(K: np.ndarray, theta: int) -> float:
    """Return the trace of K minus the sum of its theta largest eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.gram import tail_sum
    >>> round(tail_sum(np.diag([5.0, 2.0, 1.0]), theta=1), 9)
    3.0
    """
    return float(np.trace(K) - largest_eigenpairs(K, theta)[0].sum())
