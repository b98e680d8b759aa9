"""Rows that the weights need: the rule of ``subsample="auto"``.

Weights of m random rows differ from those of all rows. Weights of random halves of the m rows,
drawn without replacement, differ from the weights of the m rows by about as much. The distance of
their kernels from the kernel of the m rows therefore estimates the error, which falls as
1 / sqrt(m).
"""

from __future__ import annotations

import logging
from copy import copy
from typing import Any

import numpy as np

from learnkernels._warnings import ConvergenceWarning, suppressed
from learnkernels.checks import random_generator
from learnkernels.errors import ConstantKernelWarning, TableWarning, UndefinedAlignmentWarning
from learnkernels.estimators.fitting import Prepared, learn
from learnkernels.machines import Machine
from learnkernels.methods import WeightMethod

# Number of random rows from which the precision is estimated; number of random halves of them, in
# general and for methods that need Gram matrices.
PILOT, HALVES, HALVES_GRAMS = 2000, 10, 4
# Error of the learned kernel, as a part of its Frobenius norm.
PRECISION = 0.05
# Maximum number of rows, in general (a pass over all their pairs follows) and for methods that need
# Gram matrices.
MOST, MOST_GRAMS = 50_000, 10_000

# Warnings that the fit of the subsample gives again.
REPEATED = (TableWarning, ConstantKernelWarning, UndefinedAlignmentWarning, ConvergenceWarning)

logger = logging.getLogger("learnkernels")


def needed_rows(model: Any, method: WeightMethod, few: tuple[Any, Any, Any]) -> int:
    """Return how many rows the weights need.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
        Not changed.
    method : WeightMethod
    few : tuple of X, y and weights
        Random rows, in memory.
    """
    read = method.gram_samples(MOST) if "Grams" in method.reads else MOST
    if read < PILOT:
        logger.info("method %r learns weights from at most %d rows.", method.name, read)
        return read
    trial = copy(model)
    trial._forget()
    if hasattr(model, "class_weight"):
        trial.classes_ = np.unique(few[1])
    with suppressed(*REPEATED):
        prepared, machine = trial._training(*few)
        error = kernel_error(prepared, method, machine, random_generator(model.random_state))
    m = len(prepared.Y)
    wanted = m * (error / PRECISION) ** 2
    found = int(np.ceil(min(wanted, MOST_GRAMS if "Grams" in method.reads else MOST)))
    logger.info(
        "weights of method %r from %d rows: the standard error of the learned kernel is %.3g of "
        "its norm, and %.3g needs %.0f rows.",
        method.name, m, error, PRECISION, wanted,
    )  # fmt: skip
    return found


def kernel_error(
    prepared: Prepared, method: WeightMethod, machine: Machine, random: np.random.RandomState
) -> float:
    """Return the standard error of the learned kernel, as a part of its Frobenius norm."""
    inner = prepared.centered().statistics.inner
    mu, m = learn(prepared, method, machine).result.weights, len(prepared.Y)
    size = np.sqrt(inner.form(mu))
    squares = []
    for _ in range(HALVES_GRAMS if "Grams" in method.reads else HALVES):
        half = np.sort(random.choice(m, m // 2, replace=False))
        other = learn(prepared.take(half), method, machine).result.weights
        norm = np.sqrt(inner.form(other))
        if size > 0 and norm > 0:
            squares.append(inner.form(mu / size - other / norm))
    return float(np.sqrt(np.mean(squares))) if squares else 0.0
