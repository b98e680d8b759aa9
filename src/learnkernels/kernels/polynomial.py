"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass

from learnkernels.checks import is_number, require_positive
from learnkernels.errors import InputError
from learnkernels.kernels.base import Code, CodedKernel, shown
from learnkernels.kernels.linear import dots, squared_norms

__all__ = ["Polynomial"]


@dataclass(frozen=True)
class Polynomial(CodedKernel):
    """The polynomial kernel, ``k(x, z) = (gamma x'z + coef0)^degree``.

    Parameters
    ----------
    degree : int
        Degree, at least 1.
    gamma : float, default=1.0
        Scale of the inner product, positive.
    coef0 : float, default=1.0
        Constant, non-negative (a negative one would not give a kernel).

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

    def __post_init__(self):
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
    def name(self):
        return f"polynomial(degree={int(self.degree)}, gamma={shown(self.gamma)})"

    @property
    def params(self):
        return (float(self.gamma), float(self.coef0), float(self.degree))

    def __call__(self, X, Z=None):
        return (self.gamma * dots(X, X if Z is None else Z) + self.coef0) ** int(self.degree)

    def diagonal(self, X):
        return (self.gamma * squared_norms(X) + self.coef0) ** int(self.degree)
