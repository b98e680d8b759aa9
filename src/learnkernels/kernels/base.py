"""Base kernels, kernel families, and what a family sees of the training data.

A `Kernel` is an immutable object with a name and a formula. Calling it returns the Gram matrix by
definition, in plain NumPy; `learnkernels.gram` computes Gram quantities fast. A kernel with a
compiled formula there has a `code` and `params`; any other kernel is evaluated by calling it.

A `Family` lists base kernels for given training data. A kernel is a family of one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Literal

import numpy as np


class Code(IntEnum):
    """Compiled formulas. The jitted functions receive a kernel as its code and its params."""

    EXP_SQUARED_DISTANCE = 0
    EXP_L1_DISTANCE = 1
    DOT = 2
    POLYNOMIAL = 3
    # exp(-2 t) - 1 from h = exp(-t) - 1 of an earlier kernel of the same kind: h (h + 2), repeated
    SQUARE_OF_EARLIER = 4


@dataclass(frozen=True)
class TrainingData:
    """Training data as a family sees it.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_samples, n_features), strings of shape (n_samples,), table
        Training samples.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.
    names : sequence of str or None
        Column names.
    missing : {"error", "neutral"}
        Whether a sample may have no value in a view.
    validated : bool
        Whether X is an array that kernels can read directly, without missing values except for
        `table`. If not, kernels read it through a source.
    target : ndarray of shape (n_samples, n_outputs) or None
        Labels -1 and 1, or real targets; zero for samples of weight zero.
    gradient_products : callable or None
        ``gradient_products(kernels, X, target, weights)`` trains ridge with some kernels and
        returns the average outer product of its gradients, shape (n_features, n_features).
    blocks : ndarray of shape (n_features,) or None
        Number of the block of each column: those of one category are scaled together.
    """

    X: Any
    weights: np.ndarray | None = None
    names: Sequence[str] | None = None
    missing: str = "error"
    validated: bool = True
    target: np.ndarray | None = None
    gradient_products: Callable[..., np.ndarray] | None = None
    blocks: np.ndarray | None = None


class Family(ABC):
    """A list of base kernels that may depend on the training data.

    ``+`` concatenates families and kernels to a list: ``gaussians() + linear()``.

    Attributes
    ----------
    takes : {"numbers", "strings", "table", "any"}
        Samples that the family accepts: rows of numbers, strings, a table from which it selects
        columns itself, or anything.
    fast_products : bool
        Whether the Gram matrix times a vector costs much less than the Gram matrix.
    """

    fast_products: ClassVar[bool] = False
    takes: ClassVar[Literal["numbers", "strings", "table", "any"]] = "any"

    @abstractmethod
    def members(self, data: TrainingData) -> list[Kernel]:
        """Return the base kernels for the training data."""

    def __add__(self, other: Any) -> list[Any]:
        entries = as_entries(other)
        return NotImplemented if entries is None else [self, *entries]

    def __radd__(self, other: Any) -> list[Any]:
        entries = as_entries(other)
        return NotImplemented if entries is None else [*entries, self]


def as_entries(kernels: Any) -> list[Any] | None:
    """Return the operand of ``+`` as a list, None if it cannot be a kernel or a list of kernels."""
    if isinstance(kernels, (list, tuple)):
        return list(kernels)
    return [kernels] if isinstance(kernels, (Family, str)) or callable(kernels) else None


class Kernel(Family):
    """A positive semi-definite similarity of two samples.

    Attributes
    ----------
    name : str
        Name in reports.
    semidefinite : bool
        Whether the formula guarantees a positive semi-definite Gram matrix. If it does not
        (callables, arbitrary metrics, precomputed matrices), the Gram matrix is checked.
    """

    semidefinite: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """Return the Gram matrix of shape (n_samples_X, n_samples_Z) by definition."""

    @abstractmethod
    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x, x) for every row of X, shape (n_samples,)."""

    def members(self, data: TrainingData) -> list[Kernel]:
        return [self]


class CodedKernel(Kernel):
    """A kernel with a compiled formula in `learnkernels.gram`.

    Attributes
    ----------
    code : Code
        The compiled formula.
    unit : float
        Constant to add to the compiled value to get the kernel: 1 for ``exp(-t)``, which is
        computed as ``expm1(-t)`` because that keeps its digits if t is small.
    """

    takes = "numbers"
    code: ClassVar[Code]
    unit: ClassVar[float] = 0.0

    @property
    @abstractmethod
    def params(self) -> tuple[float, float, float]:
        """The parameters of the formula, padded to three."""
