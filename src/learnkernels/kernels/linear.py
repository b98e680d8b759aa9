"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.kernels.base import Code, CodedKernel, Kernel
from learnkernels.kernels.row_products import dots, squared_norms


@dataclass(frozen=True)
class Linear(CodedKernel):
    """The linear kernel ``k(x, z) = x'z``.

    Examples
    --------
    >>> from learnkernels.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    code = Code.DOT
    name = "linear"
    params = (0.0, 0.0, 0.0)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return dots(X, X if Z is None else Z)

    def diagonal(self, X: Any) -> np.ndarray:
        return squared_norms(X)


def linear() -> Kernel:
    """Return the linear kernel ``x'z``.

    Returns
    -------
    Kernel
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.linear().name
    'linear'
    """
    return Linear()
