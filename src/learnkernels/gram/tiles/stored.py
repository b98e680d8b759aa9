"""Kernels that are called, or given as matrices: their Gram matrices are stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.gram.tiles.group import Group
from learnkernels.kernels import GaussianProcess


@dataclass(frozen=True)
class EvaluatedSamples:
    """Samples for kernels that are called.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    index : ndarray of shape (n_samples,) or None
        Rows of the stored Gram matrices; None for samples that are not in them.
    """

    X: Any
    index: np.ndarray | None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def take(self, index: np.ndarray) -> EvaluatedSamples:
        return EvaluatedSamples(self.X[index], None if self.index is None else self.index[index])

    def as_columns(self) -> EvaluatedSamples:
        return replace(self, index=None)


@dataclass(frozen=True)
class EvaluatedGroup(Group):
    """Kernels without a compiled formula.

    Attributes
    ----------
    grams : tuple of ndarray of shape (n_train, n_train)
        Gram matrix of each member on the training samples; empty if they are not stored.
    """

    grams: tuple[np.ndarray, ...] = ()

    stores_grams = True

    def keep(self, mask: np.ndarray) -> EvaluatedGroup:
        kept = super().keep(mask)
        return replace(kept, grams=tuple(K for K, k in zip(self.grams, mask, strict=False) if k))

    def without_grams(self) -> EvaluatedGroup:
        """Return the group for prediction."""
        return replace(self, grams=())

    def prepare(self, X: Any, observed: np.ndarray | None = None) -> EvaluatedSamples:
        return EvaluatedSamples(X, None)

    def stored(self, samples: EvaluatedSamples) -> tuple[EvaluatedGroup, EvaluatedSamples]:
        """Return the group with the Gram matrices of these samples, one call for each kernel."""
        grams = tuple(called(kernel, samples.X, None) for kernel in self.kernels)
        return replace(self, grams=grams), replace(samples, index=np.arange(len(samples)))

    def diagonal(self, samples: EvaluatedSamples) -> np.ndarray:
        if self.grams and samples.index is not None:
            own = samples.index
            return np.array([K[own, own] for K in self.grams])
        return np.array([kernel.diagonal(samples.X) for kernel in self.kernels])

    def values(
        self, left: EvaluatedSamples, right: EvaluatedSamples, rows: slice, columns: slice
    ) -> np.ndarray:
        if self.grams and left.index is not None and right.index is not None:
            where = block(left.index[rows], right.index[columns])
            return np.array([K[where] for K in self.grams])
        # Z=None means "the same samples": white noise kernels distinguish equal samples.
        Z = None if left is right and rows == columns else right.X[columns]
        return np.array([called(kernel, left.X[rows], Z) for kernel in self.kernels])


def block(rows: np.ndarray, columns: np.ndarray) -> Any:
    """Return an index of rows and columns of a matrix: slices, which are fast, if possible."""
    if is_range(rows) and is_range(columns):
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def is_range(index: np.ndarray) -> bool:
    """Return whether an index is a range of consecutive numbers."""
    return len(index) > 0 and bool((np.diff(index) == 1).all())


def called(kernel: Any, X: Any, Z: Any) -> np.ndarray:
    """Return the matrix of a kernel, checked for its shape and for finite values."""
    if isinstance(kernel, GaussianProcess) and sparse.issparse(X):
        raise InputError(
            f"kernel {kernel.name!r} of scikit-learn's gaussian_process takes no sparse matrix; "
            "pass X.toarray(), or use lk.gaussians()."
        )
    found = kernel(X, Z)
    values = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
    expected = (X.shape[0], (X if Z is None else Z).shape[0])
    if values.shape != expected:
        raise InputError(
            f"kernel {kernel.name!r} returned an array of shape {values.shape} for two blocks "
            f"of samples; it must return shape {expected}. Return one row for each row of the "
            "first block and one column for each row of the second."
        )
    if not np.isfinite(values).all():
        raise InputError(
            f"kernel {kernel.name!r} returned NaN or infinite values; check that it suits the "
            "data (chi2 kernels, for example, need non-negative features)."
        )
    return values


@dataclass(frozen=True)
class StackSamples:
    """Samples given by their similarities to the training samples.

    Attributes
    ----------
    stack : dict of int to ndarray of shape (n_rows, n_samples_train)
        The similarities for each kernel; empty for columns.
    index : ndarray of shape (n_samples,)
        Rows of the matrices on the left of a Gram matrix, columns of them on the right.
    """

    stack: dict[int, np.ndarray]
    index: np.ndarray

    def __len__(self) -> int:
        return len(self.index)

    def take(self, index: np.ndarray) -> StackSamples:
        return StackSamples(self.stack, self.index[index])

    def as_columns(self) -> StackSamples:
        return replace(self, stack={})


@dataclass(frozen=True)
class PrecomputedGroup(Group):
    """Kernels given as matrices."""

    def prepare(self, X: np.ndarray, observed: np.ndarray | None = None) -> StackSamples:
        stack = {
            kernel.index: np.ascontiguousarray(X[:, :, kernel.index]) for kernel in self.kernels
        }
        return StackSamples(stack, np.arange(X.shape[0]))

    def diagonal(self, samples: StackSamples) -> np.ndarray:
        own = samples.index
        return np.array([samples.stack[kernel.index][own, own] for kernel in self.kernels])

    def values(
        self, left: StackSamples, right: StackSamples, rows: slice, columns: slice
    ) -> np.ndarray:
        where = block(left.index[rows], right.index[columns])
        return np.array([left.stack[kernel.index][where] for kernel in self.kernels])


def observed_in_stack(X: np.ndarray, kernel: Any, columns: np.ndarray | None = None) -> np.ndarray:
    """Return which samples one matrix of a stack has values for; the others have rows of NaN.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_samples_train, n_kernels)
    kernel : Precomputed
    columns : ndarray or None
        The training samples with values; None in training, where these are the rows.
    """
    K = X[:, :, kernel.index]
    observed = ~np.isnan(K).all(axis=1)
    rest = K[np.ix_(observed, np.flatnonzero(observed) if columns is None else columns)]
    if not np.isfinite(rest).all():
        raise InputError(
            f"kernel {kernel.name!r} contains NaN or infinite values between samples that are not "
            "missing; all of these must be finite. Replace them, or mark a missing sample by NaN "
            "in its whole row and column."
        )
    return observed
