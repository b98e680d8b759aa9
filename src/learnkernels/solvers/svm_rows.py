"""The SVM with some rows of the Gram matrix at a time, for more samples than the matrix can hold.

A working set Q has the entries that violate the optimality conditions most, and half of the last
working set. SMO solves the dual of the entries in Q, and

    gradient += K_Q' (change of beta_Q),   shape (n_samples,)

where K_Q are the rows of Q. Every working set contains the two entries that violate most, so every
one lowers the objective until the conditions of the whole dual hold up to the tolerance.

Rows may be of single precision. When the conditions hold, the gradient is then computed again in
double precision from all of beta, and SMO goes on if they are violated. Rounding of the rows so
changes the path to the solution, but not the solution.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from learnkernels.jit import compiled
from learnkernels.solvers.svm import FAST, HUGE, Dual, steps

# Entries of a working set.
WORKING = 512
# Rows that must be kept: two working sets.
LEAST_ROWS = 1024
# SMO stops on a working set at this part of the violation of the whole dual.
INNER = 0.1
# Largest number of SMO steps on a working set, for each of its entries.
INNER_STEPS = 100
# Entries of a sum of rows that stay in the cache of a core.
BLOCK = 4096


class Rows(Protocol):
    """Rows of a Gram matrix, evaluated when they are needed.

    Attributes
    ----------
    values : ndarray of shape (n_slots, n_samples)
        The rows that are kept.
    """

    values: np.ndarray

    def fetch(self, index: np.ndarray) -> np.ndarray:
        """Return the positions of some rows in `values`, shape (n_rows,)."""

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta`` in double precision."""

    def gram(self, index: np.ndarray) -> np.ndarray:
        """Return the rows and columns of some samples in double precision."""


class RowGram:
    """A Gram matrix for `solve_svm` of which some rows are in memory.

    Parameters
    ----------
    rows : Rows
        May be shared by several problems with the same matrix.
    """

    def __init__(self, rows: Rows):
        self.rows = rows
        self.last = np.zeros(0, dtype=np.intp)  # the last working set, the newest entries last
        self.rounded = False  # whether the gradient has been changed by rows of single precision

    def times(self, beta: np.ndarray) -> np.ndarray:
        return self.rows.times(beta)

    def block(self, index: np.ndarray) -> np.ndarray:
        return self.rows.gram(index)

    def combined(self, index: np.ndarray, d: np.ndarray) -> np.ndarray:
        beta = np.zeros(self.rows.values.shape[1])
        beta[index] = d
        return self.times(beta)

    def advance(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float, max_iter: int
    ) -> int:
        taken = 0
        while taken < max_iter:
            no_more, no_less = dual.bars(beta)
            too_small = np.where(no_more < HUGE, -gradient - no_more, -HUGE)
            too_large = np.where(no_less < HUGE, gradient - no_less, -HUGE)
            violation = too_small.max() + too_large.max()
            if violation < tol and not self.rounded:
                return min(taken, max_iter - 1)
            if violation < tol:
                gradient[:] = self.times(beta) - dual.y
                self.rounded = False
                continue
            Q = self.working_set(too_small, too_large)
            slots, K, own = self.rows.fetch(Q), np.empty((len(Q), len(Q))), dual.take(Q)
            gather(self.rows.values, slots, Q, K)
            b, g = beta[Q], gradient[Q]
            taken += steps(
                K, np.ascontiguousarray(np.diagonal(K)), own.lower, own.upper, own.epsilon, b, g,
                *own.bars(b), max(tol / 2, INNER * violation), INNER_STEPS * len(Q),
            )  # fmt: skip
            change = b - beta[Q]
            moved = np.flatnonzero(change)
            add_rows(self.rows.values, slots[moved], change[moved], gradient)
            beta[Q] = b
            self.rounded = self.rows.values.itemsize < gradient.itemsize
        return max_iter

    def working_set(self, too_small: np.ndarray, too_large: np.ndarray) -> np.ndarray:
        """Return the newest half of the last set, and the entries that violate most."""
        kept = self.last[-WORKING // 2 :]
        few = WORKING // 4
        self.last = np.concatenate(
            [
                kept,
                violating(too_small, -too_large.max(), kept, few),
                violating(too_large, -too_small.max(), kept, few),
            ]
        )
        # An entry may be among both.
        _, first = np.unique(self.last, return_index=True)
        self.last = self.last[np.sort(first)]
        return self.last


def violating(too_far: np.ndarray, bound: float, kept: np.ndarray, count: int) -> np.ndarray:
    """Return the entries with the largest values above a bound that are not kept already."""
    values = too_far.copy()
    values[kept] = -HUGE
    chosen = np.argpartition(-values, min(count, len(values) - 1))[:count]
    return chosen[values[chosen] > bound]


@compiled(fastmath=FAST)
def add_rows(values: np.ndarray, slots: np.ndarray, d: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_i d_i values[slots_i]`` to out, shape (n_samples,)."""
    n = out.shape[0]
    for start in range(0, n, BLOCK):
        part = out[start : min(start + BLOCK, n)]
        for i in range(slots.shape[0]):
            row = values[slots[i], start : min(start + BLOCK, n)]
            for t in range(part.shape[0]):
                part[t] += d[i] * row[t]


@compiled()
def gather(values: np.ndarray, slots: np.ndarray, index: np.ndarray, K: np.ndarray) -> None:
    """Copy the entries `index` of some rows, a symmetric matrix, to K of shape (m, m)."""
    for i in range(slots.shape[0]):
        row = values[slots[i]]
        for j in range(i + 1):
            K[i, j] = K[j, i] = row[index[j]]
