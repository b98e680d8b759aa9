"""Base kernels evaluated by tiles: on samples, and centered on a training set.

TileKernels -> CenteredTiles -> CombinedTiles -> TileFunction        (the last two in `passes`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import Backend, Threads
from learnkernels.gram.centered import PartStatistics, require_squares
from learnkernels.gram.learned import weighted
from learnkernels.gram.spectrum import tail_sum
from learnkernels.gram.tiles import passes
from learnkernels.gram.tiles.combination import CombinedTiles
from learnkernels.gram.tiles.compiled import NO_EXTRA, NOTHING, CompiledGroup, evaluate
from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.leaves import Tile
from learnkernels.gram.tiles.missing import MissingGroup
from learnkernels.gram.tiles.passes import COLUMNS, TileSums, ranges, row_ranges
from learnkernels.gram.triangles import pack_rows
from learnkernels.kernels import Kernel, Source

NO_KERNELS = Tile(
    np.empty(0, np.int64), np.empty((0, 3)), np.empty(0, np.int64), NOTHING,
    np.empty(0), np.empty(0), np.empty(0), np.empty(0), NOTHING, NO_EXTRA,
)  # fmt: skip


@dataclass(frozen=True)
class TileKernels:
    """Base kernels on row samples (left) and column samples (right).

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list. All other arrays are in the order of tiles.
    kernels : tuple of Kernel
    names : tuple of str
    units : ndarray of shape (n_kernels,)
        Constant that a kernel exceeds its value on a tile by: 1 for ``exp(-t)``.
    groups : tuple of Group
        The kernels by source and representation; a compiled group comes first.
    sources : tuple of Source or None
        Source of each group; None reads X itself.
    missing : {"error", "neutral"}
        Whether samples may be missing in a source.
    left, right : tuple
        The samples as each group prepared them; the same object for a training Gram matrix.
    left_scale, right_scale : ndarray of shape (n_kernels, n_samples) or None
        Factors on rows and columns, for Gram matrices scaled to unit diagonal.
    shape : (int, int)
        Number of row samples and of column samples.
    """

    index: np.ndarray
    kernels: tuple[Kernel, ...]
    names: tuple[str, ...]
    units: np.ndarray
    groups: tuple[Group, ...]
    sources: tuple[Source | None, ...]
    missing: str
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    left_scale: np.ndarray | None
    right_scale: np.ndarray | None
    shape: tuple[int, int]

    kind = "tiles"
    fast_products = False

    def tile(self, rows: slice, columns: slice) -> Tile:
        """Return what the compiled functions read of some rows and columns.

        The first group is evaluated inside the compiled functions if it is a compiled one. Kernels
        scaled to unit diagonal are given by their values.
        """
        tile, first, extra = NO_KERNELS, 0, []
        if isinstance(self.groups[0], CompiledGroup) and self.left_scale is None:
            tile, first = self.groups[0].tile(self.left[0], self.right[0], rows, columns), 1
        for at in range(first, len(self.groups)):
            left, right = self.left[at], self.right[at]
            extra.append(self.groups[at].values(left, right, rows, columns))
        shape = rows.stop - rows.start, columns.stop - columns.start
        if not extra:
            return tile._replace(extra=np.empty((0, *shape)))
        # Compiled code does not check bounds: NumPy raises if the values have another shape.
        n_extra = len(self.kernels) - len(tile.codes)
        values = np.concatenate(extra, out=np.empty((n_extra, *shape)))
        if self.left_scale is not None and self.right_scale is not None:
            values *= self.left_scale[:, rows, None] * self.right_scale[:, None, columns]
        return tile._replace(extra=values)

    def diagonal(self) -> np.ndarray:
        """Return k(x, x) up to the units, shape (n_kernels, n_samples)."""
        members = zip(self.groups, self.left, strict=True)
        values = np.concatenate([group.diagonal(samples) for group, samples in members])
        return values if self.left_scale is None else values * self.left_scale**2

    def observed(self) -> np.ndarray | None:
        """Return which samples each kernel's view has values for, None if all.

        Returns
        -------
        ndarray of bool of shape (n_kernels, n_samples) or None
        """
        if not any(isinstance(group, MissingGroup) for group in self.groups):
            return None
        rows = [
            np.repeat([samples.row >= 0], len(group.kernels), axis=0)
            for group, samples in zip(self.groups, self.left, strict=True)
        ]
        return None if all(row.all() for row in rows) else np.concatenate(rows)

    def take(self, index: np.ndarray) -> TileKernels:
        """Return the same kernels on some of the training samples."""
        samples = tuple(samples.take(index) for samples in self.left)
        scale = None if self.left_scale is None else self.left_scale[:, index]
        return replace(
            self, left=samples, right=samples, left_scale=scale, right_scale=scale,
            shape=(len(index), len(index)),
        )  # fmt: skip

    def facing(self, other: TileKernels) -> TileKernels:
        """Return the rows of these kernels against the columns of the same kernels on others."""
        return replace(
            self, right=other.right, right_scale=other.right_scale,
            shape=(self.shape[0], other.shape[1]),
        )  # fmt: skip

    def against(self, X: Any) -> TileKernels:
        """Return new samples as rows against the training samples as columns."""
        samples = []
        for group, source in zip(self.groups, self.sources, strict=True):
            data, observed = (X, None) if source is None else source.read(X, self.missing)
            samples.append(group.prepare(data, observed))
        scale = None if self.right_scale is None else inverse_roots(self.kernels, X)
        n_rows = len(samples[0])
        if any(len(own) != n_rows for own in samples):
            raise InputError(
                "the views of X have different numbers of samples; every view must return one row "
                "for each row of X. Check the functions that select or transform columns."
            )
        return replace(self, left=tuple(samples), left_scale=scale, shape=(n_rows, self.shape[1]))

    def as_columns(self) -> TileKernels:
        """Return the kernels for new samples, without Gram matrices of the training samples."""
        samples = tuple(part.as_columns() for part in self.right)
        groups = tuple(g.without_grams() if g.stores_grams else g for g in self.groups)
        return replace(self, groups=groups, left=samples, right=samples)

    def keep(self, mask: np.ndarray) -> TileKernels:
        """Return the kernels where `mask` is true."""
        if mask.all():
            return self
        kept, start = [], 0
        for at, group in enumerate(self.groups):
            members = mask[start : start + len(group.kernels)]
            start += len(members)
            if members.any():
                kept.append((at, group.keep(members)))
        return replace(
            self,
            index=self.index[mask],
            kernels=tuple(k for k, used in zip(self.kernels, mask, strict=True) if used),
            names=tuple(name for name, used in zip(self.names, mask, strict=True) if used),
            units=self.units[mask],
            groups=tuple(group for _, group in kept),
            sources=tuple(self.sources[at] for at, _ in kept),
            left=tuple(self.left[at] for at, _ in kept),
            right=tuple(self.right[at] for at, _ in kept),
            left_scale=None if self.left_scale is None else self.left_scale[mask],
            right_scale=None if self.right_scale is None else self.right_scale[mask],
        )

    def centered(self, sums: TileSums, Y: np.ndarray, w: np.ndarray) -> CenteredTiles:
        """Return the centered kernels on the training samples.

        Parameters
        ----------
        sums : TileSums
        Y, w
            Centered target and sample weights.
        """
        p, W = len(self.kernels), w.sum()
        S, r = sums.S.sum(axis=(0, 1)), sums.R.sum(axis=0)  # (p + 1, p + 1), (p + 1, n)
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            s = r @ w  # (p + 1,)
            # M_kl = S_kl - (2/W) sum_i w_i r_ki r_li + s_k s_l / W^2
            M = S - (2 / W) * (r * w) @ r.T + np.outer(s, s) / W**2
        traces = sums.diagonal @ w - s / W
        magnitude = W * (np.abs(sums.offsets) + np.abs(sums.diagonal).max(axis=1, initial=0.0))
        varies = require_squares(self.names, np.diag(M), traces, magnitude, W)[:p]
        observed = self.observed() if self.missing == "neutral" else None
        weight = np.broadcast_to(w, (p, len(w))) if observed is None else observed * w
        total = weight.sum(axis=1)
        mean = np.einsum("ki,ki->k", sums.diagonal[:p], weight) / total
        numbers = PartStatistics(
            a=M[:p, p] * varies,
            squares=np.diag(M)[:p] * varies,
            traces=traces[:p] * varies,
            mean_diagonal=mean + sums.offsets[:p] + self.units,
            observed=total,
            constant=~varies,
        )
        return CenteredTiles(
            self.index, self, r[:p] / W + sums.offsets[:p, None], w, numbers,
            M[:p, :p] * np.outer(varies, varies),
        )  # fmt: skip


def inverse_roots(kernels: Sequence[Kernel], X: Any) -> np.ndarray:
    """Return 1 / sqrt(k(x, x)), 0 where k(x, x) = 0, shape (n_kernels, n_samples)."""
    diagonals = np.array([kernel.diagonal(X) for kernel in kernels])
    for kernel, diagonal in zip(kernels, diagonals, strict=True):
        if (diagonal < 0).any():
            raise InputError(
                f"kernel {kernel.name!r} has a negative diagonal entry {diagonal.min():.3g}, so it "
                "is not positive semi-definite and cannot be scaled to unit diagonal; use another "
                "kernel, or clip the negative eigenvalues of its Gram matrix."
            )
    with np.errstate(divide="ignore"):
        return np.where(diagonals > 0, 1 / np.sqrt(diagonals), 0.0)


@dataclass(frozen=True)
class CenteredTiles:
    """Tile kernels centered on a training set.

    Attributes
    ----------
    index : ndarray of shape (n_kernels,)
        Positions of the kernels in the user's list.
    kernels : TileKernels
    means : ndarray of shape (n_kernels, n_samples)
        Mean of each row of the values on tiles, which centering subtracts.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    numbers : PartStatistics
    M : ndarray of shape (n_kernels, n_kernels)
        Inner products of the centered kernels.
    """

    index: np.ndarray
    kernels: TileKernels
    means: np.ndarray
    weights: np.ndarray
    numbers: PartStatistics
    M: np.ndarray

    knows_products = has_small_products = True

    def keep(self, mask: np.ndarray, index: np.ndarray) -> CenteredTiles:
        """Return some of the kernels, with new positions in the user's list."""
        return CenteredTiles(
            index, self.kernels.keep(mask), self.means[mask], self.weights,
            self.numbers.keep(mask), self.M[np.ix_(mask, mask)],
        )  # fmt: skip

    def inner_block(self, own: np.ndarray) -> np.ndarray:
        """Return M of some of these kernels, shape (s, s)."""
        return self.M[np.ix_(own, own)]

    def inner_times(self, v: np.ndarray, backend: Backend) -> np.ndarray:
        """Return M v, shape (n_kernels,)."""
        return self.M @ v

    def combined(self, factors: np.ndarray, center: bool) -> CombinedTiles:
        """Return ``sum_k factors_k K_k`` of the kernels whose factor is not zero."""
        used = factors != 0
        kept, w = factors[used], self.weights
        if center:
            means = kept @ self.means[used]
            constant = float(w @ means / w.sum())
        else:
            means = np.zeros(len(w))
            constant = float(kept @ self.kernels.units[used])
        return CombinedTiles(self.kernels.keep(used), used, kept, means, constant)

    def gram(self, factors: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``sum_k factors_k K_k`` of the centered kernels, shape (n_samples, n_samples)."""
        K = np.zeros((len(self.weights), len(self.weights)))
        if factors.any():
            self.combined(factors, True).add_gram(K, backend)
        return K

    def products(self, vectors: np.ndarray, center: bool, backend: Backend) -> TileProducts:
        """Return K_k vectors for every kernel. Rows of zeros in `vectors` cost nothing."""
        used = np.flatnonzero(vectors.any(axis=1))
        if len(used) == 0:
            return TileProducts(np.zeros((len(self.means), *vectors.shape)), vectors)
        groups = self.kernels.groups
        if len(groups) > 1 or not isinstance(groups[0], CompiledGroup):
            used = np.arange(len(vectors))  # selecting columns of stored Gram matrices costs more
        kernels = self.kernels.facing(self.kernels.take(used))
        task = partial(multiplied_rows, kernels, np.ascontiguousarray(vectors[used].T))
        rows = row_ranges(len(self.means), (0, len(vectors)))
        Z = np.concatenate(list(backend.map(task, rows, "kernel products")), axis=1)
        sums = vectors.sum(axis=0)  # (n_vectors,)
        if center:
            w = self.weights
            totals = self.means @ w / w.sum()
            Z -= self.means[:, :, None] * sums
            Z -= (self.means @ vectors - np.outer(totals, sums))[:, None, :]
        else:
            Z += self.kernels.units[:, None, None] * sums
        return TileProducts(Z, vectors)

    def inner(
        self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray, center: bool, backend: Backend
    ) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` of every kernel, shape (n_kernels,)."""
        taken = self.kernels.take(rows)
        if rows is columns:
            task = partial(inner_of_symmetric_rows, taken, S)
        else:
            task = partial(inner_of_rows, taken.facing(self.kernels.take(columns)), S)
        found = np.sum(
            list(backend.map(task, row_ranges(len(self.means), (0, len(rows))), "gradient")), axis=0
        )
        if not center:
            return found + self.kernels.units * S.sum()
        total = self.means @ self.weights / self.weights.sum()
        found -= self.means[:, rows] @ S.sum(axis=1) + self.means[:, columns] @ S.sum(axis=0)
        return np.asarray(found + total * S.sum())

    def pack(self, samples: np.ndarray, center: bool, backend: Backend, out: np.ndarray) -> None:
        """Write the upper triangles of the Gram matrices of some samples into `out`."""
        taken, w = self.kernels.take(samples), self.weights
        u = self.means[:, samples] if center else np.zeros((len(out), len(samples)))
        constants = self.means @ w / w.sum() if center else self.kernels.units
        task = partial(pack_tile, taken, u, constants, out)
        for _ in backend.map(task, row_ranges(len(out), (0, len(samples))), "Grams", local=True):
            pass

    def tail_sums(self, theta: int, center: bool, backend: Backend) -> np.ndarray:
        """Return the trace minus the theta largest eigenvalues of each kernel, (n_kernels,)."""
        task = partial(tail_of_kernel, self, theta, center)
        return np.array(list(backend.map(task, range(len(self.means)), "spectra")))


def pack_tile(
    kernels: TileKernels, u: np.ndarray, constants: np.ndarray, out: np.ndarray, rows: slice
) -> None:
    """Write some rows of all Gram matrices, centered, into their triangles."""
    n = kernels.shape[1]
    tile = kernels.tile(rows, slice(rows.start, n))
    values = evaluate(tile, rows.stop - rows.start, n - rows.start)
    pack_rows(values, rows.start, u, constants, n, out)


def multiplied_rows(kernels: TileKernels, vectors: np.ndarray, rows: slice) -> np.ndarray:
    """Return the values of all kernels on some rows times the vectors."""
    out = np.zeros((len(kernels.kernels), rows.stop - rows.start, len(vectors)))
    for columns in ranges((0, kernels.shape[1]), COLUMNS):
        passes.multiply(kernels.tile(rows, columns), np.ascontiguousarray(vectors[:, columns]), out)
    return out


def inner_of_rows(kernels: TileKernels, S: np.ndarray, rows: slice) -> np.ndarray:
    """Return the inner product of some rows of S with the values of every kernel."""
    out = np.zeros(len(kernels.kernels))
    for columns in ranges((0, kernels.shape[1]), COLUMNS):
        passes.add_inner(kernels.tile(rows, columns), S[rows, columns], out)
    return out


def inner_of_symmetric_rows(kernels: TileKernels, S: np.ndarray, rows: slice) -> np.ndarray:
    """Return the same for a symmetric S: pairs in these rows and, twice, those behind them."""
    own, behind = np.zeros(len(kernels.kernels)), np.zeros(len(kernels.kernels))
    passes.add_inner(kernels.tile(rows, rows), S[rows, rows], own)
    for columns in ranges((0, kernels.shape[1]), COLUMNS, rows.stop):
        passes.add_inner(kernels.tile(rows, columns), S[rows, columns], behind)
    return own + 2 * behind


def tail_of_kernel(centered: CenteredTiles, theta: int, center: bool, k: int) -> float:
    """Return the tail sum of one kernel; tasks run side by side, so this one is serial."""
    unit = np.zeros(len(centered.means))
    unit[k] = 1.0
    K = np.zeros((len(centered.weights), len(centered.weights)))
    centered.combined(unit, center).add_gram(K, Threads(1))
    return tail_sum(weighted(K, centered.weights), theta)


@dataclass(frozen=True)
class TileProducts:
    """K_k v for every tile kernel and some vectors v.

    Attributes
    ----------
    Z : ndarray of shape (n_kernels, n_samples, n_vectors)
    vectors : ndarray of shape (n_samples, n_vectors)
    """

    Z: np.ndarray
    vectors: np.ndarray

    def forms(self) -> np.ndarray:
        """Return sum_t v_t'K_k v_t, shape (n_kernels,)."""
        return np.einsum("knt,nt->k", self.Z, self.vectors)

    def of(self, t: int) -> np.ndarray:
        """Return K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        return self.Z[:, :, t].T
