"""Passes over the tiles of all pairs of samples.

Every pass loops over ranges of rows (one task each) and, inside a task, over ranges of columns. A
compiled function reduces each tile; what it computes distinguishes the passes:

    sum_pairs       sums over pairs for the alignment statistics
    combine         values of a weighted combination: Gram matrices and predictions
    multiply        products of every kernel with some vectors
    multiply_both   products of a combination and its transpose with some vectors
    add_inner       inner product of every kernel with one matrix

The symmetric pass that gives the statistics computes, with g_k the value of kernel k up to a
constant and w the sample weights, for every pair of blocks (b, c) of samples

    S[b, c]_kl = sum_{i in b, j in c} w_i w_j g_k(i, j) g_l(i, j)
    R[c]_ki    = sum_{j in c} w_j g_k(i, j)

The target kernel YY' is one more kernel, the last: its products with the others are the alignments.
Sums over any union of blocks are sums of these, so cross-validation folds cost nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from learnkernels.execution import Backend, digest
from learnkernels.gram.centered import not_finite
from learnkernels.gram.tiles.compiled import evaluate
from learnkernels.gram.tiles.group import Tiled
from learnkernels.gram.tiles.leaves import SUMS, Tile, add_products, fill
from learnkernels.jit import compiled
from learnkernels.version import __version__

# A tile is large enough to hide Python behind the compiled work, and small enough to stop quickly.
ROWS, COLUMNS = 256, 1024
# Bytes of the values of all kernels on a piece of a row, less than the first-level cache.
PIECE_BYTES = 40_960
# Bytes of a tile for the values of kernels that have no compiled formula.
TILE_BYTES = 64_000_000
# Samples whose mean kernel value is subtracted before summing.
OFFSET_SAMPLES = 64


def ranges(borders: Sequence[int] | np.ndarray, length: int, start: int = 0) -> list[slice]:
    """Return ranges of at most `length` from `start` on that cross no border between blocks."""
    ends = [start, *(int(border) for border in borders if border > start)]
    return [
        slice(first, min(first + length, stop))
        for begin, stop in pairwise(ends)
        for first in range(begin, stop, length)
    ]


def row_ranges(n_kernels: int, borders: Sequence[int] | np.ndarray) -> list[slice]:
    """Return ranges of rows, each the work of one task."""
    return ranges(borders, max(1, min(ROWS, TILE_BYTES // (8 * COLUMNS * n_kernels))))


@compiled()
def piece(n_kernels: int, itemsize: int) -> int:
    """Return how many columns of a scratch array fit the first-level cache: 64 to 512."""
    width = 512
    while width > 64 and width * n_kernels * itemsize > PIECE_BYTES:
        width //= 2
    return width


@compiled(fastmath=SUMS)
def sum_pairs(
    tile: Tile, Y_i: np.ndarray, Y_j: np.ndarray, offsets: np.ndarray, weighted: bool,
    root_i: np.ndarray, root_j: np.ndarray, S: np.ndarray, row_sums: np.ndarray,
    column_sums: np.ndarray, first: int,
) -> None:  # fmt: skip
    """Add one tile to the sums over pairs.

    With g = value - offset for each kernel, and the target kernel YY' as one more:
    ``S[k, l] += sum_ij w_i w_j g_k g_l`` for l <= k, ``row_sums[k, i] += sum_j w_j g_k`` and
    ``column_sums[k, first + j] += sum_i w_i g_k``.

    Parameters
    ----------
    tile : Tile
    Y_i, Y_j : float64 arrays of shape (rows, targets) and (targets, columns)
        Targets of the samples.
    offsets : float64 array of shape (n_kernels + 1,)
        A constant for each kernel, which centering removes.
    weighted : bool
        False if all weights are one, which saves work.
    root_i, root_j : float64 arrays of shape (rows,) and (columns,)
        Square roots of the sample weights, positive.
    S : float64 array of shape (P, P), P a multiple of 3 and at least n_kernels + 1
    row_sums, column_sums : float64 arrays of shape (P, rows) and (P, at least first + columns)
    """
    P, n_used = S.shape[0], offsets.shape[0]
    width = piece(P, 8)
    B = np.zeros((P, width))
    target = B[n_used - 1]
    for start in range(0, root_j.shape[0], width):
        columns = min(width, root_j.shape[0] - start)
        roots = root_j[start : start + columns]
        for i in range(root_i.shape[0]):
            fill(tile, i, start, columns, B)
            for j in range(columns):
                target[j] = 0.0
            for t in range(Y_i.shape[1]):
                y, right = Y_i[i, t], Y_j[t, start : start + columns]
                for j in range(columns):
                    target[j] += y * right[j]
            for k in range(n_used):
                b, offset, total = B[k], offsets[k], 0.0
                sums = column_sums[k, first + start : first + start + columns]
                if offset != 0.0:
                    for j in range(columns):
                        b[j] -= offset
                if weighted:
                    root = root_i[i]
                    for j in range(columns):
                        value = b[j]
                        total += roots[j] * roots[j] * value
                        sums[j] += root * root * value
                        b[j] = root * roots[j] * value
                else:
                    for j in range(columns):
                        total += b[j]
                        sums[j] += b[j]
                row_sums[k, i] += total
            add_products(B, columns, S)


@compiled(fastmath=SUMS)
def combine(
    tile: Tile,
    factors: np.ndarray,
    u_i: np.ndarray,
    u_j: np.ndarray,
    out: np.ndarray,
    at: np.ndarray,
    j0: int,
) -> None:
    """Add sum_k factors[k] value_k(i, j) - u_i[i] - u_j[j] to out[at[i], j0 + j].

    Values are computed in the precision of `out`.
    """
    n_kernels = factors.shape[0]
    width = piece(n_kernels, out.itemsize)
    B = np.zeros((n_kernels, width), out.dtype)
    for start in range(0, u_j.shape[0], width):
        columns = min(width, u_j.shape[0] - start)
        u = u_j[start : start + columns]
        for i in range(u_i.shape[0]):
            fill(tile, i, start, columns, B)
            total, own = out[at[i], j0 + start : j0 + start + columns], u_i[i]
            for j in range(columns):
                total[j] -= own + u[j]
            for k in range(n_kernels):
                b, factor = B[k], out.dtype.type(factors[k])
                for j in range(columns):
                    total[j] += factor * b[j]


@compiled(fastmath=SUMS)
def multiply(tile: Tile, vectors: np.ndarray, out: np.ndarray) -> None:
    """Add sum_j value_k(i, j) vectors[t, j] to out[k, i, t] for one tile."""
    n_kernels = out.shape[0]
    width = piece(n_kernels, 8)
    B = np.zeros((n_kernels, width))
    for start in range(0, vectors.shape[1], width):
        columns = min(width, vectors.shape[1] - start)
        for i in range(out.shape[1]):
            fill(tile, i, start, columns, B)
            for k in range(n_kernels):
                b = B[k]
                for t in range(vectors.shape[0]):
                    vector, total = vectors[t, start : start + columns], 0.0
                    for j in range(columns):
                        total += b[j] * vector[j]
                    out[k, i, t] += total


@compiled(fastmath=SUMS)
def multiply_both(
    tile: Tile, factors: np.ndarray, v_i: np.ndarray, v_j: np.ndarray, out_i: np.ndarray,
    out_j: np.ndarray,
) -> None:  # fmt: skip
    """Multiply a tile of a combination, and its transpose, with some vectors.

    With g = sum_k factors[k] value_k: ``out_i[t, i] += sum_j g(i, j) v_j[t, j]`` and
    ``out_j[t, j] += sum_i g(i, j) v_i[t, i]``. Values are not written to memory.
    """
    n_kernels = factors.shape[0]
    width = piece(n_kernels, 8)
    B = np.zeros((n_kernels, width))
    for start in range(0, v_j.shape[1], width):
        columns = min(width, v_j.shape[1] - start)
        for i in range(v_i.shape[1]):
            fill(tile, i, start, columns, B)
            g = B[0]
            for j in range(columns):
                g[j] *= factors[0]
            for k in range(1, n_kernels):
                b, factor = B[k], factors[k]
                for j in range(columns):
                    g[j] += factor * b[j]
            for t in range(v_i.shape[0]):
                own, total = v_i[t, i], 0.0
                right, sums = v_j[t, start : start + columns], out_j[t, start : start + columns]
                for j in range(columns):
                    total += g[j] * right[j]
                    sums[j] += own * g[j]
                out_i[t, i] += total


@compiled(fastmath=SUMS)
def add_inner(tile: Tile, S: np.ndarray, out: np.ndarray) -> None:
    """Add sum_ij value_k(i, j) S[i, j] to out[k] for one tile."""
    n_kernels = out.shape[0]
    width = piece(n_kernels, 8)
    B = np.zeros((n_kernels, width))
    for start in range(0, S.shape[1], width):
        columns = min(width, S.shape[1] - start)
        for i in range(S.shape[0]):
            fill(tile, i, start, columns, B)
            factors = S[i, start : start + columns]
            for k in range(n_kernels):
                b, total = B[k], 0.0
                for j in range(columns):
                    total += b[j] * factors[j]
                out[k] += total


@dataclass(frozen=True)
class TileSums:
    """Sums over pairs of samples, by blocks of samples; the target is the last kernel.

    Attributes
    ----------
    S : ndarray of shape (n_blocks, n_blocks, p + 1, p + 1)
    R : ndarray of shape (n_blocks, p + 1, n_samples)
    diagonal : ndarray of shape (p + 1, n_samples)
        g_k(i, i).
    offsets : ndarray of shape (p + 1,)
        Constants that were subtracted from the values.
    """

    S: np.ndarray
    R: np.ndarray
    diagonal: np.ndarray
    offsets: np.ndarray

    def take(self, blocks: np.ndarray, samples: np.ndarray) -> TileSums:
        """Return the sums over pairs of samples of some blocks."""
        S, R = self.S[np.ix_(blocks, blocks)], self.R[blocks][:, :, samples]
        return TileSums(S, R, self.diagonal[:, samples], self.offsets)


@dataclass(frozen=True)
class RowSums:
    """The contribution of one range of rows to the sums over pairs."""

    rows: slice
    block: int
    S: np.ndarray  # (n_blocks, P, P), lower triangle, by the columns' block
    row_sums: np.ndarray  # (n_blocks, P, n_rows)
    column_sums: np.ndarray  # (P, n_samples - rows.start)


@dataclass(frozen=True)
class PairSums:
    """The symmetric pass as a sum over ranges of rows.

    Attributes
    ----------
    kernels : TileKernels
        On the training samples, ordered by blocks.
    Y : ndarray of shape (n_samples, n_targets)
    weights : ndarray of shape (n_samples,)
        Sample weights.
    offsets : ndarray of shape (p + 1,)
    borders : ndarray of shape (n_blocks + 1,)
        Block b holds the samples borders[b] to borders[b + 1].
    P : int
        Rows of the scratch array: the kernels and the target, in threes.
    """

    kernels: Tiled
    Y: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    borders: np.ndarray
    P: int

    @classmethod
    def run(
        cls, kernels: Tiled, Y: np.ndarray, w: np.ndarray, borders: np.ndarray, backend: Backend
    ) -> TileSums:
        """Run the pass over all pairs of training samples."""
        p = len(kernels.names)
        diagonal = np.vstack([kernels.diagonal(), np.einsum("it,it->i", Y, Y)])
        if not np.isfinite(diagonal).all():
            raise not_finite(kernels.names, diagonal)
        # Subtracting a constant changes no centered quantity and keeps the digits of kernels that
        # vary little around a large value. Wide exponentials, taken minus one, are small already.
        means = few_values(kernels).mean(axis=(1, 2))
        offsets = np.append(np.where((kernels.units == 0) | (means < -0.5), means, 0.0), 0.0)
        work = cls(kernels, Y, w, offsets, borders, -3 * (-(p + 1) // 3))
        total = backend.fold(work, row_ranges(p, borders), "alignment statistics")
        S = np.tril(total["S"]) + np.tril(total["S"], -1).swapaxes(2, 3)  # (blocks, blocks, P, P)
        for b in range(1, len(S)):
            S[b, :b] = S[:b, b]  # blocks (c, b) have the sums of blocks (b, c)
        R = total["R"][:, : p + 1]
        return TileSums(S[:, :, : p + 1, : p + 1], R, diagonal - offsets[:, None], offsets)

    def part(self, rows: slice) -> RowSums:
        """Return sums over the pairs (i, j) with i in these rows, and j in them or behind them."""
        n, n_blocks = len(self.Y), len(self.borders) - 1
        height = rows.stop - rows.start
        S = np.zeros((n_blocks, self.P, self.P))
        row_sums = np.zeros((n_blocks, self.P, height))
        column_sums = np.zeros((self.P, n - rows.start))
        weighted, root = bool((self.weights != 1).any()), np.sqrt(self.weights)
        block = int(np.searchsorted(self.borders, rows.start, side="right")) - 1
        square = np.zeros((self.P, self.P))
        for columns in (rows, *ranges(self.borders, COLUMNS, rows.stop)):
            # The tile on the diagonal has every pair twice: its column sums are its row sums.
            own = columns is rows
            c = int(np.searchsorted(self.borders, columns.start, side="right")) - 1
            sum_pairs(
                self.kernels.tile(rows, columns), self.Y[rows],
                np.ascontiguousarray(self.Y[columns].T), self.offsets, weighted, root[rows],
                root[columns], square if own else S[c], row_sums[c],
                np.zeros((self.P, height)) if own else column_sums, columns.start - rows.start,
            )  # fmt: skip
        S[block] = 2 * S[block] + square
        return RowSums(rows, block, S, row_sums, column_sums)

    def work(self, rows: slice) -> float:
        """Return the number of pairs of these rows with themselves and those behind them."""
        return float((rows.stop - rows.start) * (len(self.Y) - rows.start))

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no rows."""
        n_blocks = len(self.borders) - 1
        S = np.zeros((n_blocks, n_blocks, self.P, self.P))
        return {"S": S, "R": np.zeros((n_blocks, self.P, len(self.Y)))}

    def add(self, total: dict[str, np.ndarray], part: RowSums) -> None:
        """Add one range of rows to a total, in place."""
        total["S"][part.block] += part.S
        total["R"][:, :, part.rows] += part.row_sums
        total["R"][part.block, :, part.rows.start :] += part.column_sums

    def fingerprint(self) -> str:
        """Return a digest of the kernels and the layout, without the data.

        Kernels are identified by their names and by their values on a few samples, which depend
        on every parameter and every function of the user. Values are rounded to seven digits,
        since the last ones depend on the machine and on the number of threads.
        """
        values = few_values(self.kernels).astype(np.float32)
        return digest(__version__, self.kernels.names, values, self.borders, self.P)


def few_values(kernels: Tiled) -> np.ndarray:
    """Return the values of all kernels on a few samples, shape (n_kernels, m, m)."""
    n = kernels.shape[0]
    some = np.linspace(0, n - 1, min(n, OFFSET_SAMPLES)).round().astype(int)
    every = slice(0, len(some))
    return evaluate(kernels.take(some).tile(every, every), len(some), len(some))
