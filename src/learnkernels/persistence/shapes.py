"""Shapes of the arrays in a loaded model.

Compiled code does not check bounds. The shapes that it relies on hold in every model that `fit`
makes, but the author of a forged file chooses them freely, so they are checked after loading.
Arrays that only NumPy reads are checked by NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnkernels.gram.factors.combination import CombinedFactors, FactorFunction
from learnkernels.gram.factors.factor import Factor
from learnkernels.gram.factors.samples import FactorGroup
from learnkernels.gram.learned import LearnedKernel
from learnkernels.gram.tiles.compiled import CompiledGroup, CompiledSamples
from learnkernels.gram.tiles.kernels import TileKernels
from learnkernels.gram.tiles.missing import MissingGroup, MissingSamples
from learnkernels.gram.tiles.passes import CombinedTiles, TileFunction
from learnkernels.gram.tiles.sequences import SequenceSamples, WeightedDegreeGroup


def require_shapes(part: Any) -> None:
    """Raise ValueError if the arrays of one object of a model do not fit together."""
    check = CHECKS.get(type(part))
    if check is not None:
        check(part)


def require(condition: bool, what: str) -> None:
    """Raise ValueError unless the condition holds."""
    if not condition:
        raise ValueError(f"the {what} do not fit together")


def require_array(values: Any, shape: tuple[int, ...], what: str, dtype: Any = float) -> None:
    """Raise ValueError unless `values` is an array of this shape and type."""
    found = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == dtype
    require(found, what)


def check_tile_function(function: TileFunction) -> None:
    n_columns = function.combined.kernels.shape[1]
    n_outputs = function.coef.shape[-1]
    require_array(function.coef, (n_columns, n_outputs), "coefficients and samples of a function")


def check_combined_tiles(combined: CombinedTiles) -> None:
    kernels = combined.kernels
    require(type(kernels) is TileKernels, "kernels of a combination")
    require_array(combined.factors, (len(kernels.names),), "weights and kernels of a combination")
    require_array(combined.means, (kernels.shape[1],), "means and samples of a combination")


def check_tile_kernels(kernels: TileKernels) -> None:
    n, p = kernels.shape[1], len(kernels.names)
    require(kernels.shape == (n, n) and len(kernels.kernels) == p, "kernels and their names")
    require(sum(len(group.kernels) for group in kernels.groups) == p, "groups of kernels")
    require_array(kernels.units, (p,), "units and kernels")
    for scale in (kernels.left_scale, kernels.right_scale):
        if scale is not None:
            require_array(scale, (p, n), "scales and kernels")
    for samples in (kernels.left, kernels.right):
        for group, own in zip(kernels.groups, samples, strict=True):
            check_samples(group, own, n)


def check_samples(group: Any, samples: Any, n: int) -> None:
    """Raise ValueError unless prepared samples have the shapes that their group relies on."""
    require(len(samples) == n, "samples of the groups of kernels")
    if isinstance(group, CompiledGroup):
        check_compiled(group, samples, n)
    elif isinstance(group, WeightedDegreeGroup):
        check_sequences(group, samples, n)
    elif isinstance(group, MissingGroup):
        check_missing(group, samples, n)


def check_compiled(group: CompiledGroup, samples: Any, n: int) -> None:
    require(type(samples) is CompiledSamples and len(samples.A.shape) == 2, "samples of a kernel")
    require(samples.A.shape[0] == n, "samples of a kernel")
    require_array(samples.squared, (n,), "norms and samples of a kernel")
    require_array(samples.raw, (n,), "terms and samples of a kernel")
    if group.origin is not None:
        require_array(group.origin, (samples.A.shape[1],), "origin and columns of a kernel")
    again = CompiledGroup.of(group.kernels, group.origin, group.raw_linear, group.far)
    for name in ("codes", "params", "earlier"):
        expected, found = getattr(again, name), getattr(group, name)
        require_array(found, expected.shape, "codes of the kernels", expected.dtype)
        require(np.array_equal(found, expected), "codes of the kernels")


def check_sequences(group: WeightedDegreeGroup, samples: Any, n: int) -> None:
    require(type(samples) is SequenceSamples, "sequences and kernels")
    first = group.kernels[0]
    same = all((k.alphabet, k.length) == (first.alphabet, first.length) for k in group.kernels)
    require(same, "alphabets and lengths of the sequence kernels")
    digits = (len(first.alphabet.letters) - 1).bit_length()
    shape = 1 + digits, -(-first.length // 64), n  # planes, words of 64 positions, samples
    require_array(samples.planes, shape, "sequences and kernels", np.uint64)


def check_missing(group: MissingGroup, samples: Any, n: int) -> None:
    inner, what = group.inner, "kernels of a view with missing samples"
    require(type(samples) is MissingSamples and not isinstance(inner, MissingGroup), what)
    require(len(inner.kernels) == len(group.kernels) == len(group.members), what)
    require_array(samples.row, (n,), what, int)
    require_array(samples.means, (len(group.totals), n), what)
    require_array(group.weights, (len(group.anchors),), what)
    check_samples(inner, samples.inner, len(samples.inner))
    check_samples(inner, group.anchors, len(group.anchors))


def check_learned_kernel(kernel: LearnedKernel) -> None:
    require_array(kernel.weights, kernel.weights.shape[:1], "weights of the samples")
    n = len(kernel.weights)
    for part in kernel.parts:
        sizes = (
            [part.kernels.shape[1]] if type(part) is CombinedTiles else map(rows_of, part.factors)
        )
        require(all(size == n for size in sizes), "samples of the learned kernel")


def rows_of(factor: Factor) -> int:
    """Return the number of samples of a factor."""
    return len(factor.e)


def check_factor_function(function: FactorFunction) -> None:
    parts = zip(function.groups, function.means, function.primal, strict=True)
    for group, means, primal in parts:
        require_array(means, (len(group.columns),), "means and columns of a function")
        shape = len(means), primal.shape[-1]
        require_array(primal, shape, "coefficients and columns of a function")


def check_combined_factors(combined: CombinedFactors) -> None:
    for group, factor, d in zip(combined.groups, combined.factors, combined.d, strict=True):
        q, what = len(group.columns), "columns of the factors"
        require(factor.A.shape == (len(factor.e), q), what)
        require_array(factor.e, factor.e.shape[:1], what)
        require_array(factor.c, (q,), what)
        require_array(d, (q,), what)


def check_factor_group(group: FactorGroup) -> None:
    shape, what = group.columns.shape[:1], "columns and kernels of a factor"
    require_array(group.columns, shape, what, int)
    require_array(group.owner, shape, what, int)
    if group.origin is not None:
        require_array(group.origin, shape, what)


CHECKS: dict[type, Callable[[Any], None]] = {
    TileFunction: check_tile_function,
    CombinedTiles: check_combined_tiles,
    TileKernels: check_tile_kernels,
    LearnedKernel: check_learned_kernel,
    FactorFunction: check_factor_function,
    CombinedFactors: check_combined_factors,
    FactorGroup: check_factor_group,
}
