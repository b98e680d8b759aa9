"""Kernels from elsewhere: scikit-learn metrics, Gaussian-process kernels, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.kernels.base import Kernel


def with_options(name: str, options: Mapping[str, Any]) -> str:
    """Return ``name(key=value, ...)``, or the name alone without options."""
    inside = ", ".join(f"{key}={value}" for key, value in options.items())
    return f"{name}({inside})" if inside else name


def function_name(function: Callable[..., Any]) -> str:
    """Return the name of a function or class; of a partial function also its short arguments."""
    if isinstance(function, partial):
        options = {
            key: f"{value:g}" if isinstance(value, float) else value
            for key, value in function.keywords.items()
            if isinstance(value, (str, int, float))
        }
        return with_options(function_name(function.func), options)
    return str(getattr(function, "__name__", type(function).__name__))


class Evaluated(Kernel):
    """A kernel without a compiled formula, which is called on blocks of samples."""

    semidefinite = False

    def diagonal(self, X: Any) -> np.ndarray:
        blocks = (X[start : start + 64] for start in range(0, X.shape[0], 64))
        return np.concatenate([np.diag(self(block)) for block in blocks])


@dataclass(frozen=True)
class Metric(Evaluated):
    """A kernel metric of `sklearn.metrics.pairwise.pairwise_kernels`.

    Parameters
    ----------
    metric : str
        Name of the metric, for example ``"chi2"``, ``"cosine"`` or ``"rbf"``.
    options : dict, default={}
        Keyword arguments of the metric, such as ``{"gamma": 0.1}``.

    Examples
    --------
    >>> from learnkernels.kernels import Metric
    >>> Metric("cosine")([[1.0, 0.0], [1.0, 1.0]]).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """

    metric: str
    options: dict[str, Any] = field(default_factory=dict)

    takes = "numbers"

    @property
    def name(self) -> str:
        return with_options(self.metric, self.options)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        with as_input_error(f"kernel {self.name!r}: "):
            return np.asarray(pairwise_kernels(X, Z, metric=self.metric, **self.options))


@dataclass(frozen=True)
class GaussianProcess(Evaluated):
    """A kernel object of `sklearn.gaussian_process.kernels` with fixed hyperparameters.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel
        The kernel.

    Examples
    --------
    >>> from learnkernels.kernels import GaussianProcess
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> GaussianProcess(RBF(1.0))([[0.0], [1.0]]).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """

    kernel: Any

    takes = "numbers"
    semidefinite = True

    @property
    def name(self) -> str:
        return str(self.kernel)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        with as_input_error(f"kernel {self.name!r}: "):
            return np.asarray(self.kernel(np.asarray(X), None if Z is None else np.asarray(Z)))

    def diagonal(self, X: Any) -> np.ndarray:
        return np.asarray(self.kernel.diag(X))


@dataclass(frozen=True)
class Custom(Evaluated):
    """A kernel function ``f(X, Z) -> array of shape (n_samples_X, n_samples_Z)``.

    Parameters
    ----------
    function : callable
        The kernel function of two blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Custom
    >>> def overlap(X, Z):
    ...     return np.minimum(X[:, None], Z[None]).sum(axis=2)
    >>> Custom(overlap)(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([[3., 1.],
           [1., 3.]])
    """

    function: Callable[[Any, Any], np.ndarray]

    def __post_init__(self) -> None:
        try:
            signature(self.function).bind(None, None)
        except TypeError as error:
            advice = "define it as f(X, Z)"
            if getattr(self.function, "__module__", "").startswith("learnkernels."):
                advice = f"call it: lk.{self.name}()"
            raise InputError(
                f"the kernel function {self.name} does not take two blocks of rows ({error}); "
                f"{advice}."
            ) from error
        except ValueError:  # compiled functions have no signature
            pass

    @property
    def name(self) -> str:
        return function_name(self.function)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return self.function(X, X if Z is None else Z)
