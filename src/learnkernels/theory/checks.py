"""Check the arguments of the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.checks import as_input_error, is_number, is_whole
from learnkernels.errors import InputError

# Limits within which powers of the arguments do not overflow, and the largest accepted sample size.
SMALLEST, LARGEST, MOST = 1e-50, 1e50, 10**15


def number(name: str, value: Any, low: float = 0.0, positive: bool = False) -> float:
    """Return a number of at least `low` as a float; it must not be zero if `positive`."""
    inside = is_number(value) and low <= value <= LARGEST and (value == 0 or value >= SMALLEST)
    if not inside or (positive and value == 0):
        least = SMALLEST if positive else low
        raise InputError(f"{name}={value!r}; it must be a number from {least:g} to {LARGEST:g}.")
    return float(value)


def fraction(name: str, value: Any, closed: bool = False) -> float:
    """Return a number between 0 and 1 as a float; the ends are allowed if `closed`."""
    inside = is_number(value) and (0 <= value <= 1 if closed else SMALLEST <= value < 1)
    if not inside:
        ends = "from 0 to 1" if closed else "between 0 and 1"
        raise InputError(f"{name}={value!r}; it must be a number {ends}.")
    return float(value)


def whole(name: str, value: Any) -> int:
    """Return an integer of at least 1."""
    if not (is_whole(value) and 1 <= value <= MOST):
        raise InputError(f"{name}={value!r}; it must be a whole number from 1 to {MOST:g}.")
    return int(value)


def gram_matrix(name: str, K: Any, centered: bool = False) -> np.ndarray:
    """Return a copy of a symmetric matrix, centered if asked for."""
    with as_input_error(f"{name}: "):
        K = np.array(K, dtype=float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise InputError(f"{name} has shape {K.shape}; it must be square. Pass a Gram matrix.")
    if not np.isfinite(K).all():
        raise InputError(
            f"{name} contains NaN or infinite values; all must be finite. Remove the samples that "
            "have them."
        )
    if np.abs(K - K.T).max(initial=0.0) > 1e-8 * np.abs(K).max(initial=0.0):
        raise InputError(f"{name} is not symmetric, as it must be; use ({name} + {name}.T) / 2.")
    if centered:
        K -= K.mean(axis=0)
        K -= K.mean(axis=1, keepdims=True)
    return K


def spectrum(name: str, eigenvalues: Any) -> np.ndarray:
    """Return non-negative eigenvalues in decreasing order."""
    with as_input_error(f"{name}: "):
        found = np.sort(np.asarray(eigenvalues, dtype=float).ravel())[::-1]
    if not np.isfinite(found).all():
        raise InputError(
            f"{name} contains NaN or infinite values; all must be finite. Compute the eigenvalues "
            "of a finite Gram matrix."
        )
    if len(found) and found[-1] < -1e-9 * max(found[0], 0.0):
        raise InputError(
            f"{name} contains {found[-1]:.3g}; the eigenvalues of a kernel must not be negative: "
            "use a positive semi-definite kernel."
        )
    return np.maximum(found, 0.0)
