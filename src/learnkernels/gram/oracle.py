"""The base Gram matrices as one-stage methods see them: combinations and products, never all p."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnkernels.gram.backends import Backend, Threads
from learnkernels.gram.combine import LearnedKernel
from learnkernels.gram.factored import FactoredKernels, FactorProducts
from learnkernels.gram.memory import require_memory
from learnkernels.gram.spectrum import tail_sum
from learnkernels.gram.statistics import Statistics
from learnkernels.gram.tiled import TiledKernels, TileProducts

__all__ = ["Oracle", "Products"]


@dataclass(frozen=True)
class Oracle:
    """The centered (unless told otherwise) and scaled base kernels K_k of the training samples.

    Attributes
    ----------
    tiled : TiledKernels or None
        Those known by tiles.
    factored : FactoredKernels or None
        Those held by factors.
    statistics : Statistics
        Of all, in the user's order.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    center : bool
    backend : Backend
    factors : ndarray of shape (n_kernels,)
        What turns a kernel of the parts into K_k.
    """

    tiled: TiledKernels | None
    factored: FactoredKernels | None
    statistics: Statistics
    weights: np.ndarray
    center: bool
    backend: Backend
    factors: np.ndarray

    @property
    def n_samples(self) -> int:
        return len(self.weights)

    @property
    def n_kernels(self) -> int:
        return len(self.factors)

    @property
    def names(self) -> list[str]:
        return self.statistics.names

    @property
    def traces(self) -> np.ndarray:
        """Trace of each K_k, shape (n_kernels,)."""
        found = self.statistics
        raw = found.traces if self.center else found.mean_diagonal * self.weights.sum()
        return self.factors * raw

    def scaled(self, factors: np.ndarray) -> Oracle:
        """The same kernels multiplied by further factors."""
        return replace(self, factors=self.factors * factors)

    def keep(self, mask: np.ndarray) -> Oracle:
        """Some of the kernels."""
        renumbered = np.cumsum(mask) - 1
        tiled, factored = self.tiled, self.factored
        if tiled is not None:
            tiled = kept_part(tiled, mask, renumbered)
        if factored is not None:
            factored = kept_part(factored, mask, renumbered)
        return replace(
            self, tiled=tiled, factored=factored, statistics=self.statistics.keep(mask),
            factors=self.factors[mask],
        )  # fmt: skip

    def kernel(self, mu: np.ndarray) -> LearnedKernel:
        """``sum_k mu_k K_k`` as a kernel."""
        factors = mu * self.factors
        tiled = factored = None
        if self.tiled is not None and factors[self.tiled.positions].any():
            tiled = self.tiled.combination(factors[self.tiled.positions], self.center)
        if self.factored is not None and factors[self.factored.positions].any():
            factored = self.factored.combination(factors[self.factored.positions], self.center)
        return LearnedKernel(tiled, factored, self.weights, self.center)

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """``sum_k mu_k K_k``, shape (n_samples, n_samples)."""
        if not mu.any():
            return np.zeros((self.n_samples, self.n_samples))
        return self.kernel(mu).gram(self.backend)

    def gram_of(self, k: int) -> np.ndarray:
        """K_k, shape (n_samples, n_samples)."""
        return self.gram(self.unit(k))

    def weighted_gram(self, mu: np.ndarray) -> np.ndarray:
        """``W^1/2 K_mu W^1/2``: its spectrum is that of K_mu with repeated samples."""
        K = self.gram(mu)
        if not (self.weights == 1).all():
            root = np.sqrt(self.weights)
            K *= root[:, None]
            K *= root
        return K

    def unit(self, k: int) -> np.ndarray:
        """Weights that are one for kernel k and zero for all others."""
        mu = np.zeros(self.n_kernels)
        mu[k] = 1.0
        return mu

    def stack(self) -> np.ndarray:
        """All Gram matrices at once, shape (n_kernels, n_samples, n_samples)."""
        p, n = self.n_kernels, self.n_samples
        require_memory(8 * p * n * n, f"{p} Gram matrices of {n} samples")
        found = np.empty((p, n, n))
        for k in range(p):
            found[k] = self.gram_of(k)
        return found

    def products(self, vectors: np.ndarray) -> Products:
        """``K_k vectors`` for every kernel; vectors of shape (n_samples, n_vectors)."""
        tiled = factored = None
        if self.tiled is not None:
            tiled = self.tiled.products(vectors, self.center, self.backend)
        if self.factored is not None:
            factored = self.factored.products(vectors, self.center)
        seats = tuple(part.positions for part in (self.tiled, self.factored) if part is not None)
        return Products(tiled, factored, seats, self.factors)

    def forms(self, vectors: np.ndarray) -> np.ndarray:
        """``sum_t v_t' K_k v_t`` for every kernel, shape (n_kernels,)."""
        return self.products(vectors).forms()

    def tail_sums(self, theta: int) -> np.ndarray:
        """Trace minus the theta largest eigenvalues of each W^1/2 K_k W^1/2, (n_kernels,)."""
        if theta == 0:
            return self.traces
        found = np.zeros(self.n_kernels)
        if self.tiled is not None:
            serial = replace(self, backend=Threads(1))  # one core a kernel
            task = partial(tail_of, serial, theta)
            places = self.tiled.positions
            found[places] = list(self.backend.map(task, places.tolist(), "spectra"))
        if self.factored is not None:
            places = self.factored.positions
            tails = self.factored.tail_sums(theta, self.center)
            found[places] = tails * self.factors[places]
        return found


def tail_of(oracle: Oracle, theta: int, k: int) -> float:
    return tail_sum(oracle.weighted_gram(oracle.unit(k)), theta)


def kept_part(part, mask: np.ndarray, renumbered: np.ndarray):
    """A part with some of its kernels, or None if none is left; positions in the new order."""
    own = mask[part.positions]
    if not own.any():
        return None
    kept = part.keep(own)
    bank = replace(kept.bank, positions=renumbered[kept.positions])
    return replace(kept, bank=bank)


@dataclass(frozen=True)
class Products:
    """K_k v for every kernel and some vectors v.

    Attributes
    ----------
    tiled : TileProducts or None
    factored : FactorProducts or None
    positions : tuple of ndarray
        Places of the kernels of these parts.
    factors : ndarray of shape (n_kernels,)
        What the kernels of the parts are multiplied by.
    """

    tiled: TileProducts | None
    factored: FactorProducts | None
    positions: tuple[np.ndarray, ...]
    factors: np.ndarray

    @property
    def parts(self):
        return [part for part in (self.tiled, self.factored) if part is not None]

    def forms(self) -> np.ndarray:
        """sum_t v_t'K_k v_t, shape (n_kernels,)."""
        found = np.empty(len(self.factors))
        for place, part in zip(self.positions, self.parts, strict=True):
            found[place] = part.forms()
        return found * self.factors

    def of(self, t: int) -> np.ndarray:
        """K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        columns = [part.of(t) for part in self.parts]
        order = np.argsort(np.concatenate(self.positions))
        return np.hstack(columns)[:, order] * self.factors
