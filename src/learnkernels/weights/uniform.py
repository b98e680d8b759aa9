"""`unif`: every kernel the same."""

from __future__ import annotations

import numpy as np

from learnkernels.solvers import Certificate
from learnkernels.weights.base import WeightMethod

__all__ = ["Uniform"]


class Uniform(WeightMethod):
    """Equal weights, ``mu_k = 1 / p``: the combination that is hard to beat.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.gaussians([0.1, 1.0]), method=lk.methods.Uniform())
    >>> model.fit(X, y).weights_
    array([0.5, 0.5])
    """

    name = "unif"
    reads = ()

    def learn(self, evidence):
        p = evidence.oracle.n_kernels
        mu = np.full(p, 1 / p)
        return mu, Certificate.closed_form(evidence.statistics.alignment(mu))
