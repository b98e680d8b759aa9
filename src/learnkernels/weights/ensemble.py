"""`ensemble`: one machine a kernel, and a non-negative combination of their predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnkernels.solvers import Certificate, nonnegative_qp
from learnkernels.weights.base import UNDEFINED, WeightMethod
from learnkernels.weights.best_single import folds_of, out_of_fold

__all__ = ["Ensemble"]


class Ensemble(WeightMethod):
    """Combine the predictions of one machine for each kernel (2012, section 3.3).

    A richer space of predictors than one machine with a combined kernel: the rival of learning
    kernels. The weights are those of the predictions, fitted to out-of-fold ones.

    Parameters
    ----------
    cv : int, default=5
        Folds.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.

    Attributes
    ----------
    offset_ : ndarray of shape (n_outputs,)
        Added to the combined predictions; set by `learn`.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lk.KernelClassifier(method="ensemble").fit(X, y).score(X, y) > 0.95
    True
    """

    name = "ensemble"
    reads = ("Grams",)
    ensemble = True

    def __init__(self, cv=5, random_state=0):
        self.cv = cv
        self.random_state = random_state

    def grams(self, n_kernels):
        return 3  # a fold's part and its factor beside the whole

    def learn(self, evidence):
        folds = folds_of(self, evidence)
        columns = []
        for k in range(evidence.oracle.n_kernels):
            evidence.say(f"kernel {k + 1} of {evidence.oracle.n_kernels}")
            columns.append(out_of_fold(evidence, evidence.oracle.gram_of(k), folds))
        # min_{v >= 0, b} sum_i w_i |y_i - b - sum_k v_k h_k(x_i)|^2 over out-of-fold h_k
        w = evidence.weights / evidence.weights.sum()
        means = np.array([w @ column for column in columns])  # (p, t)
        middle = w @ evidence.Y
        if not evidence.oracle.center:
            means, middle = np.zeros_like(means), np.zeros_like(middle)
        root = np.sqrt(w)[:, None]
        P = np.column_stack(
            [(root * (h - mean)).ravel() for h, mean in zip(columns, means, strict=True)]
        )
        target = (root * (evidence.Y - middle)).ravel()
        v, proof = nonnegative_qp(P.T @ P, P.T @ target)
        constant = target @ target
        certificate = Certificate.of(
            proof.primal + constant, min(proof.dual, proof.primal) + constant, proof.iterations,
            tol=1e-6,
        )  # fmt: skip
        if not v.any() or evidence.statistics.target_norm == 0:
            v = np.full(len(v), 1 / len(v))
            error = target - P @ v
            certificate = replace(Certificate.closed_form(error @ error), status=UNDEFINED)
        self.offset_ = middle - v @ means
        return v, certificate
