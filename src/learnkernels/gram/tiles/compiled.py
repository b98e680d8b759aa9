"""Kernels with a compiled formula, evaluated from one matrix product for each tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from learnkernels.errors import InputError
from learnkernels.gram.tiles import leaves
from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.leaves import Tile, fill
from learnkernels.jit import compiled
from learnkernels.kernels import Code
from learnkernels.kernels.l1 import l1_distances
from learnkernels.kernels.row_products import dots, squared_norms

# Squared norms this many times the median cost Gaussians their last four digits. A squared distance
# of this part of the norms has eight digits; it is searched for among so many samples.
FAR, TOGETHER, SEARCHED = 1e4, 1e-8, 64
# Up to this many squarings of another kernel are faster than an exponential.
SQUARINGS = 3
NOTHING = np.empty((0, 0))
NO_EXTRA = np.empty((0, 0, 0))


@dataclass(frozen=True)
class CompiledSamples:
    """Samples for the compiled kernels.

    Attributes
    ----------
    A : ndarray or CSR matrix of shape (n_samples, n_features)
        Samples minus the origin of the group. Distances do not change, and keep more digits.
    squared : ndarray of shape (n_samples,)
        Squared norms of the rows of A.
    raw : ndarray of shape (n_samples,)
        ``x'z = a'b + raw(x) + raw(z)`` for raw samples x, z and shifted ones a, b.
    """

    A: Any
    squared: np.ndarray
    raw: np.ndarray

    def __len__(self) -> int:
        return len(self.squared)

    def take(self, index: np.ndarray | slice) -> CompiledSamples:
        return CompiledSamples(self.A[index], self.squared[index], self.raw[index])

    def as_columns(self) -> CompiledSamples:
        return self


@dataclass(frozen=True)
class CompiledGroup(Group):
    """The kernels with a compiled formula.

    Attributes
    ----------
    origin : ndarray of shape (n_features,) or None
        Subtracted from every sample: the training median, which outliers do not move. None for
        sparse data.
    raw_linear : bool
        Whether the linear kernel is of raw samples. For centered Gram matrices it is computed
        from the shifted ones: the same after centering, with more digits.
    far : bool
        Whether some samples are so far from the origin that inner products lose the distances
        between them. All members then are functions of squared distances.
    codes, params, earlier : ndarray
        The members as in `Tile`.
    """

    origin: np.ndarray | None
    raw_linear: bool
    far: bool
    codes: np.ndarray
    params: np.ndarray
    earlier: np.ndarray

    @classmethod
    def of(
        cls, kernels: tuple[Any, ...], origin: np.ndarray | None, raw_linear: bool, far: bool
    ) -> CompiledGroup:
        """Return the group of kernels sorted by code and parameters."""
        codes = np.array([kernel.code for kernel in kernels], dtype=np.int64)
        params = np.array([kernel.params for kernel in kernels], dtype=float).reshape(-1, 3)
        earlier = np.zeros(len(codes), dtype=np.int64)
        member: dict[tuple[int, float], int] = {}
        for k, kernel in enumerate(kernels):
            gamma = float(params[k, 0])
            # exp(-2 t) - 1 from h = exp(-t) - 1 is h (h + 2): no further exponential.
            squarings = (s for s in range(1, SQUARINGS + 1) if kernel.unit)
            found = next((s for s in squarings if (kernel.code, gamma / 2**s) in member), None)
            if found is not None:
                codes[k], params[k, 0] = Code.SQUARE_OF_EARLIER, found
                earlier[k] = member[kernel.code, gamma / 2**found]
            member[kernel.code, gamma] = k
            if kernel.code == Code.DOT:
                params[k, 0] = raw_linear
        return cls(kernels, origin, raw_linear, far, codes, params, earlier)

    def keep(self, mask: np.ndarray) -> CompiledGroup:
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, mask, strict=True) if kept)
        return CompiledGroup.of(kernels, self.origin, self.raw_linear, self.far)

    def prepare(self, X: Any, observed: np.ndarray | None = None) -> CompiledSamples:
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            if self.origin is None:
                A, raw = sparse.csr_array(X), np.zeros(X.shape[0])
                squared = squared_norms(A)
            else:
                A = (X.toarray() if sparse.issparse(X) else X) - self.origin
                # Rounding of a constant column is not a difference between samples.
                A[:, np.abs(A).max(axis=0, initial=0.0) <= 1e-14 * np.abs(self.origin)] = 0.0
                raw = A @ self.origin + self.origin @ self.origin / 2
                squared = np.einsum("ij,ij->i", A, A)
        if not (np.isfinite(squared).all() and np.isfinite(raw).all()):
            raise InputError(
                "X contains values so large that squared distances overflow; "
                "scale the columns, for example with StandardScaler."
            )
        return CompiledSamples(A, squared, raw)

    def values(self, left: Any, right: Any, rows: slice, columns: slice) -> np.ndarray:
        shape = rows.stop - rows.start, columns.stop - columns.start
        return evaluate(self.tile(left, right, rows, columns), *shape)

    def diagonal(self, samples: CompiledSamples) -> np.ndarray:
        raw = samples.squared + 2 * samples.raw  # x'x of the raw samples
        members = []
        for kernel in self.kernels:
            if kernel.unit:
                members.append(np.zeros(len(raw)))  # expm1(0)
            elif kernel.code == Code.DOT:
                members.append(raw if self.raw_linear else samples.squared)
            else:
                gamma, coef0, degree = kernel.params
                with np.errstate(over="ignore"):  # checked by the sums over pairs
                    members.append((gamma * raw + coef0) ** degree)
        return np.array(members)

    def tile(
        self, left: CompiledSamples, right: CompiledSamples, rows: slice, columns: slice
    ) -> Tile:
        """Return the tile of the members, without values of other kernels."""
        A, B = left.A[rows], right.A[columns]
        sq_i, sq_j = left.squared[rows], right.squared[columns]
        kinds = {kernel.code for kernel in self.kernels}
        dot = l1 = NOTHING
        if kinds != {Code.EXP_L1_DISTANCE}:
            dot = dots(A, B) if sparse.issparse(A) else A @ B.T
            if self.far:
                # Distances computed directly, as -2 (-D / 2) without norms: nothing cancels.
                leaves.half_distances(A, B, sq_i, sq_j, dot)
                sq_i, sq_j = np.zeros(len(A)), np.zeros(len(B))
            elif left is right and rows == columns:
                # The distance of a sample to itself is exactly zero.
                np.fill_diagonal(dot, sq_i)
        if Code.EXP_L1_DISTANCE in kinds:
            l1 = l1_distances(*((A.toarray(), B.toarray()) if sparse.issparse(A) else (A, B)))
        return Tile(
            self.codes, self.params, self.earlier, dot, sq_i, sq_j, left.raw[rows],
            right.raw[columns], l1, NO_EXTRA,
        )  # fmt: skip


@compiled(fastmath=leaves.EXACT)
def evaluate(tile: Tile, rows: int, columns: int) -> np.ndarray:
    """Return the values of all kernels of a tile, shape (n_kernels, rows, columns)."""
    n_kernels = tile.codes.shape[0] + tile.extra.shape[0]
    B, out = np.empty((n_kernels, columns)), np.empty((n_kernels, rows, columns))
    for i in range(rows):
        fill(tile, i, 0, columns, B)
        for k in range(n_kernels):
            for j in range(columns):
                out[k, i, j] = B[k, j]
    return out


def has_far_samples(X: np.ndarray, medians: np.ndarray) -> bool:
    """Return whether distances between some samples are lost in their distances from the median.

    Either a few samples are far away, or some of a few samples are much closer to each other.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        A = X - medians
        squared = np.einsum("ij,ij->i", A, A)
        some = np.linspace(0, len(A) - 1, min(len(A), SEARCHED)).round().astype(int)
        D = cdist(A[some], A[some], "sqeuclidean")
        near = (D > 0) & (D < TOGETHER * np.add.outer(squared[some], squared[some]))
    away = squared[squared > 0]
    return bool(near.any()) or (len(away) > 0 and bool(away.max() > FAR * np.median(away)))
