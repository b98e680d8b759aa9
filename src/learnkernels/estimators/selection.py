"""Choice of C or alpha in `fit`: held-out errors, with weights learned on each training part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from learnkernels import progress
from learnkernels._warnings import suppressed, warn
from learnkernels.checks import is_whole, positive_values
from learnkernels.errors import (
    ConstantKernelWarning,
    InputError,
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
from learnkernels.folds import splits
from learnkernels.gram import LearnedKernel
from learnkernels.machines import Machine, prefers_products
from learnkernels.methods import (
    Align,
    AlignF,
    Auto,
    Candidate,
    LeaveOneOut,
    Selection,
    Uniform,
    WeightMethod,
)
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
# Finer ones from strong to weak regularisation, for ridge with two-stage methods: several values
# cost little more than the weakest one. They are continued while the weakest one is the best, with
# MORE values at a time, up to MOST.
PATHS: dict[str, np.ndarray] = {
    "C": 10.0 ** np.arange(-2.5, 1.1, 0.5), "alpha": 10.0 ** np.arange(2.5, -1.1, -0.5),
}  # fmt: skip
MORE, MOST = 3, 20
# Methods that "auto" compares by folds, from the simplest on; for few samples, "loo" too.
CANDIDATES: tuple[WeightMethod, ...] = (Uniform(), Align(), AlignF())

Multiply = Callable[[LearnedKernel, np.ndarray], np.ndarray]


def chooses_by_folds(cv: Any, method: WeightMethod, n: int, fast_products: bool) -> bool:
    """Return whether everything is chosen by the folds of `cv`, and not by leave-one-out errors.

    A splitter or an iterable defines what held-out means: it is always used. Leave-one-out errors
    of many samples need their Gram matrix, which kernels with fast products avoid.
    """
    if is_whole(cv) and not prefers_products(n, fast_products):
        return False
    if method.learns_alpha and not isinstance(method, Auto):
        reason = f"cv={cv!r} defines folds"
        if is_whole(cv):
            reason = f"those of {n} samples need a Gram matrix, which these kernels avoid"
        raise InputError(
            f"method {method.name!r} minimises leave-one-out errors, but {reason}; use "
            'method="auto", which compares methods by folds.'
        )
    return True


def values_of(
    parameter: str, given: Any, method: WeightMethod, machine: Machine, by_folds: bool = False
) -> list[float]:
    """Return the values of C or alpha to choose from; none if the method learns it.

    Parameters
    ----------
    parameter : {"C", "alpha"}
    given : float, list of float or "auto"
        As given by the user.
    method, machine
        The two stages.
    by_folds : bool, default=False
        See `chooses_by_folds`.
    """
    if not (isinstance(given, str) and given == "auto"):
        return positive_values(parameter, given, '"auto"')
    if not machine.has_parameter:
        return [1.0]
    if by_folds and machine.takes_alpha and not method.one_stage:
        return PATHS[parameter].tolist()
    learned = method.learns_alpha and machine.takes_alpha
    return [] if learned else GRIDS[parameter].tolist()


def contiguous(folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the samples in which folds are contiguous, and the folds' borders."""
    return np.concatenate(folds), np.cumsum([0] + [len(fold) for fold in folds])


def contiguous_folds(
    X: Any, samples: np.ndarray, codes: np.ndarray | None, cv: Any, random_state: Any
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return an order of the samples in which folds are contiguous, and the folds.

    Parameters
    ----------
    X : array or table
    samples : ndarray of shape (n_samples,)
        The training samples, as rows of X.
    codes : ndarray of shape (n_samples,) or None
        Their classes.
    cv, random_state
        As given by the user.

    Returns
    -------
    order : ndarray of shape (n_samples,)
    folds : dict
        Arguments `borders` and `trained` of `prepare`.
    """
    rows = _safe_indexing(X, samples) if hasattr(cv, "split") else None
    what = len(samples) if codes is None else codes
    tests, trained = splits(what, cv, random_state, X=rows)
    order, borders = contiguous(tests)
    return order, {"borders": borders, "trained": trained}


def chosen_by_folds(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    loss: Callable[[np.ndarray, np.ndarray], np.ndarray], measure: str,
) -> tuple[WeightMethod, list[float], np.ndarray, Selection]:  # fmt: skip
    """Compare the candidates of ``method="auto"`` by held-out losses in folds.

    A candidate replaces a simpler one if it is better by more than one standard error of the
    difference.

    Parameters
    ----------
    prepared, machine, values, loss
        As in `fold_losses`.
    method : Auto
        Its parameters are those of ``"loo"``, which is a candidate if there are few samples.
    measure : str
        Name of the loss.

    Returns
    -------
    method : WeightMethod
        The chosen one.
    values : list of float
    losses : ndarray of shape (n_values,)
        Its mean held-out losses for these values.
    selection : Selection
    """
    methods = list(CANDIDATES)
    if not prefers_products(len(prepared.Y), True):
        methods.append(LeaveOneOut(**method.get_params()))
    w = prepared.sums.weights / prepared.sums.weights.sum()
    tried, found = path_losses(prepared, methods, machine, values, loss, "comparing methods")
    best = [losses[int(np.argmin(losses @ w))] for losses in found]
    chosen = 0
    for i, losses in enumerate(best):
        gain = best[chosen] - losses
        if w @ gain > standard_error(gain):
            chosen = i
    lowest = chosen == int(np.argmin([w @ losses for losses in best]))
    reasons = [""] * len(best)
    reasons[chosen] = "lowest" if lowest else "simpler, not clearly worse"
    rows = tuple(
        Candidate.of(one.name, losses, reason)
        for one, losses, reason in zip(methods, best, reasons, strict=True)
    )
    return methods[chosen], tried, found[chosen] @ w, Selection(rows, f"held-out {measure}")


def fold_losses(
    prepared: Prepared, methods: Sequence[WeightMethod], machine: Machine,
    values: Sequence[float], loss: Callable[[np.ndarray, np.ndarray], np.ndarray], what: str,
) -> list[np.ndarray]:  # fmt: skip
    """Return held-out losses of each method, for each value and sample, (n_values, n_samples).

    Parameters
    ----------
    prepared : Prepared
        With the sums over pairs by folds.
    methods, machine
        The two stages.
    values : sequence of float
    loss : callable
        ``loss(outputs, samples)`` for outputs of shape (n, n_outputs), shape (n,).
    what : str
        Name of the work.
    """
    sums = prepared.sums
    losses = [np.zeros((len(values), len(prepared.Y))) for _ in methods]
    n_folds = len(sums.borders) - 1
    for fold in progress.track(range(n_folds), n_folds, what):
        test = prepared.fold(fold)
        rows = sums.kernels.take(test)

        def multiply(kernel: LearnedKernel, coef: np.ndarray, rows: Any = rows) -> np.ndarray:
            return kernel.products_of(rows, coef, sums.backend)

        for method, own in zip(methods, losses, strict=True):
            # The fit on all samples raises these warnings.
            with (
                suppressed(ConstantKernelWarning),
                suppressed(UndefinedAlignmentWarning),
                progress.within(f"fold {fold + 1} of {n_folds}"),
            ):
                predictors = fit_values(prepared, method, machine, values, without=fold)
            for v, outputs in enumerate(held_out_outputs(predictors, multiply)):
                own[v, test] = loss(outputs, test)
    return losses


def path_losses(
    prepared: Prepared, methods: Sequence[WeightMethod], machine: Machine,
    values: Sequence[float], loss: Callable[[np.ndarray, np.ndarray], np.ndarray], what: str,
) -> tuple[list[float], list[np.ndarray]]:  # fmt: skip
    """Return values and the losses of `fold_losses`, continued if the values are one of `PATHS`."""
    values = list(values)
    losses = fold_losses(prepared, methods, machine, values, loss, what)
    is_path = any(values == path.tolist() for path in PATHS.values())
    while is_path and len(values) < MOST:
        means = np.array([found.mean(axis=1) for found in losses])  # (n_methods, n_values)
        if int(np.argmin(means.min(axis=0))) < len(values) - 1:
            break
        ratio = values[-1] / values[-2]
        more = [values[-1] * ratio**step for step in range(1, MORE + 1)]
        further = fold_losses(prepared, methods, machine, more, loss, what)
        values += more
        losses = [np.vstack(both) for both in zip(losses, further, strict=True)]
    return values, losses


def mean_losses(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    loss: Callable[[np.ndarray, np.ndarray], np.ndarray], parameter: str, measure: str,
) -> tuple[list[float], np.ndarray]:  # fmt: skip
    """Return values and their mean held-out losses; warn if uniform weights are clearly better.

    Parameters
    ----------
    prepared, machine, values, loss
        As in `fold_losses`.
    method : WeightMethod
    parameter, measure : str
        Names of the parameter and of the loss.
    """
    methods = [method, Uniform()] if compared_with_uniform(method) else [method]
    what = f"choosing {parameter}"
    tried, (losses, *uniform) = path_losses(prepared, methods, machine, values, loss, what)
    if uniform:
        own, other = (found[int(np.argmin(found.mean(axis=1)))] for found in (losses, uniform[0]))
        excess = own - other
        if excess.mean() > max(CLEARLY * standard_error(excess), SMALL * own.mean()):
            warn_uniform_better(method, float(own.mean()), float(other.mean()), measure)
    w = prepared.sums.weights
    return tried, np.asarray(losses @ w / w.sum())


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


def squared_loss(prepared: Prepared) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return the squared loss of outputs for some samples."""
    return lambda outputs, test: np.mean((outputs - prepared.Y[test]) ** 2, axis=1)


def alpha_errors(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    by_folds: bool,
) -> tuple[list[float], np.ndarray]:  # fmt: skip
    """Return values of alpha and their held-out squared errors, shape (n_values,).

    By leave-one-out if the weights do not depend on alpha, the training strategy has a closed form
    and folds are not asked for; else by folds.
    """

    def leave_one_out(method: WeightMethod) -> np.ndarray | None:
        problem = training_problem(prepared, learn(prepared, method, machine))
        return machine.strategy(problem, len(values)).leave_one_out(problem, values)

    errors = None if method.one_stage or by_folds else leave_one_out(method)
    if errors is not None:
        if compared_with_uniform(method):
            with suppressed(ConstantKernelWarning), suppressed(UndefinedAlignmentWarning):
                uniform = leave_one_out(Uniform())
            if uniform is not None and uniform.min() * WORSE < errors.min():
                own, other = float(errors.min()), float(uniform.min())
                warn_uniform_better(method, own, other, "squared error")
        return list(values), errors
    return mean_losses(
        prepared, method, machine, values, squared_loss(prepared), "alpha", "squared error"
    )
