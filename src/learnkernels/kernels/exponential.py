"""Kernels ``exp(-gamma d(x, z))`` of a distance d, and families of several widths gamma.

The Gaussian and the Laplacian kernel differ in the distance only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from learnkernels.checks import is_number, is_several, require_positive
from learnkernels.errors import InputError
from learnkernels.kernels.base import CodedKernel, Family, Kernel, TrainingData
from learnkernels.kernels.quantiles import column_medians

# Multiples of the inverse median distance in the default grid.
WIDTHS = 2.0 ** np.arange(-5, 5)
# Maximum number of rows that the median distance is computed from.
MEDIAN_SAMPLE = 1000
# The inverse of a smaller distance overflows, or the distance has lost its digits.
MIN_DISTANCE = 1e-300


@dataclass(frozen=True)
class Exponential(CodedKernel):
    """A kernel ``k(x, z) = exp(-gamma d(x, z))``.

    Attributes
    ----------
    gamma : float
        Inverse width, positive.
    distances : callable
        Returns d(x, z) for all rows x of one array and z of another, dense or sparse.
    rounding : float
        Values of `distances` up to this multiple of d(x, 0) + d(z, 0) are rounding errors.
    """

    gamma: float

    unit = 1.0
    distances: ClassVar[Callable[..., np.ndarray]]
    rounding: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        require_positive("gamma", self.gamma, f"the {type(self).__name__} kernel")

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()}({format_number(self.gamma)})"

    @property
    def params(self) -> tuple[float, float, float]:
        return (float(self.gamma), 0.0, 0.0)

    def diagonal(self, X: Any) -> np.ndarray:
        return np.ones(np.shape(X)[0])


@dataclass(frozen=True)
class Widths(Family):
    """One kind of kernel at several widths.

    Attributes
    ----------
    gammas : tuple of float or None
        Inverse widths. None takes the inverse median distance times powers of two.
    kernel : type of Exponential
        Kind of the kernels.
    """

    gammas: tuple[float, ...] | None = None

    takes = "numbers"
    kernel: ClassVar[type[Exponential]]

    def members(self, data: TrainingData) -> list[Kernel]:
        gammas: Any = self.gammas
        if gammas is None:
            inverse = 1 / median_distance(data.X, data.weights, self.kernel)
            gammas = inverse * WIDTHS
        return [self.kernel(float(gamma)) for gamma in gammas]


def median_distance(X: Any, weights: np.ndarray | None, kernel: type[Exponential]) -> float:
    """Return the weighted median of the non-zero distances of at most MEDIAN_SAMPLE samples.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        Samples.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.
    kernel : type of Exponential
        Defines the distance.

    Returns
    -------
    float
        1.0 if all distances are zero.
    """
    n = X.shape[0]
    chosen = np.linspace(0, n - 1, min(n, MEDIAN_SAMPLE)).round().astype(int)
    A = X[chosen]  # (m, n_features)
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        if not sparse.issparse(A):
            A = A - column_medians(A)  # same distances, smaller rounding errors
        D = kernel.distances(A)  # (m, m)
        if kernel.rounding:
            norms = kernel.distances(A, A[:1] * 0)[:, 0]
            D[D <= kernel.rounding * np.add.outer(norms, norms)] = 0.0
    largest = D.max(initial=0.0)
    varies = largest > 0 or (not sparse.issparse(A) and bool(A.any()))
    if not np.isfinite(largest) or (varies and largest < MIN_DISTANCE):
        raise InputError(
            f"samples are too {'close' if largest < 1 else 'far apart'}: their distances "
            f"{'underflow' if largest < 1 else 'overflow'}, so no width can be chosen; expected "
            "columns of ordinary scale: scale X, for example with StandardScaler."
        )
    pairs = np.triu(D > 0)
    if not pairs.any():
        return 1.0
    values = D[pairs]
    w = np.ones(len(chosen)) if weights is None else weights[chosen]
    if (w == w[0]).all():
        middle = (len(values) - 1) // 2
        return float(np.partition(values, middle)[middle])
    w = w / max(w.max(), np.finfo(float).tiny)  # products must not overflow
    products = np.outer(w, w)[pairs]
    order = np.argsort(values)
    cumulated = np.cumsum(products[order])
    return float(values[order][np.searchsorted(cumulated, cumulated[-1] / 2)])


def as_numbers(parameter: str, values: Any) -> tuple[Any, ...] | None:
    """Return `values` as a tuple of finite numbers, or None; a number counts as a list of one."""
    if values is None:
        return None
    found = tuple(values) if is_several(values) else (values,)
    if not found:
        raise InputError(
            f"{parameter} is empty; expected at least one number: add one, or pass None to let "
            "the family choose."
        )
    for value in found:
        if not is_number(value):
            raise InputError(
                f"{parameter} contains {value!r}; every entry must be a finite number. Remove or "
                "replace it."
            )
    return found


def format_number(value: float) -> str:
    """Return a number for a kernel's name: 2^k for powers of two, else four digits."""
    mantissa, exponent = np.frexp(value)
    if mantissa == 0.5:
        return f"2^{int(exponent) - 1}"
    return f"{value:.4g}"
