"""A weighted combination of pairwise kernels, and functions of it.

    K_mu = sum_t L_t x R_t + constant        K_mu(., training) coef = sum_t L_t V R_t on the grid

with the coefficients as a matrix V of the grid (`cells`). A function is thus a table with its value
for every left and right object, and needs no training pair.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import Backend
from learnkernels.gram.pairs.cells import Cells
from learnkernels.gram.pairs.objects import ObjectKernels
from learnkernels.kernels import Source

# Rows of a task.
ROWS = 64


@dataclass(frozen=True)
class CombinedPairs:
    """``sum_k factors_k K_k`` of pairwise kernels.

    Attributes
    ----------
    L : ndarray of shape (n_left, n_products, n_left)
    R : ndarray of shape (n_right, n_products, n_right)
    source : Source or None
        Reads the pairs from X; None takes X itself.
    cells : Cells
        The training pairs.
    means : ndarray of shape (n_pairs,)
        Row means of the uncentered combination; zero without centering.
    constant : float
        Constant that is added to the values.
    """

    L: np.ndarray
    R: np.ndarray
    source: Source | None
    cells: Cells
    means: np.ndarray
    constant: float

    kind = "pairs"
    rank = np.inf  # no factor of the Gram matrix is known
    fast_products = True
    bounded = fast_single = False

    @classmethod
    def of(
        cls, objects: ObjectKernels, factors: np.ndarray, source: Source | None, cells: Cells,
        constant: float,
    ) -> CombinedPairs:  # fmt: skip
        """Return the combination, not centered."""
        L, R = objects.combination(factors)
        return cls(L, R, source, cells, np.zeros(len(cells)), constant)

    def centered(self, w: np.ndarray) -> CombinedPairs:
        """Return the combination centered with the weighted means of its rows."""
        means = self.values(self.cells, w) / w.sum()
        return replace(self, means=means, constant=float(w @ means / w.sum()))

    def values(self, at: Cells, v: np.ndarray) -> np.ndarray:
        """Return ``sum_t (L_t x R_t) v`` at some pairs, for v on the training pairs."""
        V = self.cells.matrix(v).astype(self.L.dtype, copy=False)
        if at.is_dense:
            return at.entries(self.on_grid(V))
        parts = [at.product_entries(L, np.asarray(V @ R).T) for L, R in self.products_of_objects()]
        return np.sum(parts, axis=0)

    def on_grid(self, V: Any) -> np.ndarray:
        """Return ``sum_t L_t V R_t``, shape (n_left, n_right)."""
        # [L_1 L_2 ...] [V R_1; V R_2; ...]: two large products are faster than many small ones
        m, q = self.cells.n_objects
        right = np.asarray(V @ self.R.reshape(q, -1)).reshape(m, -1, q)  # (m, n_products, q)
        return np.asarray(self.L.reshape(m, -1) @ right.swapaxes(0, 1).reshape(-1, q))

    def products_of_objects(self) -> Any:
        """Return pairs of a left and a right matrix."""
        return zip(self.L.swapaxes(0, 1), self.R.swapaxes(0, 1), strict=True)

    def add_gram(self, K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of the training pairs to K."""
        u = self.means - self.constant / 2
        task = partial(self.add_rows, self.cells, self.cells, K, u, u)
        for _ in backend.map(task, row_ranges(len(K)), "learned Gram matrix", local=True):
            pass

    def add_rows(
        self, left: Cells, right: Cells, out: np.ndarray, u: np.ndarray, v: np.ndarray, rows: slice
    ) -> None:
        """Add ``K(left[rows], right) - u - v'`` to these rows of out."""
        out[rows] += self.block(left.take(np.arange(rows.start, rows.stop)), right)
        out[rows] -= u[rows, None]
        out[rows] -= v

    def block(self, rows: Cells, columns: Cells) -> np.ndarray:
        """Return values on all rows and columns, without constants, (n_rows, n_columns)."""
        found = np.zeros((len(rows), len(columns)))
        orders = product(
            zip(rows.left, rows.right, strict=True), zip(columns.left, columns.right, strict=True)
        )
        for (a, b), (c, d) in orders:
            for L, R in self.products_of_objects():
                found += L[a[:, None], c] * R[b[:, None], d]
        return found / (len(rows.left) * len(columns.left))

    def diagonal(self, rows: Cells) -> np.ndarray:
        """Return K(x, x) of new pairs, up to twice their row means, shape (n_new,)."""
        found = np.zeros(len(rows))
        sides = list(zip(rows.left, rows.right, strict=True))
        for (a, b), (c, d) in product(sides, sides):
            for L, R in self.products_of_objects():
                found += L[a, c] * R[b, d]
        return found / len(sides) ** 2 + self.constant

    def prepared(self, X: Any) -> Cells:
        """Return new pairs."""
        data = X if self.source is None else self.source.read(X)[0]
        return Cells.of(data, self.cells.n_objects, len(self.cells.left) > 1)

    def kept(self, rows: Any) -> Cells:
        """Return the pairs of `PairKernels`."""
        return rows.cells

    def add_cross(self, rows: Cells, K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of new pairs against the training pairs, up to row means, to K."""
        task = partial(
            self.add_rows, rows, self.cells, K, np.zeros(len(K)), self.means - self.constant
        )
        for _ in backend.map(task, row_ranges(len(K)), "learned Gram matrix", local=True):
            pass

    def add_near(self, near: CombinedPairs, rows: slice, out: np.ndarray) -> None:
        """Add values of some training pairs at the pairs of `near`, up to row means."""
        some = self.cells.take(np.arange(rows.start, rows.stop))
        out += self.block(some, near.cells) - (near.means - near.constant)

    def add_at(self, some: CombinedPairs, samples: slice, out: np.ndarray, at: np.ndarray) -> None:
        """Add rows of the Gram matrix, those of the pairs of `some`, at some columns to out[at]."""
        values = np.zeros((len(at), samples.stop - samples.start))
        near = self.take(np.arange(samples.start, samples.stop))
        some.add_near(near, slice(0, len(at)), values)
        out[at, samples] += values - some.means[:, None]

    def products(
        self, rows: Cells, coef: np.ndarray, backend: Backend, single: bool = False
    ) -> np.ndarray:
        """Return ``K(new, training) @ coef``; with centering, columns of coef sum to zero."""
        found = [self.values(rows, column) for column in coef.T]
        # Centering and constants add the same to every product.
        return np.array(found).reshape(-1, len(rows)).T + (self.constant - self.means) @ coef

    def times(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``K coef`` on the training pairs."""
        return self.products(self.cells, coef, backend)

    def times_at(
        self, index: np.ndarray, coef: np.ndarray, backend: Backend, single: bool
    ) -> np.ndarray:
        """Return some rows of ``K coef``; see `LearnedKernel.times_at`."""
        return np.asarray(self.times(coef, backend)[index])

    def rounded(self) -> CombinedPairs:
        """Return the combination in single precision."""
        single = {name: getattr(self, name).astype(np.float32) for name in ("L", "R", "means")}
        return replace(self, **single)

    def take(self, index: np.ndarray) -> CombinedPairs:
        """Return the combination on some of the training pairs."""
        return replace(self, cells=self.cells.take(index), means=self.means[index])

    as_columns = take

    def function(self, coef: np.ndarray, primal: np.ndarray | None) -> PairFunction:
        """Return x -> K(x, training pairs) coef, as a table of all pairs of objects."""
        shift = (self.constant - self.means) @ coef  # (n_outputs,)
        tables = [self.on_grid(self.cells.matrix(column)) for column in coef.T]
        return PairFunction(self.source, np.stack(tables) + shift[:, None, None], self.is_symmetric)

    @property
    def is_symmetric(self) -> bool:
        """Whether (a, b) and (b, a) are the same pair."""
        return len(self.cells.left) > 1


@dataclass(frozen=True)
class PairFunction:
    """A function of pairs, as its values for all left and right objects.

    Attributes
    ----------
    source : Source or None
        Reads the pairs from X; None takes X itself.
    table : ndarray of shape (n_outputs, n_left, n_right)
    symmetric : bool
        Whether the value of a pair is the mean over both orders.
    """

    source: Source | None
    table: np.ndarray
    symmetric: bool

    def outputs(self, X: Any, backend: Backend) -> np.ndarray:
        """Return values for new pairs, shape (n_new, n_outputs)."""
        data = X if self.source is None else self.source.read(X)[0]
        cells = Cells.of(data, self.table.shape[1:], self.symmetric)
        return np.array([cells.entries(values) for values in self.table]).T

    def restricted(self, kernels: np.ndarray) -> PairFunction | None:
        """Raise: the table is a sum over the kernels."""
        raise InputError(
            "the predictions of kernels of pairs are stored as one sum, which cannot be split by "
            "view or kernel; fit one model for each, and compare their scores."
        )


def row_ranges(n: int) -> list[slice]:
    """Return ranges of rows, each the work of one task."""
    return [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]
