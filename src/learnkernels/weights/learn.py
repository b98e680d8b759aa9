"""The step from evidence to weights, with what is common to all methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnkernels.errors import ConstantKernelWarning, InputError, UndefinedAlignmentWarning
from learnkernels.solvers import Certificate
from learnkernels.telling import warn
from learnkernels.weights.base import UNDEFINED, Evidence, WeightMethod, check_learned
from learnkernels.weights.uniform import Uniform

__all__ = ["learn_weights"]


def learn_weights(method: WeightMethod, evidence: Evidence) -> tuple[np.ndarray, Certificate]:
    """Weights of shape (n_kernels,) and their certificate.

    Constant kernels get weight zero and a warning that names them. Where the target varies with no
    kernel, alignment is undefined: a warning, and uniform weights.
    """
    constant = evidence.statistics.constant
    if constant.all():
        raise InputError(
            "every kernel is constant on the training samples, so there is nothing to learn from; "
            "check that the rows of X differ and that the kernels' parameters fit its scale."
        )
    if constant.any():
        names = [name for name, flat in zip(evidence.oracle.names, constant, strict=True) if flat]
        warn(
            f"constant on the training samples, hence weight 0: {listed(names)}.",
            ConstantKernelWarning,
            stacklevel=2,
        )
    mu = np.zeros(len(constant))
    mu[~constant], certificate = learn_varying(method, varying(evidence, ~constant))
    return mu, certificate


def listed(names: list[str], most: int = 10) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def varying(evidence: Evidence, mask: np.ndarray) -> Evidence:
    """The evidence on the kernels that vary."""
    if mask.all():
        return evidence
    return replace(
        evidence,
        statistics=evidence.statistics.keep(mask),
        oracle=evidence.oracle.keep(mask),
        kept=mask,
    )


def learn_varying(method: WeightMethod, evidence: Evidence) -> tuple[np.ndarray, Certificate]:
    nothing_to_learn = evidence.statistics.target_norm == 0
    unaligned = "a" in method.reads and not evidence.statistics.alignments().max() > 0
    if (nothing_to_learn or unaligned) and not method.ensemble:  # which find that out themselves
        mu, certificate = Uniform().learn(evidence)
        certificate = replace(certificate, status=UNDEFINED)
    else:
        mu, certificate = check_learned(method, method.learn(evidence), evidence.oracle.n_kernels)
    if certificate.status == UNDEFINED:
        warn(
            "the target is constant or no kernel is aligned with it, so there is nothing to learn "
            "weights from; uniform weights are used.",
            UndefinedAlignmentWarning,
            stacklevel=2,
        )
    return mu, certificate
