"""What a base kernel is: a name and a formula.

A `Kernel` is a small immutable object. Calling it gives the Gram matrix by its definition, in plain
NumPy; how Gram quantities are computed fast is the business of `learnkernels.gram`. A kernel that
has a compiled formula there says so by a `code` and `params`; any other kernel is evaluated by
calling it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Code", "CodedKernel", "Kernel"]


class Code(IntEnum):
    """The compiled formulas. A kernel reaches the jitted leaves as one of these and its params."""

    EXP_SQUARED_DISTANCE = 0
    EXP_L1_DISTANCE = 1
    DOT = 2
    POLYNOMIAL = 3
    # exp(-2 t) - 1 from h = exp(-t) - 1 of an earlier kernel of the same kind: h (h + 2)
    SQUARE_OF_EARLIER = 4


class Kernel(ABC):
    """A positive semi-definite similarity between two samples.

    Attributes
    ----------
    name : str
        How reports call the kernel.
    semidefinite : bool
        Whether the formula guarantees a positive semi-definite Gram matrix. Where it does not
        (callables, arbitrary metrics, precomputed matrices), the Gram is checked.
    """

    semidefinite: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> np.ndarray:
        """Gram matrix of shape (n_samples_X, n_samples_Z), by definition."""

    @abstractmethod
    def diagonal(self, X: ArrayLike) -> np.ndarray:
        """k(x, x) for every row of X, shape (n_samples,)."""


class CodedKernel(Kernel):
    """A kernel with a compiled formula in `learnkernels.gram.leaves`.

    Attributes
    ----------
    code : Code
        Which compiled formula.
    unit : float
        What must be added to the compiled value to get the kernel: 1 for `exp(-t)`, which the
        leaves evaluate as `expm1(-t)` to keep its digits when t is small.
    """

    code: ClassVar[Code]
    unit: ClassVar[float] = 0.0

    @property
    @abstractmethod
    def params(self) -> tuple[float, float, float]:
        """The numbers of the formula, padded to three."""


def shown(value: float) -> str:
    """A number as a name shows it: powers of two as 2^k, anything else with four digits."""
    mantissa, exponent = np.frexp(value)
    if mantissa == 0.5:
        return f"2^{int(exponent) - 1}"
    return f"{value:.4g}"
