"""The inner products M_kl = <K_kc, K_lc>_F, as much of them as is asked for.

For a few kernels M is an array. For thousands of kernels held by factors it is not formed: `block`
gives a part of it, `times` its product with a vector, `form` the norm of a combination.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from learnkernels.derived import derived
from learnkernels.gram.memory import require_memory

if TYPE_CHECKING:
    from learnkernels.gram.backends import Backend
    from learnkernels.gram.factored import FactoredKernels
    from learnkernels.gram.tiled import TiledKernels

__all__ = ["InnerProducts", "JointProducts", "StoredProducts"]


# Columns up to which the norm of a combination comes from M, if they are fewer than samples.
FEW = 1000


class InnerProducts(ABC):
    """M of some kernels."""

    @property
    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """M_kk, shape (p,)."""

    @abstractmethod
    def block(self, index: np.ndarray) -> np.ndarray:
        """M of some of the kernels, shape (s, s)."""

    @abstractmethod
    def times(self, v: np.ndarray) -> np.ndarray:
        """M v, shape (p,)."""

    @abstractmethod
    def form(self, mu: np.ndarray) -> float:
        """mu'M mu, the squared norm of the combination."""

    @abstractmethod
    def full(self) -> np.ndarray:
        """All of M, shape (p, p)."""

    @abstractmethod
    def scaled(self, factors: np.ndarray) -> InnerProducts:
        """M of the kernels multiplied by factors."""

    @abstractmethod
    def keep(self, mask: np.ndarray) -> InnerProducts:
        """M of some of the kernels."""


@dataclass(frozen=True)
class StoredProducts(InnerProducts):
    """M as an array of shape (p, p)."""

    M: np.ndarray

    @property
    def diagonal(self):
        return np.diag(self.M)

    def block(self, index):
        return self.M[np.ix_(index, index)]

    def times(self, v):
        return self.M @ v

    def form(self, mu):
        return float(mu @ self.M @ mu)

    def full(self):
        return self.M

    def scaled(self, factors):
        return StoredProducts(self.M * np.outer(factors, factors))

    def keep(self, mask):
        return StoredProducts(self.M[np.ix_(mask, mask)])


class Blocks:
    """M of kernels known by tiles and kernels held by factors, before scaling.

    Parameters
    ----------
    tiled : TiledKernels or None
    factored : FactoredKernels
    backend : Backend
    """

    def __init__(self, tiled: TiledKernels | None, factored: FactoredKernels, backend: Backend):
        self.tiled = tiled
        self.factored = factored
        self.backend = backend
        self.n_kernels = factored.n_kernels + (0 if tiled is None else tiled.n_kernels)
        self.last: tuple[np.ndarray, float] | None = None

    @derived
    def cross(self) -> np.ndarray:
        """Of tiled against factored kernels, shape (n_tiled, n_factored)."""
        assert self.tiled is not None
        grams = (self.tiled.gram_of(k, self.backend) for k in range(self.tiled.n_kernels))
        return np.array([self.factored.quadratics(K) for K in grams])

    def times(self, v: np.ndarray) -> np.ndarray:
        """M v, shape (n_kernels,)."""
        held = self.factored.positions
        out = np.empty(self.n_kernels)
        out[held] = self.factored.quadratics(self.factored.gram(v[held], self.backend))
        if self.tiled is not None:
            others = self.tiled.positions
            out[others] = self.tiled.M @ v[others] + self.cross @ v[held]
            out[held] += v[others] @ self.cross
        return out

    def form(self, v: np.ndarray) -> float:
        """v'M v; the same is often asked for twice in a row."""
        if self.last is None or not np.array_equal(self.last[0], v):
            self.last = v, self._form(v)
        return self.last[1]

    def _form(self, v: np.ndarray) -> float:
        """From M where it is small, from the combined Gram otherwise."""
        if self.factored.n_columns <= min(len(self.factored.weights), FEW):
            return float(v @ self.between(np.arange(self.n_kernels)) @ v)
        if self.tiled is None:
            return self.factored.square(v[self.factored.positions], self.backend)
        w = self.factored.weights
        K = self.factored.gram(v[self.factored.positions], self.backend)
        K += self.tiled.gram(v[self.tiled.positions], self.backend)
        np.square(K, out=K)
        return float(w @ K @ w)

    def between(self, index: np.ndarray) -> np.ndarray:
        """M of some kernels, shape (s, s)."""
        at, kernels = placed(self.factored.positions, index, self.n_kernels)
        M = np.empty((len(index), len(index)))
        M[np.ix_(at, at)] = self.factored.products_of(kernels, kernels)
        if self.tiled is not None:
            other, seats = placed(self.tiled.positions, index, self.n_kernels)
            M[np.ix_(other, other)] = self.tiled.M[np.ix_(seats, seats)]
            M[np.ix_(other, at)] = self.cross[np.ix_(seats, kernels)]
            M[np.ix_(at, other)] = M[np.ix_(other, at)].T
        return M


def placed(positions: np.ndarray, index: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Where in `index` the kernels at these positions stand, and which of them they are."""
    place = np.full(p, -1)
    place[positions] = np.arange(len(positions))
    at = np.flatnonzero(place[index] >= 0)
    return at, place[index[at]]


@dataclass(frozen=True)
class JointProducts(InnerProducts):
    """M of some kernels of `Blocks`, each multiplied by a factor.

    Attributes
    ----------
    blocks : Blocks
    index : ndarray of shape (p,)
        The kernels.
    factors : ndarray of shape (p,)
    squares : ndarray of shape (p,)
        The diagonal, without factors.
    """

    blocks: Blocks
    index: np.ndarray
    factors: np.ndarray
    squares: np.ndarray

    @property
    def diagonal(self):
        return self.squares * self.factors**2

    def block(self, index):
        M = self.blocks.between(self.index[index])
        M *= self.factors[index]
        M *= self.factors[index][:, None]
        return M

    def times(self, v):
        return self.factors * self.blocks.times(self.spread(v))[self.index]

    def form(self, mu):
        return self.blocks.form(self.spread(mu))

    def full(self):
        p = len(self.index)
        require_memory(8 * p * p, f"the {p} x {p} inner products of the kernels")
        return self.block(np.arange(p))

    def scaled(self, factors):
        return replace(self, factors=self.factors * factors)

    def keep(self, mask):
        return replace(
            self, index=self.index[mask], factors=self.factors[mask], squares=self.squares[mask]
        )

    def spread(self, v: np.ndarray) -> np.ndarray:
        """v as weights of all kernels of the blocks."""
        out = np.zeros(self.blocks.n_kernels)
        out[self.index] = v * self.factors
        return out
