"""The base Gram matrices as one-stage methods see them: combinations and products, never all p."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnkernels.gram import leaves
from learnkernels.gram.backends import Backend
from learnkernels.gram.bank import Bank
from learnkernels.gram.combine import LearnedKernel, grid_of, require_memory
from learnkernels.gram.statistics import Statistics
from learnkernels.gram.tiles import Grid

__all__ = ["Oracle"]


@dataclass(frozen=True)
class Oracle:
    """The centered (unless told otherwise) and scaled base kernels K_k of the training samples.

    Attributes
    ----------
    bank : Bank
    statistics : Statistics
        Gives scales and means.
    center : bool
    backend : Backend
    factors : ndarray of shape (n_kernels,)
        Every K_k is multiplied by its factor.
    """

    bank: Bank
    statistics: Statistics
    center: bool
    backend: Backend
    factors: np.ndarray

    @property
    def n_samples(self) -> int:
        return self.bank.n_rows

    @property
    def n_kernels(self) -> int:
        return self.bank.n_kernels

    @property
    def names(self) -> list[str]:
        return self.bank.names

    @property
    def traces(self) -> np.ndarray:
        """Trace of each K_k, shape (n_kernels,)."""
        found = self.statistics
        raw = found.traces if self.center else found.mean_diagonal * found.weights.sum()
        return self.factors * raw / found.scales

    def scaled(self, factors: np.ndarray) -> Oracle:
        """The same kernels multiplied by further factors."""
        return replace(self, factors=self.factors * factors)

    def keep(self, mask: np.ndarray) -> Oracle:
        """Some of the kernels."""
        return replace(
            self,
            bank=self.bank.keep(mask),
            statistics=self.statistics.keep(mask),
            factors=self.factors[mask],
        )

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """``sum_k mu_k K_k``, shape (n_samples, n_samples)."""
        if not mu.any():
            return np.zeros((self.n_samples, self.n_samples))
        kernel = LearnedKernel.of(self.bank, mu * self.factors, self.statistics, self.center)
        return kernel.gram(self.backend)

    def stack(self) -> np.ndarray:
        """All Gram matrices at once, shape (n_kernels, n_samples, n_samples)."""
        p, n = self.n_kernels, self.n_samples
        require_memory(8 * p * n * n, f"{p} Gram matrices of {n} samples")
        return np.array([self.gram(unit) for unit in np.eye(p)])

    def products(self, vectors: np.ndarray) -> np.ndarray:
        """``K_k vectors`` for every kernel, shape (n_kernels, n_samples, n_vectors).

        Rows of zeros in `vectors` cost nothing.
        """
        used = np.flatnonzero(vectors.any(axis=1))
        if len(used) == 0:
            return np.zeros((self.n_kernels, *vectors.shape))
        if not self.bank.compiled:  # picking columns of stored Grams costs more than it saves
            used = np.arange(self.n_samples)
        bank = self.bank.facing(self.bank.take(used))
        grid = grid_of(bank)
        task = partial(multiplied_rows, bank, grid, np.ascontiguousarray(vectors[used].T))
        parts = self.backend.map(task, grid.row_ranges(), "kernel products")
        Z = np.concatenate(list(parts), axis=1)[bank.order]
        sums = vectors.sum(axis=0)  # (n_vectors,)
        if self.center:
            means, w = self.statistics.means, self.statistics.weights
            totals = means @ w / w.sum()
            Z -= means[:, :, None] * sums
            Z -= (means @ vectors - np.outer(totals, sums))[:, None, :]
        else:
            Z += self.bank.units[:, None, None] * sums
        Z *= (self.factors / self.statistics.scales)[:, None, None]
        return Z

    def forms(self, vectors: np.ndarray) -> np.ndarray:
        """``sum_t v_t' K_k v_t`` for every kernel, shape (n_kernels,)."""
        return np.einsum("knt,nt->k", self.products(vectors), vectors)


def multiplied_rows(bank: Bank, grid: Grid, vectors, rows: slice) -> np.ndarray:
    """Values of all kernels on some rows times the vectors, in the order of tiles."""
    out = np.zeros((bank.n_kernels, rows.stop - rows.start, len(vectors)))
    B = leaves.scratch(bank.n_kernels)
    for columns in grid.column_ranges():
        part = np.ascontiguousarray(vectors[:, columns])
        leaves.multiply(*bank.tile(rows, columns), part, B, out)
    return out
