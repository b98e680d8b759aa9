"""One symmetric pass over pairs of samples: all the sums that alignment needs.

With g_k the value of kernel k up to a constant, and w the samples' weights, the pass gives for
every pair of blocks (b, c) of samples

    S[b, c]_kl = sum_{i in b, j in c} w_i w_j g_k(i, j) g_l(i, j)
    R[c]_ki    = sum_{j in c} w_j g_k(i, j)

The target kernel YY' is one more kernel, the last: its products with the others are the alignments.
Sums over any union of blocks are sums of these, so cross-validation folds cost nothing more.
Memory is that of the tiles plus n (p + 1) numbers for each block. Kernels held by factors need no
pass: what alignment asks of them comes from their columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram import leaves
from learnkernels.gram.backends import Backend
from learnkernels.gram.bank import Bank
from learnkernels.gram.digests import digest
from learnkernels.gram.factored import FactoredKernels
from learnkernels.gram.inner import Blocks, InnerProducts, JointProducts, StoredProducts
from learnkernels.gram.oracle import Oracle
from learnkernels.gram.statistics import CONSTANT, LEAST, Numbers, Statistics, require_finite
from learnkernels.gram.tile_bank import TileBank
from learnkernels.gram.tiled import TiledKernels
from learnkernels.gram.tiles import Grid
from learnkernels.version import __version__

__all__ = ["PairSums", "pair_sums"]

# Samples whose mean kernel value is the constant taken off before summing.
OFFSET_SAMPLES = 64


@dataclass(frozen=True)
class PairSums:
    """All that the weights of any training set without one block are learned from.

    Attributes
    ----------
    bank : Bank
        The kernels on the training samples, which stand in order of their blocks.
    tiles : TileSums or None
        Sums over pairs, for the kernels known by tiles.
    Y : ndarray of shape (n_samples, n_targets)
        The target of alignment.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    borders : ndarray of shape (n_blocks + 1,)
        Block b holds samples borders[b] to borders[b + 1].
    backend : Backend
    """

    bank: Bank
    tiles: TileSums | None
    Y: np.ndarray
    weights: np.ndarray
    borders: np.ndarray
    backend: Backend

    def inside(self, block: int) -> np.ndarray:
        """Samples of a block."""
        return np.arange(self.borders[block], self.borders[block + 1])

    def outside(self, block: int | None) -> np.ndarray:
        """Samples of all other blocks."""
        everything = np.arange(self.borders[-1])
        return everything if block is None else np.delete(everything, self.inside(block))

    def statistics(self, without: int | None = None) -> Statistics:
        """Centered statistics of all samples, or of those outside one block."""
        return self._training(without)[0]

    def oracle(self, normalize: str | None, center: bool, without: int | None = None) -> Oracle:
        """The centered, scaled kernels on all samples, or on those outside one block.

        Parameters
        ----------
        normalize : {"trace", "frobenius", "cosine", None}
        center : bool
            Whether Grams are centered; statistics always are.
        without : int or None
            The block to leave out.
        """
        statistics, tiled, factored = self._training(without)
        scaled = statistics.normalized(normalize, center)
        weights = self.weights[self.outside(without)]
        return Oracle(tiled, factored, scaled, weights, center, self.backend, 1 / scaled.scales)

    def _training(self, without):
        inside = self.outside(without)
        bank = self.bank if without is None else self.bank.take(inside)
        w = self.weights[inside]
        Y = self.Y[inside] - w @ self.Y[inside] / w.sum()
        tiled = factored = None
        if self.tiles is not None and bank.tiled is not None:
            tiled = self.tiles.kernels(bank.tiled, inside, without)
        if bank.factored is not None:
            factored = FactoredKernels.of(bank.factored, Y, w)
        parts = tuple(part for part in (tiled, factored) if part is not None)
        target_norm = float(np.linalg.norm((Y * w[:, None]).T @ Y))
        inner = self._inner(tiled, factored)
        return Statistics.of(parts, inner, target_norm, bank.names), tiled, factored

    def _inner(self, tiled, factored) -> InnerProducts:
        if factored is None:
            return StoredProducts(tiled.M)
        blocks = Blocks(tiled, factored, self.backend)
        p = blocks.n_kernels
        parts = [part for part in (tiled, factored) if part is not None]
        return JointProducts(blocks, np.arange(p), np.ones(p), Numbers.joined(parts).squares)


@dataclass(frozen=True)
class TileSums:
    """Sums over pairs of samples, by blocks of samples; kernels in their order, target last.

    Attributes
    ----------
    S : dict of (int, int) to ndarray of shape (p + 1, p + 1)
        For blocks b <= c; the sum over (c, b) is the same.
    R : ndarray of shape (n_blocks, p + 1, n_samples)
    diagonal : ndarray of shape (p + 1, n_samples)
        g_k(i, i).
    offsets : ndarray of shape (p + 1,)
        What was taken off the values on tiles.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    """

    S: dict[tuple[int, int], np.ndarray]
    R: np.ndarray
    diagonal: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray

    def kernels(self, bank: TileBank, inside: np.ndarray, without: int | None) -> TiledKernels:
        """The kernels on the samples `inside`, those outside one block."""
        blocks = [block for block in range(len(self.R)) if block != without]
        S = np.zeros_like(self.S[0, 0])  # (p + 1, p + 1)
        for (b, c), part in self.S.items():
            if without not in (b, c):
                S += part if b == c else 2 * part
        r = self.R[blocks].sum(axis=0)[:, inside]  # (p + 1, n)
        w = self.weights[inside]
        diagonal, names, p = self.diagonal[:, inside], bank.names, bank.n_kernels
        W = w.sum()
        with np.errstate(over="ignore", invalid="ignore"):  # said next
            s = r @ w  # (p + 1,)
            M = S - (2 / W) * (r * w) @ r.T + np.outer(s, s) / W**2
        require_finite(names, np.diag(M)[:, None])
        traces = diagonal @ w - s / W
        magnitude = W * (np.abs(self.offsets) + np.abs(diagonal).max(axis=1, initial=0.0))
        varies = np.abs(traces) > CONSTANT * magnitude
        require_squares(names, traces, varies, W)
        constant = ~(varies & (np.diag(M) > 0))[:p]
        for name, trace in zip(names, np.where(constant, 0.0, traces[:p]), strict=True):
            if trace < 0:
                raise InputError(
                    f"kernel {name!r} is not positive semi-definite: its centered trace is "
                    f"{trace:.3g}; it must not be negative."
                )
        seen = bank.observed
        weight = np.broadcast_to(w, (p, len(w))) if seen is None else seen * w
        observed = weight.sum(axis=1)
        numbers = Numbers(
            a=M[:p, p],
            squares=np.diag(M)[:p],
            traces=traces[:p],
            mean_diagonal=np.einsum("ki,ki->k", diagonal[:p], weight) / observed
            + self.offsets[:p] + bank.units,
            observed=observed,
            constant=constant,
        ).without_constant()  # fmt: skip
        varies = ~constant
        return TiledKernels(
            bank, r[:p] / W + self.offsets[:p, None], w, numbers,
            M[:p, :p] * np.outer(varies, varies),
        )  # fmt: skip


def require_squares(names: list[str], traces: np.ndarray, varies: np.ndarray, W: float) -> None:
    """Raise if a kernel, or the target behind them, varies by too little to be squared."""
    small = varies & (np.abs(traces) < LEAST * W)
    for name in np.array([*names, "of the target"], dtype=object)[small]:
        raise InputError(
            f"the values of kernel {name!r} are too small to be squared; scale the columns of X or "
            "y, for example with StandardScaler."
        )


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
    n = bank.n_rows
    w = np.ones(n) if weights is None else weights
    borders = np.array([0, n] if borders is None else borders)
    tiles = None if bank.tiled is None else tile_sums(bank.tiled, Y, backend, w, borders)
    return PairSums(bank, tiles, Y, w, borders, backend)


def tile_sums(bank: TileBank, Y: np.ndarray, backend: Backend, w, borders) -> TileSums:
    """The pass over all pairs of training samples, for the kernels known by tiles."""
    p = bank.n_kernels
    padded = -4 * (-(p + 2) // 4)  # the leaf takes four by four: kernels, target, one for itself
    order = np.append(bank.order, p)  # the target stands behind the kernels
    diagonal = np.vstack([bank.diagonal(), np.einsum("it,it->i", Y, Y)])
    require_finite(bank.names, diagonal)
    offsets = np.zeros(p + 1)
    offsets[bank.order] = typical_values(bank)
    grid = Grid(p, borders, borders)
    tiles = SumOfTiles(bank, Y, w, offsets, borders, grid, padded)
    total = backend.fold(tiles, grid.row_ranges(), "alignment statistics")
    S = {}
    for pair, found in total.S.items():  # the leaf fills the lower triangle, and some of the other
        S[pair] = (np.tril(found) + np.tril(found, -1).T)[np.ix_(order, order)]
    return TileSums(S, total.R[:, order], diagonal - offsets[order, None], offsets[order], w)


@dataclass(frozen=True)
class Totals:
    """Sums over some ranges of rows, kernels in the order of tiles."""

    S: dict[tuple[int, int], np.ndarray]  # of (P, P), for blocks b <= c
    R: np.ndarray  # (n_blocks, P, n_samples)


@dataclass(frozen=True)
class SumOfTiles:
    """The pass over pairs of training samples, as a sum over ranges of rows."""

    bank: TileBank
    Y: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    borders: np.ndarray
    grid: Grid
    P: int

    def part(self, rows: slice) -> Part:
        return sums_of_rows(
            self.bank, self.Y, self.weights, self.offsets, self.borders, self.grid, self.P, rows
        )

    def work(self, rows: slice) -> float:
        """Pairs of these samples with themselves and those behind them."""
        return float((rows.stop - rows.start) * (self.bank.n_rows - rows.start))

    def start(self) -> Totals:
        n_blocks = len(self.borders) - 1
        pairs = [(b, c) for b in range(n_blocks) for c in range(b, n_blocks)]
        S = {pair: np.zeros((self.P, self.P)) for pair in pairs}
        return Totals(S, np.zeros((n_blocks, self.P, self.bank.n_rows)))

    def add(self, total: Totals, part: Part) -> None:
        for c in range(part.block, len(self.borders) - 1):
            total.S[part.block, c][:] += part.S[c]
        total.R[:, :, part.rows] += part.row_sums
        total.R[part.block, :, part.rows.start :] += part.column_sums

    def join(self, total: Totals, other: Totals) -> None:
        for pair, S in other.S.items():
            total.S[pair][:] += S
        total.R[:] += other.R

    def arrays(self, total: Totals) -> dict[str, np.ndarray]:
        """A total as named arrays."""
        return {"R": total.R} | {f"S {b} {c}": S for (b, c), S in total.S.items()}

    def restored(self, arrays: dict[str, np.ndarray]) -> Totals:
        """The total that `arrays` made these of; ValueError if it is not one of this sum."""
        total = self.start()
        wanted = self.arrays(total)
        if arrays.keys() != wanted.keys():
            raise ValueError("the arrays are not those of this sum")
        for name, place in wanted.items():
            if arrays[name].shape != place.shape or arrays[name].dtype != place.dtype:
                raise ValueError(f"array {name!r} has another shape or type than in this sum")
            place[:] = arrays[name]
        return total

    def fingerprint(self) -> str:
        """A digest of the kernels and the layout; the data is known to whoever was given it.

        Kernels are known by their names and by their values on a few samples, which see every
        parameter and every function of the user; to seven digits, since the last ones depend on the
        machine and on the number of threads.
        """
        values = few_samples(self.bank).values().astype(np.float32)
        return digest(__version__, self.bank.names, values, self.borders, self.P)


def sums_of_rows(bank: TileBank, Y, w, offsets, borders, grid: Grid, P: int, rows: slice) -> Part:
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


def few_samples(bank: TileBank) -> TileBank:
    """The same kernels on a few of the samples, from first to last."""
    n = bank.n_rows
    chosen = np.linspace(0, n - 1, min(n, OFFSET_SAMPLES)).round().astype(int)
    return bank.take(chosen)


def typical_values(bank: TileBank) -> np.ndarray:
    """A constant near each kernel's values, shape (n_kernels,): their mean on a few samples.

    Taking a constant off changes no centered quantity, and keeps the digits of kernels that vary
    little around a large value. Wide exponentials, taken minus one, are small by themselves.
    """
    means = few_samples(bank).values().mean(axis=(1, 2))
    return np.where((bank.units == 0) | (means < -0.5), means, 0.0)
