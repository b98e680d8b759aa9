"""All base kernels on the training samples: the one object that every pass reads.

    X --resolve--> kernels --Bank.of--> Bank --pair_sums--> statistics, oracle
                                             --oracle-----> learned Gram, predictions

Kernels held by factors (`factors`) stand in a `FactorBank`, all others in a `TileBank`
(`tile_bank`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.factors import FactorBank, FactorGroup, FactorSamples
from learnkernels.gram.grouping import by_source, formula
from learnkernels.gram.tile_bank import TileBank
from learnkernels.kernels import Block, Kernel, kernel_names, kernel_views

__all__ = ["Bank"]


@dataclass(frozen=True)
class Bank:
    """All base kernels on some samples.

    Attributes
    ----------
    names : list of str
        Of the kernels, in the user's order.
    views : list of str
        The view that each belongs to.
    tiled : TileBank or None
        Kernels known by their values on tiles.
    factored : FactorBank or None
        Kernels held by their factors.
    """

    names: list[str]
    views: list[str]
    tiled: TileBank | None
    factored: FactorBank | None

    @classmethod
    def of(
        cls,
        kernels: Sequence[Kernel],
        X,
        *,
        raw: bool = False,
        cosine: bool = False,
        missing: str = "error",
        weights: np.ndarray | None = None,
        room: float = np.inf,
    ) -> Bank:
        """The kernels on the training samples X, checked.

        Parameters
        ----------
        kernels : sequence of Kernel
            The base kernels.
        X : ndarray, CSR matrix, strings, table or precomputed stack
            Training data.
        raw : bool, default=False
            Whether Grams will be used without centering.
        cosine : bool, default=False
            Whether every kernel is scaled to unit diagonal.
        missing : {"error", "neutral"}, default="error"
            What happens to samples that a view has not seen.
        weights : ndarray of shape (n_samples,) or None
            Weights of the samples, for the mean at which missing ones are put.
        room : float, default=inf
            Bytes that Gram matrices of kernels that must be called may take, if memory has them.
        """
        if cosine and missing == "neutral":
            raise InputError(
                'missing="neutral" and normalize="cosine" cannot be combined: a sample at the mean '
                'of a view has no unit diagonal; use normalize="trace".'
            )
        held = np.array([isinstance(formula(kernel), Block) for kernel in kernels])
        tiled = factored = None
        if not held.all():
            others = np.flatnonzero(~held)
            chosen = [kernels[at] for at in others.tolist()]
            tiled = TileBank.of(chosen, others, X, raw, cosine, missing, weights, room)
        if held.any():
            factored = factor_bank(kernels, np.flatnonzero(held), X, raw, cosine, missing)
        return cls(kernel_names(kernels), kernel_views(kernels), tiled, factored)

    @property
    def parts(self) -> tuple[TileBank | FactorBank, ...]:
        return tuple(part for part in (self.tiled, self.factored) if part is not None)

    @property
    def n_rows(self) -> int:
        return self.parts[0].n_rows

    @property
    def n_kernels(self) -> int:
        return len(self.names)

    def seen(self) -> np.ndarray:
        """Which samples at least one view has seen, shape (n_samples,)."""
        found = np.zeros(self.n_rows, dtype=bool)
        if self.tiled is not None:
            observed = self.tiled.observed
            found |= True if observed is None else observed.any(axis=0)
        if self.factored is not None:
            for samples in self.factored.samples:
                found |= samples.seen() > 0
        return found

    def take(self, index) -> Bank:
        """The same kernels on some of the samples."""
        return replace(
            self,
            tiled=None if self.tiled is None else self.tiled.take(index),
            factored=None if self.factored is None else self.factored.take(index),
        )


def factor_bank(kernels, positions, X, raw, cosine, missing) -> FactorBank:
    """The kernels at these positions, held by factors."""
    pairs: list[tuple[FactorGroup, FactorSamples]] = []
    order: list[int] = []
    chosen = [kernels[at] for at in positions]
    for source, places in by_source(chosen).items():
        blocks = cast(list[Block], [formula(chosen[place]) for place in places])
        pairs.append(
            FactorGroup.of(blocks, len(order), source, X, raw=raw, cosine=cosine, missing=missing)
        )
        order.extend(places)
    groups, samples = zip(*pairs, strict=True)
    return FactorBank(positions[order], groups, samples)
