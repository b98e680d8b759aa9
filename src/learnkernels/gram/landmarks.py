"""Features of the learned kernel in the span of some training samples (landmarks).

With landmarks S, H the centering of their m samples and ``H K_SS H = Q L Q'``,

    T = H Q L^-1/2,   psi(x) = T'K_S(x),   psi(x)'psi(z) = K(x, z) projected on the span of S

The columns of T sum to zero, so constants in a row of K_S cancel: neither the mean of a new
sample's row nor any constant is needed. Without centering H is the identity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from learnkernels.execution import Backend
from learnkernels.gram.learned import LearnedKernel

# Rows of a task.
ROWS = 256
# Directions whose eigenvalue is below this part of the largest are rounding.
SMALLEST = 1e-12


@dataclass(frozen=True)
class Landmarks:
    """Features in the span of some training samples.

    Attributes
    ----------
    kernel : LearnedKernel
        On all training samples.
    near : LearnedKernel
        Against the landmarks.
    index : ndarray of shape (n_landmarks,)
        The landmarks.
    T : ndarray of shape (n_landmarks, rank)
        From values at the landmarks to features.
    """

    kernel: LearnedKernel
    near: LearnedKernel
    index: np.ndarray
    T: np.ndarray

    @classmethod
    def of(cls, kernel: LearnedKernel, index: np.ndarray, backend: Backend) -> Landmarks:
        """Return the features of the samples `index`."""
        G = kernel.take(index).gram(backend)  # (m, m)
        if kernel.center:
            G -= G.mean(axis=0)
            G -= G.mean(axis=1, keepdims=True)
        # LAPACK expects columns: G.T, which equals G, is not copied.
        eigenvalues, Q = eigh(G.T, overwrite_a=True, check_finite=False)
        least = SMALLEST * max(eigenvalues[-1], np.finfo(float).tiny)
        first = int(np.searchsorted(eigenvalues, least, side="right"))  # ascending
        T = Q[:, first:]  # in place: a copy would be as large as the Gram matrix
        T /= np.sqrt(eigenvalues[first:])
        if kernel.center:
            T -= T.mean(axis=0)
        return cls(kernel, kernel.as_columns(index), index, T)

    def row_ranges(self, n: int | None = None) -> list[slice]:
        """Return ranges of n samples, by default all training samples; each is one task's work."""
        n = len(self.kernel.weights) if n is None else n
        return [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]

    def values(self, rows: slice) -> np.ndarray:
        """Return values of some training samples at the landmarks, (n_rows, n_landmarks).

        Up to a constant in each row.
        """
        values = np.zeros((rows.stop - rows.start, len(self.index)))
        for part, near in zip(self.kernel.parts, self.near.parts, strict=True):
            part.add_near(near, rows, values)
        return values

    def features(self, rows: slice) -> np.ndarray:
        """Return features of some training samples, shape (n_rows, rank), up to a constant each."""
        return self.values(rows) @ self.T
