"""Learned kernels and functions of them in a model file.

Compiled code does not check bounds. The shapes that it relies on hold in every model that `fit`
makes, and the author of a file chooses them freely, so the checks here are complete: every array
has the shape that its neighbours have, and every index is in the range of what it points into.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram.factors.combination import CombinedFactors, FactorFunction
from learnkernels.gram.factors.factor import Factor
from learnkernels.gram.factors.samples import FactorGroup
from learnkernels.gram.learned import LearnedKernel
from learnkernels.gram.pairs.cells import Cells
from learnkernels.gram.pairs.combination import CombinedPairs, PairFunction
from learnkernels.gram.tiles.bits import BitSamples, TanimotoGroup
from learnkernels.gram.tiles.combination import CombinedTiles, TileFunction
from learnkernels.gram.tiles.compiled import CompiledGroup, CompiledSamples
from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.kernels import TileKernels
from learnkernels.gram.tiles.missing import MissingGroup, MissingSamples
from learnkernels.gram.tiles.sequences import SequenceSamples, WeightedDegreeGroup
from learnkernels.gram.tiles.stored import (
    EvaluatedGroup,
    EvaluatedSamples,
    PrecomputedGroup,
    StackSamples,
)
from learnkernels.kernels import (
    MISSING,
    Code,
    CodedKernel,
    GaussianProcess,
    Metric,
    On,
    Precomputed,
    Tanimoto,
    WeightedDegree,
)
from learnkernels.persistence.fields import (
    FINITE,
    TEXT,
    TRUTH,
    Array,
    Choice,
    Field,
    FieldError,
    Matrix,
    Nothing,
    Optional,
    Record,
    Several,
    Union,
    Whole,
    require,
    within,
)
from learnkernels.persistence.kernels import KERNEL, SOURCE

# Relative error of derived quantities that is rounding.
ROUNDING = 1e-6
# Outputs on samples like those of training stay below this.
LARGEST_OUTPUT = 1e250
# Samples on which kernels that are called are tried.
TRIED = 2
INDEX = Array(dtype="i8", low=0)
# Squares and products of data, whose size is bounded together with the outputs.
PRODUCTS = Array(size=LARGEST_OUTPUT)


class NoStack(Field):
    """The training Gram matrices, which a file does not contain."""

    def write(self, value: Any, arrays: Any) -> None:
        require(value == {}, "training samples with their Gram matrices")

    def read(self, found: Any, arrays: Any) -> dict[int, np.ndarray]:
        require(found is None, "training Gram matrices")
        return {}


def missing_group(inner: Group, **values: Any) -> MissingGroup:
    """Return the group around another one."""
    return MissingGroup(inner.kernels, inner, **values)


def members(kind: type | tuple[type, ...]) -> dict[str, Field]:
    """Return the field of the kernels of a group, which are of some classes."""
    known = {tag: one for tag, one in KERNEL.records.items() if issubclass(one.cls, kind)}
    return {"kernels": Several(Union("a kernel of this group", known), at_least=1)}


INNER_SAMPLES = {
    "compiled": Record(CompiledSamples, {"A": Matrix(), "squared": PRODUCTS, "raw": PRODUCTS}),
    "evaluated": Record(
        EvaluatedSamples,
        {"X": Matrix(), "index": Nothing("is an index into training Gram matrices")},
    ),
    "sequences": Record(SequenceSamples, {"planes": Array(3, "u8")}),
    "bits": Record(BitSamples, {"words": Array(2, "u8")}, make=BitSamples.of, derived=("n_set",)),
    "stack": Record(StackSamples, {"stack": NoStack(), "index": INDEX}),
}
INNER_GROUPS = {
    "compiled": Record(
        CompiledGroup,
        {**members(CodedKernel), "origin": Optional(Array()), "raw_linear": TRUTH, "far": TRUTH},
        make=CompiledGroup.of,
        derived=("codes", "params", "earlier"),
    ),
    "evaluated": Record(EvaluatedGroup, members((Metric, GaussianProcess)), derived=("grams",)),
    "sequences": Record(WeightedDegreeGroup, members(WeightedDegree)),
    "bits": Record(TanimotoGroup, members(Tanimoto)),
    "precomputed": Record(PrecomputedGroup, members(Precomputed)),
}
INNER_GROUP = Union("a group of kernels", INNER_GROUPS)
INNER_SAMPLE = Union("samples", INNER_SAMPLES)
SAMPLES = Union("samples", INNER_SAMPLES | {
    "missing": Record(MissingSamples, {
        "inner": INNER_SAMPLE, "row": Array(dtype="i8", low=-1),
        "means": Array(2, size=LARGEST_OUTPUT)}),
})  # fmt: skip
GROUP = Union("a group of kernels", INNER_GROUPS | {
    "missing": Record(
        MissingGroup,
        {"inner": INNER_GROUP, "members": INDEX, "anchors": INNER_SAMPLE,
         "weights": Array(low=0.0), "totals": PRODUCTS, "complete": TRUTH},
        make=missing_group,
        derived=("kernels",),
    ),
})  # fmt: skip


class TileKernelsField(Field):
    """Kernels that are evaluated by tiles, on the samples of a function.

    The file contains the kernels of each group without their sources, and each source once.
    """

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        require(type(value) is TileKernels, "kernels that cannot be saved")
        sources: dict[int, Any] = {id(source): source for source in value.sources}
        sources.pop(id(None), None)
        order = list(sources)
        return {
            "index": INDEX.write(value.index, arrays),
            "names": Several(TEXT).write(value.names, arrays),
            "views": [one.view if isinstance(one, On) else "" for one in value.kernels],
            "labels": [one.label if isinstance(one, On) else "" for one in value.kernels],
            "sources": [SOURCE.write(source, arrays) for source in sources.values()],
            "source_of_group": [
                None if source is None else order.index(id(source)) for source in value.sources
            ],
            "groups": Several(GROUP).write(value.groups, arrays),
            "samples": Several(SAMPLES).write(value.right, arrays),
            "missing": value.missing,
            "scale": Optional(Array(2, low=0.0)).write(value.right_scale, arrays),
        }

    def read(self, found: Any, arrays: Any) -> TileKernels:
        names = {"index", "names", "views", "labels", "sources", "source_of_group", "groups",
                 "samples", "missing", "scale"}  # fmt: skip
        require(type(found) is dict and found.keys() == names, "not kernels on samples")

        def part(name: str, field: Any) -> Any:
            return within(name, field.read, found[name], arrays)

        texts = Several(TEXT)
        index, labels = part("index", INDEX), part("labels", texts)
        kernel_names, views = part("names", texts), part("views", texts)
        known, groups = part("sources", Several(SOURCE)), part("groups", Several(GROUP, at_least=1))
        chosen = part("source_of_group", Several(Optional(Whole(0, max(len(known) - 1, 0)))))
        samples, scale = part("samples", Several(SAMPLES)), part("scale", Optional(Array(2, low=0)))
        require(len(chosen) == len(groups) == len(samples), "groups and samples differ in number")
        require(known or all(at is None for at in chosen), "an unknown source")
        require(
            {at for at in chosen if at is not None} == set(range(len(known))),
            "a source that no kernel uses",
        )
        sources = tuple(None if at is None else known[at] for at in chosen)
        members = [
            (source, kernel)
            for source, group in zip(sources, groups, strict=True)
            for kernel in group.kernels
        ]
        p, n = len(members), len(samples[0])
        require(
            len(index) == len(kernel_names) == len(views) == len(labels) == p
            and len(set(index.tolist())) == p,
            "kernels and their names differ in number",
        )
        require(scale is None or scale.shape == (p, n), "scales of another shape")
        kernels = tuple(
            kernel if source is None else On(source, kernel, view, label)
            for (source, kernel), view, label in zip(members, views, labels, strict=True)
        )
        made = TileKernels(
            index, kernels, kernel_names,
            np.array([getattr(kernel, "unit", 0.0) for _, kernel in members]), groups, sources,
            part("missing", Choice(MISSING)), samples, samples, scale, scale, (n, n),
        )  # fmt: skip
        for group, own in zip(groups, samples, strict=True):
            require(len(own) == n, "groups with different numbers of samples")
            check_samples(group, own)
        neutral = made.missing == "neutral"
        same = all(isinstance(group, MissingGroup) == neutral for group in groups)
        require(same, "missing samples in a model without them")
        return made


def check_samples(group: Any, samples: Any) -> None:
    """Raise unless prepared samples have the form that their group reads."""
    kind, check = FORMS[type(group)]
    require(type(samples) is kind, "samples of another group of kernels")
    check(group, samples)


def check_compiled(group: CompiledGroup, samples: CompiledSamples) -> None:
    A, origin, n = samples.A, group.origin, len(samples.squared)
    require(A.shape[0] == n and samples.raw.shape == (n,), "samples and norms differ in number")
    require(sparse.issparse(A) == (origin is None), "an origin of sparse samples, or none of dense")
    codes = {kernel.code for kernel in group.kernels}
    require(not group.far or codes == {Code.EXP_SQUARED_DISTANCE}, "not functions of distances")
    require(not (group.far and sparse.issparse(A)), "distances of sparse samples")
    with np.errstate(over="ignore", invalid="ignore"):
        values = A.power(2).sum(axis=1) if sparse.issparse(A) else np.einsum("ij,ij->i", A, A)
        require(close(samples.squared, values, values), "norms that are not those of the samples")
        if origin is None:
            require(not samples.raw.any(), "raw products of sparse samples")
            return
        require(len(origin) == A.shape[1], "an origin of another length")
        own = origin @ origin
        raw, size = A @ origin + own / 2, np.sqrt(values * own) + own
        require(close(samples.raw, raw, size), "raw products that are not those of the samples")


def close(found: np.ndarray, expected: np.ndarray, size: np.ndarray) -> bool:
    """Return whether numbers are equal up to rounding of terms of some size."""
    return bool(np.isfinite(expected).all() and (np.abs(found - expected) <= ROUNDING * size).all())


def check_evaluated(group: EvaluatedGroup, samples: EvaluatedSamples) -> None:
    """Try the kernels on a few samples: options may not suit the data."""
    if len(samples) == 0:
        return
    some = slice(0, min(TRIED, len(samples)))
    few = samples.take(np.arange(some.stop))
    try:
        group.values(few, few, some, some)
        group.values(few, samples, some, some)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise FieldError(f"kernels that cannot be called: {error}") from error


def check_sequences(group: WeightedDegreeGroup, samples: SequenceSamples) -> None:
    first = group.kernels[0]
    same = all((k.alphabet, k.length) == (first.alphabet, first.length) for k in group.kernels)
    require(same, "sequences of different alphabets or lengths")
    digits = (len(first.alphabet.letters) - 1).bit_length()
    shape = 1 + digits, -(-first.length // 64)  # planes, words of 64 positions
    require(samples.planes.shape[:2] == shape, "sequences of another length")


def check_bits(group: TanimotoGroup, samples: BitSamples) -> None:
    """Accept any bits: `inputs` compares their number with that of the columns."""


def check_stack(group: PrecomputedGroup, samples: StackSamples) -> None:
    """Accept any index: `inputs` compares it with the number of training samples."""


def check_missing(group: MissingGroup, samples: MissingSamples) -> None:
    inner, rows = group.inner, len(samples.inner)
    check_samples(inner, samples.inner)
    check_samples(inner, group.anchors)
    require(len(inner.kernels) == len(group.members), "means and kernels differ in number")
    require((group.members < len(group.totals)).all(), "a mean that does not exist")
    require((samples.row < rows).all(), "a sample that does not exist")
    require(samples.means.shape == (len(group.totals), len(samples.row)), "means of another shape")
    require(len(group.weights) == len(group.anchors), "weights of another length")
    if isinstance(inner, PrecomputedGroup):
        require(len(inner.kernels) == 1, "several matrices with missing samples")
    require(same_form(samples.inner, group.anchors), "samples of different forms")


def same_form(left: Any, right: Any) -> bool:
    """Return whether two sets of samples are both sparse or both dense, of the same width."""
    a, b = (getattr(one, "A", getattr(one, "X", None)) for one in (left, right))
    if a is None or b is None:
        return True
    return sparse.issparse(a) == sparse.issparse(b) and a.shape[1] == b.shape[1]


# The samples of each group, and their check.
FORMS: dict[type, tuple[type, Any]] = {
    CompiledGroup: (CompiledSamples, check_compiled),
    EvaluatedGroup: (EvaluatedSamples, check_evaluated),
    WeightedDegreeGroup: (SequenceSamples, check_sequences),
    TanimotoGroup: (BitSamples, check_bits),
    PrecomputedGroup: (StackSamples, check_stack),
    MissingGroup: (MissingSamples, check_missing),
}


def check_combined(combined: CombinedTiles) -> None:
    p, n = len(combined.kernels.names), combined.kernels.shape[1]
    require(
        combined.factors.shape == (p,) and combined.means.shape == (n,), "arrays of other shapes"
    )
    require(np.count_nonzero(combined.used) == p, "weights and kernels differ in number")
    require(largest_value(combined) < LARGEST_OUTPUT, "values that overflow")


def largest_value(combined: CombinedTiles) -> float:
    """Return a bound of the combination on samples like those of the function.

    |k(x, z)| is at most the largest k(x, x) of a positive semi-definite kernel.
    """
    kernels: Any = combined.kernels
    constants = largest(combined.means) + abs(combined.constant)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            known = [
                (np.abs(group.diagonal(own)).max(axis=1, initial=0.0))
                for group, own in zip(kernels.groups, kernels.right, strict=True)
                if not stored(group)
            ]
        except (ValueError, ArithmeticError) as error:
            raise FieldError(f"kernels that cannot be evaluated: {error}") from error
        diagonal = float(np.concatenate([np.ones(1), *known]).max()) + 1.0
        if kernels.right_scale is not None:
            diagonal *= float(kernels.right_scale.max(initial=0.0)) ** 2
        return diagonal * float(np.abs(combined.factors).sum()) + constants


def stored(group: Group) -> bool:
    """Return whether the values of a group are given with new samples only."""
    inner = group.inner if isinstance(group, MissingGroup) else group
    return isinstance(inner, PrecomputedGroup)


def check_tile_function(function: TileFunction) -> None:
    n = function.combined.kernels.shape[1]
    require(
        function.coef.shape[0] == n and function.coef.shape[1] > 0, "coefficients of another shape"
    )
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.abs(function.coef).sum()) * largest_value(function.combined)
    require(size < LARGEST_OUTPUT, "outputs that overflow")


def check_factor_group(group: FactorGroup) -> None:
    q = len(group.columns)
    require(q > 0 and group.owner.shape == (q,), "columns and kernels differ in number")
    require(
        group.origin is None or (group.dense and group.origin.shape == (q,)),
        "origins of another shape",
    )


def check_factor_function(function: FactorFunction) -> None:
    groups = function.groups
    same = len(groups) == len(function.means) == len(function.primal)
    require(same, "groups and coefficients differ in number")
    for group, means, primal in zip(groups, function.means, function.primal, strict=True):
        q = len(group.columns)
        require(means.shape == (q,) and primal.shape[0] == q, "coefficients of another shape")
        require(primal.shape[1] == function.primal[0].shape[1] > 0, "outputs differ in number")
        with np.errstate(over="ignore", invalid="ignore"):
            shift = largest(means) + (0.0 if group.origin is None else largest(group.origin))
            size = (1.0 + shift) * float(np.abs(primal).sum())
        require(size < LARGEST_OUTPUT, "outputs that overflow")


def check_combined_factors(combined: CombinedFactors) -> None:
    groups = combined.groups
    require(len(groups) == len(combined.factors) == len(combined.d), "groups differ in number")
    owners: set[int] = set()
    for group, factor, d in zip(groups, combined.factors, combined.d, strict=True):
        q = len(group.columns)
        require(factor.A.shape == (len(factor.e), q), "samples of another shape")
        require(factor.c.shape == (q,) and d.shape == (q,), "columns differ in number")
        require(np.array_equal(factor.owner, group.owner), "columns of other kernels")
        require(sparse.issparse(factor.A) != group.dense, "sparse samples of dense columns")
        require(largest(factor.e) <= 1, "a sample that is centered twice")
        with np.errstate(over="ignore"):
            size = largest(factor.A) + largest(factor.c)
            values = size**2 * float(np.abs(d).sum())
        require(values < LARGEST_OUTPUT, "values that overflow")
        owners.update(group.owner.tolist())
    require(np.count_nonzero(combined.used) == len(owners), "kernels differ in number")


def check_pair_function(function: PairFunction) -> None:
    _, m, q = function.table.shape
    require(function.table.size > 0, "no outputs, or no objects")
    require(m == q or not function.symmetric, "symmetric pairs of two tables")


def check_cells(cells: Cells) -> None:
    require(len(cells.n_objects) == 2, "not two tables of objects")
    left, right, (m, q) = cells.left, cells.right, cells.n_objects
    require(left.shape == right.shape and len(left) in (1, 2), "sides of different lengths")
    require((left < m).all() and (right < q).all(), "an object that does not exist")
    symmetric = m == q and np.array_equal(left[::-1], right)
    require(len(left) == 1 or symmetric, "two orders that differ")


def check_combined_pairs(combined: CombinedPairs) -> None:
    L, R, (m, q) = combined.L, combined.R, combined.cells.n_objects
    require(
        L.shape == (m, R.shape[1], m) and R.shape == (q, L.shape[1], q), "arrays of other shapes"
    )
    require(L.size > 0, "no products of matrices")
    require(combined.means.shape == (len(combined.cells),), "means of another length")
    with np.errstate(over="ignore", invalid="ignore"):
        values = largest(L) * largest(R) * max(L.shape[1], 1)
        size = values + largest(combined.means) + abs(combined.constant)
    require(size < LARGEST_OUTPUT, "values that overflow")


def largest(values: Any) -> float:
    """Return the largest absolute value of an array or sparse matrix, 0 if it is empty."""
    return float(np.abs(values.data if sparse.issparse(values) else values).max(initial=0.0))


def check_learned(kernel: LearnedKernel) -> None:
    n = len(kernel.weights)
    require(kernel.parts and n > 0 and kernel.weights.sum() > 0, "no kernel, or no samples")
    for part in kernel.parts:
        if isinstance(part, CombinedTiles):
            require(part.kernels.shape[1] == n, "samples differ in number")
        elif isinstance(part, CombinedPairs):
            require(len(part.cells) == n, "samples differ in number")
        else:
            require(all(len(factor.e) == n for factor in part.factors), "samples differ in number")


COMBINED_TILES = Record(
    CombinedTiles,
    {"kernels": TileKernelsField(), "used": Array(dtype="b1"), "factors": PRODUCTS,
     "means": PRODUCTS, "constant": FINITE},
    check=check_combined,
)  # fmt: skip
FACTOR_GROUP = Record(
    FactorGroup,
    {"source": Optional(SOURCE), "columns": INDEX, "owner": INDEX, "origin": Optional(Array()),
     "cosine": TRUTH, "missing": Choice(MISSING), "dense": TRUTH},
    check=check_factor_group,
)  # fmt: skip
GROUPS = Several(FACTOR_GROUP, at_least=1)
FACTOR = Record(Factor, {"A": Matrix(), "e": Array(), "c": Array(), "owner": INDEX})
SIDE = Array(2, dtype="i8", low=0)
CELLS = Record(
    Cells, {"left": SIDE, "right": SIDE, "n_objects": Several(Whole(1))}, check=check_cells
)
COMBINED = Union("a combination of kernels", {
    "tiles": COMBINED_TILES,
    "pairs": Record(
        CombinedPairs,
        {"L": Array(3), "R": Array(3), "source": Optional(SOURCE), "cells": CELLS,
         "means": PRODUCTS, "constant": FINITE},
        check=check_combined_pairs,
    ),
    "factors": Record(
        CombinedFactors,
        {"groups": GROUPS, "factors": Several(FACTOR), "d": Several(PRODUCTS),
         "index": INDEX, "used": Array(dtype="b1"), "center": TRUTH},
        check=check_combined_factors,
    ),
})  # fmt: skip
COEFFICIENTS = Array(2, size=LARGEST_OUTPUT)
FUNCTION = Union("a function", {
    "tiles": Record(
        TileFunction, {"combined": COMBINED_TILES, "coef": COEFFICIENTS}, check=check_tile_function
    ),
    "pairs": Record(
        PairFunction,
        {"source": Optional(SOURCE), "table": Array(3, size=LARGEST_OUTPUT), "symmetric": TRUTH},
        check=check_pair_function,
    ),
    "factors": Record(
        FactorFunction,
        {"groups": GROUPS, "means": Several(Array()), "primal": Several(COEFFICIENTS),
         "index": INDEX, "center": TRUTH},
        check=check_factor_function,
    ),
})  # fmt: skip
LEARNED = Record(
    LearnedKernel,
    {"parts": Several(COMBINED), "weights": Array(low=0.0), "center": TRUTH},
    check=check_learned,
)
