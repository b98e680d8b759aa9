"""Which kernels share a source, and which of these share a representation of the samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnkernels.gram.coded import CodedGroup, has_far_samples
from learnkernels.gram.groups import Group
from learnkernels.gram.sequences import WeightedDegreeGroup
from learnkernels.gram.stored import EvaluatedGroup, PrecomputedGroup
from learnkernels.kernels import (
    WHOLE,
    Code,
    CodedKernel,
    Kernel,
    On,
    Precomputed,
    Source,
    WeightedDegree,
)

__all__ = ["by_source", "formula", "grouped"]


def formula(kernel: Kernel) -> Kernel:
    """The kernel itself, whatever source it is on."""
    return kernel.kernel if isinstance(kernel, On) else kernel


def by_source(kernels: Sequence[Kernel]) -> dict[Source, list[int]]:
    """Places of the kernels on each source."""
    found: dict[Source, list[int]] = {}
    for place, kernel in enumerate(kernels):
        found.setdefault(kernel.source if isinstance(kernel, On) else WHOLE, []).append(place)
    return found


def grouped(formulas: Sequence[Kernel], places, X, raw_linear: bool, missing) -> list[Group]:
    """The kernels of one source sorted into groups, each with its members' places."""
    kinds: dict[Any, list[int]] = {}
    by_distance = [
        getattr(kernel, "code", None) == Code.EXP_SQUARED_DISTANCE for kernel in formulas
    ]
    far = any(by_distance) and has_far_samples(X)
    for at, kernel in enumerate(formulas):
        if isinstance(kernel, CodedKernel):
            kind: Any = (CodedGroup, far and by_distance[at])
        elif isinstance(kernel, WeightedDegree):
            kind = (WeightedDegreeGroup, kernel.alphabet, kernel.length)
        elif isinstance(kernel, Precomputed):
            # Samples may be missing in each matrix by itself.
            kind = (PrecomputedGroup, at if missing == "neutral" else 0)
        else:
            kind = EvaluatedGroup
        kinds.setdefault(kind, []).append(at)

    groups: list[Group] = []
    for kind, members in kinds.items():
        kernels, positions = tuple(formulas[at] for at in members), places[members]
        if kind is not EvaluatedGroup and kind[0] is CodedGroup:
            groups.append(CodedGroup.of(kernels, positions, X, raw_linear, far=kind[1]))
        elif kind is EvaluatedGroup:
            groups.append(EvaluatedGroup(kernels, positions, np.arange(len(kernels))))
        else:
            groups.append(kind[0](kernels, positions))
    return groups
