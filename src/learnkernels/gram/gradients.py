"""Gradients of functions ``f(x) = sum_i c_i sum_k a_k k(x, x_i)`` of kernels with a formula.

Gaussian    d k(x, z) / dx = -2 gamma k(x, z) (x - z)
Laplacian   d k(x, z) / dx = -gamma k(x, z) sign(x - z)
linear      d k(x, z) / dx = z
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.tiles.leaves import SUMS
from learnkernels.jit import compiled
from learnkernels.kernels import Gaussian, Kernel, Laplacian, Linear


def gradients(
    kernels: Sequence[Kernel], a: np.ndarray, points: np.ndarray, Z: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """Return the gradients of f at some points, shape (n_points, n_features, n_outputs).

    Parameters
    ----------
    kernels : sequence of Gaussian, Laplacian or Linear
    a : ndarray of shape (n_kernels,)
        Weights of the kernels.
    points : ndarray of shape (n_points, n_features)
    Z : ndarray of shape (n_samples, n_features)
        The samples x_i.
    c : ndarray of shape (n_samples, n_outputs)
        Coefficients.
    """
    shape = len(points), len(Z)
    gaussian, laplacian, slope = np.zeros(shape), np.zeros(shape), 0.0
    for kernel, factor in zip(kernels, a, strict=True):
        if isinstance(kernel, Gaussian):
            gaussian += 2 * factor * kernel.gamma * kernel(points, Z)
        elif isinstance(kernel, Laplacian):
            laplacian += factor * kernel.gamma * kernel(points, Z)
        elif isinstance(kernel, Linear):
            slope += float(factor)
        else:
            raise InputError(
                f"learned_metric() got the base kernel {kernel.name!r}, whose gradient is not "
                "known; use Gaussian, Laplacian and linear kernels."
            )
    found = np.empty((*points.shape, c.shape[1]))
    for t in range(c.shape[1]):
        own = c[:, t : t + 1]
        found[:, :, t] = gaussian @ (own * Z) - (gaussian @ own) * points + slope * (own.T @ Z)
    subtract_signed(points, Z, laplacian, np.ascontiguousarray(c), found)
    return found


@compiled(fastmath=SUMS)
def subtract_signed(
    points: np.ndarray, Z: np.ndarray, H: np.ndarray, c: np.ndarray, out: Any
) -> None:
    """Subtract sum_i H[j, i] sign(points[j, d] - Z[i, d]) c[i, t] from out[j, d, t]."""
    for j in range(points.shape[0]):
        for i in range(Z.shape[0]):
            for d in range(points.shape[1]):
                away = points[j, d] - Z[i, d]
                if away == 0.0:
                    continue
                h = H[j, i] if away > 0.0 else -H[j, i]
                for t in range(c.shape[1]):
                    out[j, d, t] -= h * c[i, t]
