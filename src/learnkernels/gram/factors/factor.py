"""Centered columns B = A + e c', not formed, so that sparse A stay sparse.

Products with B are products with A and terms of rank one:

    B'V = A'V + c (e'V)        B U = A U + e (c'U)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram.factors import leaves
from learnkernels.gram.factors.samples import FactorSamples
from learnkernels.kernels.row_products import add_products

# Entries of a piece of a matrix that is made dense.
PIECE = 4_000_000


@dataclass(frozen=True)
class Factor:
    """Columns B = A + e c' and the kernel of each.

    Attributes
    ----------
    A : ndarray or CSR matrix of shape (n_samples, q)
    e : ndarray of shape (n_samples,)
        Minus one on centered samples; zero where nothing is added.
    c : ndarray of shape (q,)
        The columns' means.
    owner : ndarray of shape (q,)
    """

    A: Any
    e: np.ndarray
    c: np.ndarray
    owner: np.ndarray

    @property
    def by_columns(self) -> sparse.csc_array:
        """A as a CSC matrix, converted once.

        Not a `cached_property`: that of Python 3.11 has a lock which a forked process may inherit.
        """
        if "_by_columns" not in self.__dict__:
            self.__dict__["_by_columns"] = sparse.csc_array(self.A)
        return self.__dict__["_by_columns"]

    def transposed_times(self, V: np.ndarray) -> np.ndarray:
        """Return B'V, shape (q, n_vectors)."""
        return self.A.T @ V + np.multiply.outer(self.c, self.e @ V)

    def times(self, U: np.ndarray) -> np.ndarray:
        """Return B U, shape (n_samples, n_vectors)."""
        return self.A @ U + np.multiply.outer(self.e, self.c @ U)

    def columns(self, index: np.ndarray) -> np.ndarray:
        """Return some columns of B, dense, shape (n_samples, n_index)."""
        part = self.A[:, index]
        dense = part.toarray() if sparse.issparse(part) else part
        return dense + np.outer(self.e, self.c[index])

    def squares(self, d: np.ndarray) -> np.ndarray:
        """Return the diagonal of B diag(d) B', shape (n_samples,)."""
        A, dc = self.A, d * self.c
        own = A.power(2) if sparse.issparse(A) else A**2
        return np.asarray(own @ d + 2 * self.e * (A @ dc) + self.e**2 * (self.c @ dc))

    def add_cross(self, training: Factor, d: np.ndarray, out: np.ndarray, rows: slice) -> None:
        """Add B[rows] diag(d) B_training' to out."""
        dc = d * training.c
        u = training.A @ dc + training.e * (training.c @ dc)  # B_training D c, (n_training,)
        h = self.A[rows] @ dc
        if sparse.issparse(self.A):
            other = training.by_columns
            add_products(
                self.A.indptr, self.A.indices, self.A.data, other.indptr, other.indices,
                other.data, d, rows.start, rows.stop, out,
            )  # fmt: skip
        else:
            out += (self.A[rows] * d) @ training.A.T
        # (A + e c')D(A_t + e_t c')' = A D A_t' + (A D c) e_t' + e (B_t D c)'
        leaves.add_outer(h, training.e, self.e[rows], u, out)

    def quadratics(self, K: np.ndarray) -> np.ndarray:
        """Return b'K b for every column b and a symmetric K, shape (q,)."""
        g = K @ self.e
        found = 2 * self.c * (self.A.T @ g) + self.c**2 * (self.e @ g)
        if sparse.issparse(self.A):
            own = np.empty(len(self.c))
            A = self.by_columns
            leaves.column_forms(A.indptr, A.indices, A.data, K, own)
            return found + own
        step = max(1, PIECE // len(K))
        for start in range(0, len(self.c), step):
            part = self.A[:, start : start + step]
            found[start : start + step] += np.einsum("ij,ij->j", part, K @ part)
        return found

    def bilinear(self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return ``b[rows]'S b[columns]`` for every column b, shape (q,)."""
        found = np.empty(len(self.c))
        step = max(1, PIECE // len(self.e))
        for start in range(0, len(found), step):
            piece = np.arange(start, min(start + step, len(found)))
            B = self.columns(piece)
            found[piece] = np.einsum("ij,ij->j", B[rows], S @ B[columns])
        return found


def inner(left: Factor, i: np.ndarray, right: Factor, j: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return B_left[:, i]'W B_right[:, j], shape (n_i, n_j)."""
    A, C = left.A[:, i], right.A[:, j]
    weighted = (
        A * w[:, None] if not sparse.issparse(A) else sparse.csr_array(A.multiply(w[:, None]))
    )
    G = weighted.T @ C
    G = G.toarray() if sparse.issparse(G) else np.asarray(G)
    we, wf = w * left.e, w * right.e
    G += np.outer(A.T @ wf, right.c[j])
    G += np.outer(left.c[i], C.T @ we + right.c[j] * (we @ right.e))
    return G


def second_moments(
    samples: FactorSamples, c: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``sum_i w_i a_i^2`` and ``sum_i w_i (a_i - c)^2`` over observed samples, (q,) each.

    The second is not computed as a difference, so that columns of large mean keep their digits.
    """
    A, W = samples.A, float(w @ samples.observed)
    if not sparse.issparse(A):
        away = A - np.outer(samples.observed, c)
        return w @ A**2, w @ away**2
    rows = np.repeat(w, np.diff(A.indptr))
    q = len(c)
    total = np.bincount(A.indices, rows * A.data**2, q)
    away = np.bincount(A.indices, rows * (A.data - c[A.indices]) ** 2, q)
    return total, away + np.maximum(W - np.bincount(A.indices, rows, q), 0.0) * c**2
