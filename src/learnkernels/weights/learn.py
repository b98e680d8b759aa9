"""The step from statistics to weights, with what is common to all methods."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from learnkernels.errors import ConstantKernelWarning, InputError, UndefinedAlignmentWarning
from learnkernels.gram import Statistics
from learnkernels.solvers import Certificate
from learnkernels.weights.base import WeightMethod
from learnkernels.weights.uniform import Uniform

__all__ = ["learn_weights"]


def learn_weights(method: WeightMethod, statistics: Statistics) -> tuple[np.ndarray, Certificate]:
    """Weights of shape (n_kernels,) and their certificate.

    Constant kernels get weight zero and a warning that names them. Where the target varies with no
    kernel, alignment is undefined: a warning, and uniform weights.
    """
    constant = statistics.constant
    if constant.all():
        raise InputError(
            "every kernel is constant on the training samples, so there is nothing to learn from; "
            "check that the rows of X differ and that the kernels' parameters fit its scale."
        )
    if constant.any():
        names = ", ".join(
            name for name, flat in zip(statistics.names, constant, strict=True) if flat
        )
        warnings.warn(
            f"constant on the training samples, hence weight 0: {names}.",
            ConstantKernelWarning,
            stacklevel=2,
        )
    if "a" in method.reads and not statistics.alignments().max() > 0:
        warnings.warn(
            "the target is constant or no kernel is aligned with it, so weights by alignment do "
            "not exist; uniform weights are used.",
            UndefinedAlignmentWarning,
            stacklevel=2,
        )
        mu, certificate = Uniform().learn(statistics)
        return mu, replace(certificate, status="undefined: uniform weights")
    return method.learn(statistics)
