"""Pairwise kernels as sums of products of object kernels.

An object kernel A is stored as its mean and the difference from it, since centering removes
constants and small differences keep their digits:

    A = A0 + a,  B = B0 + b      A x B = A0 x B0 + a (1 x B0) + b (A0 x 1) + ab

So every kernel is a constant, `units`, plus ``sum_t E[k, t] left[i_t] x right[j_t]``. The sums over
pairs s, s' with weights w, on the grid (see `cells`), are sums over objects:

    sum_ss' w_s w_s' (A x B)(s, s') (A' x B')(s, s') = <B * B', W'(A * A')W>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np

from learnkernels.execution import digest
from learnkernels.gram.checks import check_entries, check_kernel
from learnkernels.gram.pairs.cells import Cells
from learnkernels.kernels import ObjectGram, PairKernel

# Objects on which a Gram matrix is checked to be positive semi-definite.
CHECKED_OBJECTS = 256
# Products of matrices of the larger table that are summed at once.
PRODUCTS = 32
# Pairs in a block of rows or columns of a Gram matrix.
ROWS, COLUMNS = 64, 1024


@dataclass(frozen=True)
class ObjectKernels:
    """Pairwise kernels as sums of products of object kernels; see the module.

    Attributes
    ----------
    left : ndarray of shape (n_left_matrices, n_left, n_left)
        Differences of Gram matrices from their means, and a matrix of ones.
    right : ndarray of shape (n_right_matrices, n_right, n_right)
    i, j : ndarray of shape (n_terms,)
        Left and right matrix of each term.
    E : ndarray of shape (n_kernels, n_terms)
        Coefficients.
    units : ndarray of shape (n_kernels,)
        Constants.
    """

    left: np.ndarray
    right: np.ndarray
    i: np.ndarray
    j: np.ndarray
    E: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, kernels: Sequence[PairKernel], cosine: bool) -> ObjectKernels:
        """Return the kernels; equal Gram matrices are stored once.

        Parameters
        ----------
        kernels : sequence of PairKernel
        cosine : bool
            Whether Gram matrices are scaled to unit diagonal.
        """
        left, i = distinct([kernel.left for kernel in kernels], cosine)
        right, j = distinct([kernel.right for kernel in kernels], cosine)
        left, a = without_means(left)
        right, b = without_means(right)
        one = len(a), len(b)
        coefficients: list[dict[tuple[int, int], float]] = []
        for left_at, right_at in zip(i, j, strict=True):
            mine = {
                (left_at, right_at): 1.0, (one[0], right_at): a[left_at],
                (left_at, one[1]): b[right_at],
            }  # fmt: skip
            coefficients.append({
                at: value for at, value in mine.items()
                if value != 0 and left[at[0]].any() and right[at[1]].any()
            })  # fmt: skip
        terms = sorted({at for mine in coefficients for at in mine})
        E = np.zeros((len(kernels), len(terms)))
        for k, mine in enumerate(coefficients):
            for at, value in mine.items():
                E[k, terms.index(at)] = value
        index = np.array(terms, dtype=np.intp).reshape(-1, 2)
        return cls(left, right, index[:, 0], index[:, 1], E, a[i] * b[j])

    @property
    def shape(self) -> tuple[int, int]:
        """Number of left objects and of right objects."""
        return self.left.shape[1], self.right.shape[1]

    def keep(self, mask: np.ndarray) -> ObjectKernels:
        """Return some of the kernels."""
        E = self.E[mask]
        used = E.any(axis=0)
        return ObjectKernels(
            self.left, self.right, self.i[used], self.j[used], E[:, used], self.units[mask]
        )

    def squares(self, cells: Cells, w: np.ndarray) -> np.ndarray:
        """Return ``sum_ss' w_s w_s' K_k(s, s') K_l(s, s')``, shape (n_kernels, n_kernels)."""
        if len(cells.left) > 1:  # products of symmetric kernels are no sums over objects
            return self.squares_by_rows(cells, w)
        W = cells.matrix(w)
        swapped = self.shape[0] < self.shape[1]  # the products of the larger table are not stored
        first, second, i, j = self.left, self.right, self.i, self.j
        if swapped:
            first, second, i, j, W = second, first, j, i, W.T
        rights = list(combinations_with_replacement(np.unique(j).tolist(), 2))
        stored = np.array([(second[k] * second[h]).ravel() for k, h in rights])
        at = {one: t for t, pair in enumerate(rights) for one in (pair, pair[::-1])}
        column = np.array([[at[k, h] for h in j.tolist()] for k in j.tolist()])
        S = np.zeros((len(i), len(i)))
        lefts = list(combinations_with_replacement(np.unique(i).tolist(), 2))
        for start in range(0, len(lefts), PRODUCTS):
            some = lefts[start : start + PRODUCTS]
            sums = [np.asarray((W.T @ (first[k] * first[h])) @ W).ravel() for k, h in some]
            inner = np.array(sums) @ stored.T  # (n_some, n_products)
            for (k, h), values in zip(some, inner, strict=True):
                block = np.ix_(np.flatnonzero(i == k), np.flatnonzero(i == h))
                S[block] = values[column[block]]
                S[block[1].T, block[0].T] = S[block].T
        return self.E @ S @ self.E.T

    def squares_by_rows(self, cells: Cells, w: np.ndarray) -> np.ndarray:
        """Return the same by values of all kernels on blocks of pairs."""
        S = np.zeros((len(self.E), len(self.E)))
        for rows, columns in blocks(len(cells), len(cells)):
            values = self.E @ self.values(cells.take(rows), cells.take(columns))
            S += (values * np.outer(w[rows], w[columns]).ravel()) @ values.T
        return S

    def values(self, rows: Cells, columns: Cells) -> np.ndarray:
        """Return all terms on pairs of pairs, shape (n_terms, n_rows * n_columns)."""
        found = np.zeros((len(self.i), len(rows) * len(columns)))
        for left, right in self.entries(rows, columns):
            found += left[self.i] * right[self.j]
        return found / (len(rows.left) * len(columns.left))

    def entries(self, rows: Cells, columns: Cells) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the entries of the left and of the right matrices, for each pair of orders."""
        orders = product(
            zip(rows.left, rows.right, strict=True), zip(columns.left, columns.right, strict=True)
        )
        return [
            (
                self.left[:, a[:, None], c].reshape(len(self.left), -1),
                self.right[:, b[:, None], d].reshape(len(self.right), -1),
            )
            for (a, b), (c, d) in orders
        ]

    def products(self, cells: Cells, v: np.ndarray, at: Cells | None = None) -> np.ndarray:
        """Return every kernel times a vector, without the constants, (n_kernels, n_pairs).

        Parameters
        ----------
        cells : Cells
            Pairs of the entries of v.
        v : ndarray of shape (n_pairs,)
        at : Cells or None
            Pairs at which to evaluate; None takes the same.
        """
        at = cells if at is None else at
        V = cells.matrix(v)
        found = np.empty((len(self.i), len(at)))
        for k in np.unique(self.i):
            half = np.asarray(V.T @ self.left[k]).T  # A V, (n_left, n_right)
            for t in np.flatnonzero(self.i == k):
                found[t] = at.product_entries(half, self.right[self.j[t]])
        return self.E @ found

    def forms(self, cells: Cells, vectors: np.ndarray) -> np.ndarray:
        """Return ``sum_t v_t'K_k v_t`` without the constants, shape (n_kernels,)."""
        found = np.zeros(len(self.i))
        for v in vectors.T:
            V = cells.matrix(v)
            for k in np.unique(self.i):
                inner = np.asarray((V.T @ self.left[k]) @ V)  # V'A V, (n_right, n_right)
                mine = np.flatnonzero(self.i == k)
                found[mine] += np.einsum("tij,ij->t", self.right[self.j[mine]], inner)
        return self.E @ found

    def diagonals(self, cells: Cells, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``sum_s w_s K_k(s, s)`` without the constants, and a bound of its terms."""
        found, largest = np.zeros(len(self.i)), np.zeros(len(self.i))
        both = list(zip(cells.left, cells.right, strict=True))
        for (a, b), (c, d) in product(both, both):
            left, right = self.left[:, a, c], self.right[:, b, d]
            found += np.einsum("ts,ts,s->t", left[self.i], right[self.j], w)
            sizes = np.abs(left).max(axis=1), np.abs(right).max(axis=1)
            largest = np.maximum(largest, sizes[0][self.i] * sizes[1][self.j])
        return self.E @ found / len(both) ** 2, np.abs(self.E) @ largest

    def inner(self, S: np.ndarray, rows: Cells, columns: Cells) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` without the constants, (n_kernels,)."""
        found = np.zeros((len(self.left), len(self.right)))
        for some, others in blocks(len(rows), len(columns)):
            weights = S[some][:, others].ravel()
            for left, right in self.entries(rows.take(some), columns.take(others)):
                found += (left * weights) @ right.T
        found /= len(rows.left) * len(columns.left)
        return self.E @ found[self.i, self.j]

    def combination(self, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return L and R of ``sum_k factors_k K_k = sum_t L_t x R_t + constant``.

        Returns
        -------
        L : ndarray of shape (n_left, n_products, n_left)
        R : ndarray of shape (n_right, n_products, n_right)
            As few products as matrices that are used on one of the sides.
        """
        C = np.zeros((len(self.left), len(self.right)))
        np.add.at(C, (self.i, self.j), factors @ self.E)
        rows, columns = np.flatnonzero(C.any(axis=1)), np.flatnonzero(C.any(axis=0))
        if len(columns) <= len(rows):
            L, R = np.tensordot(C[:, columns].T, self.left, 1), self.right[columns]
        else:
            L, R = self.left[rows], np.tensordot(C[rows], self.right, 1)
        # The order in which products with all of them are products with one matrix.
        return np.ascontiguousarray(L.swapaxes(0, 1)), np.ascontiguousarray(R.swapaxes(0, 1))


def blocks(n_rows: int, n_columns: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return blocks of rows and columns that cover all pairs of them."""
    return [
        (np.arange(i, min(i + ROWS, n_rows)), np.arange(j, min(j + COLUMNS, n_columns)))
        for i in range(0, n_rows, ROWS)
        for j in range(0, n_columns, COLUMNS)
    ]


def distinct(grams: Sequence[ObjectGram], cosine: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return different Gram matrices, checked, (n_matrices, n, n), and the one of each kernel."""
    seen: dict[int, str] = {id(one.K): "" for one in grams}
    position: dict[str, int] = {}
    found: list[np.ndarray] = []
    for one in grams:
        if not seen[id(one.K)]:
            seen[id(one.K)] = key = digest(np.ascontiguousarray(one.K))
            if key not in position:
                position[key] = len(found)
                found.append(usable(one, cosine))
    return np.array(found), np.array([position[seen[id(one.K)]] for one in grams])


def usable(gram: ObjectGram, cosine: bool) -> np.ndarray:
    """Return a Gram matrix, exactly symmetric, and scaled to unit diagonal if that is asked for."""
    n = len(gram.K)
    some = np.linspace(0, n - 1, min(n, CHECKED_OBJECTS)).round().astype(int)
    check_entries(gram.name, gram.K)
    check_kernel(gram.name, gram.K[np.ix_(some, some)])
    K = (gram.K + gram.K.T) / 2
    if cosine:
        size = np.sqrt(np.maximum(np.diag(K), 0.0))
        scale = np.divide(1.0, size, out=np.zeros(n), where=size > 0)
        K = scale[:, None] * K * scale
    return np.asarray(K)


def without_means(grams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return differences from the means followed by a matrix of ones, and the means."""
    means = grams.mean(axis=(1, 2))
    ones = np.ones((1, *grams.shape[1:]))
    return np.concatenate([grams - means[:, None, None], ones]), means
