"""`ensemble`: one machine a kernel, and a non-negative combination of their predictions."""

from __future__ import annotations

import numpy as np

from learnkernels.solvers import Certificate, nonnegative_qp
from learnkernels.weights.best_single import BestSingle, folds_of, out_of_fold

__all__ = ["Ensemble"]


class Ensemble(BestSingle):
    """Combine the predictions of one machine for each kernel (2012, section 3.3).

    A richer space of predictors than one machine with a combined kernel: the rival of learning
    kernels. The weights are those of the predictions, fitted to out-of-fold ones.

    Parameters
    ----------
    cv : int, default=5
        Folds.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lk.KernelClassifier(method="ensemble").fit(X, y).score(X, y) > 0.95
    True
    """

    name = "ensemble"
    ensemble = True

    def learn(self, evidence):
        folds = folds_of(self, evidence)
        root = np.sqrt(evidence.weights)[:, None]
        columns = [
            (root * out_of_fold(evidence, evidence.oracle.gram(unit), folds)).ravel()
            for unit in np.eye(evidence.oracle.n_kernels)
        ]
        # min_{v >= 0} sum_i w_i |y_i - sum_k v_k h_k(x_i)|^2 over out-of-fold predictions h_k
        P = np.column_stack(columns)
        target = (root * evidence.Y).ravel()
        v, proof = nonnegative_qp(P.T @ P, P.T @ target)
        if not v.any():  # no machine predicts better than zero: all alike
            v = np.full(len(v), 1 / len(v))
        scale = evidence.weights.sum()
        constant = target @ target
        return v, Certificate(
            (proof.primal + constant) / scale, (proof.dual + constant) / scale, proof.gap,
            proof.iterations, proof.status,
        )  # fmt: skip
