"""The Gaussian kernel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances

from learnkernels.kernels.base import Code, Family
from learnkernels.kernels.exponential import Exponential, Widths, as_numbers
from learnkernels.kernels.row_products import dots, squared_norms


class Gaussian(Exponential):
    """The Gaussian kernel ``k(x, z) = exp(-gamma |x - z|^2)``.

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

    code = Code.EXP_SQUARED_DISTANCE
    # |x|^2 - 2 x'z + |z|^2 cancels for samples close to each other.
    distances = staticmethod(partial(euclidean_distances, squared=True))
    rounding = 1e-10

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        Z = X if Z is None else Z
        if sparse.issparse(X) or sparse.issparse(Z):
            D = squared_norms(X)[:, None] + squared_norms(Z) - 2 * dots(X, Z)
            return np.asarray(np.exp(-self.gamma * np.maximum(D, 0.0)))
        return np.asarray(np.exp(-self.gamma * cdist(X, Z, "sqeuclidean")))


class Gaussians(Widths):
    """Gaussian kernels of several widths; see `gaussians`."""

    kernel = Gaussian


def gaussians(gammas: Iterable[float] | None = None) -> Family:
    """Return Gaussian kernels ``exp(-gamma |x - z|^2)``, one for each gamma.

    Parameters
    ----------
    gammas : iterable of float or None, default=None
        Inverse squared widths. None takes 2^-5 to 2^4 times the inverse of the median squared
        distance of the training samples.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.gaussians()).fit(scale(X), y)
    >>> len(model.kernel_names_)
    10
    """
    return Gaussians(as_numbers("gammas", gammas))
