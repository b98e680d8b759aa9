"""Pairwise kernels on a training set: centering, statistics, products.

PairKernels -> CenteredPairs -> CombinedPairs -> PairFunction        (the last two in `combination`)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram.centered import PartStatistics, require_squares
from learnkernels.gram.learned import weighted
from learnkernels.gram.pairs.cells import Cells
from learnkernels.gram.pairs.combination import CombinedPairs
from learnkernels.gram.pairs.objects import ObjectKernels
from learnkernels.gram.spectrum import tail_sum
from learnkernels.gram.triangles import pack_rows
from learnkernels.kernels import Source


@dataclass(frozen=True)
class PairKernels:
    """Pairwise base kernels on some pairs.

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list.
    names : tuple of str
    objects : ObjectKernels
    source : Source or None
        Reads the pairs from X; None takes X itself.
    cells : Cells
        The pairs.
    """

    index: np.ndarray
    names: tuple[str, ...]
    objects: ObjectKernels
    source: Source | None
    cells: Cells

    kind = "pairs"
    fast_products = True

    def observed(self) -> None:
        """Return None: no pair can be missing."""

    def take(self, index: np.ndarray) -> PairKernels:
        """Return the same kernels on some of the pairs."""
        return replace(self, cells=self.cells.take(index))

    def keep(self, mask: np.ndarray) -> PairKernels:
        """Return the kernels where `mask` is true; `index` stays that of the user's list."""
        names = tuple(name for name, used in zip(self.names, mask, strict=True) if used)
        return replace(
            self, index=self.index[mask], names=names, objects=self.objects.keep(mask)
        )  # fmt: skip

    def centered(self, sums: None, Y: np.ndarray, w: np.ndarray) -> CenteredPairs:
        """Return the centered kernels; Y of shape (n_pairs, n_targets) is centered."""
        p, W, objects = len(self.index), w.sum(), self.objects
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            r = objects.products(self.cells, w)  # (p, n)
            s = r @ w
            # M_kl = S_kl - (2/W) sum_i w_i r_ki r_li + s_k s_l / W^2
            M = objects.squares(self.cells, w) - (2 / W) * (r * w) @ r.T + np.outer(s, s) / W**2
            a = objects.forms(self.cells, w[:, None] * Y)
            diagonal, largest = objects.diagonals(self.cells, w)
        traces = diagonal - s / W
        target = (w[:, None] * Y).T @ Y
        varies = require_squares(
            self.names,
            np.append(np.diag(M), np.sum(target**2)),
            np.append(traces, np.trace(target)),
            W * np.append(np.abs(objects.units) + largest, np.abs(Y).max(initial=0.0) ** 2),
            W,
        )[:p]
        numbers = PartStatistics(
            a=a * varies, squares=np.diag(M) * varies, traces=traces * varies,
            mean_diagonal=diagonal / W + objects.units, observed=np.full(p, W), constant=~varies,
        )  # fmt: skip
        return CenteredPairs(self.index, self, w, numbers, M * np.outer(varies, varies))


@dataclass(frozen=True)
class CenteredPairs:
    """Pairwise kernels centered on a training set.

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list.
    kernels : PairKernels
    weights : ndarray of shape (n_pairs,)
        Sample weights.
    numbers : PartStatistics
    M : ndarray of shape (n_kernels, n_kernels)
        Inner products of the centered kernels.
    """

    index: np.ndarray
    kernels: PairKernels
    weights: np.ndarray
    numbers: PartStatistics
    M: np.ndarray

    knows_products = has_small_products = True

    @property
    def means(self) -> np.ndarray:
        """Mean of each row of the kernels without their constants, (n_kernels, n_pairs)."""
        if "_means" not in self.__dict__:  # computed once
            sums = self.kernels.objects.products(self.kernels.cells, self.weights)
            self.__dict__["_means"] = sums / self.weights.sum()
        return self.__dict__["_means"]

    def keep(self, mask: np.ndarray, index: np.ndarray) -> CenteredPairs:
        """Return some of the kernels, with new positions in the user's list."""
        return CenteredPairs(
            index, self.kernels.keep(mask), self.weights, self.numbers.keep(mask),
            self.M[np.ix_(mask, mask)],
        )  # fmt: skip

    def inner_block(self, own: np.ndarray) -> np.ndarray:
        """Return M of some of these kernels, shape (s, s)."""
        return self.M[np.ix_(own, own)]

    def inner_times(self, v: np.ndarray, backend: Backend) -> np.ndarray:
        """Return M v, shape (n_kernels,)."""
        return self.M @ v

    def combined(self, factors: np.ndarray, center: bool) -> CombinedPairs:
        """Return ``sum_k factors_k K_k``."""
        kernels = self.kernels
        constant = 0.0 if center else float(factors @ kernels.objects.units)
        found = CombinedPairs.of(kernels.objects, factors, kernels.source, kernels.cells, constant)
        return found.centered(self.weights) if center else found

    def gram(self, factors: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``sum_k factors_k K_k`` of the centered kernels, shape (n_pairs, n_pairs)."""
        K = np.zeros((len(self.weights), len(self.weights)))
        self.combined(factors, True).add_gram(K, backend)
        return K

    def products(self, vectors: np.ndarray, center: bool, backend: Backend) -> PairProducts:
        """Return K_k vectors for every kernel, computed when they are needed."""
        return PairProducts(self, vectors, center)

    def inner(
        self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray, center: bool, backend: Backend
    ) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` of every kernel, shape (n_kernels,)."""
        cells, objects = self.kernels.cells, self.kernels.objects
        found = objects.inner(S, cells.take(rows), cells.take(columns))
        if not center:
            return found + objects.units * S.sum()
        total = self.means @ self.weights / self.weights.sum()
        found -= self.means[:, rows] @ S.sum(axis=1) + self.means[:, columns] @ S.sum(axis=0)
        return np.asarray(found + total * S.sum())

    def quadratics(self, K: np.ndarray) -> np.ndarray:
        """Return <K_k, K> of every kernel with a centered Gram matrix K, shape (n_kernels,)."""
        w, every = self.weights, np.arange(len(self.weights))
        cells = self.kernels.cells.take(every)
        return self.kernels.objects.inner(K * np.outer(w, w), cells, cells)

    def pack(self, samples: np.ndarray, center: bool, backend: Backend, out: np.ndarray) -> None:
        """Write the upper triangles of the Gram matrices of some pairs into `out`."""
        n, nothing = len(samples), np.zeros((1, len(samples)))
        for k, unit in enumerate(np.eye(len(out))):
            K = np.zeros((n, n))
            self.combined(unit, center).take(samples).add_gram(K, backend)
            pack_rows(K[None], 0, nothing, np.zeros(1), n, out[k : k + 1])

    def tail_sums(self, theta: int, center: bool, backend: Backend) -> np.ndarray:
        """Return the trace minus the theta largest eigenvalues of each kernel, (n_kernels,)."""
        found = []
        for unit in np.eye(len(self.index)):
            K = np.zeros((len(self.weights), len(self.weights)))
            self.combined(unit, center).add_gram(K, backend)
            found.append(tail_sum(weighted(K, self.weights), theta))
        return np.array(found)


@dataclass(frozen=True)
class PairProducts:
    """K_k v for every pairwise kernel and some vectors v.

    Attributes
    ----------
    kernels : CenteredPairs
    vectors : ndarray of shape (n_pairs, n_vectors)
    center : bool
    """

    kernels: CenteredPairs
    vectors: np.ndarray
    center: bool

    def forms(self) -> np.ndarray:
        """Return sum_t v_t'K_k v_t, shape (n_kernels,)."""
        objects, cells = self.kernels.kernels.objects, self.kernels.kernels.cells
        V = self.without_mean(self.vectors)
        found = objects.forms(cells, V)
        return found if self.center else found + objects.units * np.sum(V.sum(axis=0) ** 2)

    def of(self, t: int) -> np.ndarray:
        """Return K_k v_t of every kernel, shape (n_pairs, n_kernels)."""
        objects, cells = self.kernels.kernels.objects, self.kernels.kernels.cells
        v = self.without_mean(self.vectors[:, t])
        found = objects.products(cells, v)
        if self.center:
            w = self.kernels.weights
            found -= (found @ w / w.sum())[:, None]
        else:
            found += objects.units[:, None] * v.sum()
        return np.asarray(found.T)

    def without_mean(self, vectors: np.ndarray) -> np.ndarray:
        """Return U'v of the centering ``U = I - 1 w'/W``, so that ``K_c v = U K U'v``."""
        if not self.center:
            return vectors
        w = self.kernels.weights
        return vectors - np.multiply.outer(w / w.sum(), vectors.sum(axis=0))
