"""One symmetric pass over pairs of samples: all the sums that alignment needs.

With g_k the value of kernel k up to a constant, and w the samples' weights, the pass gives for
every pair of blocks (b, c) of samples

    S[b, c]_kl = sum_{i in b, j in c} w_i w_j g_k(i, j) g_l(i, j)
    R[c]_ki    = sum_{j in c} w_j g_k(i, j)

The target kernel YY' is one more kernel, the last: its products with the others are the alignments.
Sums over any union of blocks are sums of these, so cross-validation folds cost nothing more.
Memory is that of the tiles plus n (p + 1) numbers for each block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from learnkernels.gram import leaves
from learnkernels.gram.backends import Backend
from learnkernels.gram.bank import Bank
from learnkernels.gram.statistics import Statistics, require_finite
from learnkernels.gram.tiles import Grid

__all__ = ["PairSums", "pair_sums"]

# Samples whose mean kernel value is the constant taken off before summing.
OFFSET_SAMPLES = 64


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of samples, by blocks of samples; kernels in the user's order, target last.

    Attributes
    ----------
    S : dict of (int, int) to ndarray of shape (p + 1, p + 1)
        For blocks b <= c; the sum over (c, b) is the same.
    R : ndarray of shape (n_blocks, p + 1, n_samples)
    diagonal : ndarray of shape (p + 1, n_samples)
        g_k(i, i).
    offsets : ndarray of shape (p + 1,)
        What was taken off the values on tiles.
    units : ndarray of shape (p + 1,)
        By what the kernels exceed these values.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    borders : ndarray of shape (n_blocks + 1,)
        Block b holds samples borders[b] to borders[b + 1].
    names : list of str
        Of the p kernels.
    """

    S: dict[tuple[int, int], np.ndarray]
    R: np.ndarray
    diagonal: np.ndarray
    offsets: np.ndarray
    units: np.ndarray
    weights: np.ndarray
    borders: np.ndarray
    names: list[str]

    def statistics(self, without: int | None = None) -> Statistics:
        """Centered statistics of all samples, or of those outside one block."""
        n_blocks = len(self.borders) - 1
        blocks = [block for block in range(n_blocks) if block != without]
        inside = np.concatenate(
            [np.arange(self.borders[block], self.borders[block + 1]) for block in blocks]
        )
        S = np.zeros_like(self.S[0, 0])  # (p + 1, p + 1)
        for (b, c), part in self.S.items():
            if without not in (b, c):
                S += part if b == c else 2 * part
        r = self.R[blocks].sum(axis=0)[:, inside]  # (p + 1, m)
        return Statistics.from_sums(
            S, r, self.diagonal[:, inside], self.offsets, self.units, self.weights[inside],
            self.names,
        )  # fmt: skip


@dataclass(frozen=True)
class Part:
    """What one range of rows contributes, kernels in the order of tiles."""

    rows: slice
    block: int
    S: np.ndarray  # (n_blocks, P, P), lower triangle, by the columns' block
    row_sums: np.ndarray  # (n_blocks, P, n_rows)
    column_sums: np.ndarray  # (P, n_samples - rows.start)


def pair_sums(
    bank: Bank, Y: np.ndarray, backend: Backend, weights: np.ndarray | None = None, borders=None
) -> PairSums:
    """The pass over all pairs of training samples.

    Parameters
    ----------
    bank : Bank
        Kernels on the training samples, which stand in order of their blocks.
    Y : ndarray of shape (n_samples, n_targets)
        The target; its kernel YY' is accumulated with the others.
    backend : Backend
        Runs the tasks.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples; None is one each.
    borders : sequence of int or None
        Starts of the blocks and the end; None is one block.
    """
    n, p = bank.n_rows, bank.n_kernels
    w = np.ones(n) if weights is None else weights
    borders = np.array([0, n] if borders is None else borders)
    padded = -4 * (-(p + 2) // 4)  # the leaf takes four by four: kernels, target, one for itself
    order = np.append(bank.order, p)  # the target stands behind the kernels
    diagonal = np.vstack([bank.diagonal(), np.einsum("it,it->i", Y, Y)])
    require_finite(bank.names, diagonal)
    offsets = np.zeros(p + 1)
    offsets[bank.order] = typical_values(bank)
    grid = Grid(p, borders, borders)
    task = partial(sums_of_rows, bank, Y, w, offsets, borders, grid, padded)

    n_blocks = len(borders) - 1
    pairs = [(b, c) for b in range(n_blocks) for c in range(b, n_blocks)]
    S = {pair: np.zeros((padded, padded)) for pair in pairs}
    R = np.zeros((n_blocks, padded, n))
    for part in backend.map(task, grid.row_ranges(), "alignment statistics"):
        for c in range(part.block, n_blocks):
            S[part.block, c] += part.S[c]
        R[:, :, part.rows] += part.row_sums
        R[part.block, :, part.rows.start :] += part.column_sums

    for pair in pairs:  # the leaf fills the lower triangle, and some of the other
        S[pair] = (np.tril(S[pair]) + np.tril(S[pair], -1).T)[np.ix_(order, order)]
    return PairSums(
        S, R[:, order], diagonal - offsets[order, None], offsets[order],
        np.append(bank.units, 0.0), w, borders, bank.names,
    )  # fmt: skip


def sums_of_rows(bank: Bank, Y, w, offsets, borders, grid: Grid, P: int, rows: slice) -> Part:
    """Sums over the pairs (i, j) with i in these rows and j in them or behind them."""
    n, n_blocks = bank.n_rows, len(borders) - 1
    height = rows.stop - rows.start
    block = block_of(borders, rows.start)
    S = np.zeros((n_blocks, P, P))
    row_sums = np.zeros((n_blocks, P, height))
    column_sums = np.zeros((P, n - rows.start))
    weighted, root = bool((w != 1).any()), np.sqrt(w)
    B = leaves.scratch(P)

    def add(columns, S, row_sums, column_sums):
        targets = np.ascontiguousarray(Y[columns].T)
        leaves.sum_pairs(
            *bank.tile(rows, columns), Y[rows], targets, offsets, weighted, root[rows],
            root[columns], B, S, row_sums, column_sums, columns.start - rows.start,
        )  # fmt: skip

    # The square on the diagonal meets every pair both ways: its column sums are row sums again.
    S_square = np.zeros((P, P))
    add(rows, S_square, row_sums[block], np.zeros((P, height)))
    for columns in grid.column_ranges(rows.stop):
        c = block_of(borders, columns.start)
        add(columns, S[c], row_sums[c], column_sums)
    S[block] = 2 * S[block] + S_square
    return Part(rows, block, S, row_sums, column_sums)


def block_of(borders, sample: int) -> int:
    return int(np.searchsorted(borders, sample, side="right")) - 1


def typical_values(bank: Bank) -> np.ndarray:
    """A constant near each kernel's values, shape (n_kernels,): their mean on a few samples.

    Taking a constant off changes no centered quantity, and keeps the digits of kernels that vary
    little around a large value. Wide exponentials, taken minus one, are small by themselves.
    """
    n = bank.n_rows
    chosen = np.linspace(0, n - 1, min(n, OFFSET_SAMPLES)).round().astype(int)
    means = bank.take(chosen).values().mean(axis=(1, 2))
    return np.where((bank.units == 0) | (means < -0.5), means, 0.0)
