"""Choice of the method, and of C or alpha, by held-out errors; each fold learns its own weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from learnkernels._warnings import suppressed, warn
from learnkernels.errors import (
    ConstantKernelWarning,
    UndefinedAlignmentWarning,
    UniformBetterWarning,
)
from learnkernels.estimators.fitting import (
    Learned,
    Prepared,
    learn,
)
from learnkernels.estimators.outputs.held_out import (
    Loss,
    fold_outputs,
    held_out_folds,
    squared_loss,
)
from learnkernels.estimators.search import PATHS, Search
from learnkernels.machines import (
    DenseRidge,
    LandmarkRidge,
    Machine,
    Strategy,
    TrainingProblem,
    dense_subproblem,
    prefers_products,
)
from learnkernels.methods import (
    Align,
    AlignF,
    Candidate,
    LeaveOneOut,
    Selection,
    Uniform,
    WeightMethod,
)
from learnkernels.plurals import count_text
from learnkernels.significance import paired_difference

# Samples whose leave-one-out errors compare uniform weights with a method.
UNIFORM_SAMPLES = 500
# Held-out samples after which folds with uniform weights may end.
TESTED = 200
# Values by which a path is continued at a time, and values up to which it is.
MORE, MOST = 3, 20
# Methods that "auto" compares by folds, from the simplest on; for few samples, "loo" too.
CANDIDATES: tuple[WeightMethod, ...] = (Uniform(), Align(), AlignF())


@dataclass(frozen=True)
class Chosen:
    """The method and the regularisation that were chosen.

    Attributes
    ----------
    method : WeightMethod
    value : float or None
        C or alpha; None if the method learns it.
    losses : ndarray of shape (n_values,) or None
        Mean held-out loss of each value that was compared.
    scores : ndarray of shape (n_values,) or None
        Mean score over folds of each value, for the user's `scoring`.
    outputs : ndarray of shape (n_samples, n_outputs) or None
        Held-out outputs of the chosen value.
    selection : Selection or None
        The candidates among which the method was chosen.
    learned : Learned or None
        The weights of all samples, if they were learned for the comparison.
    """

    method: WeightMethod
    value: float | None
    losses: np.ndarray | None = None
    scores: np.ndarray | None = None
    outputs: np.ndarray | None = None
    selection: Selection | None = None
    learned: Learned | None = None


def choose(
    prepared: Prepared, search: Search, loss: Loss, measure: str,
    score: Callable[[np.ndarray], np.ndarray] | None, start: np.ndarray | None = None,
) -> Chosen:  # fmt: skip
    """Choose the method and the value of C or alpha of smallest held-out loss.

    Parameters
    ----------
    prepared : Prepared
    search : Search
    loss : callable
        Loss of each sample, for outputs of shape (n_samples, n_outputs).
    measure : str
        Name of the loss.
    score : callable or None
        Scores of each value, shape (n_values,), for outputs of shape (n_values, n_samples,
        n_outputs): the user's scoring, which then chooses instead of the loss.
    start : ndarray of shape (n_kernels,) or None
        Initial weights, as in `learn`.
    """
    if not (search.methods or search.several):
        return Chosen(search.method, search.values[0] if search.values else None)
    if not (search.only_folds or search.method.one_stage):
        learned = learn(prepared, search.method, search.machine, start=start)
        errors = leave_one_out_errors(
            prepared, search.method, learned, search.machine, search.values
        )
        if errors is not None:
            best = search.values[int(np.argmin(errors))]
            return Chosen(search.method, best, losses=errors, learned=learned)
    compared = prepared, search.method, search.machine.approximate(), search.values
    if search.methods:
        found = compare_methods(*compared, loss, measure)
    else:
        found = compare_values(*compared, loss, search.parameter, measure, uniform=score is None)
    scores, best = None, int(np.argmin(found.losses))
    if score is not None and search.several:
        scores = score(found.outputs)
        best = int(np.argmax(scores))
    losses = found.losses if search.several else None
    value, outputs = found.values[best], found.outputs[best]
    return Chosen(found.method, value, losses, scores, outputs, found.selection)


@dataclass(frozen=True)
class Compared:
    """Values of C or alpha that were compared in folds, for the method that is used.

    Attributes
    ----------
    method : WeightMethod
    values : list of float
        Those that were tried.
    outputs : ndarray of shape (n_values, n_samples, n_outputs)
        Held-out outputs.
    losses : ndarray of shape (n_values,)
        Mean held-out losses.
    selection : Selection or None
        The candidates among which the method was chosen.
    """

    method: WeightMethod
    values: list[float]
    outputs: np.ndarray
    losses: np.ndarray
    selection: Selection | None = None


def path_outputs(
    prepared: Prepared, methods: Sequence[WeightMethod], machine: Machine,
    values: Sequence[float], loss: Loss, what: str,
) -> tuple[list[float], list[np.ndarray], list[np.ndarray]]:  # fmt: skip
    """Return values, and held-out outputs and losses of each method for these values.

    Values are those given, continued if they are one of `PATHS` and the last one is the best.

    Parameters
    ----------
    prepared, methods, machine, values, what
        As in `fold_outputs`.
    loss : callable
        ``loss(outputs)`` of each sample, for the outputs of one value.

    Returns
    -------
    values : list of float
    outputs : list of ndarray of shape (n_values, n_samples, n_outputs)
    losses : list of ndarray of shape (n_values, n_samples)
    """
    values = list(values)
    outputs = fold_outputs(prepared, methods, machine, values, what)
    is_path = any(values == path.tolist() for path in PATHS.values())
    while True:
        losses = [np.array([loss(held) for held in found], dtype=float) for found in outputs]
        means = np.array([found.mean(axis=1) for found in losses])  # (n_methods, n_values)
        inside = int(np.argmin(means.min(axis=0))) < len(values) - 1
        if inside or not is_path or len(values) >= MOST:
            return values, outputs, losses
        ratio = values[-1] / values[-2]
        more = [values[-1] * ratio**step for step in range(1, MORE + 1)]
        further = fold_outputs(prepared, methods, machine, more, what)
        values += more
        outputs = [np.concatenate(both) for both in zip(outputs, further, strict=True)]


def compare_methods(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    loss: Loss, measure: str,
) -> Compared:  # fmt: skip
    """Compare the candidates of ``method="auto"`` by held-out losses in folds.

    A candidate replaces a simpler one if it is better by more than one standard error of the
    difference.

    Parameters
    ----------
    prepared, machine, values, loss
        As in `path_outputs`.
    method : Auto
        Its parameters are those of ``"loo"``, which is a candidate if there are few samples.
    measure : str
        Name of the loss.
    """
    methods = list(CANDIDATES)
    if not prefers_products(len(prepared.Y)):
        methods.append(LeaveOneOut(**method.get_params()))
    w = prepared.sums.weights / prepared.sums.weights.sum()
    what = "comparing methods"
    tried, outputs, found = path_outputs(prepared, methods, machine, values, loss, what)
    best = [losses[int(np.argmin(losses @ w))] for losses in found]
    chosen = 0
    for i, losses in enumerate(best):
        gain = paired_difference(best[chosen], losses, w)
        if gain.mean > gain.standard_error:
            chosen = i
    lowest = chosen == int(np.argmin([w @ losses for losses in best]))
    reasons = [""] * len(best)
    reasons[chosen] = "lowest" if lowest else "simpler, within one standard error"
    rows = tuple(
        Candidate.of(one.name, losses, reason)
        for one, losses, reason in zip(methods, best, reasons, strict=True)
    )
    selection = Selection(rows, f"held-out {measure}")
    return Compared(methods[chosen], tried, outputs[chosen], found[chosen] @ w, selection)


def compare_values(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float],
    loss: Loss, parameter: str, measure: str, uniform: bool = True,
) -> Compared:  # fmt: skip
    """Compare values by held-out losses in folds, and the weights with uniform ones.

    Parameters
    ----------
    prepared, machine, values, loss
        As in `path_outputs`.
    method : WeightMethod
    parameter, measure : str
        Names of the parameter and of the loss.
    uniform : bool, default=True
        Whether to warn if uniform weights are better. Not for the user's own score, which may be
        better for the weights that have the larger loss.
    """
    what = f"choosing {parameter}"
    tried, (outputs,), (losses,) = path_outputs(prepared, [method], machine, values, loss, what)
    w = prepared.sums.weights
    means = np.asarray(losses @ w / w.sum())
    if uniform and compared_with_uniform(method):
        best = int(np.argmin(means))
        # At the value that is best for the method: a warning is then never due to the value.
        other = uniform_losses(prepared, machine, tried[best], loss, losses[best])
        if other is not None:
            warn_if_uniform_better(method, losses[best], other, w, measure)
    return Compared(method, tried, outputs, means)


def uniform_losses(
    prepared: Prepared, machine: Machine, value: float, loss: Loss, own: np.ndarray
) -> np.ndarray | None:
    """Return the held-out loss of each sample with uniform weights.

    None if, after a fold with which at least TESTED samples were held out, the losses so far are
    higher than those of the method: further folds are left out then.

    Parameters
    ----------
    prepared, machine, loss
        As in `path_outputs`.
    value : float
    own : ndarray of shape (n_samples,)
        Held-out losses of the method.
    """
    found, w = np.full(len(own), np.nan), prepared.sums.weights
    outputs = np.zeros(prepared.Y.shape)
    what = "comparing with uniform weights"
    for test, ((held,),) in held_out_folds(prepared, [Uniform()], machine, [value], what):
        outputs[test] = held
        found[test] = np.asarray(loss(outputs), dtype=float)[test]
        known = np.isfinite(found)
        if known.sum() >= TESTED and w[known] @ found[known] > w[known] @ own[known]:
            return None
    return found


def compared_with_uniform(method: WeightMethod) -> bool:
    """Return whether a method may be worse than uniform weights without comparing them itself."""
    return not (method.learns_alpha or isinstance(method, Uniform))


def warn_if_uniform_better(
    method: WeightMethod, own: np.ndarray, other: np.ndarray, w: np.ndarray, measure: str
) -> None:
    """Warn, with both mean losses, if those of uniform weights are significantly lower.

    Parameters
    ----------
    method : WeightMethod
    own, other : ndarray of shape (n_samples,)
        Held-out losses of the method and of uniform weights.
    w : ndarray of shape (n_samples,)
        Sample weights.
    measure : str
        Name of the loss.
    """
    if paired_difference(own, other, w).verdict != "higher":
        return
    warn(
        f"uniform weights are significantly better here than method {method.name!r}: held-out "
        f"{measure} {np.average(other, weights=w):.4g} against {np.average(own, weights=w):.4g} "
        f"({count_text(len(own), 'sample')}). "
        'Use method="auto", or method="unif".',
        UniformBetterWarning,
    )


def leave_one_out_errors(
    prepared: Prepared, method: WeightMethod, own: Learned, machine: Machine,
    values: Sequence[float],
) -> np.ndarray | None:  # fmt: skip
    """Return the leave-one-out squared error of each alpha, shape (n_values,).

    None if the training strategy has no closed form. Warn if uniform weights are better.

    Parameters
    ----------
    prepared, machine, values
        As in `path_outputs`.
    method : WeightMethod
        Its weights do not depend on alpha.
    own : Learned
        By this method.
    """
    strategy = machine.strategy(own.problem, len(values))
    errors = strategy.leave_one_out(own.problem, values)
    if errors is not None and compared_with_uniform(method):
        with suppressed(ConstantKernelWarning, UndefinedAlignmentWarning):
            uniform = learn(prepared, Uniform(), machine)
        best = [values[int(np.argmin(errors))]]
        few = len(prepared.Y) <= UNIFORM_SAMPLES or isinstance(strategy, LandmarkRidge)
        mine, w = left_out_losses(own.problem, strategy, best if few else values)
        theirs, _ = left_out_losses(uniform.problem, strategy, values)
        known = np.isfinite(mine) & np.isfinite(theirs)
        if known.any():
            warn_if_uniform_better(method, mine[known], theirs[known], w[known], "squared error")
    return errors


def left_out_losses(
    problem: TrainingProblem, strategy: Strategy, values: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return leave-one-out squared errors of the best alpha, and the weights of these samples.

    With all samples for landmarks. Otherwise with at most UNIFORM_SAMPLES of them: a comparison of
    weights does not justify further decompositions of all samples.

    Parameters
    ----------
    problem : TrainingProblem
    strategy : Strategy
    values : sequence of float

    Returns
    -------
    losses : ndarray of shape (n_compared,)
        NaN where there is no solution, and for landmarks.
    weights : ndarray of shape (n_compared,)
    """
    if isinstance(strategy, LandmarkRidge):
        held = strategy.left_out(problem, values)
    else:
        if len(problem.Y) > UNIFORM_SAMPLES:
            problem = dense_subproblem(problem, UNIFORM_SAMPLES)
        held = DenseRidge().left_out(problem, values)
    losses = np.array([squared_loss(problem.Y)(outputs) for outputs in held])
    sums = np.where(
        np.isfinite(losses).any(axis=1), np.nansum(losses * problem.weights, axis=1), np.inf
    )
    return losses[int(np.argmin(sums))], problem.weights
