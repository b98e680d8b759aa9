"""Samples as columns of factors: K_k = B_k B_k', B_k some columns of a matrix.

The columns of one source are in one matrix, dense or sparse, and `owner` gives the kernel of each
column: thousands of rank-one kernels are thousands of columns, and no loop over kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.kernels import FactorKernel, Source
from learnkernels.kernels.quantiles import column_medians


@dataclass(frozen=True)
class FactorSamples:
    """Samples as rows of the columns of one source.

    Attributes
    ----------
    A : ndarray or CSR matrix of shape (n_samples, n_columns)
        Values minus the origin of the group; rows of zeros for missing samples.
    observed : ndarray of shape (n_samples,)
        1 for samples that the source has values for, 0 for missing ones.
    """

    A: Any
    observed: np.ndarray

    def __len__(self) -> int:
        return len(self.observed)

    def take(self, index: np.ndarray) -> FactorSamples:
        return FactorSamples(self.A[index], self.observed[index])


@dataclass(frozen=True)
class FactorGroup:
    """Columns of one source, and the kernels that they belong to.

    Attributes
    ----------
    source : Source or None
        None reads X itself.
    columns : ndarray of shape (n_columns,)
        Which columns of the data of the source.
    owner : ndarray of shape (n_columns,)
        The kernel of each column, as a position in `FactorKernels`.
    origin : ndarray of shape (n_columns,) or None
        Subtracted from dense columns. Centering removes it, and digits are kept.
    cosine : bool
        Whether every kernel is scaled to unit diagonal.
    missing : {"error", "neutral"}
        Whether samples may be missing in the source.
    dense : bool
        Whether the training samples were dense; new ones are converted.
    """

    source: Source | None
    columns: np.ndarray
    owner: np.ndarray
    origin: np.ndarray | None
    cosine: bool
    missing: str
    dense: bool

    @classmethod
    def of(
        cls, blocks: Sequence[FactorKernel], first: int, source: Source | None, X: Any, *,
        raw: bool, cosine: bool, missing: str,
    ) -> tuple[FactorGroup, FactorSamples]:  # fmt: skip
        """Return the group of some kernels of one source, and its training samples.

        Parameters
        ----------
        blocks : sequence of FactorKernel
        first : int
            Position of the first of them in `FactorKernels`.
        source, X, raw, cosine, missing
            As in `BaseKernels.of`.
        """
        starts = np.fromiter((block.start for block in blocks), int, len(blocks))
        widths = np.fromiter((block.width for block in blocks), int, len(blocks))
        block = np.repeat(np.arange(len(blocks)), widths)
        ends = np.cumsum(widths)
        columns = np.arange(ends[-1]) + (starts - ends + widths)[block]
        data, observed = (X, None) if source is None else source.read(X, missing)
        dense = not sparse.issparse(data)
        group = cls(source, columns, first + block, None, cosine, missing, dense)
        if dense and not (raw or cosine):
            group = replace(group, origin=column_medians(data)[columns])
        return group, group.arranged(data, observed)

    def prepare(self, X: Any) -> FactorSamples:
        """Return new samples."""
        if self.source is None:
            return self.arranged(X, None)
        return self.arranged(*self.source.read(X, self.missing))

    def arranged(self, data: Any, observed: np.ndarray | None) -> FactorSamples:
        """Return the columns of the group from the data of its source."""
        everything = len(self.columns) == data.shape[1] and is_range(self.columns)
        A = data if everything else data[:, self.columns]
        if not self.dense:
            A = sparse.csr_array(A)
            if not A.has_canonical_format:
                A = A.copy()  # do not change the user's matrix
                A.sum_duplicates()
        elif sparse.issparse(A):
            A = A.toarray()
        if self.origin is not None:
            A = A - self.origin
            # Rounding of a constant column is not a difference between samples.
            A[:, np.abs(A).max(axis=0, initial=0.0) <= 1e-14 * np.abs(self.origin)] = 0.0
        if not np.isfinite(A.data if sparse.issparse(A) else A).all():
            view = "X" if self.source is None else self.source.view
            raise InputError(
                f"view {view!r} contains NaN or infinite values; all must be finite: impute or "
                "remove them."
            )
        if self.cosine:
            A = unit_rows(A, self.owner - self.owner.min(initial=0))
        if observed is None:
            return FactorSamples(A, np.ones(A.shape[0]))
        return FactorSamples(with_missing_rows(A, observed), observed.astype(float))

    def keep(self, mask: np.ndarray, samples: FactorSamples) -> tuple[FactorGroup, FactorSamples]:
        """Return the columns of some kernels, for the group and for its samples."""
        kept = mask[self.owner]
        origin = None if self.origin is None else self.origin[kept]
        owner = (np.cumsum(mask) - 1)[self.owner[kept]]
        group = replace(self, columns=self.columns[kept], owner=owner, origin=origin)
        return group, replace(samples, A=samples.A[:, np.flatnonzero(kept)])


def with_missing_rows(A: Any, observed: np.ndarray) -> Any:
    """Return rows of observed samples among rows of zeros."""
    rows = np.flatnonzero(observed)
    if sparse.issparse(A):
        counts = np.zeros(len(observed) + 1, dtype=A.indptr.dtype)
        counts[1 + rows] = np.diff(A.indptr)
        return sparse.csr_array(
            (A.data, A.indices, np.cumsum(counts)), shape=(len(observed), A.shape[1])
        )
    out = np.zeros((len(observed), A.shape[1]))
    out[rows] = A
    return out


def unit_rows(A: Any, owner: np.ndarray) -> Any:
    """Divide every row by its norm in each kernel's columns; rows of zeros stay zero."""
    q = len(owner)
    indicator = sparse.csr_array(
        (np.ones(q), (np.arange(q), owner)), shape=(q, owner.max(initial=0) + 1)
    )
    if sparse.issparse(A):
        norms = sparse.csr_array(A.power(2) @ indicator).sqrt().toarray()  # (n, n_kernels)
        rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        size = norms[rows, owner[A.indices]]
        values = np.divide(A.data, size, out=np.zeros_like(A.data), where=size > 0)
        return sparse.csr_array((values, A.indices, A.indptr), shape=A.shape)
    norms = np.sqrt(A**2 @ indicator)[:, owner]
    return np.divide(A, norms, out=np.zeros_like(A), where=norms > 0)


def is_range(index: np.ndarray) -> bool:
    """Return whether an index is 0, 1, 2, ..."""
    return bool((index == np.arange(len(index))).all())
