"""From the user's ``method=`` to a weight method, and from a weight method to checked weights."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from learnkernels._warnings import warn
from learnkernels.errors import ConstantKernelWarning, InputError, UndefinedAlignmentWarning
from learnkernels.methods.align import Align
from learnkernels.methods.align_constrained import AlignConstrained
from learnkernels.methods.align_linear import AlignLinear
from learnkernels.methods.align_single import AlignSingle
from learnkernels.methods.alignf import AlignF
from learnkernels.methods.auto import Auto
from learnkernels.methods.base import UNDEFINED, LearnedWeights, WeightMethod, WeightProblem
from learnkernels.methods.best_single import BestSingle
from learnkernels.methods.conv import Conv
from learnkernels.methods.dc import DC
from learnkernels.methods.ensemble import Ensemble
from learnkernels.methods.l1_ridge import L1Ridge
from learnkernels.methods.l1_svm import L1SVM
from learnkernels.methods.l2_ridge import L2Ridge
from learnkernels.methods.leave_one_out import LeaveOneOut
from learnkernels.methods.lp_svm import LpSVM
from learnkernels.methods.ufo import UFO
from learnkernels.methods.uniform import Uniform
from learnkernels.plurals import count_text
from learnkernels.progress import DISPLAY, within
from learnkernels.solvers import Certificate

METHODS: dict[str, Callable[[], WeightMethod]] = {
    "auto": Auto,
    "loo": LeaveOneOut,
    "unif": Uniform,
    "align": Align,
    "alignf": AlignF,
    "align-linear": AlignLinear,
    "align-single": AlignSingle,
    "align-constrained": AlignConstrained,
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
QUANTITIES = ("a", "M", "diagonal of M", "Grams")
# Names that a warning lists.
LISTED = 10


def as_method(method: Any, task: str | None = None) -> WeightMethod:
    """Return the weight method that a string or an object describes; an object is copied.

    Parameters
    ----------
    method : str or WeightMethod
    task : {"classification", "regression"} or None
        If given, raise where the method does not apply to it.
    """
    if isinstance(method, str) and method in METHODS:
        found = METHODS[method]()
    elif isinstance(method, WeightMethod):
        found = clone(method)
        reads = getattr(found, "reads", None)
        if not (isinstance(reads, tuple) and set(reads) <= set(QUANTITIES)):
            raise InputError(
                f"{type(method).__name__}.reads is {reads!r}; expected a tuple of names among "
                f"{list(QUANTITIES)}. List the quantities that learn uses."
            )
    elif isinstance(method, type) and issubclass(method, WeightMethod):
        name = method.__name__
        raise InputError(f"method={name} is a class; pass an object, lk.methods.{name}().")
    else:
        near = get_close_matches(method, METHODS, 1, 0.7) if isinstance(method, str) else []
        question = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"method={method!r} is unknown; expected one of {list(METHODS)} or an object of "
            f"learnkernels.methods.{question}"
        )
    if task is not None and task not in found.tasks:
        raise InputError(
            f"method {found.name!r} is for {' and '.join(found.tasks)} and does not apply to "
            f"{task}; use 'l1-krr', 'l2-krr' or an alignment method."
        )
    return found


def learn_weights(method: WeightMethod, problem: WeightProblem) -> LearnedWeights:
    """Learn weights; constant kernels get weight zero, with a warning that names them.

    If the target is constant or no kernel is aligned with it, alignment is undefined: warn, and
    return uniform weights.
    """
    kernels, constant = problem.kernels, problem.kernels.statistics.constant
    if constant.all():
        raise InputError(
            "every kernel is constant on the training samples, so there is nothing to learn from; "
            "check that the rows of X differ and that the kernels' parameters fit its scale."
        )
    if constant.any():
        names = [kernels.names[k] for k in np.flatnonzero(constant)]
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        warn(
            "kernels that are constant on the training samples get weight 0: "
            f"{', '.join(names[:LISTED])}{more}.",
            ConstantKernelWarning,
        )
        start = None if problem.start is None else problem.start[~constant]
        problem = replace(problem, kernels=kernels.keep(~constant), kept=~constant, start=start)
    statistics = problem.kernels.statistics
    unaligned = "a" in method.reads and not statistics.alignments().max() > 0
    with within(method.name) if DISPLAY.get() is not None else nullcontext():
        if (statistics.target_norm == 0 or unaligned) and not method.handles_undefined:
            uniform = Uniform().learn(problem)
            found = replace(uniform, certificate=replace(uniform.certificate, status=UNDEFINED))
        else:
            found = check_learned(method, method.learn(problem), len(problem.kernels.factors))
    if found.certificate.status == UNDEFINED:
        warn(
            "the target is constant or no kernel is aligned with it, so there is nothing to learn "
            "weights from; uniform weights are used.",
            UndefinedAlignmentWarning,
        )
    if constant.any():
        weights, tails = np.zeros(len(constant)), np.full(len(constant), np.nan)
        weights[~constant] = found.weights
        tails[~constant] = np.nan if found.tail_sums is None else found.tail_sums
        found = replace(
            found, weights=weights, tail_sums=None if found.tail_sums is None else tails,
            targets=None if found.targets is None else found.targets.spread(~constant),
        )  # fmt: skip
    return found


def check_learned(method: WeightMethod, found: Any, n_kernels: int) -> LearnedWeights:
    """Return the result of a method, perhaps a user's own; raise if its weights cannot be used."""
    name = f"{type(method).__name__}.learn"
    if not (isinstance(found, LearnedWeights) and isinstance(found.certificate, Certificate)):
        raise InputError(
            f"{name} returned {type(found).__name__}; expected LearnedWeights. Return "
            "LearnedWeights(weights, certificate) with a Certificate."
        )
    mu = np.asarray(found.weights, dtype=float)
    if mu.shape != (n_kernels,) or not np.isfinite(mu).all():
        raise InputError(
            f"{name} returned weights of shape {mu.shape} with "
            f"{count_text(int(np.sum(~np.isfinite(mu))), 'value')} not finite; expected shape "
            f"({n_kernels},) and finite values. Return one weight for each kernel of the problem."
        )
    if not mu.any() or (not method.signed and (mu < 0).any()):
        raise InputError(
            f"{name} returned weights from {mu.min():g} to {mu.max():g}; some must be positive and "
            "none negative. Set signed = True in the class if negative weights are intended."
        )
    return replace(found, weights=mu)
