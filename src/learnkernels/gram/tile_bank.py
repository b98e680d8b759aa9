"""Kernels known by their values on tiles of rows and columns.

A `TileBank` never holds a Gram matrix of a compiled kernel. It makes tiles on demand.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.derived import derived
from learnkernels.errors import InputError, MemoryWarning
from learnkernels.gram.checks import check_semidefinite, check_symmetric
from learnkernels.gram.coded import NO_CODES, CodedGroup, tile_values
from learnkernels.gram.grouping import by_source, formula, grouped
from learnkernels.gram.groups import Group
from learnkernels.gram.memory import available_memory, sized
from learnkernels.gram.neutral import NeutralGroup
from learnkernels.gram.stored import (
    EvaluatedGroup,
    PrecomputedGroup,
    StackSamples,
    stack_observed,
)
from learnkernels.kernels import Kernel, Source, kernel_names

__all__ = ["TileBank"]

# Samples on which the Gram of a kernel that promises nothing is checked to be semi-definite.
CHECKED_SAMPLES = 256


@dataclass(frozen=True)
class TileBank:
    """Base kernels on rows (left samples) and columns (right samples), by tiles.

    Attributes
    ----------
    kernels : tuple of Kernel
        In the user's order.
    positions : ndarray of shape (n_kernels,)
        Their places in the user's list.
    groups : tuple of Group
        The same kernels by source and representation; positions there are places in `kernels`.
    sources : tuple of Source
        What each group reads.
    missing : {"error", "neutral"}
        Whether samples may be missing in a source.
    left, right : tuple
        The samples as each group prepared them; the same object on a training Gram.
    left_scale, right_scale : ndarray of shape (n_kernels, n_samples) or None
        Factors on rows and columns, for Grams scaled to unit diagonal.
    """

    kernels: tuple[Kernel, ...]
    positions: np.ndarray
    groups: tuple[Group, ...]
    sources: tuple[Source, ...]
    missing: str
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    left_scale: np.ndarray | None = None
    right_scale: np.ndarray | None = None

    @classmethod
    def of(cls, kernels, positions, X, raw, cosine, missing, weights, room) -> TileBank:
        """The kernels on the training samples X, checked; arguments as in `Bank.of`."""
        groups: list[Group] = []
        sources, samples = [], []
        for source, places in by_source(kernels).items():
            data, observed = source.read(X, missing)
            formulas = [formula(kernels[place]) for place in places]
            for group in grouped(formulas, np.array(places), data, raw or cosine, missing):
                prepared = evaluated_once(group, group.prepare(data), room)
                if missing == "neutral":
                    seen = observed
                    if isinstance(group, PrecomputedGroup):
                        seen = stack_observed(data, group.kernels[0])
                    group, prepared = NeutralGroup.of(group, prepared, seen, weights)
                groups.append(group)
                sources.append(source)
                samples.append(prepared)
        # A compiled group comes first: its kernels are evaluated inside the leaves.
        order = sorted(range(len(groups)), key=lambda at: not isinstance(groups[at], CodedGroup))
        arranged = tuple(samples[at] for at in order)
        scale = None
        if cosine:
            scale = inverse_roots(kernels, X)
        bank = cls(
            tuple(kernels), np.asarray(positions), tuple(groups[at] for at in order),
            tuple(sources[at] for at in order), missing, arranged, arranged, scale, scale,
        )  # fmt: skip
        bank.check()
        return bank

    def require_sound(self) -> None:
        """Raise ValueError unless all parts, perhaps of a forged file, fit together."""
        for group, samples in zip(self.groups, self.right, strict=True):
            group.require_samples(samples)
        places = np.concatenate([group.positions for group in self.groups])
        members = sum(len(group.kernels) for group in self.groups)
        whole = np.array_equal(np.sort(places), np.arange(self.n_kernels))
        if not whole or members != self.n_kernels or len(set(map(len, self.right))) != 1:
            raise ValueError("the groups of kernels do not fit together")

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
        """Whether all kernels are evaluated inside the leaves."""
        return len(self.groups) == 1 and isinstance(self.groups[0], CodedGroup)

    @derived
    def order(self) -> np.ndarray:
        """Place in a tile of each kernel in the user's order, shape (n_kernels,)."""
        return np.argsort(np.concatenate([group.positions for group in self.groups]))

    @property
    def units(self) -> np.ndarray:
        """What a kernel exceeds its value on a tile by, shape (n_kernels,)."""
        return np.array([getattr(formula(kernel), "unit", 0.0) for kernel in self.kernels])

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

    @property
    def observed(self) -> np.ndarray | None:
        """Which samples each kernel's view has seen, None if all, (n_kernels, n_samples)."""
        if not any(isinstance(group, NeutralGroup) for group in self.groups):
            return None
        seen = np.ones((self.n_kernels, self.n_rows), dtype=bool)
        for group, samples in zip(self.groups, self.left, strict=True):
            if isinstance(group, NeutralGroup):
                seen[group.positions] = samples.place >= 0
        return None if seen.all() else seen

    def take(self, index) -> TileBank:
        """The same kernels on some of the training samples."""
        samples = tuple(samples.take(index) for samples in self.left)
        scale = None if self.left_scale is None else self.left_scale[:, index]
        return replace(self, left=samples, right=samples, left_scale=scale, right_scale=scale)

    def facing(self, other: TileBank) -> TileBank:
        """Rows of this bank against columns of another one of the same kernels."""
        return replace(self, right=other.right, right_scale=other.right_scale)

    def against(self, X) -> TileBank:
        """New samples as rows, this bank's training samples as columns."""
        samples = tuple(map(self._prepared, self.groups, self.sources, [X] * len(self.groups)))
        scale = None if self.right_scale is None else inverse_roots(self.kernels, X)
        return replace(self, left=samples, left_scale=scale)

    def _prepared(self, group: Group, source: Source, X) -> Any:
        data, observed = source.read(X, self.missing)
        if not isinstance(group, NeutralGroup):
            return group.prepare(data)
        if isinstance(group.inner, PrecomputedGroup):
            observed = stack_observed(data, group.kernels[0], group.anchors.index)
        return group.prepare_seen(data, observed)

    def columns_only(self) -> TileBank:
        """The same samples, to stand against new ones: Gram matrices among them are let go."""
        samples = tuple(part.as_columns() for part in self.right)
        return replace(self, left=samples, right=samples)

    def keep(self, mask: np.ndarray) -> TileBank:
        """Only the kernels where `mask` is true."""
        renumbered = np.cumsum(mask) - 1
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, mask, strict=True) if kept)
        used = [at for at, group in enumerate(self.groups) if mask[group.positions].any()]
        groups = [self.groups[at].keep(mask) for at in used]
        return TileBank(
            kernels,
            self.positions[mask],
            tuple(replace(group, positions=renumbered[group.positions]) for group in groups),
            tuple(self.sources[at] for at in used),
            self.missing,
            tuple(self.left[at] for at in used),
            tuple(self.right[at] for at in used),
            None if self.left_scale is None else self.left_scale[mask],
            None if self.right_scale is None else self.right_scale[mask],
        )

    def check(self) -> None:
        """Raise if a kernel that promises nothing is clearly not symmetric or not semi-definite."""
        for group, samples in zip(self.groups, self.left, strict=True):
            inner = samples.inner if isinstance(group, NeutralGroup) else samples
            if isinstance(inner, StackSamples):
                check_symmetric(inner.stack, inner.index)
        mask = np.array([not kernel.semidefinite for kernel in self.kernels])
        if not mask.any():
            return
        bank = self.keep(mask)
        n = self.n_rows
        chosen = np.linspace(0, n - 1, min(n, CHECKED_SAMPLES)).round().astype(int)
        for name, K in zip(bank.names, bank.take(chosen).values(), strict=True):
            check_semidefinite(name, K)


def evaluated_once(group: Group, samples: Any, room: float) -> Any:
    """Keep the Grams of kernels that must be called, as long as memory allows."""
    if not isinstance(group, EvaluatedGroup):
        return samples
    wanted = 8 * len(samples) ** 2 * len(group.kernels)
    if wanted <= min(room, available_memory() / 2):
        return group.evaluate_once(samples)
    warnings.warn(
        f"the Gram matrices of {len(group.kernels)} kernels without a compiled formula would take "
        f"{sized(wanted)}; they are evaluated anew in every pass instead, which is slower.",
        MemoryWarning,
        stacklevel=2,
    )
    return samples


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
