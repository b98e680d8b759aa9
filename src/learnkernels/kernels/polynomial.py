"""The polynomial kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.checks import is_number, require_positive
from learnkernels.errors import InputError
from learnkernels.kernels.base import Code, CodedKernel, Family, Kernel, TrainingData
from learnkernels.kernels.exponential import as_numbers, format_number
from learnkernels.kernels.row_products import dots, squared_norms


@dataclass(frozen=True)
class Polynomial(CodedKernel):
    """The polynomial kernel ``k(x, z) = (gamma x'z + coef0)^degree``.

    Parameters
    ----------
    degree : int
        Degree, at least 1.
    gamma : float, default=1.0
        Scale of the inner product, positive.
    coef0 : float, default=1.0
        Constant, non-negative (with a negative constant the Gram matrix can be indefinite).

    Examples
    --------
    >>> from learnkernels.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: int
    gamma: float = 1.0
    coef0: float = 1.0

    code = Code.POLYNOMIAL

    def __post_init__(self) -> None:
        require_positive("gamma", self.gamma, "the polynomial kernel")
        if not (is_number(self.degree) and self.degree == int(self.degree) >= 1):
            raise InputError(
                f"the polynomial kernel got degree={self.degree!r}; "
                "degree must be a whole number of at least 1."
            )
        if not (is_number(self.coef0) and self.coef0 >= 0):
            raise InputError(
                f"the polynomial kernel got coef0={self.coef0!r}; coef0 must be a finite "
                "number of at least 0, otherwise the Gram matrix is not positive semi-definite."
            )

    @property
    def name(self) -> str:
        return f"polynomial(degree={int(self.degree)}, gamma={format_number(self.gamma)})"

    @property
    def params(self) -> tuple[float, float, float]:
        return (float(self.gamma), float(self.coef0), float(self.degree))

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return self.power(dots(X, X if Z is None else Z))

    def diagonal(self, X: Any) -> np.ndarray:
        return self.power(squared_norms(X))

    def power(self, products: np.ndarray) -> np.ndarray:
        """Return ``(gamma products + coef0)^degree``, elementwise."""
        return np.asarray((self.gamma * products + self.coef0) ** int(self.degree))


@dataclass(frozen=True)
class Polynomials(Family):
    """Polynomial kernels of several degrees; see `polynomials`."""

    degrees: tuple[int, ...]
    gamma: float | None
    coef0: float

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        gamma = 1 / data.X.shape[1] if self.gamma is None else self.gamma
        return [Polynomial(degree, float(gamma), float(self.coef0)) for degree in self.degrees]


def polynomials(
    degrees: Iterable[int] = (2, 3), *, gamma: float | None = None, coef0: float = 1.0
) -> Family:
    """Return polynomial kernels ``(gamma x'z + coef0)^degree``, one for each degree.

    Parameters
    ----------
    degrees : iterable of int, default=(2, 3)
        Degrees.
    gamma : float or None, default=None
        Scale of the inner product. None takes 1 / n_features.
    coef0 : float, default=1.0
        Constant.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.polynomials([1, 2, 3]).degrees
    (1, 2, 3)
    """
    found = as_numbers("degrees", degrees)
    if found is None:
        raise InputError(
            "degrees is None; it must be a list of whole numbers. Pass, for example, [2, 3]."
        )
    for parameter, value in (("gamma", gamma), ("coef0", coef0)):
        if not (is_number(value) or (parameter == "gamma" and value is None)):
            raise InputError(f"polynomials() got {parameter}={value!r}; it must be a number.")
    return Polynomials(found, gamma, coef0)
