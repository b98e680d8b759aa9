"""`ensemble`: one machine per kernel, and a non-negative combination of their predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnkernels.methods.base import UNDEFINED, LearnedWeights, WeightMethod, WeightProblem
from learnkernels.methods.best_single import out_of_fold_predictions
from learnkernels.solvers import Certificate, nonnegative_qp


class Ensemble(WeightMethod):
    """Combine the predictions of one machine for each kernel (2012, section 3.3).

    A larger space of predictors than one machine with a combined kernel. The weights combine
    predictions, and are fitted to out-of-fold predictions.

    Parameters
    ----------
    cv : int, splitter of scikit-learn or iterable, default=5
        Cross-validation folds.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lk.KernelClassifier(method="ensemble", C=1).fit(X, y).score(X, y) > 0.95
    True
    """

    name = "ensemble"
    reads = ("Grams",)
    handles_undefined = True
    holds_out = True

    def __init__(self, cv: Any = 5, random_state: Any = 0):
        self.cv = cv
        self.random_state = random_state

    def grams(self, n_kernels: int) -> int:
        """Count the Gram matrix of one kernel, the part of a fold, and its factor."""
        return 3

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Fit the weights to out-of-fold predictions; the result has an offset."""
        order = np.arange(problem.kernels.n_kernels)
        columns = list(out_of_fold_predictions(problem, order, self.cv, self.random_state))
        # min_{v >= 0, b} sum_i w_i |y_i - b - sum_k v_k h_k(x_i)|^2 over out-of-fold h_k
        w = problem.sample_weight / problem.sample_weight.sum()
        means = np.array([w @ column for column in columns])  # (p, t)
        middle = w @ problem.Y
        if not problem.kernels.center:
            means, middle = np.zeros_like(means), np.zeros_like(middle)
        root = np.sqrt(w)[:, None]
        P = np.column_stack(
            [(root * (h - mean)).ravel() for h, mean in zip(columns, means, strict=True)]
        )
        target = (root * (problem.Y - middle)).ravel()
        v, found = nonnegative_qp(P.T @ P, P.T @ target)
        constant, criterion = target @ target, "squared error of out-of-fold predictions"
        certificate = Certificate.of(
            found.primal + constant, min(found.dual, found.primal) + constant, found.iterations,
            tol=1e-6, criterion=criterion,
        )  # fmt: skip
        if not v.any() or problem.kernels.statistics.target_norm == 0:
            v = np.full(len(v), 1 / len(v))
            error = target - P @ v
            certificate = Certificate.closed_form(error @ error, criterion)
            certificate = replace(certificate, status=UNDEFINED)
        return LearnedWeights(v, certificate, offset=middle - v @ means)
