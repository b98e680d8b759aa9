"""`align`: weights by the alignment of each kernel alone."""

from __future__ import annotations

import numpy as np

from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem, require
from learnkernels.solvers import Certificate


class Align(WeightMethod):
    """Weights proportional to a power of the centered alignment of each kernel alone.

    Parameters
    ----------
    q : float, default=2.0
        The norm that bounds the weights, at least 1. The default gives weights proportional to
        the alignment; with 1 the best kernel gets all weight, towards infinity weights become
        equal.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.gaussians([0.1, 100.0]), method="align").fit(X, y)
    >>> model.weights_.round(2)
    array([0.86, 0.14])
    """

    name = "align"
    reads = ("a", "diagonal of M")

    def __init__(self, q: float = 2.0):
        self.q = q

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Compute the weights from the alignments."""
        require(self, "q", 1, strict=False)
        statistics = problem.kernels.statistics
        rho = np.maximum(statistics.alignments(), 0.0)
        # 2012 prop. 7, on Frobenius-normalised kernels: max_mu mu'a, |mu|_q = 1, is reached at
        # mu_k ~ a_k^(1/(q-1)), at the largest a_k for q = 1. Relative to the largest, so that not
        # all powers underflow.
        power = np.inf if self.q == 1 else 1 / (self.q - 1)
        mu = (rho / rho.max()) ** power
        mu /= mu.sum()
        return LearnedWeights(mu, Certificate.closed_form(statistics.alignment(mu), "alignment"))
