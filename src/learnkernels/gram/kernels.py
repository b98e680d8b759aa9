"""All base kernels on the training samples: a tuple of parts behind one protocol.

    X --resolve--> kernels --BaseKernels.of--> parts --sums--> KernelSums --centered--> statistics

A part holds some of the kernels in one representation: evaluated by tiles (`tiles.TileKernels`),
products of kernels of two objects (`pairs.PairKernels`) or held as factors
(`factors.FactorKernels`). Every part has the same four stages:

    TileKernels    CenteredTiles    CombinedTiles    TileFunction
    PairKernels    CenteredPairs    CombinedPairs    PairFunction
    FactorKernels  CenteredFactors  CombinedFactors  FactorFunction
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels._warnings import warn
from learnkernels.errors import InputError, MemoryWarning
from learnkernels.execution import Backend, available_memory, format_bytes
from learnkernels.gram.centered import (
    CenteredKernels,
    InnerProducts,
    Statistics,
    StoredProducts,
)
from learnkernels.gram.checks import check_kernel, check_symmetric
from learnkernels.gram.factors.kernels import FactorKernels
from learnkernels.gram.factors.samples import FactorGroup
from learnkernels.gram.inner_products import Blocks, JointProducts
from learnkernels.gram.pairs.cells import Cells
from learnkernels.gram.pairs.kernels import PairKernels
from learnkernels.gram.pairs.objects import ObjectKernels
from learnkernels.gram.tiles.bits import TanimotoGroup
from learnkernels.gram.tiles.compiled import CompiledGroup, evaluate, has_far_samples
from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.kernels import TileKernels, inverse_roots
from learnkernels.gram.tiles.missing import MissingGroup
from learnkernels.gram.tiles.passes import PairSums
from learnkernels.gram.tiles.sequences import WeightedDegreeGroup
from learnkernels.gram.tiles.stored import EvaluatedGroup, PrecomputedGroup, StackSamples
from learnkernels.kernels import (
    Code,
    CodedKernel,
    FactorKernel,
    Kernel,
    PairKernel,
    Precomputed,
    Tanimoto,
    WeightedDegree,
    kernel_names,
    kernels_by_source,
)
from learnkernels.kernels.quantiles import column_medians
from learnkernels.kernels.sources import ALL_COLUMNS

# Samples on which a kernel without a known formula is checked to be positive semi-definite.
CHECKED_SAMPLES = 256


@dataclass(frozen=True)
class Settings:
    """How kernels are prepared: see `BaseKernels.of`."""

    raw: bool
    cosine: bool
    missing: str
    weights: np.ndarray | None
    max_memory: float


@dataclass(frozen=True)
class BaseKernels:
    """All base kernels on some samples.

    Attributes
    ----------
    names, views : list of str
        Name of each kernel and the view it belongs to, in the user's order.
    parts : tuple of TileKernels, PairKernels or FactorKernels
    """

    names: list[str]
    views: list[str]
    parts: tuple[Any, ...]

    @classmethod
    def of(
        cls, kernels: Sequence[Kernel], X: Any, *, raw: bool = False, cosine: bool = False,
        missing: str = "error", weights: np.ndarray | None = None, max_memory: float = np.inf,
    ) -> BaseKernels:  # fmt: skip
        """Return the kernels on the training samples X, checked.

        Parameters
        ----------
        kernels : sequence of Kernel
        X : ndarray, CSR matrix, strings, table or precomputed stack
        raw : bool, default=False
            Whether Gram matrices will be used without centering.
        cosine : bool, default=False
            Whether every kernel is scaled to unit diagonal.
        missing : {"error", "neutral"}, default="error"
            Whether samples may be missing in a view.
        weights : ndarray of shape (n_samples,) or None
            Sample weights, for the mean that missing samples get.
        max_memory : float, default=inf
            Bytes for the Gram matrices of kernels without a compiled formula.
        """
        if cosine and missing == "neutral":
            raise InputError(
                'missing="neutral" and normalize="cosine" cannot be combined: a missing sample at '
                'the mean of a view has no unit diagonal; use normalize="trace".'
            )
        names = kernel_names(kernels)
        settings = Settings(raw, cosine, missing, weights, max_memory)
        formulas, sources = kernels_by_source(kernels)
        held = {k for k, one in enumerate(formulas) if isinstance(one, FactorKernel)}
        paired = {k for k, one in enumerate(formulas) if isinstance(one, PairKernel)}
        other = held | paired
        parts: list[Any] = []
        if len(other) < len(kernels):
            parts.append(tile_kernels(kernels, formulas, sources, other, names, X, settings))
        if paired:
            parts.append(pair_kernels(formulas, sources, paired, names, X, settings))
        if held:
            parts.append(factor_kernels(formulas, sources, held, X, settings))
        views = [getattr(kernel, "view", "") or ALL_COLUMNS for kernel in kernels]
        return cls(names, views, tuple(parts))

    def observed(self) -> np.ndarray:
        """Return which samples at least one view has values for, shape (n_samples,)."""
        masks = [part.observed() for part in self.parts]
        if any(mask is None for mask in masks):
            return np.array(True)
        return np.asarray(np.concatenate(masks).any(axis=0))

    def take(self, index: np.ndarray) -> BaseKernels:
        """Return the same kernels on some of the samples."""
        return replace(self, parts=tuple(part.take(index) for part in self.parts))


def tile_kernels(
    kernels: Sequence[Kernel], formulas: Sequence[Any], sources: dict[Any, list[int]],
    other: set[int], names: Sequence[str], X: Any, settings: Settings,
) -> TileKernels:  # fmt: skip
    """Return the kernels that are evaluated by tiles, in groups that share a representation.

    Those at the positions `other` are not.
    """
    found: list[tuple[Group, Any, Any, list[int]]] = []  # group, samples, source, positions
    for source, positions in sources.items():
        mine = [k for k in positions if k not in other]
        if not mine:
            continue
        data, observed = (X, None) if source is None else source.read(X, settings.missing)
        for group, members in groups_of(formulas, mine, data, settings):
            samples = group.prepare(data)
            if isinstance(group, EvaluatedGroup):
                group, samples = stored_if_small(group, samples, settings.max_memory)
            if settings.missing == "neutral":
                group, samples = MissingGroup.of(group, data, samples, observed, settings.weights)
            found.append((group, samples, source, members))
    # A compiled group comes first: its kernels are evaluated inside the compiled functions.
    found.sort(key=lambda one: not isinstance(one[0], CompiledGroup))
    index = np.array([k for *_, members in found for k in members])
    chosen = tuple(kernels[k] for k in index)
    prepared = tuple(samples for _, samples, _, _ in found)
    scale = inverse_roots(chosen, X) if settings.cosine else None
    n = X.shape[0]
    tiles = TileKernels(
        index, chosen, tuple(names[k] for k in index),
        np.array([getattr(formulas[k], "unit", 0.0) for k in index]),
        tuple(group for group, *_ in found), tuple(source for _, _, source, _ in found),
        settings.missing, prepared, prepared, scale, scale, (n, n),
    )  # fmt: skip
    if not all(kernel.semidefinite for kernel in chosen):
        check_tiles(tiles)
    return tiles


def groups_of(
    formulas: Sequence[Any], positions: list[int], X: Any, settings: Settings
) -> list[tuple[Group, list[int]]]:
    """Return the kernels of one source as groups, each with the positions of its members."""
    kinds: dict[Any, list[int]] = {}
    gaussian = [getattr(formulas[k], "code", None) == Code.EXP_SQUARED_DISTANCE for k in positions]
    coded = any(isinstance(formulas[k], CodedKernel) for k in positions)
    medians = column_medians(X) if coded and not hasattr(X, "tocsr") else None
    far = any(gaussian) and medians is not None and has_far_samples(X, medians)
    for k, by_distance in zip(positions, gaussian, strict=True):
        one = formulas[k]
        if isinstance(one, CodedKernel):
            kind: Any = (CompiledGroup, far and by_distance)
        elif isinstance(one, WeightedDegree):
            kind = (WeightedDegreeGroup, one.alphabet, one.length)
        elif isinstance(one, Tanimoto):
            kind = (TanimotoGroup,)
        elif isinstance(one, Precomputed):
            # Samples may be missing in each matrix separately.
            kind = (PrecomputedGroup, k if settings.missing == "neutral" else -1)
        else:
            kind = (EvaluatedGroup,)
        kinds.setdefault(kind, []).append(k)
    found: list[tuple[Group, list[int]]] = []
    for kind, members in kinds.items():
        if kind[0] is CompiledGroup:
            # A Gaussian of twice the gamma is the square of an earlier one: sort by parameters.
            members.sort(key=lambda k: (formulas[k].code, formulas[k].params))
            # Zeros: no shift, no rounding; distances are differences of the data.
            origin = np.zeros(X.shape[1]) if kind[1] else medians
            chosen = tuple(formulas[k] for k in members)
            raw = settings.raw or settings.cosine
            found.append((CompiledGroup.of(chosen, origin, raw, kind[1]), members))
        else:
            found.append((kind[0](tuple(formulas[k] for k in members)), members))
    return found


def stored_if_small(group: EvaluatedGroup, samples: Any, max_memory: float) -> tuple[Group, Any]:
    """Store the Grams of kernels that must be called, if there is enough memory."""
    wanted, free = 8 * len(samples) ** 2 * len(group.kernels), available_memory() / 2
    if wanted <= min(max_memory, free):
        return group.stored(samples)
    bound, advice = f"{format_bytes(free)} (half of the free memory)", "use fewer samples"
    if max_memory < free:
        bound, advice = f"max_memory={format_bytes(max_memory)}", "raise max_memory"
    warn(
        f"the Gram matrices of {len(group.kernels)} kernels without a compiled formula need "
        f"{format_bytes(wanted)}, more than {bound}: they are evaluated again in every pass, which "
        f"is slower; {advice}.",
        MemoryWarning,
    )
    return group, samples


def check_tiles(tiles: TileKernels) -> None:
    """Raise if a kernel without a known formula is clearly not symmetric or not semi-definite."""
    for samples in tiles.left:
        inner = getattr(samples, "inner", samples)
        if isinstance(inner, StackSamples):
            check_symmetric(inner.stack, inner.index)
    unknown = np.array([not kernel.semidefinite for kernel in tiles.kernels])
    if unknown.any():
        n = tiles.shape[0]
        m = min(n, CHECKED_SAMPLES)
        some = np.linspace(0, n - 1, m).round().astype(int)
        part = tiles.keep(unknown).take(some)
        values = evaluate(part.tile(slice(0, m), slice(0, m)), m, m)
        for name, K in zip(part.names, values, strict=True):
            check_kernel(name, K)


def pair_kernels(
    formulas: Sequence[Any], sources: dict[Any, list[int]], paired: set[int],
    names: Sequence[str], X: Any, settings: Settings,
) -> PairKernels:  # fmt: skip
    """Return the kernels of pairs of objects."""
    index = np.array(sorted(paired))
    kernels = [formulas[k] for k in index]
    first = kernels[0]
    (source, *more) = [one for one, positions in sources.items() if paired & set(positions)]
    if more or any(k.shape != first.shape or k.symmetric != first.symmetric for k in kernels):
        raise InputError(
            "kernels contains pairwise kernels of different objects, columns or symmetry; all must "
            "be of the same two tables, and either all or none symmetric: fit two models."
        )
    if settings.missing == "neutral" or (settings.cosine and first.symmetric):
        option = 'missing="neutral"' if settings.missing == "neutral" else 'normalize="cosine"'
        raise InputError(
            f"{option} cannot be used with {'symmetric ' * first.symmetric}pairwise kernels; leave "
            "it out."
        )
    objects = ObjectKernels.of(kernels, settings.cosine)
    data = X if source is None else source.read(X)[0]
    cells = Cells.of(data, first.shape, first.symmetric)
    return PairKernels(index, tuple(names[k] for k in index), objects, source, cells)


def factor_kernels(
    formulas: Sequence[Any], sources: dict[Any, list[int]], held: set[int], X: Any,
    settings: Settings,
) -> FactorKernels:  # fmt: skip
    """Return the kernels that are held as factors."""
    groups: list[FactorGroup] = []
    prepared: list[Any] = []
    index: list[int] = []
    for source, positions in sources.items():
        mine = [k for k in positions if k in held]
        if mine:
            group, samples = FactorGroup.of(
                [formulas[k] for k in mine], len(index), source, X, raw=settings.raw,
                cosine=settings.cosine, missing=settings.missing,
            )  # fmt: skip
            groups.append(group)
            prepared.append(samples)
            index.extend(mine)
    return FactorKernels(np.array(index), tuple(groups), tuple(prepared))


@dataclass(frozen=True)
class KernelSums:
    """The result of the pass over pairs: weights can be learned without any block of samples.

    Attributes
    ----------
    kernels : BaseKernels
        On the training samples, ordered by blocks.
    sums : tuple
        Sums over pairs of each part of tiles; None for other parts.
    Y : ndarray of shape (n_samples, n_targets)
        The target of alignment, centered.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    borders : ndarray of shape (n_blocks + 1,)
        Block b holds the samples borders[b] to borders[b + 1].
    backend : Backend
    trained : ndarray of bool of shape (n_blocks, n_blocks)
        Whether the fold that tests one block trains on another.
    """

    kernels: BaseKernels
    sums: tuple[Any, ...]
    Y: np.ndarray
    weights: np.ndarray
    borders: np.ndarray
    backend: Backend
    trained: np.ndarray

    @classmethod
    def of(
        cls, kernels: BaseKernels, Y: np.ndarray, backend: Backend,
        weights: np.ndarray | None = None, borders: np.ndarray | None = None,
        trained: np.ndarray | None = None,
    ) -> KernelSums:  # fmt: skip
        """Run the pass over all pairs of training samples.

        A fold trains on all other blocks, unless `trained` is given.
        """
        w = np.ones(len(Y)) if weights is None else weights
        borders = np.array([0, len(Y)] if borders is None else borders)
        sums = tuple(
            PairSums.run(part, Y, w, borders, backend) if part.kind == "tiles" else None
            for part in kernels.parts
        )
        trained = ~np.eye(len(borders) - 1, dtype=bool) if trained is None else trained
        return cls(kernels, sums, Y, w, borders, backend, trained)

    def without(self, block: int) -> tuple[np.ndarray, KernelSums]:
        """Return the samples that the fold that tests a block trains on, and their sums."""
        blocks = np.flatnonzero(self.trained[block])
        samples = np.concatenate([np.arange(*self.borders[b : b + 2]) for b in blocks])
        return samples, KernelSums(
            self.kernels.take(samples),
            tuple(None if sums is None else sums.take(blocks, samples) for sums in self.sums),
            self.Y[samples],
            self.weights[samples],
            np.cumsum([0, *np.diff(self.borders)[blocks]]),
            self.backend,
            self.trained[np.ix_(blocks, blocks)],
        )

    def centered(self, normalize: str | None, center: bool = True) -> CenteredKernels:
        """Return the centered, scaled kernels.

        Parameters
        ----------
        normalize : {"trace", "frobenius", "cosine", None}
        center : bool, default=True
            Whether Gram matrices are centered; statistics always are.
        """
        w, Y = self.weights, self.Y - self.weights @ self.Y / self.weights.sum()
        parts = tuple(
            part.centered(sums, Y, w)
            for part, sums in zip(self.kernels.parts, self.sums, strict=True)
        )
        order = np.argsort(np.concatenate([part.index for part in parts]))
        if len(parts) == 1 and parts[0].knows_products:
            inner: InnerProducts = StoredProducts(parts[0].M[np.ix_(order, order)])
        else:
            squares = np.concatenate([part.numbers.squares for part in parts])[order]
            everything, ones = np.arange(len(order)), np.ones(len(order))
            inner = JointProducts(Blocks(parts, self.backend), everything, ones, squares)
        target_norm = float(np.linalg.norm((Y * w[:, None]).T @ Y))
        statistics = Statistics.of(parts, inner, target_norm, self.kernels.names, normalize, center)
        return CenteredKernels(parts, statistics, w, center, self.backend, 1 / statistics.scales)
