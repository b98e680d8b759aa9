"""The Laplacian kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

from learnkernels.kernels.base import Code, Family
from learnkernels.kernels.exponential import Exponential, Widths, as_numbers
from learnkernels.kernels.l1 import l1_distances


def distances(X: Any, Z: Any = None) -> np.ndarray:
    """Return L1 distances between the rows of X and of Z (default: X), dense or sparse."""
    Z = X if Z is None else Z
    if sparse.issparse(X) or sparse.issparse(Z):
        return np.asarray(manhattan_distances(X, Z))
    return l1_distances(X, Z)


class Laplacian(Exponential):
    """The Laplacian kernel ``k(x, z) = exp(-gamma |x - z|_1)``.

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

    code = Code.EXP_L1_DISTANCE
    distances = staticmethod(distances)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        Z = X if Z is None else Z
        if sparse.issparse(X) or sparse.issparse(Z):
            return np.asarray(np.exp(-self.gamma * manhattan_distances(X, Z)))
        return np.asarray(np.exp(-self.gamma * cdist(X, Z, "cityblock")))


class Laplacians(Widths):
    """Laplacian kernels of several widths; see `laplacians`."""

    kernel = Laplacian


def laplacians(gammas: Iterable[float] | None = None) -> Family:
    """Return Laplacian kernels ``exp(-gamma |x - z|_1)``, one for each gamma.

    Parameters
    ----------
    gammas : iterable of float or None, default=None
        Inverse widths. None takes 2^-5 to 2^4 times the inverse of the median L1 distance of the
        training samples.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.laplacians([0.5, 1.0]).gammas
    (0.5, 1.0)
    """
    return Laplacians(as_numbers("gammas", gammas))
