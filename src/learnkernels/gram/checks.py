"""Checks of Gram matrices that no formula guarantees: symmetric, positive semi-definite."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf

from learnkernels.errors import InputError


def check_symmetric(stack: dict[int, np.ndarray], samples: np.ndarray) -> None:
    """Raise unless every matrix of a precomputed stack is symmetric up to rounding."""
    for k, K in stack.items():
        if len(samples) < len(K):  # others are missing
            K = K[np.ix_(samples, samples)]
        starts = range(0, len(K), 256)
        asymmetry = max(np.abs(K[i : i + 256] - K[:, i : i + 256].T).max() for i in starts)
        largest = max(np.abs(K[i : i + 256]).max() for i in starts)
        if asymmetry > 1e-8 * largest:
            raise InputError(
                f"kernel 'precomputed[{k}]' is not symmetric: K[i, j] and K[j, i] differ by up to "
                f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2."
            )


def check_entries(name: str, K: np.ndarray) -> None:
    """Raise unless K is finite, and symmetric up to rounding."""
    largest = np.abs(K).max()
    if not np.isfinite(largest):
        raise InputError(
            f"kernel {name!r} contains NaN or infinite values; all must be finite. Remove "
            "or replace them."
        )
    asymmetry = np.abs(K - K.T).max()
    if asymmetry > 1e-8 * largest:
        raise InputError(
            f"kernel {name!r} is not symmetric: K[i, j] and K[j, i] differ by up to "
            f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2."
        )


def check_kernel(name: str, K: np.ndarray) -> None:
    """Raise unless K is finite, symmetric and positive semi-definite up to rounding."""
    check_entries(name, K)
    eigenvalues = np.linalg.eigvalsh(K)
    if eigenvalues[0] < -1e-6 * max(eigenvalues[-1], -eigenvalues[0]):
        raise InputError(
            f"kernel {name!r} is not positive semi-definite: an eigenvalue is "
            f"{eigenvalues[0]:.3g} where the largest is {eigenvalues[-1]:.3g}; clip its negative "
            "eigenvalues, or choose another similarity."
        )


def check_combination(K: np.ndarray) -> None:
    """Raise if a combination with negative weights is not positive semi-definite."""
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += 1e-8 * max(np.trace(K) / len(K), np.finfo(float).tiny)
    _, failed = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise InputError(
            "the combination learned with weights of both signs is not positive semi-definite, "
            'which the SVM needs; use method="alignf", or machine="ridge" with a small C.'
        )
