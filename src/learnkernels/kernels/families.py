"""Families: recipes that become base kernels once the data is seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from learnkernels.checks import is_number, is_several
from learnkernels.errors import InputError
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.linear import Linear, squared_norms
from learnkernels.kernels.polynomial import Polynomial

if TYPE_CHECKING:
    from learnkernels.kernels.base import Kernel

__all__ = ["Family", "Training", "gaussians", "laplacians", "linear", "polynomials"]

# The default grid: ten widths, powers of two around the median distance.
WIDTHS = 2.0 ** np.arange(-5, 5)
# Rows used to find the median distance.
MEDIAN_SAMPLE = 1000
# Below this the inverse is infinite, or distances have lost digits.
LEAST_DISTANCE = 1e-300


@dataclass(frozen=True)
class Training:
    """What a recipe may look at.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_samples, n_features), strings of shape (n_samples,), table
        The training samples.
    resolve : callable
        ``resolve(kernels, training)`` gives the base kernels of what a user wrote.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples in data-driven choices.
    names : sequence of str or None
        Of the columns.
    missing : {"error", "neutral"}
        Whether samples may be missing in a view.
    """

    X: Any
    resolve: Callable
    weights: np.ndarray | None = None
    names: Sequence[str] | None = None
    missing: str = "error"


class Family(ABC):
    """A recipe for base kernels."""

    @abstractmethod
    def members(self, data: Training) -> list[Kernel]:
        """The base kernels for the training data."""


def require_matrix(X, family: str) -> None:
    """Raise if a recipe for numbers is given text."""
    if X.ndim == 1:
        raise InputError(
            f"{family} takes numbers, but X (or this view) holds text; use lk.ngrams() for texts, "
            "lk.spectrum(k) or lk.weighted_degree(d) for sequences."
        )


def require_strings(X, family: str) -> np.ndarray:
    """The strings; raises if a recipe for text is given numbers."""
    if X.ndim != 1:
        raise InputError(
            f"{family} takes strings, but X (or this view) holds numbers of shape {X.shape}; give "
            "a list of strings, or choose the column of strings with lk.on(column, ...)."
        )
    return X


@dataclass(frozen=True)
class Widths(Family):
    """One kind of kernel at several widths."""

    gammas: tuple[float, ...] | None = None

    kind: ClassVar[type]
    distances: ClassVar[Callable]

    def members(self, data):
        require_matrix(data.X, f"{type(self).__name__.lower()}()")
        gammas = self.gammas
        if gammas is None:
            typical = median_distance(data.X, data.weights, type(self).distances)
            gammas = nearest_power_of_two(1 / typical) * WIDTHS
        return [type(self).kind(float(gamma)) for gamma in gammas]


def squared_distances(X):
    """Squared distances; what is rounding beside the two samples' own norms is zero."""
    D, squares = euclidean_distances(X, squared=True), squared_norms(X)
    D[D <= 1e-10 * np.add.outer(squares, squares)] = 0.0
    return D


class Gaussians(Widths):
    """Gaussian kernels of several widths; see `gaussians`."""

    kind = Gaussian
    distances = squared_distances


class Laplacians(Widths):
    """Laplacian kernels of several widths; see `laplacians`."""

    kind = Laplacian
    distances = manhattan_distances


@dataclass(frozen=True)
class Polynomials(Family):
    """Polynomial kernels of several degrees; see `polynomials`."""

    degrees: tuple[int, ...]
    gamma: float | None
    coef0: float

    def members(self, data):
        require_matrix(data.X, "polynomials()")
        gamma = 1 / data.X.shape[1] if self.gamma is None else self.gamma
        return [Polynomial(degree, float(gamma), float(self.coef0)) for degree in self.degrees]


def gaussians(gammas: Iterable[float] | None = None) -> Family:
    """Gaussian kernels ``exp(-gamma |x - z|^2)``, one for each gamma.

    Parameters
    ----------
    gammas : iterable of float or None, default=None
        The inverse squared widths. None takes ten powers of two around the inverse of the median
        squared distance of the training samples, from 2^-5 to 2^4 times it.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list.

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
    return Gaussians(numbers("gammas", gammas))


def laplacians(gammas: Iterable[float] | None = None) -> Family:
    """Laplacian kernels ``exp(-gamma |x - z|_1)``, one for each gamma.

    Parameters
    ----------
    gammas : iterable of float or None, default=None
        The inverse widths. None takes ten powers of two around the inverse of the median L1
        distance of the training samples.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.laplacians([0.5, 1.0]).gammas
    (0.5, 1.0)
    """
    return Laplacians(numbers("gammas", gammas))


def polynomials(
    degrees: Iterable[int] = (2, 3), *, gamma: float | None = None, coef0: float = 1.0
) -> Family:
    """Polynomial kernels ``(gamma x'z + coef0)^degree``, one for each degree.

    Parameters
    ----------
    degrees : iterable of int, default=(2, 3)
        The degrees.
    gamma : float or None, default=None
        Scale of the inner product. None takes 1 / n_features.
    coef0 : float, default=1.0
        The constant.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.polynomials([1, 2, 3]).degrees
    (1, 2, 3)
    """
    found = numbers("degrees", degrees)
    if found is None:
        raise InputError("degrees is None; polynomials() needs a list of whole numbers.")
    for parameter, value in (("gamma", gamma), ("coef0", coef0)):
        if not (is_number(value) or (parameter == "gamma" and value is None)):
            raise InputError(f"polynomials() got {parameter}={value!r}; it must be a number.")
    return Polynomials(found, gamma, coef0)


def linear() -> Kernel:
    """The linear kernel ``x'z``.

    Returns
    -------
    Kernel
        To be given as ``kernels=``, alone or in a list.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.linear().name
    'linear'
    """
    return Linear()


def numbers(parameter, values):
    """`values` as a tuple of numbers, or None; a lone number counts as a list of one."""
    if values is None:
        return None
    found = tuple(values) if is_several(values) else (values,)
    if not found:
        raise InputError(f"{parameter} is empty; give at least one number, or None to choose.")
    for value in found:
        if not is_number(value):
            raise InputError(f"{parameter} holds {value!r}; every entry must be a finite number.")
    return found


def median_distance(X, sample_weight, distances):
    """Weighted median of the non-zero distances between at most MEDIAN_SAMPLE samples."""
    n = X.shape[0]
    chosen = np.linspace(0, n - 1, min(n, MEDIAN_SAMPLE)).round().astype(int)
    some = X[chosen]
    with np.errstate(over="ignore", invalid="ignore"):  # said next
        if not sparse.issparse(some):
            some = some - np.median(some, axis=0)  # distances do not change, digits do
        D = distances(some)  # (m, m)
    require_distances(some, D)
    w = np.ones(len(chosen)) if sample_weight is None else sample_weight[chosen]
    pairs = np.triu(D > 0)
    if not pairs.any():
        return 1.0
    w = w / max(w.max(), np.finfo(float).tiny)  # whose products are numbers
    values, weights = D[pairs], np.outer(w, w)[pairs]
    order = np.argsort(values)
    cumulated = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(cumulated, cumulated[-1] / 2)])


def require_distances(X, D) -> None:
    """Raise where distances are too large or too small for numbers of this machine."""
    varies = not sparse.issparse(X) and bool(X.any())  # less the median
    largest = D.max(initial=0.0)
    if not np.isfinite(largest) or ((varies or largest > 0) and largest < LEAST_DISTANCE):
        raise InputError(
            f"samples are too {'close' if largest < 1 else 'far apart'} for their distances to be "
            "numbers that a width can be found by (Gaussians take squares); scale the columns of "
            "X, for example with StandardScaler."
        )


def nearest_power_of_two(value):
    return 2.0 ** np.round(np.log2(value))
