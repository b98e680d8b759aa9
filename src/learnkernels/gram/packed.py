"""Gram matrices of some samples held as their upper triangles: many combinations of few samples.

A combination and the inner products of all kernels with a matrix are one product each with the
triangles, so that no kernel is evaluated again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels.gram.centered import CenteredKernels
from learnkernels.gram.triangles import from_triangle, sub_triangles, to_triangle, triangle_size

# Bytes that the triangles of all kernels may take.
MAX_BYTES = 256e6


@dataclass(frozen=True)
class PackedGrams:
    """The centered, scaled Gram matrices of some samples.

    Attributes
    ----------
    triangles : ndarray of shape (n_kernels, n (n + 1) / 2)
        The upper triangle of each matrix, row by row.
    index : ndarray of shape (n_kernels,)
        The kernel of each triangle.
    n : int
        Number of samples.
    """

    triangles: np.ndarray
    index: np.ndarray
    n: int

    @classmethod
    def of(
        cls, kernels: CenteredKernels, samples: np.ndarray, max_memory: float
    ) -> PackedGrams | None:
        """Evaluate all kernels on some samples; None if their triangles take too much memory."""
        n = len(samples)
        if 8.0 * kernels.n_kernels * triangle_size(n) > min(MAX_BYTES, max_memory):
            return None
        found, first = np.empty((kernels.n_kernels, triangle_size(n))), 0
        for part in kernels.parts:
            own = found[first : first + len(part.index)]
            part.pack(samples, kernels.center, kernels.backend, own)
            own *= kernels.factors[part.index, None]
            first += len(part.index)
        return cls(found, np.concatenate([part.index for part in kernels.parts]), n)

    def take(self, chosen: np.ndarray) -> PackedGrams:
        """Return those of some of the samples, in ascending order."""
        found = np.asarray(sub_triangles(self.triangles, chosen, self.n))
        return PackedGrams(found, self.index, len(chosen))

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """Return ``sum_k mu_k K_k``, shape (n, n)."""
        return np.asarray(from_triangle(mu[self.index] @ self.triangles, self.n))

    def inner(self, S: np.ndarray) -> np.ndarray:
        """Return ``<K_k, S>`` of every kernel for the upper triangle of S, shape (n_kernels,)."""
        found = np.empty(len(self.index))
        found[self.index] = self.triangles @ to_triangle(S)
        return found
