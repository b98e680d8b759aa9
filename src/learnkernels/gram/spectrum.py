"""The largest eigenvalues of a Gram matrix, and the sum of the others."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

__all__ = ["largest_eigenpairs", "tail_sum"]


def largest_eigenpairs(K: np.ndarray, theta: int) -> tuple[np.ndarray, np.ndarray]:
    """The theta largest eigenvalues of shape (theta,) and their vectors of shape (n, theta).

    By Lanczos; densely where theta is a large part of n.
    """
    n = len(K)
    if theta == 0:
        return np.zeros(0), np.zeros((n, 0))
    if theta < n // 4:
        start = np.random.default_rng(0).standard_normal(n)
        # Eigenvalues err by the square of the relative residual that is asked for.
        try:
            return eigsh(K, theta, which="LA", v0=start, ncv=min(n, 2 * theta + 16), tol=1e-5)
        except ArpackError:  # eigenvalues too close to tell apart: the dense way always works
            pass
    first = max(n - theta, 0)
    return eigh(K, subset_by_index=[first, n - 1], check_finite=False)


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
