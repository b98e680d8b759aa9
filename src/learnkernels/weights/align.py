"""`align`: each kernel by its own alignment with the target."""

from __future__ import annotations

import numpy as np

from learnkernels.solvers import Certificate
from learnkernels.weights.base import WeightMethod, require, sum_to_one

__all__ = ["Align"]


class Align(WeightMethod):
    """Weights proportional to a power of the centered alignment of each kernel alone.

    Parameters
    ----------
    q : float, default=2.0
        The norm that bounds the weights, greater than 1. The default gives weights proportional to
        the alignment; towards 1 the best kernel takes all, towards infinity weights become equal.

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

    def __init__(self, q=2.0):
        self.q = q

    def learn(self, evidence):
        require(self, "q", self.q, 1)
        statistics = evidence.statistics
        rho = np.maximum(statistics.alignments(), 0.0)
        # 2012 prop. 7, on Frobenius-normalised kernels: max_mu mu'a, |mu|_q = 1, is reached at
        # mu_k ~ a_k^(1/(q-1)). Relative to the largest, so that no power underflows for all.
        mu = sum_to_one((rho / rho.max()) ** (1 / (self.q - 1)))
        return mu, Certificate.closed_form(statistics.alignment(mu))
