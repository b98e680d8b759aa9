"""Checks of Gram matrices that no formula vouches for: symmetric, positive semi-definite."""

from __future__ import annotations

import numpy as np

from learnkernels.errors import InputError

__all__ = ["check_semidefinite", "check_symmetric"]


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
                f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2 or mend it."
            )


def check_semidefinite(name: str, K: np.ndarray) -> None:
    """Raise unless K is symmetric and positive semi-definite up to rounding."""
    largest = np.abs(K).max()
    if not np.isfinite(largest):
        raise InputError(f"kernel {name!r} holds NaN or infinite values; all must be finite.")
    asymmetry = np.abs(K - K.T).max()
    if asymmetry > 1e-8 * largest:
        raise InputError(
            f"kernel {name!r} is not symmetric: K[i, j] and K[j, i] differ by up to "
            f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2 or mend the kernel."
        )
    eigenvalues = np.linalg.eigvalsh(K)
    if eigenvalues[0] < -1e-6 * max(eigenvalues[-1], -eigenvalues[0]):
        raise InputError(
            f"kernel {name!r} is not positive semi-definite: an eigenvalue is "
            f"{eigenvalues[0]:.3g} where the largest is {eigenvalues[-1]:.3g}; clip its negative "
            "eigenvalues, or choose another similarity."
        )
