"""Kernels known by their factors: rank one, a feature each, or a block of columns each.

K_k = B_k B_k',   B_k some columns of a matrix B
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels.kernels.base import Kernel
from learnkernels.kernels.families import Family, Training, require_matrix
from learnkernels.kernels.linear import dots, squared_norms

__all__ = ["Block", "per_feature"]


@dataclass(frozen=True, slots=True)  # there may be many
class Block(Kernel):
    """``k(x, z) = sum_c x_c z_c`` over `width` columns from `start` on.

    Parameters
    ----------
    start, width : int
        The columns.
    label : str
        The kernel's name.

    Examples
    --------
    >>> from learnkernels.kernels import Block
    >>> Block(1, 1, "second")([[1.0, 2.0]], [[3.0, 4.0]])
    array([[8.]])
    """

    start: int
    width: int
    label: str

    @property
    def name(self):
        return self.label

    def __call__(self, X, Z=None):
        B = self.columns(X)
        return dots(B, B if Z is None else self.columns(Z))

    def diagonal(self, X):
        return squared_norms(self.columns(X))

    def columns(self, X):
        """Its columns of X, shape (n_samples, width)."""
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=float)
        return X[:, self.start : self.start + self.width]


@dataclass(frozen=True)
class PerFeature(Family):
    """One kernel for each column; see `per_feature`."""

    def members(self, data: Training):
        require_matrix(data.X, "per_feature()")
        return features(data.names, data.X.shape[1])


def features(names, n_columns: int) -> list[Block]:
    """A rank-one kernel for each column."""
    if names is None:
        names = [f"x[{column}]" for column in range(n_columns)]
    return [Block(column, 1, str(name)) for column, name in enumerate(names)]


def per_feature() -> Family:
    """A kernel of rank one for each column, ``k(x, z) = x_c z_c``.

    Dense or sparse, for thousands of columns: weights then say which features matter. No Gram
    matrix but the learned one is ever built, and sparse columns stay sparse when they are centered.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = lk.KernelRegressor(kernels=lk.per_feature(), method="align").fit(X, y)
    >>> str(model.kernel_names_[model.weights_.argmax()])
    'bmi'
    """
    return PerFeature()
