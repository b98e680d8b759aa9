"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

from learnkernels.checks import require_positive
from learnkernels.kernels.base import Code, CodedKernel, shown

__all__ = ["Laplacian"]


@dataclass(frozen=True)
class Laplacian(CodedKernel):
    """The Laplacian kernel, ``k(x, z) = exp(-gamma |x - z|_1)``.

    Parameters
    ----------
    gamma : float
        Inverse width, positive.

    Examples
    --------
    >>> from learnkernels.kernels import Laplacian
    >>> Laplacian(gamma=1.0)([[0.0], [2.0]]).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    gamma: float

    code = Code.EXP_L1_DISTANCE
    unit = 1.0

    def __post_init__(self):
        require_positive("gamma", self.gamma, "the Laplacian kernel")

    @property
    def name(self):
        return f"laplacian({shown(self.gamma)})"

    @property
    def params(self):
        return (float(self.gamma), 0.0, 0.0)

    def __call__(self, X, Z=None):
        Z = X if Z is None else Z
        if sparse.issparse(X) or sparse.issparse(Z):
            return np.exp(-self.gamma * manhattan_distances(X, Z))
        return np.exp(-self.gamma * cdist(X, Z, "cityblock"))

    def diagonal(self, X):
        return np.ones(np.shape(X)[0])
