"""Pairs of objects as cells of a grid: a row for each left object, a column for each right one.

A vector v of the pairs becomes a matrix V of the grid with v_s in the cell of pair s (a sum for a
repeated pair); a symmetric pair has half of v_s in each of its two cells. Then

    (A x B) v = entries of A V B at the cells,   the vec trick

V is dense where many cells are occupied and sparse otherwise; products are then computed at the
cells only, in O(n_pairs (n_left + n_right)).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram.pairs.leaves import add_entries
from learnkernels.kernels import as_pairs

# Part of the cells from which on products of dense matrices are faster (measured).
DENSE = 0.1


@dataclass(frozen=True)
class Cells:
    """Cells of some pairs.

    Attributes
    ----------
    left, right : ndarray of shape (n_orders, n_pairs)
        Row and column of each pair; two orders for symmetric pairs.
    n_objects : (int, int)
        Number of left objects and of right objects.
    """

    left: np.ndarray
    right: np.ndarray
    n_objects: tuple[int, int]

    @classmethod
    def of(cls, X: Any, n_objects: tuple[int, int], symmetric: bool) -> Cells:
        """Return the cells of pairs of shape (n_pairs, 2), in two tables of some objects."""
        a, b = as_pairs(X, n_objects)
        if symmetric:
            return cls(np.array([a, b]), np.array([b, a]), n_objects)
        return cls(a[None], b[None], n_objects)

    def __len__(self) -> int:
        return self.left.shape[1]

    @property
    def shape(self) -> tuple[int]:
        """Number of pairs, as the shape of an array."""
        return (len(self),)

    def take(self, index: np.ndarray) -> Cells:
        """Return the cells of some pairs."""
        return replace(self, left=self.left[:, index], right=self.right[:, index])

    @property
    def is_dense(self) -> bool:
        """Whether many cells are occupied."""
        return self.left.size > DENSE * self.n_objects[0] * self.n_objects[1]

    def matrix(self, v: np.ndarray) -> Any:
        """Return a vector of the pairs on the grid, ndarray or CSR matrix (n_left, n_right)."""
        values = np.tile(v / len(self.left), len(self.left))
        left, right = self.left.ravel(), self.right.ravel()
        if not self.is_dense:
            return sparse.csr_array((values, (left, right)), shape=self.n_objects)
        size = self.n_objects[0] * self.n_objects[1]
        return np.bincount(left * self.n_objects[1] + right, values, size).reshape(self.n_objects)

    def entries(self, Z: np.ndarray) -> np.ndarray:
        """Return the values of a matrix of the grid at the pairs, shape (n_pairs,)."""
        return np.asarray(Z[self.left, self.right].mean(axis=0))

    def product_entries(self, L: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Return the values of L R' at the pairs, for L (n_left, r) and R (n_right, r)."""
        if self.is_dense:
            return self.entries(L @ R.T)
        out = np.zeros(len(self))
        L, R = np.ascontiguousarray(L), np.ascontiguousarray(R)
        for rows, columns in zip(self.left, self.right, strict=True):
            add_entries(L, R, rows, columns, out)
        return out / len(self.left)
