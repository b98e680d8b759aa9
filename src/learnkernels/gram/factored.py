"""Kernels held by factors on a training set: what centering, alignment and machines ask of them.

With the columns B (n, q) minus their means (`factor_columns`), and the weights w of the samples:

    a_k   = |B_k'W Y|_F^2        M_kl = |B_k'W B_l|_F^2        tr K_k = |W^1/2 B_k|_F^2
    K_k v = B_k (B_k'v)

Their combination K_mu is in `factor_combination`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from learnkernels.derived import derived
from learnkernels.errors import InputError
from learnkernels.gram.backends import Backend
from learnkernels.gram.factor_columns import Factor, inner, second_moments
from learnkernels.gram.factor_combination import FactorCombination
from learnkernels.gram.factors import FactorBank
from learnkernels.gram.memory import require_memory
from learnkernels.gram.statistics import CONSTANT, LEAST, Numbers
from learnkernels.gram.tiles import ROWS, cut

__all__ = ["FactorProducts", "FactoredKernels"]


@dataclass(frozen=True)
class FactoredKernels:
    """The kernels of a `FactorBank` on a training set.

    Attributes
    ----------
    bank : FactorBank
    means : tuple of ndarray of shape (q,)
        Means of the columns over the samples that their source has seen.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    numbers : Numbers
        What alignment reads.
    """

    bank: FactorBank
    means: tuple[np.ndarray, ...]
    weights: np.ndarray
    numbers: Numbers

    @classmethod
    def of(cls, bank: FactorBank, Y: np.ndarray, w: np.ndarray) -> FactoredKernels:
        """Means and numbers of the kernels; Y of shape (n_samples, n_targets) is centered."""
        p = bank.n_kernels
        a, squares, traces, raw, observed = (np.zeros(p) for _ in range(5))
        sizes = np.zeros(p)
        means = []
        with np.errstate(over="ignore", invalid="ignore"):  # said below
            for group, samples in zip(bank.groups, bank.samples, strict=True):
                seen = samples.seen()
                W = w @ seen
                c = samples.A.T @ w / W
                means.append(c)
                factor = Factor(samples.A, -seen, c, group.owner)
                U = factor.transposed_times(w[:, None] * Y)  # (q, t)
                total, own = second_moments(samples, c, w)
                a += np.bincount(group.owner, (U**2).sum(axis=1), p)
                traces += np.bincount(group.owner, own, p)
                sizes += np.bincount(group.owner, total, p)
                raw += np.bincount(group.owner, total / W, p)
                observed += np.bincount(group.owner, np.full(len(c), W), p)
                squares += np.bincount(group.owner, own**2, p)
        require_representable(squares, traces, sizes, float(w.sum()), bank)
        widths = sum(np.bincount(group.owner, minlength=p) for group in bank.groups)
        numbers = Numbers(
            a=a,
            squares=squares,
            traces=traces,
            mean_diagonal=raw,
            observed=observed / widths,
            constant=~(traces > CONSTANT * sizes),
        ).without_constant()
        kernels = cls(bank, tuple(means), w, numbers)
        for factor in kernels.centered:  # columns of one kernel, all of one group, meet each other
            counts = np.bincount(factor.owner, minlength=p)
            for k in np.flatnonzero((counts > 1) & ~numbers.constant):
                own_columns = np.flatnonzero(factor.owner == k)
                G = inner(factor, own_columns, factor, own_columns, w)
                numbers.squares[k] = np.sum(G**2)
        return kernels

    @property
    def positions(self) -> np.ndarray:
        return self.bank.positions

    @property
    def n_kernels(self) -> int:
        return self.bank.n_kernels

    def factors(self, center: bool) -> tuple[Factor, ...]:
        """The columns, centered or raw; a sample not seen stands at the mean of the others."""
        found = []
        for group, samples, c in zip(self.bank.groups, self.bank.samples, self.means, strict=True):
            e = -samples.seen() if center else 1.0 - samples.seen()
            found.append(Factor(samples.A, e, c, group.owner))
        return tuple(found)

    @derived
    def centered(self) -> tuple[Factor, ...]:
        return self.factors(True)

    def keep(self, mask: np.ndarray) -> FactoredKernels:
        """Some of the kernels."""
        means = tuple(
            c[mask[group.owner]]
            for c, group in zip(self.means, self.bank.groups, strict=True)
            if mask[group.owner].any()
        )
        return FactoredKernels(self.bank.keep(mask), means, self.weights, self.numbers.keep(mask))

    @property
    def n_columns(self) -> int:
        return sum(len(group.columns) for group in self.bank.groups)

    def gram(self, factors: np.ndarray, backend: Backend) -> np.ndarray:
        """``sum_k factors_k K_k`` of the centered kernels, shape (n_samples, n_samples)."""
        n = len(self.weights)
        require_memory(8 * n * n, f"the Gram matrix of {n} samples")
        K = np.empty((n, n))
        self.combination(factors, True).write(K, backend, add=False)
        return K

    def square(self, factors: np.ndarray, backend: Backend) -> float:
        """``|sum_k factors_k K_k|_F^2`` of the centered kernels, by rows that are let go."""
        combined = self.combination(factors, True)
        ranges = list(cut([0, len(self.weights)], ROWS // 4))
        task = partial(combined.square_of_rows, self.weights)
        return sum(backend.map(task, ranges, "norm"))

    def combination(self, factors: np.ndarray, center: bool) -> FactorCombination:
        """``sum_k factors_k K_k`` of the kernels with a factor."""
        used = factors != 0
        if 2 * used.sum() > len(used):  # a copy of the columns would cost more than it saves
            used = np.ones(len(used), dtype=bool)
        kept = self if used.all() else self.keep(used)
        columns = kept.centered if center else kept.factors(False)
        d = tuple(factors[used][f.owner] for f in columns)
        return FactorCombination(kept.bank.groups, columns, d, used, center)

    def products(self, vectors: np.ndarray, center: bool) -> FactorProducts:
        """K_k vectors for every kernel, by what B'vectors says."""
        factors = self.centered if center else self.factors(False)
        return FactorProducts(
            factors, tuple(f.transposed_times(vectors) for f in factors), self.n_kernels
        )

    # The inner products M of the centered kernels.

    def products_of(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """M for some kernels against some others, shape (n_rows, n_columns)."""
        M = np.zeros((len(rows), len(columns)))
        for left in self.centered:
            i, at_rows = columns_of(left.owner, rows, self.n_kernels)
            for right in self.centered:
                j, at_columns = columns_of(right.owner, columns, self.n_kernels)
                if len(i) and len(j):
                    G = inner(left, i, right, j, self.weights)
                    np.square(G, out=G)
                    add_blocks(G, at_rows, at_columns, M)
        return M

    def quadratics(self, K: np.ndarray) -> np.ndarray:
        """<K_k, K> of every kernel with a centered Gram K, shape (n_kernels,)."""
        w = self.weights
        if not (w == 1).all():
            K = K * np.outer(w, w)
        found = np.zeros(self.n_kernels)
        for factor in self.centered:
            found += np.bincount(factor.owner, factor.quadratics(K), self.n_kernels)
        return found

    def tail_sums(self, theta: int, center: bool) -> np.ndarray:
        """Trace minus the theta largest eigenvalues of each kernel, shape (n_kernels,)."""
        found = np.zeros(self.n_kernels)
        factors = self.centered if center else self.factors(False)
        for factor in factors:
            widths = np.bincount(factor.owner, minlength=self.n_kernels)
            for k in np.flatnonzero(widths > theta):
                columns = np.flatnonzero(factor.owner == k)
                G = inner(factor, columns, factor, columns, self.weights)
                found[k] = np.maximum(np.linalg.eigvalsh(G)[: len(columns) - theta], 0.0).sum()
        return found


@dataclass(frozen=True)
class FactorProducts:
    """K_k v for every kernel held by factors, as U = B'v.

    Attributes
    ----------
    factors : tuple of Factor
    U : tuple of ndarray of shape (q, n_vectors)
    n_kernels : int
    """

    factors: tuple[Factor, ...]
    U: tuple[np.ndarray, ...]
    n_kernels: int

    def forms(self) -> np.ndarray:
        """sum_t v_t'K_k v_t, shape (n_kernels,)."""
        found = np.zeros(self.n_kernels)
        for factor, U in zip(self.factors, self.U, strict=True):
            found += np.bincount(factor.owner, (U**2).sum(axis=1), self.n_kernels)
        return found

    def of(self, t: int) -> np.ndarray:
        """K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        n = len(self.factors[0].e)
        found = np.zeros((n, self.n_kernels))
        for factor, U in zip(self.factors, self.U, strict=True):
            q = len(factor.owner)
            scaled = sparse.csr_array(
                (U[:, t], (np.arange(q), factor.owner)), shape=(q, self.n_kernels)
            )
            part = factor.A @ scaled
            found += part.toarray() if sparse.issparse(part) else part
            found += np.multiply.outer(factor.e, factor.c @ scaled)
        return found


def require_representable(squares, traces, sizes, weight: float, bank: FactorBank) -> None:
    """Raise where squares of the columns are too large or too small for numbers of this machine."""
    bad = ~(np.isfinite(squares) & np.isfinite(traces) & np.isfinite(sizes))
    bad |= (traces > CONSTANT * sizes) & (traces < LEAST * weight)
    if bad.any():
        first = int(bank.positions[np.flatnonzero(bad)[0]])
        raise InputError(
            f"{int(bad.sum())} kernels have values too large or too small to be squared (the first "
            f"is number {first}); scale the columns of X, for example with MaxAbsScaler."
        )


def columns_of(owner: np.ndarray, kernels: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns that belong to some kernels, in the kernels' order, and the place of each there."""
    place = np.full(p, -1)
    place[kernels] = np.arange(len(kernels))
    at = place[owner]
    columns = np.flatnonzero(at >= 0)
    order = np.argsort(at[columns], kind="stable")
    return columns[order], at[columns[order]]


def add_blocks(G: np.ndarray, at_rows: np.ndarray, at_columns: np.ndarray, M: np.ndarray) -> None:
    """Add sums over blocks of rows and columns of G, which stand in order, to M."""
    own_rows = np.array_equal(at_rows, np.arange(len(M)))
    if own_rows and np.array_equal(at_columns, np.arange(M.shape[1])):
        M += G  # a column for each kernel
        return
    rows, first_rows = np.unique(at_rows, return_index=True)
    columns, first_columns = np.unique(at_columns, return_index=True)
    summed = np.add.reduceat(np.add.reduceat(G, first_rows, axis=0), first_columns, axis=1)
    M[np.ix_(rows, columns)] += summed
