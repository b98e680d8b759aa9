"""Choice of C or alpha in `fit`: held-out errors, with weights learned on each training part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from learnkernels import progress
from learnkernels._warnings import suppressed, warn
from learnkernels.checks import is_whole, positive_values
from learnkernels.errors import (
    ConstantKernelWarning,
    UndefinedAlignmentWarning,
    UniformBetterWarning,
)
from learnkernels.estimators.fitting import (
    Learned,
    Predictor,
    Prepared,
    fit_values,
    learn,
    regularization,
    training_problem,
)
from learnkernels.estimators.rows import Rows
from learnkernels.folds import folds
from learnkernels.gram import GramMatrix, LearnedKernel
from learnkernels.machines import Machine
from learnkernels.methods import Uniform, WeightMethod
from learnkernels.methods.candidates import standard_error

# A method is clearly worse than uniform weights beyond this many standard errors of the difference
# in folds, and beyond this ratio of leave-one-out squared errors.
CLEARLY, WORSE = 2.0, 1.2
# Multiples of a learned value that are tried in the span of landmarks.
AROUND = 10.0 ** np.arange(-1.5, 1.6, 0.5)
# Differences of held-out losses below this part of them do not count: one kernel has no choice.
SMALL = 0.01
# Values that "auto" chooses from where they are not learned together with the weights.
GRIDS: dict[str, np.ndarray] = {"C": 10.0 ** np.arange(-1, 4), "alpha": 10.0 ** np.arange(-5, 3)}

Multiply = Callable[[LearnedKernel, np.ndarray], np.ndarray]


def values_of(
    parameter: str, given: Any, method: WeightMethod, machine: Machine, scoring: Any = None
) -> list[float]:
    """Return the values of C or alpha to choose from; none if the method learns it.

    Parameters
    ----------
    parameter : {"C", "alpha"}
    given : float, list of float or "auto"
        As given by the user.
    method, machine
        The two stages.
    scoring : str, callable or None
        The user's score, by which values are compared instead of the one that was learned.
    """
    if not (isinstance(given, str) and given == "auto"):
        return positive_values(parameter, given, '"auto"')
    if not machine.has_parameter:
        return [1.0]
    learned = method.learns_alpha and machine.takes_alpha and scoring is None
    return [] if learned else GRIDS[parameter].tolist()


def contiguous_folds(
    rows: Rows, codes: np.ndarray | None, cv: Any, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the trained samples in which folds are contiguous, and the folds' borders.

    Parameters
    ----------
    rows : Rows
    codes : ndarray of shape (n_trained,) or None
        Classes of the trained samples, for stratified folds.
    cv, random_state
        As in `learnkernels.folds.folds`. A splitter or an iterable refers to the rows of X, those
        of weight zero included.
    """
    n, n_trained = rows.spread.shape
    if is_whole(cv):
        tests = folds(n_trained if codes is None else codes, cv, random_state)
    else:
        every = n
        if codes is not None:
            every = np.zeros(n, dtype=codes.dtype)
            every[rows.samples] = codes
        position = np.full(n, -1)
        position[rows.samples] = np.arange(n_trained)
        found = [position[test] for test in folds(every, cv, random_state)]
        tests = [kept for test in found if len(kept := test[test >= 0])]
    return np.concatenate(tests), np.cumsum([0] + [len(test) for test in tests])


def fold_outputs(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float], what: str
) -> np.ndarray:
    """Return the outputs for each sample of predictors that were trained without its fold.

    Parameters
    ----------
    prepared : Prepared
        With the sums over pairs by folds.
    method, machine
        The two stages.
    values : sequence of float
    what : str
        Name of the work.

    Returns
    -------
    ndarray of shape (n_values, n_samples, n_outputs)
    """
    sums = prepared.sums
    found, n_folds = np.zeros((len(values), *prepared.Y.shape)), len(sums.borders) - 1
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

        found[:, test] = held_out_outputs(predictors, multiply)
    return found


def machine_fold_outputs(
    prepared: Prepared, learned: Learned, machine: Machine, value: float, folds: list[np.ndarray]
) -> np.ndarray:
    """Return the same for one value and the kernel that was learned from all samples.

    For machines without a closed form, if no folds chose the value. The Gram matrix is computed
    once.
    """
    problem = training_problem(prepared, learned)
    K = learned.kernel.gram(problem.backend)
    found = np.zeros(prepared.Y.shape)
    for test in progress.track(folds, len(folds), "probabilities"):
        train = np.setdiff1d(np.arange(len(K)), test)
        part = replace(
            problem, kernel=GramMatrix(K[np.ix_(train, train)]), Y=problem.Y[train],
            weights=problem.weights[train],
        )  # fmt: skip
        strategy = machine.strategy(part)
        (trained,) = strategy.train(part, [regularization(machine, value, prepared.task)])
        found[test] = K[np.ix_(test, train)] @ trained.coef + trained.intercept
    return found


def mean_losses(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    outputs: np.ndarray, loss: Callable[[np.ndarray], np.ndarray], parameter: str, measure: str,
) -> np.ndarray:  # fmt: skip
    """Return the mean held-out loss of each value; warn if uniform weights are clearly better.

    Parameters
    ----------
    prepared, method, machine, values
        As in `fold_outputs`.
    outputs : ndarray of shape (n_values, n_samples, n_outputs)
        The held-out outputs.
    loss : callable
        ``loss(outputs)`` of each sample, for the outputs of one value.
    parameter, measure : str
        Names of the parameter and of the loss.
    """
    losses = np.array([loss(held) for held in outputs], dtype=float)
    if compared_with_uniform(method):
        what = f"choosing {parameter}: unif"
        others = fold_outputs(prepared, Uniform(), machine, values, what)
        uniform = np.array([loss(held) for held in others], dtype=float)
        own, other = (found[int(np.argmin(found.mean(axis=1)))] for found in (losses, uniform))
        excess = own - other
        if excess.mean() > max(CLEARLY * standard_error(excess), SMALL * own.mean()):
            warn_uniform_better(method, float(own.mean()), float(other.mean()), measure)
    w = prepared.sums.weights
    return np.asarray(losses @ w / w.sum())


def compared_with_uniform(method: WeightMethod) -> bool:
    """Return whether a method may be worse than uniform weights without comparing them itself."""
    return not (method.learns_alpha or isinstance(method, Uniform))


def warn_uniform_better(method: WeightMethod, own: float, other: float, measure: str) -> None:
    """Warn, with both held-out losses, that uniform weights are better."""
    warn(
        f"uniform weights are clearly better here than method {method.name!r}: held-out {measure} "
        f'{other:.4g} against {own:.4g}. Use method="auto", or method="unif".',
        UniformBetterWarning,
    )


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


def learned_value(prepared: Prepared, learned: Learned, machine: Machine) -> float:
    """Return the regularisation that the method learned, adapted to the user's landmarks.

    The method learns it for all samples, or for landmarks of its own. For ridge in the span of
    others, values around it are compared by leave-one-out errors.
    """
    n_components = prepared.n_components
    if n_components is None or n_components >= len(prepared.Y):
        return learned.value
    values = (learned.value * AROUND).tolist()
    problem = training_problem(prepared, learned)
    errors = machine.strategy(problem, len(values)).leave_one_out(
        problem, [regularization(machine, value, prepared.task) for value in values]
    )
    return learned.value if errors is None else float(values[int(np.argmin(errors))])


def alpha_errors(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float]
) -> np.ndarray:
    """Return the held-out squared error of each alpha, shape (n_values,).

    By leave-one-out if the weights do not depend on alpha and the training strategy has a closed
    form, else by folds.
    """

    def leave_one_out(method: WeightMethod) -> np.ndarray | None:
        problem = training_problem(prepared, learn(prepared, method, machine))
        return machine.strategy(problem, len(values)).leave_one_out(problem, values)

    errors = None if method.one_stage else leave_one_out(method)
    if errors is not None:
        if compared_with_uniform(method):
            with suppressed(ConstantKernelWarning), suppressed(UndefinedAlignmentWarning):
                uniform = leave_one_out(Uniform())
            if uniform is not None and uniform.min() * WORSE < errors.min():
                own, other = float(errors.min()), float(uniform.min())
                warn_uniform_better(method, own, other, "squared error")
        return errors
    outputs = fold_outputs(prepared, method, machine, values, "choosing alpha")
    return mean_losses(
        prepared, method, machine, values, outputs,
        lambda held: np.mean((held - prepared.Y) ** 2, axis=1), "alpha", "squared error",
    )  # fmt: skip
