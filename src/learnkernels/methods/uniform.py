"""`unif`: equal weights."""

from __future__ import annotations

import numpy as np

from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem
from learnkernels.solvers import Certificate


class Uniform(WeightMethod):
    """Equal weights, ``mu_k = 1 / p``: a baseline that is hard to beat.

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

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Return equal weights."""
        statistics = problem.kernels.statistics
        mu = np.full(len(statistics.a), 1 / len(statistics.a))
        alignment = statistics.alignment(mu)
        return LearnedWeights(mu, Certificate.closed_form(alignment, "alignment"))
