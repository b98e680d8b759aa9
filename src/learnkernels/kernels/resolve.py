"""From what a user passes as ``kernels=`` to a list of base kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from sklearn.gaussian_process.kernels import Kernel as GPKernel
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from learnkernels.errors import InputError
from learnkernels.kernels.base import Kernel
from learnkernels.kernels.families import Family, gaussians, laplacians, linear, polynomials
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric

__all__ = ["FAMILIES", "kernel_names", "resolve"]

# Families that a user may name by a string.
FAMILIES: dict[str, Callable[[], Family | Kernel]] = {
    "gaussians": gaussians,
    "laplacians": laplacians,
    "linear": linear,
    "polynomials": polynomials,
}


def resolve(kernels, X, sample_weight=None) -> list[Kernel]:
    """The base kernels that `kernels` stands for on the training data X.

    Parameters
    ----------
    kernels : None, str, Kernel, Family, callable or a list of these
        As given by the user. None is `gaussians()` plus `linear()`.
    X : array or CSR matrix of shape (n_samples, n_features), or a precomputed stack
        Training data, for the recipes that look at it.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the samples in data-driven choices.

    Returns
    -------
    list of Kernel
        At least one.
    """
    if isinstance(kernels, str) and kernels == "precomputed":
        return [Precomputed(index) for index in range(X.shape[2])]
    if kernels is None:
        kernels = [gaussians(), linear()]
    entries = kernels if isinstance(kernels, (list, tuple)) else [kernels]
    found = [kernel for entry in entries for kernel in members(entry, X, sample_weight)]
    if not found:
        raise InputError(
            "kernels is an empty list; give at least one kernel, or None for the default family."
        )
    return found


def members(entry, X, sample_weight) -> list[Kernel]:
    """The base kernels of one entry of the user's list."""
    if isinstance(entry, Family):
        return entry.members(X, sample_weight)
    if isinstance(entry, Kernel):
        return [entry]
    if isinstance(entry, str):
        return named(entry, X, sample_weight)
    if isinstance(entry, GPKernel):
        return [GaussianProcess(entry)]
    if callable(entry):
        return [Custom(entry)]
    raise InputError(
        f"kernels holds {entry!r} of type {type(entry).__name__}; expected a family such as "
        "gaussians(), a kernel, the name of a scikit-learn kernel metric, a "
        "gaussian_process kernel or a function f(X, Z)."
    )


def named(name, X, sample_weight):
    if name in FAMILIES:
        return members(FAMILIES[name](), X, sample_weight)
    if name in PAIRWISE_KERNEL_FUNCTIONS:
        return [Metric(name)]
    if name == "precomputed":
        raise InputError(
            'kernels mixes "precomputed" with other kernels; give kernels="precomputed" alone '
            "and put every Gram matrix on the last axis of X."
        )
    known = sorted({*FAMILIES, *PAIRWISE_KERNEL_FUNCTIONS, "precomputed"})
    raise InputError(f"kernels names {name!r}, which is unknown; expected one of {known}.")


def kernel_names(kernels: Sequence[Kernel]) -> list[str]:
    """Names of the kernels, made unique by a number behind repeated ones."""
    total = Counter(kernel.name for kernel in kernels)
    seen: Counter[str] = Counter()
    names = []
    for kernel in kernels:
        seen[kernel.name] += 1
        repeated = total[kernel.name] > 1
        names.append(f"{kernel.name} #{seen[kernel.name]}" if repeated else kernel.name)
    return names
