"""From what a user passes as ``method=`` to a weight method."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sklearn.base import clone

from learnkernels.errors import InputError
from learnkernels.weights.align import Align
from learnkernels.weights.align_linear import AlignLinear
from learnkernels.weights.align_single import AlignSingle
from learnkernels.weights.alignf import AlignF
from learnkernels.weights.base import WeightMethod, check_method
from learnkernels.weights.best_single import BestSingle
from learnkernels.weights.conv import Conv
from learnkernels.weights.dc import DC
from learnkernels.weights.ensemble import Ensemble
from learnkernels.weights.l1_ridge import L1Ridge
from learnkernels.weights.l2_ridge import L2Ridge
from learnkernels.weights.lp_svm import L1SVM, LpSVM
from learnkernels.weights.ufo import UFO
from learnkernels.weights.uniform import Uniform

__all__ = ["METHODS", "as_method", "check_task"]

METHODS: dict[str, Callable[[], WeightMethod]] = {
    "unif": Uniform,
    "align": Align,
    "alignf": AlignF,
    "align-linear": AlignLinear,
    "align-single": AlignSingle,
    "l1-krr": L1Ridge,
    "l2-krr": L2Ridge,
    "l1-svm": L1SVM,
    "l2-svm": partial(LpSVM, p=2.0),
    "lp-svm": LpSVM,
    "conv": Conv,
    "dc": DC,
    "ufo": UFO,
    "single": BestSingle,
    "ensemble": Ensemble,
}


def as_method(method, task: str | None = None) -> WeightMethod:
    """The weight method that a string or an object stands for: a copy that `fit` may write on."""
    if isinstance(method, WeightMethod):
        check_method(method)
        found = clone(method)
    elif isinstance(method, str) and method in METHODS:
        found = METHODS[method]()
    else:
        raise InputError(
            f"method={method!r} is unknown; expected one of {list(METHODS)} or an object of "
            "learnkernels.methods."
        )
    if task is not None:
        check_task(found, task)
    return found


def check_task(method: WeightMethod, task: str) -> None:
    """Raise if a method does not make sense for a task."""
    if task not in method.tasks:
        raise InputError(
            f"method {method.name!r} is for {' and '.join(method.tasks)} and does not apply to "
            f"{task}; use 'l1-krr', 'l2-krr' or an alignment method."
        )
