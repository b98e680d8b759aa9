"""From what a user passes as ``method=`` to a weight method."""

from __future__ import annotations

from learnkernels.errors import InputError
from learnkernels.weights.align import Align
from learnkernels.weights.align_linear import AlignLinear
from learnkernels.weights.alignf import AlignF
from learnkernels.weights.base import WeightMethod
from learnkernels.weights.uniform import Uniform

__all__ = ["METHODS", "as_method"]

METHODS: dict[str, type[WeightMethod]] = {
    kind.name: kind for kind in (Uniform, Align, AlignF, AlignLinear)
}


def as_method(method) -> WeightMethod:
    """The weight method that a string or an object stands for."""
    if isinstance(method, WeightMethod):
        return method
    if isinstance(method, str) and method in METHODS:
        return METHODS[method]()
    raise InputError(
        f"method={method!r} is unknown; expected one of {sorted(METHODS)} or an object of "
        "learnkernels.methods."
    )
