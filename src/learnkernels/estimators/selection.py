"""Choice of C or alpha in `fit`: held-out errors, with weights learned on each training part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from learnkernels import progress
from learnkernels._warnings import suppressed
from learnkernels.errors import ConstantKernelWarning, UndefinedAlignmentWarning
from learnkernels.estimators.fitting import (
    Predictor,
    Prepared,
    fit_values,
    learn,
    training_problem,
)
from learnkernels.gram import LearnedKernel
from learnkernels.machines import Machine
from learnkernels.methods import WeightMethod

Multiply = Callable[[LearnedKernel, np.ndarray], np.ndarray]


def contiguous(folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the samples in which folds are contiguous, and the folds' borders."""
    return np.concatenate(folds), np.cumsum([0] + [len(fold) for fold in folds])


def fold_losses(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    loss: Callable[[np.ndarray, np.ndarray], np.ndarray], what: str,
) -> np.ndarray:  # fmt: skip
    """Return the mean held-out loss of each value of the regularisation, shape (n_values,).

    Parameters
    ----------
    prepared : Prepared
        With the sums over pairs by folds.
    method, machine
        The two stages.
    values : sequence of float
    loss : callable
        ``loss(outputs, samples)`` for outputs of shape (n, n_outputs), shape (n,).
    what : str
        Name of the work.
    """
    sums = prepared.sums
    total, n_folds = np.zeros(len(values)), len(sums.borders) - 1
    for fold in progress.track(range(n_folds), n_folds, what):
        test = prepared.fold(fold)
        # The fit on all samples raises these warnings.
        with (
            suppressed(ConstantKernelWarning),
            suppressed(UndefinedAlignmentWarning),
            progress.within(f"fold {fold + 1} of {n_folds}"),
        ):
            predictors = fit_values(prepared, method, machine, values, without=fold)
        rows = sums.kernels.take(test)

        def multiply(kernel: LearnedKernel, coef: np.ndarray, rows: Any = rows) -> np.ndarray:
            return kernel.products_of(rows, coef, sums.backend)

        for v, outputs in enumerate(held_out_outputs(predictors, multiply)):
            total[v] += sums.weights[test] @ loss(outputs, test)
    return total / sums.weights.sum()


def held_out_outputs(predictors: Sequence[Predictor], multiply: Multiply) -> list[np.ndarray]:
    """Return the outputs of several predictors; those with the same kernel share one pass.

    Parameters
    ----------
    predictors : sequence of Predictor
    multiply : callable
        ``multiply(kernel, coef)``: the products of some samples' Gram rows with coef.
    """
    kernel = predictors[0].terms[0][0]
    if all(len(one.terms) == 1 and one.terms[0][0] is kernel for one in predictors):
        coef = np.hstack([one.terms[0][1] for one in predictors])
        products = np.hsplit(multiply(kernel, coef), len(predictors))
        return [p + one.intercept for p, one in zip(products, predictors, strict=True)]
    return [
        np.sum([multiply(kernel, coef) for kernel, coef, _ in one.terms], axis=0) + one.intercept
        for one in predictors
    ]


def alpha_errors(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float]
) -> np.ndarray:
    """Return the held-out squared error of each alpha, shape (n_values,).

    By leave-one-out if the weights do not depend on alpha and the training strategy has a closed
    form, else by folds.
    """
    if not method.one_stage:
        learned = learn(prepared, method, machine, values[0])
        problem = training_problem(prepared, learned)
        errors = machine.strategy(problem, len(values)).leave_one_out(problem, values)
        if errors is not None:
            return errors
    return fold_losses(
        prepared, method, machine, values,
        lambda outputs, test: np.mean((outputs - prepared.Y[test]) ** 2, axis=1), "choosing alpha",
    )  # fmt: skip
