"""The groups of kernels that are called, or given as matrices: their Grams are stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.gram.groups import Group
from learnkernels.kernels import GaussianProcess

__all__ = ["EvaluatedGroup", "PrecomputedGroup", "StackSamples", "stack_observed"]


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
    stack : dict of int to ndarray of shape (n_rows, n_samples_train)
        The similarities of each kernel; empty where only columns are wanted.
    index : ndarray of shape (n_samples,)
        Rows of the matrices on the left of a Gram, columns of them on the right.
    """

    stack: dict[int, np.ndarray]
    index: np.ndarray

    def __len__(self):
        return len(self.index)

    def take(self, index):
        return StackSamples(self.stack, self.index[index])

    def as_columns(self):
        return replace(self, stack={})


@dataclass(frozen=True)
class PrecomputedGroup(Group):
    """Kernels given as matrices."""

    def prepare(self, X):
        stack = {
            kernel.index: np.ascontiguousarray(X[:, :, kernel.index]) for kernel in self.kernels
        }
        return StackSamples(stack, np.arange(X.shape[0]))

    def diagonal(self, samples):
        own = samples.index
        return np.array([samples.stack[kernel.index][own, own] for kernel in self.kernels])

    def values(self, left, right, rows, columns):
        where = block(left.index[rows], right.index[columns])
        return np.array([left.stack[kernel.index][where] for kernel in self.kernels])


def stack_observed(X: np.ndarray, kernel, columns: np.ndarray | None = None) -> np.ndarray:
    """Which samples one matrix of a stack has seen: a missing one has a row of NaN.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_samples_train, n_kernels)
    kernel : Precomputed
    columns : ndarray or None
        The training samples that it has seen; None in training, where these are the rows.
    """
    K = X[:, :, kernel.index]
    seen = ~np.isnan(K).all(axis=1)
    rest = K[np.ix_(seen, np.flatnonzero(seen) if columns is None else columns)]
    if not np.isfinite(rest).all():
        raise InputError(
            f"kernel {kernel.name!r} holds NaN or infinite values between samples that are not "
            "missing; a missing sample has NaN in its whole row and column, all else is finite."
        )
    return seen
