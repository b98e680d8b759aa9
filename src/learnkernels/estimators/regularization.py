"""The regularisation that a method learned with the weights, adapted to the machine."""

from __future__ import annotations

import numpy as np

from learnkernels._warnings import ConvergenceWarning, suppressed
from learnkernels.estimators.fitting import Learned, regularization
from learnkernels.estimators.outputs.probability import decide, fit_temperature, log_probabilities
from learnkernels.machines import (
    DenseRidge,
    LandmarkRidge,
    LandmarkSVM,
    Machine,
    SquaredHingeSVM,
    TrainingProblem,
    dense_subproblem,
    landmark_subproblem,
)

# Multiples of a learned value that are tried in the span of landmarks.
AROUND = 10.0 ** np.arange(-1.5, 1.6, 0.5)
# The same for classes: with all samples, of which some are left out, and with landmarks.
CLASS_AROUND, CLASS_SAMPLES = 10.0 ** np.arange(-3, 1.1, 0.5), 800
CLASS_LANDMARKS = 10.0 ** np.arange(-4, 2.6, 0.5)
# Of the SVM with landmarks: multiples of the mean squared norm of the features, and at most so many
# samples and landmarks. The best value hardly depends on their number.
HINGE_AROUND, HINGE_SAMPLES, HINGE_LANDMARKS = 10.0 ** np.arange(2, -3.6, -0.5), 4000, 500
# Weights of a value and of both values next to it, in an average that is less noisy.
SMOOTHING = np.array([0.25, 0.5, 0.25])


def learned_value(learned: Learned, machine: Machine) -> float:
    """Return the regularisation that the method learned, adapted to the user's landmarks.

    The method learns it for all samples, or for landmarks of its own. For ridge in the span of
    others, values around it are compared by leave-one-out errors.
    """
    problem = learned.problem
    if problem.n_components is None or problem.n_components >= len(problem.Y):
        return learned.value
    values = (learned.value * AROUND).tolist()
    errors = machine.strategy(problem, len(values)).leave_one_out(
        problem, [regularization(machine, value, learned.task) for value in values]
    )
    return learned.value if errors is None else float(values[int(np.argmin(errors))])


def learned_C(learned: Learned, machine: Machine) -> float:
    """Return the regularisation of classes, among values around the one that the method learned.

    The method learns it for the squared error of the labels. Here the outputs for samples that are
    left out decide, by the product of the misclassification rate and the log loss; the second
    decides if the first hardly differs. Without landmarks, some of the samples are used, and the
    value for several classes is the learned one.
    """
    if isinstance(machine, SquaredHingeSVM):
        return hinge_C(learned)
    problem, around = learned.problem, CLASS_LANDMARKS
    strategy: DenseRidge | LandmarkRidge = LandmarkRidge()
    if problem.n_components is None or problem.n_components >= len(problem.Y):
        if problem.Y.shape[1] > 1:
            return learned.value
        problem, strategy, around = (
            dense_subproblem(problem, CLASS_SAMPLES),
            DenseRidge(),
            CLASS_AROUND,
        )
    values = (learned.value * around).tolist()
    alphas = [regularization(machine, value, learned.task) for value in values]
    held = strategy.left_out(problem, alphas)
    return float(values[int(np.argmin([class_loss(outputs, problem) for outputs in held]))])


def hinge_C(learned: Learned) -> float:
    """Return C of the SVM in the span of landmarks, by some samples with fewer landmarks.

    The outputs for those of them that are left out decide, as in `learned_C`, by the logarithm of
    the same loss, averaged over values next to each other.
    """
    problem = landmark_subproblem(learned.problem, HINGE_SAMPLES, HINGE_LANDMARKS)
    ridge = LandmarkRidge().solve(problem)
    level = float(ridge.eigenvalues.sum()) / ridge.total
    if level == 0:
        return learned.value
    alphas = (level * HINGE_AROUND).tolist()
    with suppressed(ConvergenceWarning):  # raised for the value that is used
        held = LandmarkSVM().left_out(problem, alphas)
    logs = np.log([class_loss(outputs, problem) for outputs in held])
    if not np.isfinite(logs).any():
        return learned.value
    smooth = np.convolve(np.pad(logs, 1, mode="edge"), SMOOTHING, mode="valid")
    return 1 / (2 * alphas[int(np.argmin(smooth))])


def class_loss(outputs: np.ndarray, problem: TrainingProblem) -> float:
    """Return the product of misclassification rate and log loss of outputs for left-out samples.

    The rate counts one sample more than are misclassified, so that it is never zero.
    """
    known = np.isfinite(outputs).all(axis=1)
    outputs, w, codes = outputs[known], problem.weights[known], decide(problem.Y[known])
    temperature = fit_temperature(outputs, codes, w)
    if temperature is None:
        return np.inf
    logs = log_probabilities(outputs, temperature)[np.arange(len(codes)), codes]
    rate = (w @ (decide(outputs) != codes) + w.mean()) / w.sum()
    return float(rate * -(w @ logs) / w.sum())
