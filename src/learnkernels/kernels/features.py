"""Kernels that are inner products of some columns: one for each feature, or for each block.

K_k = B_k B_k',   B_k some columns of a matrix B
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.row_products import dots, squared_norms


@dataclass(frozen=True, slots=True)  # thousands of them are common
class FactorKernel(Kernel):
    """A kernel of low rank, ``K = B B'`` where the factor B is a block of columns.

    ``k(x, z) = sum_c x_c z_c`` over `width` columns from `start` on.

    Parameters
    ----------
    start, width : int
        Columns of the block.
    label : str
        Name of the kernel.

    Examples
    --------
    >>> from learnkernels.kernels import FactorKernel
    >>> FactorKernel(1, 1, "second")([[1.0, 2.0]], [[3.0, 4.0]])
    array([[8.]])
    """

    start: int
    width: int
    label: str

    takes = "numbers"

    @property
    def name(self) -> str:
        return self.label

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        B = self.factor(X)
        return dots(B, B if Z is None else self.factor(Z))

    def diagonal(self, X: Any) -> np.ndarray:
        return squared_norms(self.factor(X))

    def factor(self, X: Any) -> Any:
        """Return the columns of the block, shape (n_samples, width)."""
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=float)
        return X[:, self.start : self.start + self.width]


@dataclass(frozen=True)
class PerFeature(Family):
    """One kernel for each column; see `per_feature`."""

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        names = data.names
        if names is None:
            names = [f"x[{column}]" for column in range(data.X.shape[1])]
        return feature_kernels(names)


def feature_kernels(names: Sequence[str]) -> list[Kernel]:
    """Return a kernel of rank one for each column."""
    return [FactorKernel(column, 1, str(name)) for column, name in enumerate(names)]


def per_feature() -> Family:
    """Return a kernel of rank one for each column, ``k(x, z) = x_c z_c``.

    X may be dense or sparse and have thousands of columns. The weights show which features matter.
    Only the learned Gram matrix is computed, and centering does not make sparse columns dense.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

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
