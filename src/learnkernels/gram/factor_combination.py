"""The learned kernel ``K_mu = B D B'`` of kernels held by factors, and functions of its space.

    D = diag(mu of each column's kernel)        K_mu(x, .) coef = b(x)'v,  v = D B'coef

A function needs v and the means of the columns, and no training sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnkernels.gram.backends import Backend
from learnkernels.gram.factor_columns import Factor
from learnkernels.gram.factors import FactorBank, FactorGroup, FactorSamples
from learnkernels.gram.memory import require_memory
from learnkernels.gram.tiles import ROWS, cut

__all__ = ["FactorCombination", "FactorFunction"]


@dataclass(frozen=True)
class FactorCombination:
    """``B D B'`` of the kernels with a weight.

    Attributes
    ----------
    groups : tuple of FactorGroup
        How new samples become columns.
    factors : tuple of Factor
        The training samples.
    d : tuple of ndarray of shape (q,)
        Factor of each column.
    used : ndarray of bool
        Which of the kernels these are.
    center : bool
    """

    groups: tuple[FactorGroup, ...]
    factors: tuple[Factor, ...]
    d: tuple[np.ndarray, ...]
    used: np.ndarray
    center: bool

    @property
    def rank(self) -> int:
        """Number of columns: no more than this is the rank."""
        return sum(len(d) for d in self.d)

    def root(self) -> np.ndarray:
        """B D^1/2, dense, shape (n_samples, rank)."""
        n = len(self.factors[0].e)
        require_memory(8 * n * self.rank, f"{self.rank} columns of {n} samples")
        return np.hstack(
            [
                f.columns(np.arange(len(d))) * np.sqrt(d)
                for f, d in zip(self.factors, self.d, strict=True)
            ]
        )

    def write(self, K: np.ndarray, backend: Backend, add: bool) -> None:
        """The Gram matrix of the training samples into K, or added to it."""
        task = partial(self._write_rows, K, add)
        for _ in backend.local.map(task, list(cut([0, len(K)], ROWS)), "learned Gram"):
            pass

    def _write_rows(self, K: np.ndarray, add: bool, rows: slice) -> None:
        if not add:
            K[rows] = 0.0
        for factor, d in zip(self.factors, self.d, strict=True):
            factor.add_cross(factor, d, K[rows], rows)

    def square_of_rows(self, w: np.ndarray, rows: slice) -> float:
        """sum_ij w_i w_j K_ij^2 over some rows."""
        K = np.zeros((rows.stop - rows.start, len(w)))
        for factor, d in zip(self.factors, self.d, strict=True):
            factor.add_cross(factor, d, K, rows)
        np.square(K, out=K)
        return float(w[rows] @ K @ w)

    def add_cross(self, rows: FactorBank, K: np.ndarray) -> None:
        """The Gram matrix of new samples against the training samples, added to K."""
        every = slice(0, len(K))
        for factor, d, new in zip(self.factors, self.d, self._new(rows.samples), strict=True):
            new.add_cross(factor, d, K, every)

    def products(self, rows: FactorBank, coef: np.ndarray) -> np.ndarray:
        """K(new samples, training samples) coef, shape (n_new, n_outputs)."""
        return self.function(coef).outputs_of(rows.samples)

    def times(self, coef: np.ndarray) -> np.ndarray:
        """K coef on the training samples, shape (n_samples, n_outputs)."""
        parts = zip(self.factors, self.d, strict=True)
        return np.sum([f.times(d[:, None] * f.transposed_times(coef)) for f, d in parts], axis=0)

    def only(self, index: np.ndarray) -> FactorCombination:
        """The combination against some of the training samples."""
        factors = tuple(Factor(f.A[index], f.e[index], f.c, f.owner) for f in self.factors)
        return replace(self, factors=factors)

    def function(self, coef: np.ndarray, primal: np.ndarray | None = None) -> FactorFunction:
        """The function x -> K(x, training samples) coef: a vector v for each output.

        Parameters
        ----------
        coef : ndarray of shape (n_samples, n_outputs)
        primal : ndarray of shape (rank, n_outputs) or None
            ``R'coef`` of the `root` R, where it is known.
        """
        if primal is not None:  # v = D B'coef = D^1/2 R'coef
            parts = np.split(primal, np.cumsum([len(d) for d in self.d])[:-1])
            v = tuple(np.sqrt(d)[:, None] * part for d, part in zip(self.d, parts, strict=True))
        else:
            pairs = zip(self.factors, self.d, strict=True)
            v = tuple(d[:, None] * f.transposed_times(coef) for f, d in pairs)
        return FactorFunction(self.groups, tuple(f.c for f in self.factors), v, self.center)

    def prepared(self, X) -> FactorBank:
        """New samples."""
        samples = tuple(group.prepare(X) for group in self.groups)
        return FactorBank(np.empty(0, dtype=int), self.groups, samples)

    def _new(self, samples: tuple[FactorSamples, ...]) -> list[Factor]:
        return new_factors(self.groups, tuple(f.c for f in self.factors), samples, self.center)


@dataclass(frozen=True)
class FactorFunction:
    """x -> b(x)'v: all that prediction needs, whatever the number of training samples.

    Attributes
    ----------
    groups : tuple of FactorGroup
    means : tuple of ndarray of shape (q,)
    primal : tuple of ndarray of shape (q, n_outputs)
    center : bool
    """

    groups: tuple[FactorGroup, ...]
    means: tuple[np.ndarray, ...]
    primal: tuple[np.ndarray, ...]
    center: bool

    def outputs(self, X, backend: Backend) -> np.ndarray:
        """Values for new samples, shape (n_new, n_outputs)."""
        return self.outputs_of(tuple(group.prepare(X) for group in self.groups))

    def outputs_of(self, samples: tuple[FactorSamples, ...]) -> np.ndarray:
        """Values for prepared samples, shape (n_new, n_outputs)."""
        new = new_factors(self.groups, self.means, samples, self.center)
        return np.sum([f.times(v) for f, v in zip(new, self.primal, strict=True)], axis=0)


def new_factors(groups, means, samples, center: bool) -> list[Factor]:
    """Columns of new samples, centered with the training means; unseen ones at the mean."""
    return [
        Factor(s.A, -s.seen() if center else 1.0 - s.seen(), c, group.owner)
        for group, s, c in zip(groups, samples, means, strict=True)
    ]
