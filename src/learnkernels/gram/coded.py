"""The group of kernels with a compiled formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from learnkernels.derived import derived
from learnkernels.errors import InputError
from learnkernels.gram import leaves
from learnkernels.gram.groups import Group
from learnkernels.kernels import Code
from learnkernels.kernels.linear import dots, require_columns, squared_norms

__all__ = ["NO_CODES", "CodedGroup", "has_far_samples", "tile_values"]

# Squared norms this many times the median cost Gaussians their last four digits; a squared distance
# of this part of the norms has eight, and is looked for among so many samples.
FAR, TOGETHER, LOOKED_AT = 1e4, 1e-8, 64
NOTHING = np.empty((0, 0))
NO_EXTRA = np.empty((0, 0, 0))
# A tile's first arguments where no kernel is compiled.
NO_CODES = (
    np.empty(0, np.int64), np.empty((0, 3)), np.empty(0, np.int64), NOTHING,
    np.empty(0), np.empty(0), np.empty(0), np.empty(0), NOTHING,
)  # fmt: skip


@dataclass(frozen=True)
class CodedSamples:
    """Samples for the compiled kernels.

    Attributes
    ----------
    A : ndarray or CSR matrix of shape (n_samples, n_features)
        Samples minus the group's origin: distances do not change, digits do.
    squared : ndarray of shape (n_samples,)
        Squared norms of the rows of A.
    raw : ndarray of shape (n_samples,)
        ``x'z = a'b + raw(x) + raw(z)`` for raw samples x, z and shifted ones a, b.
    """

    A: Any
    squared: np.ndarray
    raw: np.ndarray

    def __len__(self):
        return self.A.shape[0]

    def take(self, index):
        return CodedSamples(self.A[index], self.squared[index], self.raw[index])

    def as_columns(self):
        return self


@dataclass(frozen=True)
class CodedGroup(Group):
    """The kernels with a compiled formula, all fed by one matrix product for each tile.

    Attributes
    ----------
    origin : ndarray of shape (n_features,) or None
        Subtracted from every sample: the training median, which no outlier moves. None for sparse
        data.
    raw_linear : bool
        Whether the linear kernel is of raw samples. Where only centered Grams are wanted it is
        taken of the shifted ones, which is the same after centering and keeps more digits.
    far : bool
        Whether some samples are so far from the origin that inner products do not tell how close
        they are to each other; the members are then of squared distances, all of them.
    """

    origin: np.ndarray | None
    raw_linear: bool
    far: bool = False

    @classmethod
    def of(cls, kernels, positions, X, raw_linear, far=False):
        # A Gaussian of twice the gamma is the square of the earlier one: sort to meet it first.
        order = sorted(range(len(kernels)), key=lambda k: (kernels[k].code, kernels[k].params))
        origin = None if sparse.issparse(X) else np.median(X, axis=0)
        if far:  # no shift, no rounding: distances that would cancel are differences of the data
            origin = np.zeros(X.shape[1])
        chosen = tuple(kernels[k] for k in order)
        return cls(chosen, np.asarray(positions)[order], origin, raw_linear, far)

    def prepare(self, X):
        with np.errstate(over="ignore", invalid="ignore"):  # said next
            if self.origin is None:
                A, raw = sparse.csr_array(X), np.zeros(X.shape[0])
            else:
                A = (X.toarray() if sparse.issparse(X) else X) - self.origin
                # A constant column leaves rounding behind, not zeros.
                A[:, np.abs(A).max(axis=0, initial=0.0) <= 1e-14 * np.abs(self.origin)] = 0.0
                raw = A @ self.origin + self.origin @ self.origin / 2
            squared = squared_norms(A)
        if not (np.isfinite(squared).all() and np.isfinite(raw).all()):
            raise InputError(
                "X holds values so large that squared distances overflow; "
                "scale the columns, for example with StandardScaler."
            )
        return CodedSamples(A, squared, raw)

    def values(self, left, right, rows, columns):
        tile = (*self.tile(left, right, rows, columns), NO_EXTRA)
        height, width = rows.stop - rows.start, columns.stop - columns.start
        return tile_values(tile, (len(self.kernels), height, width))

    def diagonal(self, samples):
        raw = samples.squared + 2 * samples.raw  # x'x of the raw samples
        members = []
        for kernel in self.kernels:
            if kernel.unit:
                members.append(np.zeros(len(samples)))  # expm1(0)
            elif kernel.code == Code.DOT:
                members.append(raw if self.raw_linear else samples.squared)
            else:
                gamma, coef0, degree = kernel.params
                with np.errstate(over="ignore"):  # the sums over pairs say it better
                    members.append((gamma * raw + coef0) ** degree)
        return np.array(members)

    def require_samples(self, samples):
        n, d = samples.A.shape
        wanted = d if self.origin is None else len(self.origin)
        if not (samples.squared.shape == samples.raw.shape == (n,) and d == wanted):
            raise ValueError("the samples of a kernel have shapes that do not fit together")

    def tile(self, left, right, rows, columns):
        """The first arguments of every leaf: all but the values of other kernels."""
        A, B = left.A[rows], right.A[columns]
        dot = dots(A, B) if self.needs_dot else NOTHING
        squared = left.squared[rows], right.squared[columns]
        if self.far:
            # The distance by itself, -2 (-D / 2) and no norms: nothing is left to cancel.
            leaves.half_distances(A, B, *squared, dot)
            squared = np.zeros(len(A)), np.zeros(len(B))
        elif left is right and rows == columns and self.needs_dot:
            # A sample's distance to itself is zero, not the rounding of two ways to its norm.
            np.fill_diagonal(dot, left.squared[rows])
        return (
            *self.plan,
            dot,
            *squared,
            left.raw[rows],
            right.raw[columns],
            l1_distances(A, B) if self.needs_l1 else NOTHING,
        )

    @derived
    def needs_dot(self):
        return any(kernel.code != Code.EXP_L1_DISTANCE for kernel in self.kernels)

    @derived
    def needs_l1(self):
        return any(kernel.code == Code.EXP_L1_DISTANCE for kernel in self.kernels)

    @derived
    def plan(self):
        """The members as arrays for the leaf: codes, params and the earlier kernel to square."""
        codes = np.array([kernel.code for kernel in self.kernels], dtype=np.int64)
        params = np.array([kernel.params for kernel in self.kernels], dtype=float)
        earlier = np.zeros(len(codes), dtype=np.int64)
        place: dict[tuple[int, float], int] = {}
        for k, (kernel, (gamma, _, _)) in enumerate(zip(self.kernels, params, strict=True)):
            if kernel.unit and (kernel.code, gamma / 2) in place:
                codes[k] = Code.SQUARE_OF_EARLIER
                earlier[k] = place[kernel.code, gamma / 2]
            place[kernel.code, gamma] = k
            if kernel.code == Code.DOT:
                params[k, 0] = self.raw_linear
        return codes, params, earlier


def has_far_samples(X) -> bool:
    """Whether distances between some samples are lost in their distances from the median.

    There are a few far ones, or some of a few samples are much closer to each other.
    """
    if sparse.issparse(X):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        A = X - np.median(X, axis=0)
        squared = squared_norms(A)
        some = np.linspace(0, len(A) - 1, min(len(A), LOOKED_AT)).round().astype(int)
        D = cdist(A[some], A[some], "sqeuclidean")
        near = (D > 0) & (D < TOGETHER * np.add.outer(squared[some], squared[some]))
    away = squared[squared > 0]
    return bool(near.any()) or (len(away) > 0 and bool(away.max() > FAR * np.median(away)))


def tile_values(tile, shape: tuple[int, int, int]) -> np.ndarray:
    """Values of all kernels of a tile, in its order, shape (n_kernels, rows, columns)."""
    n_kernels, rows, columns = shape
    out = np.empty((rows, n_kernels, columns))
    for i in range(rows):
        leaves.fill(*tile, i, 0, columns, out[i])
    return np.ascontiguousarray(out.transpose(1, 0, 2))


def l1_distances(A, B):
    """L1 distances between rows, shape (rows of A, rows of B)."""
    if sparse.issparse(A):
        A, B = A.toarray(), B.toarray()
    require_columns(A, B)
    out = np.empty((A.shape[0], B.shape[0]))
    leaves.l1_distances(np.ascontiguousarray(A), np.ascontiguousarray(B.T), out)
    return out
