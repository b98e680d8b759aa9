"""`single`: the base kernel of lowest cross-validation error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from learnkernels.checks import require_whole
from learnkernels.execution import single_threaded_blas
from learnkernels.folds import folds
from learnkernels.gram import GramMatrix, recentered
from learnkernels.machines import TrainingProblem
from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem, class_codes
from learnkernels.progress import report
from learnkernels.solvers import Certificate

# Samples up to which threads of BLAS cost more in such small systems than they save.
SMALL = 1000


class BestSingle(WeightMethod):
    """Weight one for the base kernel of lowest cross-validation error.

    Parameters
    ----------
    cv : int, splitter of scikit-learn or iterable, default=5
        Cross-validation folds.
    max_kernels : int or None, default=None
        Try only so many kernels, those of highest alignment; None tries all.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(method="single", C=1).fit(X, y)
    >>> float(model.weights_.max()), float(model.weights_.sum())
    (1.0, 1.0)
    """

    name = "single"
    reads = ("Grams",)
    holds_out = True

    def __init__(self, cv: Any = 5, max_kernels: int | None = None, random_state: Any = 0):
        self.cv = cv
        self.max_kernels = max_kernels
        self.random_state = random_state

    def grams(self, n_kernels: int) -> int:
        """Count the Gram matrix of one kernel, the part of a fold, and its factor."""
        return 3

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Compute the cross-validation error of each kernel."""
        if self.max_kernels is not None:
            require_whole(type(self).__name__, "max_kernels", self.max_kernels, 1)
        kernels, w = problem.kernels, problem.sample_weight
        order = np.argsort(-kernels.statistics.alignments(), kind="stable")[: self.max_kernels]
        columns = out_of_fold_predictions(problem, order, self.cv, self.random_state)
        errors = [float(w @ losses(problem, column) / w.sum()) for column in columns]
        best = int(np.argmin(errors))
        return LearnedWeights(
            kernels.unit(int(order[best])),
            Certificate.closed_form(errors[best], "cross-validation error"),
        )


def losses(problem: WeightProblem, predicted: np.ndarray) -> np.ndarray:
    """Compute the loss of each sample, zero-one or squared, shape (n_samples,)."""
    if problem.task == "classification":
        return class_codes(predicted) != class_codes(problem.Y)
    return np.sum((predicted - problem.Y) ** 2, axis=1)


def out_of_fold_predictions(
    problem: WeightProblem, order: np.ndarray, cv: Any, random_state: Any
) -> Iterator[np.ndarray]:
    """Predict every sample by a machine trained without its fold, with each kernel alone.

    Parameters
    ----------
    problem : WeightProblem
    order : ndarray of shape (n_tried,)
        Kernels to try.
    cv, random_state
        As in `learnkernels.folds.folds`.

    Yields
    ------
    ndarray of shape (n_samples, n_outputs)
        Predictions of one kernel.
    """
    classes = problem.task == "classification"
    tests = folds(class_codes(problem.Y) if classes else len(problem.Y), cv, random_state)
    for done, k in enumerate(order.tolist()):
        report(f"kernel {done + 1} of {len(order)}")
        K = problem.kernels.gram_of(k)
        predicted = np.empty_like(problem.Y, dtype=float)
        with single_threaded_blas() if len(K) <= SMALL else nullcontext():
            for test in tests:
                predicted[test] = predict_fold(problem, K, test)
        yield predicted


def predict_fold(problem: WeightProblem, K: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Predict a fold by a machine trained on all others, shape (n_test, n_outputs).

    The Gram matrix is centered again with the means of the training samples.
    """
    train = np.setdiff1d(np.arange(len(K)), test)
    w, center = problem.sample_weight[train], problem.kernels.center
    inner, rows = K[np.ix_(train, train)], K[np.ix_(test, train)]
    if center:
        means = inner @ w / w.sum()
        total = means @ w / w.sum()
        rows = rows - means - (rows @ w / w.sum())[:, None] + total
        inner = recentered(inner, w)
    fold = TrainingProblem(
        GramMatrix(np.ascontiguousarray(inner)), problem.Y[train], w, center,
        problem.kernels.backend,
    )  # fmt: skip
    (trained,) = problem.machine.strategy(fold).train(fold, [problem.regularization])
    return rows @ trained.coef + trained.intercept
