"""Definitions in 50-digit arithmetic, the reference of `precision`.

Numbers of mpmath are stored in NumPy arrays of objects, so that formulas look as usual. Kernels
are functions of two sets of samples and do not use the library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mp, mpf

__all__ = ["Alignment", "KernelOf", "alignment_of", "centered", "numbers", "ridge"]

mp.dps = 50
KernelOf = Callable[[np.ndarray, np.ndarray], np.ndarray]
numbers = np.vectorize(lambda value: mpf(float(value)), otypes=[object])
exponential = np.vectorize(mpmath.exp, otypes=[object])


def gaussian(gamma: float) -> KernelOf:
    """Return exp(-gamma |x - z|^2)."""
    return lambda X, Z: exponential(
        -mpf(gamma) * sum(np.subtract.outer(x, z) ** 2 for x, z in zip(X.T, Z.T, strict=True))
    )


def laplacian(gamma: float) -> KernelOf:
    """Return exp(-gamma |x - z|_1)."""
    return lambda X, Z: exponential(
        -mpf(gamma) * sum(abs(np.subtract.outer(x, z)) for x, z in zip(X.T, Z.T, strict=True))
    )


def polynomial(degree: int, gamma: float) -> KernelOf:
    """Return (gamma x'z + 1)^degree."""
    return lambda X, Z: (mpf(gamma) * (X @ Z.T) + 1) ** degree


def columns(*chosen: int) -> KernelOf:
    """Return sum_c x_c z_c over some columns."""
    return lambda X, Z: X[:, list(chosen)] @ Z[:, list(chosen)].T


def linear(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return x'z."""
    return X @ Z.T


def spectrum(k: int) -> KernelOf:
    """Return sum_u count_u(x) count_u(z) over words u of k letters."""

    def words(strings):
        return [Counter(s[at : at + k] for at in range(len(s) - k + 1)) for s in strings]

    def similarity(X, Z):
        left, right = words(X), words(Z)
        return numbers([[sum(x[u] * z[u] for u in x) for z in right] for x in left])

    return similarity


def weighted_degree(d: int) -> KernelOf:
    """Return sum_k 2 (d - k + 1) / (d (d + 1)) times the common words of k letters by position."""

    def one(x, z):
        return sum(
            mpf(2 * (d - k + 1)) / (d * (d + 1))
            * sum(x[at : at + k] == z[at : at + k] for at in range(len(x) - k + 1))
            for k in range(1, d + 1)
        )  # fmt: skip

    return lambda X, Z: np.array([[one(x, z) for z in Z] for x in X], dtype=object)


def given(index: int) -> KernelOf:
    """Return one matrix of a stack."""
    return lambda X, Z: X[:, :, index]


def centered(K: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Center rows of K against the training samples with the means of their Gram matrix."""
    means = training.mean(axis=0)
    return K - K.mean(axis=1)[:, None] - means + means.mean()


class Alignment(NamedTuple):
    """Alignment statistics of kernels divided by tr / n."""

    M: np.ndarray
    a: np.ndarray
    traces: np.ndarray


def alignment_of(grams: Sequence[np.ndarray], y: np.ndarray) -> Alignment:
    """Return M, a and the traces of centered Gram matrices, in any arithmetic."""
    n = len(y)
    traces = np.array([K.trace() for K in grams])
    scaled = [K / (trace / n) for K, trace in zip(grams, traces, strict=True)]
    target = y - y.mean()
    return Alignment(
        np.array([[(K * L).sum() for L in scaled] for K in scaled]),
        np.array([target @ K @ target for K in scaled]),
        traces,
    )


def ridge(K: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """Return (K + alpha I)^-1 (y - mean of y), by a factorisation L D L'."""
    n = len(y)
    A, b = K + np.diag(numbers(np.full(n, alpha))), y - y.mean()
    for i in range(n):
        ratios = A[i + 1 :, i] / A[i, i]
        A[i + 1 :, i:] = A[i + 1 :, i:] - np.multiply.outer(ratios, A[i, i:])
        b[i + 1 :] = b[i + 1 :] - ratios * b[i]
    for i in reversed(range(n)):
        b[i] = (b[i] - A[i, i + 1 :] @ b[i + 1 :]) / A[i, i] if i < n - 1 else b[i] / A[i, i]
    return b
