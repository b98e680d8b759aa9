"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from learnkernels.checks import require_positive
from learnkernels.kernels.base import Code, CodedKernel, shown
from learnkernels.kernels.linear import dots, squared_norms

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian(CodedKernel):
    """The Gaussian kernel, ``k(x, z) = exp(-gamma |x - z|^2)``.

    Parameters
    ----------
    gamma : float
        Inverse squared width, positive.

    Examples
    --------
    >>> from learnkernels.kernels import Gaussian
    >>> Gaussian(gamma=0.5)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """

    gamma: float

    code = Code.EXP_SQUARED_DISTANCE
    unit = 1.0

    def __post_init__(self):
        require_positive("gamma", self.gamma, "the Gaussian kernel")

    @property
    def name(self):
        return f"gaussian({shown(self.gamma)})"

    @property
    def params(self):
        return (float(self.gamma), 0.0, 0.0)

    def __call__(self, X, Z=None):
        Z = X if Z is None else Z
        if sparse.issparse(X) or sparse.issparse(Z):
            D = squared_norms(X)[:, None] + squared_norms(Z) - 2 * dots(X, Z)
            return np.exp(-self.gamma * np.maximum(D, 0.0))
        return np.exp(-self.gamma * cdist(X, Z, "sqeuclidean"))

    def diagonal(self, X):
        return np.ones(np.shape(X)[0])
