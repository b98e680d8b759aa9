"""Outputs for samples that were held out; each fold learns its own weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from learnkernels import progress
from learnkernels._warnings import suppressed
from learnkernels.errors import ConstantKernelWarning, UndefinedAlignmentWarning
from learnkernels.estimators.fitting import (
    Learned,
    Predictor,
    Prepared,
    fit_values,
    regularization,
)
from learnkernels.gram import GramMatrix, LearnedKernel
from learnkernels.machines import Machine
from learnkernels.methods import WeightMethod

Multiply = Callable[[LearnedKernel, np.ndarray], np.ndarray]
# Loss of each sample, (n_samples,), for outputs of shape (n_samples, n_outputs).
Loss = Callable[[np.ndarray], np.ndarray]


def fold_outputs(
    prepared: Prepared, methods: Sequence[WeightMethod], machine: Machine, values: Sequence[float],
    what: str,
) -> list[np.ndarray]:  # fmt: skip
    """Return the outputs for each sample of predictors that were trained without its fold.

    Parameters
    ----------
    prepared, methods, machine, values, what
        As in `held_out_folds`.

    Returns
    -------
    list of ndarray of shape (n_values, n_samples, n_outputs)
        One for each method.
    """
    found = [np.zeros((len(values), *prepared.Y.shape)) for _ in methods]
    for test, outputs in held_out_folds(prepared, methods, machine, values, what):
        for own, held in zip(found, outputs, strict=True):
            own[:, test] = held
    return found


def held_out_folds(
    prepared: Prepared, methods: Sequence[WeightMethod], machine: Machine, values: Sequence[float],
    what: str,
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:  # fmt: skip
    """Yield the samples of each fold, and their outputs of predictors that are trained without it.

    Parameters
    ----------
    prepared : Prepared
        With the sums over pairs by folds.
    methods, machine
        The two stages; all methods share the kernels that are centered without a fold.
    values : sequence of float
    what : str
        Name of the work.

    Yields
    ------
    test : ndarray of shape (n_test,)
    outputs : list of ndarray of shape (n_values, n_test, n_outputs)
        One for each method.
    """
    sums, folds = prepared.sums, prepared.folds()
    for fold, test in enumerate(progress.track(folds, len(folds), what)):
        part, rows = prepared.without(fold), sums.kernels.take(test)
        outputs = []
        for method in methods:
            # The fit on all samples raises these warnings.
            with (
                suppressed(ConstantKernelWarning, UndefinedAlignmentWarning),
                progress.within(f"fold {fold + 1} of {len(folds)}"),
            ):
                predictors = fit_values(part, method, machine, values)
            multiply = partial(
                LearnedKernel.products_of, rows=rows, backend=sums.backend,
                single=all(one.single for one in predictors),
            )  # fmt: skip
            outputs.append(np.array(held_out_outputs(predictors, multiply)))
        yield test, outputs


def machine_fold_outputs(
    learned: Learned, machine: Machine, value: float, folds: list[np.ndarray]
) -> np.ndarray:
    """Return the same for one value and the kernel that was learned from all samples.

    For machines without a closed form, if no folds chose the value. The Gram matrix is computed
    once; the test samples of a fold get weight zero.
    """
    problem, machine = learned.problem, machine.approximate()
    K = problem.kernel.gram(problem.backend)
    found = np.zeros(problem.Y.shape)
    for test in progress.track(folds, len(folds), "probabilities"):
        weights = problem.weights.copy()
        weights[test] = 0.0
        part = replace(problem, kernel=GramMatrix(K), weights=weights)
        strategy = machine.strategy(part)
        (trained,) = strategy.train(part, [regularization(machine, value, learned.task)])
        found[test] = K[test] @ trained.coef + trained.intercept
    return found


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


def squared_loss(Y: np.ndarray) -> Loss:
    """Return the squared loss of outputs for samples with these targets, (n_samples, n_outputs)."""
    return lambda outputs: np.mean((outputs - Y) ** 2, axis=1)
