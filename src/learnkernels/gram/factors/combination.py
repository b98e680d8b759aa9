"""A weighted combination ``K_mu = B D B'`` of kernels held as factors, and functions of it.

    D = diag(mu of each column's kernel)        K_mu(x, .) coef = b(x)'v,  v = D B'coef

A function needs v and the means of the columns, and no training sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import Backend, require_memory
from learnkernels.gram.factors.factor import Factor
from learnkernels.gram.factors.samples import FactorGroup, FactorSamples

# Rows of a task.
ROWS = 256


@dataclass(frozen=True)
class CombinedFactors:
    """``B D B'`` of the kernels with a weight.

    Attributes
    ----------
    groups : tuple of FactorGroup
        Turn new samples into columns.
    factors : tuple of Factor
        The training samples.
    d : tuple of ndarray of shape (q,)
        Factor of each column.
    index : ndarray of shape (n_used,)
        Positions of the kernels in the user's list.
    used : ndarray of bool
        Which of all kernels held as factors these are.
    center : bool
    """

    groups: tuple[FactorGroup, ...]
    factors: tuple[Factor, ...]
    d: tuple[np.ndarray, ...]
    index: np.ndarray
    used: np.ndarray
    center: bool

    kind = "factors"
    fast_products = bounded = fast_single = False

    @property
    def rank(self) -> int:
        """Number of columns, an upper bound of the rank."""
        return sum(len(d) for d in self.d)

    @property
    def means(self) -> np.ndarray:
        """Row means that `add_near` leaves out: zero, since columns are centered, (n_samples,)."""
        return np.zeros(len(self.factors[0].e))

    def root(self) -> np.ndarray:
        """Return B D^1/2, dense, shape (n_samples, rank)."""
        n = len(self.factors[0].e)
        require_memory(8 * n * self.rank, f"{self.rank} columns of {n} samples")
        parts = zip(self.factors, self.d, strict=True)
        return np.hstack([f.columns(np.arange(len(d))) * np.sqrt(d) for f, d in parts])

    def add_gram(self, K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of the training samples to K."""
        task = partial(self.add_rows, K)
        for _ in backend.map(task, row_ranges(len(K)), "learned Gram matrix", local=True):
            pass

    def add_rows(self, K: np.ndarray, rows: slice) -> None:
        """Add some rows of the Gram matrix to K."""
        self.add_near(self, rows, K[rows])

    def add_near(self, near: CombinedFactors, rows: slice, out: np.ndarray) -> None:
        """Add values of some training samples at the samples of `near`, shape (n_rows, n_near)."""
        for factor, other, d in zip(self.factors, near.factors, self.d, strict=True):
            factor.add_cross(other, d, out, rows)

    def add_at(
        self, some: CombinedFactors, samples: slice, out: np.ndarray, at: np.ndarray
    ) -> None:
        """Add rows of the Gram matrix, of the samples `some`, at some columns to out[at]."""
        values = np.zeros((len(at), samples.stop - samples.start))
        near = self.take(np.arange(samples.start, samples.stop))
        some.add_near(near, slice(0, len(at)), values)
        out[at, samples] += values

    def square_of_rows(self, w: np.ndarray, rows: slice) -> float:
        """Return sum_ij w_i w_j K_ij^2 over some rows."""
        K = np.zeros((rows.stop - rows.start, len(w)))
        self.add_near(self, rows, K)
        np.square(K, out=K)
        return float(w[rows] @ K @ w)

    def prepared(self, X: Any) -> tuple[FactorSamples, ...]:
        """Return new samples."""
        return tuple(group.prepare(X) for group in self.groups)

    def kept(self, rows: Any) -> tuple[FactorSamples, ...]:
        """Return the samples of this combination from `FactorKernels` on some samples."""
        return rows.keep(self.used).samples

    def diagonal(self, rows: tuple[FactorSamples, ...]) -> np.ndarray:
        """Return K(x, x) of new samples, shape (n_new,)."""
        new = new_factors(self.groups, tuple(f.c for f in self.factors), rows, self.center)
        return np.sum([f.squares(d) for f, d in zip(new, self.d, strict=True)], axis=0)

    def add_cross(self, rows: tuple[FactorSamples, ...], K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of new samples against the training samples to K."""
        if any(len(samples) != len(K) for samples in rows):
            raise InputError(
                "the views of X have different numbers of samples; every view must return one row "
                "for each row of X. Check the functions that select or transform columns."
            )
        means = tuple(f.c for f in self.factors)
        new = new_factors(self.groups, means, rows, self.center)
        for factor, d, one in zip(self.factors, self.d, new, strict=True):
            one.add_cross(factor, d, K, slice(0, len(K)))

    def products(
        self, rows: tuple[FactorSamples, ...], coef: np.ndarray, backend: Backend,
        single: bool = False,
    ) -> np.ndarray:  # fmt: skip
        """Return K(new samples, training samples) coef, shape (n_new, n_outputs)."""
        return self.function(coef, None).outputs_of(rows)

    def times(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return K coef on the training samples, shape (n_samples, n_outputs)."""
        parts = zip(self.factors, self.d, strict=True)
        return np.sum([f.times(d[:, None] * f.transposed_times(coef)) for f, d in parts], axis=0)

    def times_at(
        self, index: np.ndarray, coef: np.ndarray, backend: Backend, single: bool
    ) -> np.ndarray:
        """Return some rows of ``K coef``; see `LearnedKernel.times_at`."""
        return np.asarray(self.times(coef, backend)[index])

    def take(self, index: np.ndarray) -> CombinedFactors:
        """Return the combination on some of the training samples."""
        factors = tuple(Factor(f.A[index], f.e[index], f.c, f.owner) for f in self.factors)
        return replace(self, factors=factors)

    as_columns = take

    def reweighted(
        self, mu: np.ndarray, w: np.ndarray, center: bool, backend: Backend
    ) -> CombinedFactors | None:
        """Return the combination with every factor multiplied; None if all become zero.

        Parameters
        ----------
        mu : ndarray of shape (n_kernels,)
            Multipliers of all kernels of the user's list.
        w, center, backend
            Not used: the columns are centered.
        """
        own = mu[self.index]
        d = [d * own[group.owner] for group, d in zip(self.groups, self.d, strict=True)]
        used = [at for at, one in enumerate(d) if one.any()]
        if not used:
            return None
        return replace(
            self, groups=tuple(self.groups[at] for at in used),
            factors=tuple(self.factors[at] for at in used), d=tuple(d[at] for at in used),
        )  # fmt: skip

    def function(self, coef: np.ndarray, primal: np.ndarray | None) -> FactorFunction:
        """Return x -> K(x, training samples) coef: a vector v for each output.

        Parameters
        ----------
        coef : ndarray of shape (n_samples, n_outputs)
        primal : ndarray of shape (rank, n_outputs) or None
            ``R'coef`` of the `root` R, if it is known.
        """
        if primal is not None:  # v = D B'coef = D^1/2 R'coef
            parts = np.split(primal, np.cumsum([len(d) for d in self.d])[:-1])
            v = tuple(np.sqrt(d)[:, None] * part for d, part in zip(self.d, parts, strict=True))
        else:
            pairs = zip(self.factors, self.d, strict=True)
            v = tuple(d[:, None] * f.transposed_times(coef) for f, d in pairs)
        means = tuple(f.c for f in self.factors)
        return FactorFunction(self.groups, means, v, self.index, self.center)


@dataclass(frozen=True)
class FactorFunction:
    """The function x -> b(x)'v, whose size does not depend on the number of training samples.

    Attributes
    ----------
    groups : tuple of FactorGroup
    means : tuple of ndarray of shape (q,)
    primal : tuple of ndarray of shape (q, n_outputs)
    index : ndarray of shape (n_used,)
        Positions of the kernels in the user's list.
    center : bool
    """

    groups: tuple[FactorGroup, ...]
    means: tuple[np.ndarray, ...]
    primal: tuple[np.ndarray, ...]
    index: np.ndarray
    center: bool

    def outputs(self, X: Any, backend: Backend) -> np.ndarray:
        """Return values for new samples, shape (n_new, n_outputs)."""
        return self.outputs_of(tuple(group.prepare(X) for group in self.groups))

    def outputs_of(self, samples: tuple[FactorSamples, ...]) -> np.ndarray:
        """Return values for prepared samples, shape (n_new, n_outputs)."""
        new = new_factors(self.groups, self.means, samples, self.center)
        return np.sum([f.times(v) for f, v in zip(new, self.primal, strict=True)], axis=0)

    def restricted(self, kernels: np.ndarray) -> FactorFunction | None:
        """Return the terms of some base kernels; None if it has none of them."""
        own = np.isin(self.index, kernels)
        if not own.any():
            return None
        pairs = zip(self.groups, self.primal, strict=True)
        primal = tuple(own[group.owner][:, None] * v for group, v in pairs)
        return replace(self, primal=primal)


def new_factors(
    groups: tuple[FactorGroup, ...], means: tuple[np.ndarray, ...],
    samples: tuple[FactorSamples, ...], center: bool,
) -> list[Factor]:  # fmt: skip
    """Return columns of new samples centered with the training means; missing ones at the mean."""
    return [
        Factor(s.A, -s.observed if center else 1.0 - s.observed, c, group.owner)
        for group, s, c in zip(groups, samples, means, strict=True)
    ]


def row_ranges(n: int, length: int = ROWS) -> list[slice]:
    """Return ranges of rows, each the work of one task."""
    return [slice(start, min(start + length, n)) for start in range(0, n, length)]
