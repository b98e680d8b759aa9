"""All base kernels on a pair of sample sets: the one object that the passes over tiles read.

    X --resolve--> kernels --Bank.of--> Bank --pair_sums------> statistics
                                             --LearnedKernel--> learned Gram, predictions

A `Bank` never holds a Gram matrix of a compiled kernel. It makes tiles on demand.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.coded import NO_CODES, CodedGroup, tile_values
from learnkernels.gram.groups import Group
from learnkernels.gram.stored import EvaluatedGroup, PrecomputedGroup
from learnkernels.kernels import CodedKernel, Kernel, Precomputed, kernel_names

__all__ = ["Bank"]

# Samples on which the Gram of a kernel that promises nothing is checked to be semi-definite.
CHECKED_SAMPLES = 256


@dataclass(frozen=True)
class Bank:
    """The base kernels on rows (left samples) and columns (right samples).

    Attributes
    ----------
    kernels : tuple of Kernel
        In the user's order.
    groups : tuple of Group
        The same kernels by representation.
    left, right : tuple
        The samples as each group prepared them; the same object on a training Gram.
    left_scale, right_scale : ndarray of shape (n_kernels, n_samples) or None
        Factors on rows and columns, for Grams scaled to unit diagonal.
    """

    kernels: tuple[Kernel, ...]
    groups: tuple[Group, ...]
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    left_scale: np.ndarray | None = None
    right_scale: np.ndarray | None = None

    @classmethod
    def of(cls, kernels: Sequence[Kernel], X, *, raw: bool = False, cosine: bool = False) -> Bank:
        """The kernels on the training samples X, checked.

        Parameters
        ----------
        kernels : sequence of Kernel
            The base kernels.
        X : ndarray, CSR matrix or precomputed stack
            Training data.
        raw : bool, default=False
            Whether Grams will be used without centering.
        cosine : bool, default=False
            Whether every kernel is scaled to unit diagonal.
        """
        groups = tuple(grouped(kernels, X, raw_linear=raw or cosine))
        samples = tuple(evaluated_once(group, group.prepare(X)) for group in groups)
        scale = inverse_roots(kernels, X) if cosine else None
        bank = cls(tuple(kernels), groups, samples, samples, scale, scale)
        bank.check()
        return bank

    @property
    def n_rows(self) -> int:
        return len(self.left[0])

    @property
    def n_columns(self) -> int:
        return len(self.right[0])

    @property
    def n_kernels(self) -> int:
        return len(self.kernels)

    @property
    def names(self) -> list[str]:
        return kernel_names(self.kernels)

    @property
    def compiled(self) -> bool:
        """Whether every kernel has a compiled formula."""
        return all(isinstance(group, CodedGroup) for group in self.groups)

    @cached_property
    def order(self) -> np.ndarray:
        """Place in a tile of each kernel in the user's order, shape (n_kernels,)."""
        return np.argsort(np.concatenate([group.positions for group in self.groups]))

    @property
    def units(self) -> np.ndarray:
        """What a kernel exceeds its value on a tile by, shape (n_kernels,)."""
        return np.array([getattr(kernel, "unit", 0.0) for kernel in self.kernels])

    def tile(self, rows: slice, columns: slice) -> tuple[np.ndarray, ...]:
        """The first arguments of every leaf: compiled kernels, then the values of all others.

        The first group is compiled inside the leaf if it can be; kernels scaled to unit diagonal
        are given by their values.
        """
        groups = list(zip(self.groups, self.left, self.right, strict=True))
        codes = NO_CODES
        coded, left, right = groups[0]
        if isinstance(coded, CodedGroup) and self.left_scale is None:
            codes = coded.tile(left, right, rows, columns)
            groups.pop(0)
        height, width = rows.stop - rows.start, columns.stop - columns.start
        extra = [group.values(left, right, rows, columns) for group, left, right in groups]
        values = np.concatenate(extra) if extra else np.empty((0, height, width))
        if self.left_scale is not None and self.right_scale is not None:
            place = np.argsort(self.order)
            values *= self.left_scale[place, rows, None] * self.right_scale[place, None, columns]
        return (*codes, values)

    def values(self) -> np.ndarray:
        """All values at once, kernels in the user's order, shape (n_kernels, n_rows, n_columns)."""
        tile = self.tile(slice(0, self.n_rows), slice(0, self.n_columns))
        shape = self.n_kernels, self.n_rows, self.n_columns
        return tile_values(tile, shape)[self.order]

    def diagonal(self) -> np.ndarray:
        """Value of each kernel of a training sample with itself, shape (n_kernels, n_samples)."""
        members = zip(self.groups, self.left, strict=True)
        values = np.concatenate([group.diagonal(samples) for group, samples in members])
        values = values[self.order]
        return values if self.left_scale is None else values * self.left_scale**2

    def take(self, index) -> Bank:
        """The same kernels on some of the training samples."""
        samples = tuple(samples.take(index) for samples in self.left)
        scale = None if self.left_scale is None else self.left_scale[:, index]
        return replace(self, left=samples, right=samples, left_scale=scale, right_scale=scale)

    def facing(self, other: Bank) -> Bank:
        """Rows of this bank against columns of another one of the same kernels."""
        return replace(self, right=other.right, right_scale=other.right_scale)

    def against(self, X) -> Bank:
        """New samples as rows, this bank's training samples as columns."""
        samples = tuple(group.prepare(X) for group in self.groups)
        scale = None if self.right_scale is None else inverse_roots(self.kernels, X)
        return replace(self, left=samples, left_scale=scale)

    def columns_only(self) -> Bank:
        """The same samples, to stand against new ones: Gram matrices among them are let go."""
        samples = tuple(part.as_columns() for part in self.right)
        return replace(self, left=samples, right=samples)

    def keep(self, mask: np.ndarray) -> Bank:
        """Only the kernels where `mask` is true."""
        renumbered = np.cumsum(mask) - 1
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, mask, strict=True) if kept)
        used = [at for at, group in enumerate(self.groups) if mask[group.positions].any()]
        groups = [self.groups[at].keep(mask) for at in used]
        return Bank(
            kernels,
            tuple(replace(group, positions=renumbered[group.positions]) for group in groups),
            tuple(self.left[at] for at in used),
            tuple(self.right[at] for at in used),
            None if self.left_scale is None else self.left_scale[mask],
            None if self.right_scale is None else self.right_scale[mask],
        )

    def check(self) -> None:
        """Raise if a kernel that promises nothing is clearly not symmetric or not semi-definite."""
        for group, samples in zip(self.groups, self.left, strict=True):
            if isinstance(group, PrecomputedGroup):
                check_symmetric(samples.stack)
        mask = np.array([not kernel.semidefinite for kernel in self.kernels])
        if not mask.any():
            return
        bank = self.keep(mask)
        n = self.n_rows
        chosen = np.linspace(0, n - 1, min(n, CHECKED_SAMPLES)).round().astype(int)
        for name, K in zip(bank.names, bank.take(chosen).values(), strict=True):
            check_semidefinite(name, K)


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


def check_symmetric(stack: np.ndarray) -> None:
    """Raise unless every matrix of a precomputed stack is symmetric up to rounding."""
    for k, K in enumerate(stack):
        starts = range(0, len(K), 256)
        asymmetry = max(np.abs(K[i : i + 256] - K[:, i : i + 256].T).max() for i in starts)
        largest = max(np.abs(K[i : i + 256]).max() for i in starts)
        if asymmetry > 1e-8 * largest:
            raise InputError(
                f"kernel 'precomputed[{k}]' is not symmetric: K[i, j] and K[j, i] differ by up to "
                f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2 or mend it."
            )


def check_semidefinite(name: str, K: np.ndarray) -> None:
    """Raise unless K is symmetric and positive semi-definite up to rounding."""
    largest = np.abs(K).max()
    if not np.isfinite(largest):
        raise InputError(f"kernel {name!r} holds NaN or infinite values; all must be finite.")
    asymmetry = np.abs(K - K.T).max()
    if asymmetry > 1e-8 * largest:
        raise InputError(
            f"kernel {name!r} is not symmetric: K[i, j] and K[j, i] differ by up to "
            f"{asymmetry:.3g} (largest entry {largest:.3g}); use (K + K.T) / 2 or mend the kernel."
        )
    eigenvalues = np.linalg.eigvalsh(K)
    if eigenvalues[0] < -1e-6 * max(eigenvalues[-1], -eigenvalues[0]):
        raise InputError(
            f"kernel {name!r} is not positive semi-definite: an eigenvalue is "
            f"{eigenvalues[0]:.3g} where the largest is {eigenvalues[-1]:.3g}; clip its negative "
            "eigenvalues, or choose another similarity."
        )


def evaluated_once(group: Group, samples: Any) -> Any:
    """Keep the Grams of kernels that must be called, as long as memory allows."""
    if not isinstance(group, EvaluatedGroup):
        return samples
    wanted = 8 * len(samples) ** 2 * len(group.kernels)
    if wanted <= available_memory() / 2:
        return group.evaluate_once(samples)
    warnings.warn(
        f"the Gram matrices of {len(group.kernels)} kernels without a compiled formula would take "
        f"{wanted / 1e9:.1f} GB; they are evaluated anew in every pass instead, which is slower.",
        stacklevel=2,
    )
    return samples


def available_memory() -> float:
    """Bytes that this machine has free, or infinity where it does not say."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def inverse_roots(kernels, X) -> np.ndarray:
    """1 / sqrt(k(x, x)), 0 where k(x, x) = 0, shape (n_kernels, n_samples)."""
    diagonals = np.array([kernel.diagonal(X) for kernel in kernels])
    for kernel, diagonal in zip(kernels, diagonals, strict=True):
        if (diagonal < 0).any():
            raise InputError(
                f"kernel {kernel.name!r} has a negative diagonal entry {diagonal.min():.3g}, so it "
                "is not positive semi-definite and cannot be scaled to unit diagonal."
            )
    with np.errstate(divide="ignore"):
        return np.where(diagonals > 0, 1 / np.sqrt(diagonals), 0.0)
