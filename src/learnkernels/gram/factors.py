"""Kernels of low rank, held by their factors: K_k = B_k B_k', some columns of a matrix each.

The columns of one source stand in one matrix, dense or sparse, and `owner` says which kernel each
belongs to; thousands of rank-one kernels are thousands of columns, and no loop over kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.kernels import Block, Source

__all__ = ["FactorBank", "FactorGroup", "FactorSamples"]


@dataclass(frozen=True)
class FactorSamples:
    """Samples by their columns.

    Attributes
    ----------
    A : ndarray or CSR matrix of shape (n_samples, n_columns)
        Values minus the group's origin; rows of zeros for samples that the source has not seen.
    observed : ndarray of shape (n_samples,) or None
        1 for samples that it has seen, 0 for others; None if it has seen all.
    """

    A: Any
    observed: np.ndarray | None

    def __len__(self):
        return self.A.shape[0]

    def take(self, index) -> FactorSamples:
        return FactorSamples(self.A[index], None if self.observed is None else self.observed[index])

    def seen(self) -> np.ndarray:
        """1 or 0 for each sample."""
        return np.ones(len(self)) if self.observed is None else self.observed


@dataclass(frozen=True)
class FactorGroup:
    """Columns of one source, and the kernels that they belong to.

    Attributes
    ----------
    source : Source
    columns : ndarray of shape (n_columns,)
        Which columns of what the source gives.
    owner : ndarray of shape (n_columns,)
        The kernel of each, as a place in the bank.
    origin : ndarray of shape (n_columns,) or None
        Subtracted from dense columns: centering is blind to it, and digits survive.
    cosine : bool
        Whether every kernel is scaled to unit diagonal.
    missing : {"error", "neutral"}
        Whether samples may be missing in the source.
    dense : bool
        Whether the training samples were; new ones are made alike.
    """

    source: Source
    columns: np.ndarray
    owner: np.ndarray
    origin: np.ndarray | None
    cosine: bool
    missing: str
    dense: bool

    @classmethod
    def of(cls, blocks: Sequence[Block], first: int, source: Source, X, *, raw, cosine, missing):
        """The group of some kernels of one source, and its training samples."""
        starts = np.fromiter((block.start for block in blocks), int, len(blocks))
        widths = np.fromiter((block.width for block in blocks), int, len(blocks))
        place = np.repeat(np.arange(len(blocks)), widths)
        ends = np.cumsum(widths)
        columns = np.arange(ends[-1]) + (starts - ends + widths)[place]
        owner = first + place
        data, observed = source.read(X, missing)
        dense = not sparse.issparse(data)
        group = cls(source, columns, owner, None, cosine, missing, dense)
        if dense and not (raw or cosine):
            group = replace(group, origin=np.median(data, axis=0)[columns])
        return group, group.arranged(data, observed)

    def prepare(self, X) -> FactorSamples:
        """New samples."""
        return self.arranged(*self.source.read(X, self.missing))

    def arranged(self, data, observed) -> FactorSamples:
        everything = len(self.columns) == data.shape[1] and is_range(self.columns)
        A = data if everything else data[:, self.columns]
        if not self.dense:
            A = sparse.csr_array(A)
            if not A.has_canonical_format:
                A = A.copy()  # the user's own matrix stays as it is
                A.sum_duplicates()
        elif sparse.issparse(A):
            A = A.toarray()
        if self.origin is not None:
            A = A - self.origin
            # A constant column leaves rounding behind, not zeros.
            A[:, np.abs(A).max(axis=0, initial=0.0) <= 1e-14 * np.abs(self.origin)] = 0.0
        if not np.isfinite(A.data if sparse.issparse(A) else A).all():
            raise InputError(f"view {self.source.view!r} holds values that are not finite.")
        if self.cosine:
            A = unit_rows(A, self.owner - self.owner.min(initial=0))
        if observed is None:
            return FactorSamples(A, None)
        return FactorSamples(spread(A, observed), observed.astype(float))

    def keep(self, mask: np.ndarray, samples: FactorSamples) -> tuple[FactorGroup, FactorSamples]:
        """The columns of some of the bank's kernels."""
        kept = mask[self.owner]
        origin = None if self.origin is None else self.origin[kept]
        owner = (np.cumsum(mask) - 1)[self.owner[kept]]
        group = replace(self, columns=self.columns[kept], owner=owner, origin=origin)
        return group, replace(samples, A=samples.A[:, np.flatnonzero(kept)])


@dataclass(frozen=True)
class FactorBank:
    """All kernels held by factors, on some samples.

    Attributes
    ----------
    positions : ndarray of shape (n_kernels,)
        Their places in the user's list.
    groups : tuple of FactorGroup
    samples : tuple of FactorSamples
    """

    positions: np.ndarray
    groups: tuple[FactorGroup, ...]
    samples: tuple[FactorSamples, ...]

    @property
    def n_kernels(self) -> int:
        return len(self.positions)

    @property
    def n_rows(self) -> int:
        return len(self.samples[0])

    def take(self, index) -> FactorBank:
        """The same kernels on some of the samples."""
        return replace(self, samples=tuple(samples.take(index) for samples in self.samples))

    def keep(self, mask: np.ndarray) -> FactorBank:
        """Only the kernels where `mask` is true; positions stay those of the user's list."""
        if mask.all():
            return self
        pairs = [
            group.keep(mask, samples)
            for group, samples in zip(self.groups, self.samples, strict=True)
            if mask[group.owner].any()
        ]
        groups, samples = (tuple(part) for part in zip(*pairs, strict=True)) if pairs else ((), ())
        return FactorBank(self.positions[mask], groups, samples)


def spread(A, observed: np.ndarray):
    """Rows of observed samples among rows of zeros."""
    place = np.flatnonzero(observed)
    if sparse.issparse(A):
        counts = np.zeros(len(observed) + 1, dtype=A.indptr.dtype)
        counts[1 + place] = np.diff(A.indptr)
        return sparse.csr_array(
            (A.data, A.indices, np.cumsum(counts)), shape=(len(observed), A.shape[1])
        )
    out = np.zeros((len(observed), A.shape[1]))
    out[place] = A
    return out


def unit_rows(A, owner: np.ndarray):
    """Every row divided by its norm in each kernel's columns; rows of zeros stay so."""
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
    return bool((index == np.arange(len(index))).all())
