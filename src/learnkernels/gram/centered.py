"""The centered and scaled base kernels, as weight methods use them: combinations and products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.execution import Backend, require_memory
from learnkernels.gram.factors.factor import Factor
from learnkernels.gram.factors.kernels import CenteredFactors
from learnkernels.gram.learned import LearnedKernel, weighted
from learnkernels.gram.statistics import Statistics


@dataclass(frozen=True)
class CenteredKernels:
    """The scaled base kernels K_k of the training samples, centered unless `center` is False.

    Gram matrices of single kernels are computed when they are needed, never all at once.

    Attributes
    ----------
    parts : tuple of CenteredTiles or CenteredFactors
    statistics : Statistics
        Of all kernels, in the user's order.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    center : bool
    backend : Backend
    factors : ndarray of shape (n_kernels,)
        Factors that turn the kernels of the parts into K_k.
    """

    parts: tuple[Any, ...]
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

    def scaled(self, factors: np.ndarray) -> CenteredKernels:
        """Return the same kernels multiplied by further factors."""
        return replace(self, factors=self.factors * factors)

    def keep(self, mask: np.ndarray) -> CenteredKernels:
        """Return some of the kernels."""
        position = np.cumsum(mask) - 1
        parts = []
        for part in self.parts:
            own = mask[part.index]
            if own.any():
                parts.append(part.keep(own, position[part.index[own]]))
        return replace(
            self, parts=tuple(parts), statistics=self.statistics.keep(mask),
            factors=self.factors[mask],
        )  # fmt: skip

    def kernel(self, mu: np.ndarray) -> LearnedKernel:
        """Return ``sum_k mu_k K_k`` as a kernel."""
        return LearnedKernel.of(self, mu)

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """Return ``sum_k mu_k K_k``, shape (n_samples, n_samples)."""
        return self.kernel(mu).gram(self.backend)

    def gram_of(self, k: int) -> np.ndarray:
        """Return K_k, shape (n_samples, n_samples)."""
        return self.gram(self.unit(k))

    def weighted_gram(self, mu: np.ndarray) -> np.ndarray:
        """Return ``W^1/2 K_mu W^1/2``: its spectrum is that of K_mu with repeated samples."""
        return weighted(self.gram(mu), self.weights)

    def unit(self, k: int) -> np.ndarray:
        """Return weights that are one for kernel k and zero for all others."""
        mu = np.zeros(self.n_kernels)
        mu[k] = 1.0
        return mu

    def stack(self) -> np.ndarray:
        """Return all Gram matrices at once, shape (n_kernels, n_samples, n_samples)."""
        p, n = self.n_kernels, self.n_samples
        require_memory(8 * p * n * n, f"{p} Gram matrices of {n} samples")
        found = np.empty((p, n, n))
        for k in range(p):
            found[k] = self.gram_of(k)
        return found

    def products(self, vectors: np.ndarray) -> Products:
        """Return ``K_k vectors`` for every kernel; vectors of shape (n_samples, n_vectors)."""
        found = tuple(part.products(vectors, self.center, self.backend) for part in self.parts)
        return Products(found, tuple(part.index for part in self.parts), self.factors)

    def forms(self, vectors: np.ndarray) -> np.ndarray:
        """Return ``sum_t v_t' K_k v_t`` for every kernel, shape (n_kernels,)."""
        return self.products(vectors).forms()

    def inner(
        self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` of every kernel, shape (n_kernels,).

        Parameters
        ----------
        S : ndarray of shape (n_rows, n_columns)
        rows : ndarray of shape (n_rows,)
            Training samples.
        columns : ndarray of shape (n_columns,) or None
            None takes the rows again; then S is symmetric.
        """
        columns = rows if columns is None else columns
        found = np.zeros(self.n_kernels)
        for part in self.parts:
            found[part.index] = part.inner(S, rows, columns, self.center, self.backend)
        return self.factors * found

    def tail_sums(self, theta: int) -> np.ndarray:
        """Return the tail sum of each W^1/2 K_k W^1/2 (see `tail_sum`), shape (n_kernels,)."""
        if theta == 0:
            return self.traces
        found = np.zeros(self.n_kernels)
        for part in self.parts:
            found[part.index] = part.tail_sums(theta, self.center, self.backend)
        return self.factors * found

    def rank_one(self) -> RankOneColumns | None:
        """Return the kernels as columns x_k, K_k = x_k x_k'; None if one is not of rank one."""
        (first, *rest) = self.parts
        if rest or not isinstance(first, CenteredFactors) or first.n_columns != self.n_kernels:
            return None
        factors = first.factors(self.center)
        return RankOneColumns(self, factors, tuple(first.index[f.owner] for f in factors))


@dataclass(frozen=True)
class RankOneColumns:
    """Kernels of rank one, K_k = x_k x_k', as the matrix X = [x_1 ... x_p].

    Attributes
    ----------
    kernels : CenteredKernels
    factors : tuple of Factor
        The columns before scaling.
    index : tuple of ndarray
        Kernel of each column.
    """

    kernels: CenteredKernels
    factors: tuple[Factor, ...]
    index: tuple[np.ndarray, ...]

    def gram(self, d: np.ndarray) -> np.ndarray:
        """Return X diag(d) X', shape (n_samples, n_samples)."""
        return self.kernels.gram(d)

    def times(self, u: np.ndarray) -> np.ndarray:
        """Return X u, shape (n_samples,)."""
        u = np.sqrt(self.kernels.factors) * u
        parts = zip(self.factors, self.index, strict=True)
        return np.sum([factor.times(u[index]) for factor, index in parts], axis=0)

    def transposed_times(self, c: np.ndarray) -> np.ndarray:
        """Return X'c, shape (n_kernels,)."""
        out = np.empty(self.kernels.n_kernels)
        for factor, index in zip(self.factors, self.index, strict=True):
            out[index] = factor.transposed_times(c)
        return np.sqrt(self.kernels.factors) * out


@dataclass(frozen=True)
class Products:
    """K_k v for every kernel and some vectors v.

    Attributes
    ----------
    parts : tuple of TileProducts or FactorProducts
    index : tuple of ndarray
        Positions of the kernels of each part.
    factors : ndarray of shape (n_kernels,)
        Factors of the kernels.
    """

    parts: tuple[Any, ...]
    index: tuple[np.ndarray, ...]
    factors: np.ndarray

    def forms(self) -> np.ndarray:
        """Return sum_t v_t'K_k v_t, shape (n_kernels,)."""
        found = np.empty(len(self.factors))
        for index, part in zip(self.index, self.parts, strict=True):
            found[index] = part.forms()
        return found * self.factors

    def of(self, t: int) -> np.ndarray:
        """Return K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        order = np.argsort(np.concatenate(self.index))
        return np.hstack([part.of(t) for part in self.parts])[:, order] * self.factors
