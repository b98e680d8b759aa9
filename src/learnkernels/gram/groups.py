"""Kernels that share a representation of the samples, and how their values on a tile come about.

A group knows how to *prepare* samples once (shift, norms, an index into a stack) and how to give
its *values* on a tile of two prepared sets of samples. Views, strings or rank-one kernels are
further groups; nothing else has to know of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.gram import leaves
from learnkernels.kernels import Code, CodedKernel, GaussianProcess, Kernel, Precomputed
from learnkernels.kernels.linear import dots, squared_norms

__all__ = [
    "NO_CODES",
    "CodedGroup",
    "EvaluatedGroup",
    "Group",
    "PrecomputedGroup",
    "grouped",
    "tile_values",
]

NOTHING = np.empty((0, 0))
NO_EXTRA = np.empty((0, 0, 0))
# A tile's first arguments where no kernel is compiled.
NO_CODES = (
    np.empty(0, np.int64), np.empty((0, 3)), np.empty(0, np.int64), NOTHING,
    np.empty(0), np.empty(0), np.empty(0), np.empty(0), NOTHING,
)  # fmt: skip


@dataclass(frozen=True)
class Group(ABC):
    """Some of the base kernels, and the samples as they want them.

    Attributes
    ----------
    kernels : tuple of Kernel
        The members, in the order of `values`.
    positions : ndarray of shape (n_members,)
        Their places in the user's list.
    """

    kernels: tuple[Any, ...]
    positions: np.ndarray

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Samples in the form that `values` wants; it has a length and a method `take(index)`."""

    @abstractmethod
    def values(self, left: Any, right: Any, rows: slice, columns: slice) -> np.ndarray:
        """Values of the members on a tile, shape (n_members, rows, columns)."""

    @abstractmethod
    def diagonal(self, samples: Any) -> np.ndarray:
        """Values of the members of each sample with itself, shape (n_members, n_samples)."""

    def keep(self, mask: np.ndarray) -> Group:
        """The group of some of the members, `mask` in the user's order."""
        chosen = mask[self.positions]
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, chosen, strict=True) if kept)
        return replace(self, kernels=kernels, positions=self.positions[chosen])


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
    """

    origin: np.ndarray | None
    raw_linear: bool

    @classmethod
    def of(cls, kernels, positions, X, raw_linear):
        # A Gaussian of twice the gamma is the square of the earlier one: sort to meet it first.
        order = sorted(range(len(kernels)), key=lambda k: (kernels[k].code, kernels[k].params))
        origin = None if sparse.issparse(X) else np.median(X, axis=0)
        chosen = tuple(kernels[k] for k in order)
        return cls(chosen, np.asarray(positions)[order], origin, raw_linear)

    def prepare(self, X):
        if self.origin is None:
            A, raw = sparse.csr_array(X), np.zeros(X.shape[0])
        else:
            A = (X.toarray() if sparse.issparse(X) else X) - self.origin
            # A constant column leaves rounding behind, not zeros.
            A[:, np.abs(A).max(axis=0, initial=0.0) <= 1e-14 * np.abs(self.origin)] = 0.0
            raw = A @ self.origin + self.origin @ self.origin / 2
        squared = squared_norms(A)
        if not np.isfinite(squared).all():
            raise InputError(
                "X holds values so large that squared distances overflow; "
                "scale the columns, for example with StandardScaler."
            )
        return CodedSamples(A, squared, raw)

    def values(self, left, right, rows, columns):
        return tile_values((*self.tile(left, right, rows, columns), NO_EXTRA), len(self.kernels))

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

    def tile(self, left, right, rows, columns):
        """The first arguments of every leaf: all but the values of other kernels."""
        A, B = left.A[rows], right.A[columns]
        dot = dots(A, B) if self.needs_dot else NOTHING
        if left is right and rows == columns and self.needs_dot:
            # A sample's distance to itself is zero, not the rounding of two ways to its norm.
            np.fill_diagonal(dot, left.squared[rows])
        return (
            *self.plan,
            dot,
            left.squared[rows],
            right.squared[columns],
            left.raw[rows],
            right.raw[columns],
            l1_distances(A, B) if self.needs_l1 else NOTHING,
        )

    @cached_property
    def needs_dot(self):
        return any(kernel.code != Code.EXP_L1_DISTANCE for kernel in self.kernels)

    @cached_property
    def needs_l1(self):
        return any(kernel.code == Code.EXP_L1_DISTANCE for kernel in self.kernels)

    @cached_property
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


def tile_values(tile, n_kernels) -> np.ndarray:
    """Values of all kernels of a tile, in its order, shape (n_kernels, rows, columns)."""
    rows, columns = len(tile[-6]) or tile[-1].shape[1], len(tile[-5]) or tile[-1].shape[2]
    out = np.empty((rows, n_kernels, columns))
    for i in range(rows):
        leaves.fill(*tile, i, 0, columns, out[i])
    return np.ascontiguousarray(out.transpose(1, 0, 2))


def l1_distances(A, B):
    """L1 distances between rows, shape (rows of A, rows of B)."""
    if sparse.issparse(A):
        A, B = A.toarray(), B.toarray()
    out = np.empty((A.shape[0], B.shape[0]))
    leaves.l1_distances(np.ascontiguousarray(A), np.ascontiguousarray(B.T), out)
    return out


@dataclass(frozen=True)
class EvaluatedSamples:
    """Samples for kernels that are called, with their Gram matrices where these are kept.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples.
    grams : tuple of ndarray of shape (n_stored, n_stored)
        Gram matrices of the training samples, evaluated once; empty where they are not kept.
    index : ndarray of shape (n_samples,)
        Where the samples stand in these.
    """

    X: Any
    grams: tuple[np.ndarray, ...]
    index: np.ndarray

    def __len__(self):
        return self.X.shape[0]

    def take(self, index):
        return EvaluatedSamples(self.X[index], self.grams, self.index[index])

    def as_columns(self):
        return replace(self, grams=())


@dataclass(frozen=True)
class EvaluatedGroup(Group):
    """Kernels without a compiled formula.

    Attributes
    ----------
    slots : ndarray of shape (n_members,)
        The members' places among kept Gram matrices.
    """

    slots: np.ndarray

    def keep(self, mask):
        kept = super().keep(mask)
        return EvaluatedGroup(kept.kernels, kept.positions, self.slots[mask[self.positions]])

    def prepare(self, X):
        return EvaluatedSamples(X, (), np.arange(X.shape[0]))

    def evaluate_once(self, samples):
        """The samples with the Gram matrices of all members, one call for each kernel."""
        grams = tuple(evaluated(kernel, samples.X, None) for kernel in self.kernels)
        return replace(samples, grams=grams)

    def diagonal(self, samples):
        if samples.grams:
            own = samples.index
            return np.array([samples.grams[slot][own, own] for slot in self.slots])
        return np.array([kernel.diagonal(samples.X) for kernel in self.kernels])

    def values(self, left, right, rows, columns):
        if left.grams and left.grams is right.grams:
            where = block(left.index[rows], right.index[columns])
            return np.array([left.grams[slot][where] for slot in self.slots])
        # Some kernels (white noise) tell a sample from an equal one; None says "the same samples".
        Z = None if left is right and rows == columns else right.X[columns]
        return np.array([evaluated(kernel, left.X[rows], Z) for kernel in self.kernels])


def block(rows: np.ndarray, columns: np.ndarray):
    """An index of these rows and columns of a matrix: slices, which are quick, if possible."""
    if is_range(rows) and is_range(columns):
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def is_range(index: np.ndarray) -> bool:
    return len(index) > 0 and bool((np.diff(index) == 1).all())


def evaluated(kernel, X, Z):
    """The kernel's matrix, checked for shape and finite values."""
    if isinstance(kernel, GaussianProcess) and sparse.issparse(X):
        raise InputError(
            f"kernel {kernel.name!r} of scikit-learn's gaussian_process takes no sparse matrix; "
            "give X.toarray(), or use lk.gaussians()."
        )
    found = kernel(X, Z)
    values = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
    wanted = (X.shape[0], (X if Z is None else Z).shape[0])
    if values.shape != wanted:
        raise InputError(
            f"kernel {kernel.name!r} returned an array of shape {values.shape} for blocks of "
            f"{wanted[0]} and {wanted[1]} samples; it must return shape {wanted}."
        )
    if not np.isfinite(values).all():
        raise InputError(
            f"kernel {kernel.name!r} returned NaN or infinite values; check that it suits the "
            "data (chi2 kernels, for example, need non-negative features)."
        )
    return values


@dataclass(frozen=True)
class StackSamples:
    """Samples known only by their similarities to the training samples.

    Attributes
    ----------
    stack : ndarray of shape (n_kernels, n_rows, n_samples_train)
        The similarities, a matrix after the other; empty where only columns are wanted.
    index : ndarray of shape (n_samples,)
        Rows of the stack on the left of a Gram, columns of it on the right.
    """

    stack: np.ndarray
    index: np.ndarray

    def __len__(self):
        return len(self.index)

    def take(self, index):
        return StackSamples(self.stack, self.index[index])

    def as_columns(self):
        return replace(self, stack=np.empty((0, 0, 0)))


@dataclass(frozen=True)
class PrecomputedGroup(Group):
    """Kernels given as matrices."""

    def prepare(self, X):
        return StackSamples(np.ascontiguousarray(np.moveaxis(X, 2, 0)), np.arange(X.shape[0]))

    def diagonal(self, samples):
        own = samples.index
        return np.array([samples.stack[kernel.index, own, own] for kernel in self.kernels])

    def values(self, left, right, rows, columns):
        where = block(left.index[rows], right.index[columns])
        return np.array([left.stack[kernel.index][where] for kernel in self.kernels])


def grouped(kernels: Sequence[Kernel], X, raw_linear: bool) -> list[Group]:
    """The kernels sorted into groups, each with its members' positions."""
    coded, given, called = [], [], []
    for position, kernel in enumerate(kernels):
        if isinstance(kernel, CodedKernel):
            coded.append(position)
        elif isinstance(kernel, Precomputed):
            given.append(position)
        else:
            called.append(position)

    def members(positions):
        return tuple(kernels[position] for position in positions), np.array(positions)

    groups: list[Group] = []
    if coded:
        chosen, positions = members(coded)
        groups.append(CodedGroup.of(chosen, positions, X, raw_linear))
    if given:
        groups.append(PrecomputedGroup(*members(given)))
    if called:
        chosen, positions = members(called)
        groups.append(EvaluatedGroup(chosen, positions, np.arange(len(called))))
    return groups
