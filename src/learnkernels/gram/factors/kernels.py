"""Kernels held as factors on a training set: centering, statistics, products.

With the columns B (n, q) minus their means (`factor`), and the sample weights w:

    a_k   = |B_k'W Y|_F^2        M_kl = |B_k'W B_l|_F^2        tr K_k = |W^1/2 B_k|_F^2
    K_k v = B_k (B_k'v)

Their weighted combination is in `combination`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.execution import Backend
from learnkernels.gram.centered import CONSTANT, TINY, PartStatistics
from learnkernels.gram.factors.combination import ROWS, CombinedFactors, row_ranges
from learnkernels.gram.factors.factor import Factor, inner, second_moments
from learnkernels.gram.factors.samples import FactorGroup, FactorSamples
from learnkernels.gram.triangles import pack_rows
from learnkernels.plurals import count_text

# Columns up to which the norm of a combination comes from M, if they are fewer than samples.
FEW = 1000


@dataclass(frozen=True)
class FactorKernels:
    """Base kernels held as factors, on some samples.

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list.
    groups : tuple of FactorGroup
    samples : tuple of FactorSamples
    """

    index: np.ndarray
    groups: tuple[FactorGroup, ...]
    samples: tuple[FactorSamples, ...]

    kind = "factors"
    fast_products = False

    def observed(self) -> np.ndarray:
        """Return which samples the view of each group has values for, (n_groups, n_samples)."""
        return np.array([samples.observed > 0 for samples in self.samples])

    def take(self, index: np.ndarray) -> FactorKernels:
        """Return the same kernels on some of the samples."""
        return replace(self, samples=tuple(samples.take(index) for samples in self.samples))

    def keep(self, mask: np.ndarray) -> FactorKernels:
        """Return the kernels where `mask` is true; `index` stays that of the user's list."""
        if mask.all():
            return self
        pairs = [
            group.keep(mask, samples)
            for group, samples in zip(self.groups, self.samples, strict=True)
            if mask[group.owner].any()
        ]
        groups, samples = (tuple(part) for part in zip(*pairs, strict=True)) if pairs else ((), ())
        return FactorKernels(self.index[mask], groups, samples)

    def centered(self, sums: None, Y: np.ndarray, w: np.ndarray) -> CenteredFactors:
        """Return the centered kernels; Y of shape (n_samples, n_targets) is centered."""
        p = len(self.index)
        a, squares, traces, raw, observed, sizes = (np.zeros(p) for _ in range(6))
        means = []
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            for group, samples in zip(self.groups, self.samples, strict=True):
                W = w @ samples.observed
                c = samples.A.T @ w / W
                means.append(c)
                factor = Factor(samples.A, -samples.observed, c, group.owner)
                U = factor.transposed_times(w[:, None] * Y)  # (q, t)
                total, own = second_moments(samples, c, w)
                a += np.bincount(group.owner, (U**2).sum(axis=1), p)
                traces += np.bincount(group.owner, own, p)
                sizes += np.bincount(group.owner, total, p)
                raw += np.bincount(group.owner, total / W, p)
                observed += np.bincount(group.owner, np.full(len(c), W), p)
                squares += np.bincount(group.owner, own**2, p)
        require_representable(squares, traces, sizes, float(w.sum()), self.index)
        widths = sum(np.bincount(group.owner, minlength=p) for group in self.groups)
        varies = traces > CONSTANT * sizes
        numbers = PartStatistics(
            a * varies, squares * varies, traces * varies, raw, observed / widths, ~varies
        )
        kernels = CenteredFactors(self.index, self, tuple(means), w, numbers)
        for factor in kernels.factors(True):  # products between the columns of one kernel
            counts = np.bincount(factor.owner, minlength=p)
            for k in np.flatnonzero((counts > 1) & varies):
                columns = np.flatnonzero(factor.owner == k)
                numbers.squares[k] = np.sum(inner(factor, columns, factor, columns, w) ** 2)
        return kernels


@dataclass(frozen=True)
class CenteredFactors:
    """Kernels held as factors, centered on a training set.

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list.
    kernels : FactorKernels
    means : tuple of ndarray of shape (q,)
        Means of the columns over the observed samples.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    numbers : PartStatistics
    """

    index: np.ndarray
    kernels: FactorKernels
    means: tuple[np.ndarray, ...]
    weights: np.ndarray
    numbers: PartStatistics

    knows_products = False

    def factors(self, center: bool) -> tuple[Factor, ...]:
        """Return the columns, centered or raw; a missing sample has the mean of the others."""
        found = self.__dict__.setdefault("_factors", {})  # computed once
        if center not in found:
            found[center] = tuple(
                Factor(s.A, -s.observed if center else 1.0 - s.observed, c, group.owner)
                for group, s, c in zip(
                    self.kernels.groups, self.kernels.samples, self.means, strict=True
                )
            )
        return found[center]

    def keep(self, mask: np.ndarray, index: np.ndarray) -> CenteredFactors:
        """Return some of the kernels, with new positions in the user's list."""
        means = tuple(
            c[mask[group.owner]]
            for c, group in zip(self.means, self.kernels.groups, strict=True)
            if mask[group.owner].any()
        )
        return CenteredFactors(
            index, self.kernels.keep(mask), means, self.weights, self.numbers.keep(mask)
        )

    @property
    def n_columns(self) -> int:
        return sum(len(group.columns) for group in self.kernels.groups)

    @property
    def has_small_products(self) -> bool:
        """Whether M is cheaper than a Gram matrix."""
        return self.n_columns <= min(len(self.weights), FEW)

    def combined(self, factors: np.ndarray, center: bool) -> CombinedFactors:
        """Return ``sum_k factors_k K_k`` of the kernels whose factor is not zero."""
        used = factors != 0
        if 2 * used.sum() > len(used):  # a copy of the columns would cost more than it saves
            used = np.ones(len(used), dtype=bool)
        kept = self if used.all() else self.keep(used, self.index[used])
        columns = kept.factors(center)
        d = tuple(factors[used][f.owner] for f in columns)
        return CombinedFactors(kept.kernels.groups, columns, d, kept.index, used, center)

    def gram(self, factors: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``sum_k factors_k K_k`` of the centered kernels, shape (n_samples, n_samples)."""
        K = np.zeros((len(self.weights), len(self.weights)))
        self.combined(factors, True).add_gram(K, backend)
        return K

    def square(self, factors: np.ndarray, backend: Backend) -> float:
        """Return ``|sum_k factors_k K_k|_F^2`` of the centered kernels, without a Gram matrix."""
        combined = self.combined(factors, True)
        rows = row_ranges(len(self.weights), ROWS // 4)
        return float(sum(backend.map(partial(combined.square_of_rows, self.weights), rows, "norm")))

    def products(self, vectors: np.ndarray, center: bool, backend: Backend) -> FactorProducts:
        """Return K_k vectors for every kernel, as B'vectors."""
        factors = self.factors(center)
        U = tuple(f.transposed_times(vectors) for f in factors)
        return FactorProducts(factors, U, len(self.index))

    def inner_block(self, own: np.ndarray) -> np.ndarray:
        """Return M of some of these kernels, shape (s, s)."""
        M, p = np.zeros((len(own), len(own))), len(self.index)
        for left in self.factors(True):
            i, rows = columns_of(left.owner, own, p)
            for right in self.factors(True):
                j, columns = columns_of(right.owner, own, p)
                if len(i) and len(j):
                    G = inner(left, i, right, j, self.weights)
                    np.square(G, out=G)
                    add_blocks(G, rows, columns, M)
        return M

    def inner_times(self, v: np.ndarray, backend: Backend) -> np.ndarray:
        """Return M v, shape (n_kernels,)."""
        return self.quadratics(self.gram(v, backend))

    def quadratics(self, K: np.ndarray) -> np.ndarray:
        """Return <K_k, K> of every kernel with a centered Gram matrix K, shape (n_kernels,)."""
        w, p = self.weights, len(self.index)
        if not (w == 1).all():
            K = K * np.outer(w, w)
        found = np.zeros(p)
        for factor in self.factors(True):
            found += np.bincount(factor.owner, factor.quadratics(K), p)
        return found

    def inner(
        self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray, center: bool, backend: Backend
    ) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` of every kernel, shape (n_kernels,)."""
        found = np.zeros(len(self.index))
        for factor in self.factors(center):
            values = factor.bilinear(S, rows, columns)
            found += np.bincount(factor.owner, values, len(found))
        return found

    def pack(self, samples: np.ndarray, center: bool, backend: Backend, out: np.ndarray) -> None:
        """Write the upper triangles of the Gram matrices of some samples into `out`."""
        n, nothing = len(samples), np.zeros((1, len(samples)))
        for k, unit in enumerate(np.eye(len(out))):
            K = np.zeros((n, n))
            self.combined(unit, center).take(samples).add_gram(K, backend)
            pack_rows(K[None], 0, nothing, np.zeros(1), n, out[k : k + 1])

    def tail_sums(self, theta: int, center: bool, backend: Backend) -> np.ndarray:
        """Return the trace minus the theta largest eigenvalues of each kernel, (n_kernels,)."""
        found = np.zeros(len(self.index))
        for factor in self.factors(center):
            widths = np.bincount(factor.owner, minlength=len(found))
            for k in np.flatnonzero(widths > theta):
                columns = np.flatnonzero(factor.owner == k)
                G = inner(factor, columns, factor, columns, self.weights)
                found[k] = np.maximum(np.linalg.eigvalsh(G)[: len(columns) - theta], 0.0).sum()
        return found


@dataclass(frozen=True)
class FactorProducts:
    """K_k v for every kernel held as factors, as U = B'v.

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
        """Return sum_t v_t'K_k v_t, shape (n_kernels,)."""
        found = np.zeros(self.n_kernels)
        for factor, U in zip(self.factors, self.U, strict=True):
            found += np.bincount(factor.owner, (U**2).sum(axis=1), self.n_kernels)
        return found

    def of(self, t: int) -> np.ndarray:
        """Return K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        found = np.zeros((len(self.factors[0].e), self.n_kernels))
        for factor, U in zip(self.factors, self.U, strict=True):
            q = len(factor.owner)
            scaled = sparse.csr_array(
                (U[:, t], (np.arange(q), factor.owner)), shape=(q, self.n_kernels)
            )
            part = factor.A @ scaled
            found += part.toarray() if sparse.issparse(part) else part
            found += np.multiply.outer(factor.e, factor.c @ scaled)
        return found


def require_representable(
    squares: np.ndarray, traces: np.ndarray, sizes: np.ndarray, weight: float, index: np.ndarray
) -> None:
    """Raise if squares of the columns overflow or underflow."""
    bad = ~(np.isfinite(squares) & np.isfinite(traces) & np.isfinite(sizes))
    bad |= (traces > CONSTANT * sizes) & (traces < TINY * weight)
    if bad.any():
        first = int(index[np.flatnonzero(bad)[0]])
        raise InputError(
            f"{count_text(int(bad.sum()), 'kernel')} with values too large or too small to be "
            "squared (the first "
            f"is number {first}); scale the columns of X, for example with MaxAbsScaler."
        )


def columns_of(owner: np.ndarray, kernels: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (columns, at) such that owner[columns] == kernels[at], sorted by `at`."""
    position = np.full(p, -1)
    position[kernels] = np.arange(len(kernels))
    at = position[owner]
    columns = np.flatnonzero(at >= 0)
    order = np.argsort(at[columns], kind="stable")
    return columns[order], at[columns[order]]


def add_blocks(G: np.ndarray, rows: np.ndarray, columns: np.ndarray, M: np.ndarray) -> None:
    """Add sums over blocks of G to M: entry (i, j) of G belongs to M[rows[i], columns[j]]."""
    if np.array_equal(rows, np.arange(len(M))) and np.array_equal(columns, np.arange(M.shape[1])):
        M += G  # one column for each kernel
        return
    used_rows, first_rows = np.unique(rows, return_index=True)
    used_columns, first_columns = np.unique(columns, return_index=True)
    summed = np.add.reduceat(np.add.reduceat(G, first_rows, axis=0), first_columns, axis=1)
    M[np.ix_(used_rows, used_columns)] += summed
