"""Checks of the numbers that bounds are made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.checks import is_number, is_whole
from learnkernels.errors import InputError

__all__ = ["fraction", "gram_matrix", "number", "spectrum", "whole"]


def number(name: str, value: Any, low: float = 0.0) -> float:
    """A finite number of at least `low`."""
    if not (is_number(value) and value >= low):
        raise InputError(f"{name}={value!r}; it must be a finite number of at least {low:g}.")
    return float(value)


def fraction(name: str, value: Any, closed: bool = False) -> float:
    """A number between 0 and 1, the ends included if `closed`."""
    inside = is_number(value) and (0 <= value <= 1 if closed else 0 < value < 1)
    if not inside:
        ends = "from 0 to 1" if closed else "between 0 and 1"
        raise InputError(f"{name}={value!r}; it must be a number {ends}.")
    return float(value)


def whole(name: str, value: Any) -> int:
    """A whole number of at least 1."""
    if not (is_whole(value) and value >= 1):
        raise InputError(f"{name}={value!r}; it must be a whole number of at least 1.")
    return int(value)


def gram_matrix(name: str, K: Any, centered: bool = False) -> np.ndarray:
    """A square symmetric matrix, centered if asked."""
    K = np.array(K, dtype=float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise InputError(f"{name} has shape {K.shape}; a Gram matrix is square.")
    if not np.isfinite(K).all():
        raise InputError(f"{name} holds NaN or infinite values; all must be finite.")
    if np.abs(K - K.T).max(initial=0.0) > 1e-8 * np.abs(K).max(initial=0.0):
        raise InputError(f"{name} is not symmetric; a Gram matrix is.")
    if centered:
        K -= K.mean(axis=0)
        K -= K.mean(axis=1, keepdims=True)
    return K


def spectrum(name: str, eigenvalues: Any) -> np.ndarray:
    """Eigenvalues, none clearly negative, in falling order."""
    found = np.sort(np.asarray(eigenvalues, dtype=float).ravel())[::-1]
    if not np.isfinite(found).all():
        raise InputError(f"{name} holds NaN or infinite values; all must be finite.")
    if len(found) and found[-1] < -1e-9 * max(found[0], 0.0):
        raise InputError(
            f"{name} holds {found[-1]:.3g}; a kernel's eigenvalues are not negative: is the matrix "
            "positive semi-definite?"
        )
    return np.maximum(found, 0.0)
