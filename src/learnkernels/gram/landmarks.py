"""The learned kernel against some of the training samples, and the features that they span.

With landmarks S, H the centering of their m samples and ``H K_SS H = Q L Q'``,

    T = H Q L^-1/2,   psi(x) = T'K_S(x),   psi(x)'psi(z) = K(x, z) projected on the span of S

The columns of T sum to zero, so what is constant in a row of K_S does not matter: neither the mean
of a new sample's row nor any constant is needed. Without centering H is the identity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from learnkernels.derived import derived
from learnkernels.gram.backends import Backend
from learnkernels.gram.combine import LearnedKernel
from learnkernels.gram.tiled import TileCombination, grid_of
from learnkernels.gram.tiles import ROWS, cut

__all__ = ["Landmarks"]

# Directions whose eigenvalue is smaller than this part of the largest are rounding.
SMALLEST = 1e-12


@dataclass(frozen=True)
class Landmarks:
    """Training samples that stand for all.

    Attributes
    ----------
    kernel : LearnedKernel
        On all training samples.
    index : ndarray of shape (n_landmarks,)
        Which samples these are.
    T : ndarray of shape (n_landmarks, rank)
        From values at the landmarks to features.
    """

    kernel: LearnedKernel
    index: np.ndarray
    T: np.ndarray

    @classmethod
    def of(cls, kernel: LearnedKernel, index: np.ndarray, backend: Backend) -> Landmarks:
        """The features of the samples `index`."""
        G = own_gram(kernel, index, backend)  # (m, m)
        if kernel.center:
            G -= G.mean(axis=0)
            G -= G.mean(axis=1, keepdims=True)
        eigenvalues, Q = eigh(G, overwrite_a=True, check_finite=False)
        kept = eigenvalues > SMALLEST * max(eigenvalues[-1], np.finfo(float).tiny)
        T = Q[:, kept] / np.sqrt(eigenvalues[kept])
        if kernel.center:
            T -= T.mean(axis=0)
        return cls(kernel, index, T)

    @property
    def n_samples(self) -> int:
        return self.kernel.n_samples

    @derived
    def near(self) -> LearnedKernel:
        """The kernel against the landmarks."""
        return self.kernel.only(self.index)

    def row_ranges(self) -> list[slice]:
        """Ranges of training samples, each the work of one task."""
        return list(cut([0, self.n_samples], ROWS))

    def features(self, rows: slice) -> np.ndarray:
        """Features of some training samples, shape (n_rows, rank), up to one constant each."""
        return self.values(rows) @ self.T

    def values(self, rows: slice) -> np.ndarray:
        """Kernel values of some training samples at the landmarks, up to constants of rows."""
        out = np.zeros((rows.stop - rows.start, len(self.index)))
        if self.kernel.tiled is not None and self.near.tiled is not None:
            write_tiles(self.kernel.tiled, self.near.tiled, rows, out)
        if self.kernel.factored is not None and self.near.factored is not None:
            pairs = zip(self.kernel.factored.factors, self.near.factored.factors, strict=True)
            for (factor, near), d in zip(pairs, self.kernel.factored.d, strict=True):
                factor.add_cross(near, d, out, rows)
        return out


def write_tiles(every: TileCombination, near: TileCombination, rows: slice, out) -> None:
    """Values of some rows of all samples at the columns of a few, into out."""
    bank = every.bank.facing(near.bank)
    u_i, u_j = np.zeros(bank.n_rows), near.means - near.constant
    for columns in grid_of(bank).column_ranges():
        near._write(bank, rows, columns, u_i, u_j, out, 0, columns.start)


def own_gram(kernel: LearnedKernel, index: np.ndarray, backend: Backend) -> np.ndarray:
    """The Gram matrix of some training samples, centered with the means of all."""
    tiled, factored = kernel.tiled, kernel.factored
    if tiled is not None:
        tiled = replace(tiled, bank=tiled.bank.take(index), means=tiled.means[index])
    if factored is not None:
        factored = factored.only(index)
    return LearnedKernel(tiled, factored, kernel.weights[index], kernel.center).gram(backend)
