"""From what a user passes as ``kernels=`` to a list of base kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as GPKernel
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from learnkernels.checks import is_several
from learnkernels.errors import InputError
from learnkernels.kernels import tables
from learnkernels.kernels.base import CodedKernel, Kernel
from learnkernels.kernels.families import (
    Family,
    Training,
    gaussians,
    laplacians,
    linear,
    polynomials,
    require_matrix,
)
from learnkernels.kernels.features import per_feature
from learnkernels.kernels.low_rank import Approximated, LowRank
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.sequences import Sequences
from learnkernels.kernels.sources import WHOLE, On, is_strings
from learnkernels.kernels.texts import Ngrams, ngrams
from learnkernels.kernels.views import EVERYTHING, View
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric

__all__ = ["FAMILIES", "kernel_names", "kernel_views", "resolve", "takes_tables"]

# Families that a user may name by a string.
FAMILIES: dict[str, Callable[[], Family | Kernel]] = {
    "gaussians": gaussians,
    "laplacians": laplacians,
    "linear": linear,
    "ngrams": ngrams,
    "per_feature": per_feature,
    "polynomials": polynomials,
}


def resolve(
    kernels,
    X,
    sample_weight: np.ndarray | None = None,
    *,
    names: Sequence[str] | None = None,
    missing: str = "error",
) -> list[Kernel]:
    """The base kernels that `kernels` stands for on the training data X.

    Parameters
    ----------
    kernels : None, str, Kernel, Family, callable or a list of these
        As given by the user. None is `gaussians()` plus `linear()`.
    X : array or CSR matrix of shape (n_samples, n_features), strings, a table, or a stack
        Training data, for the recipes that look at it.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the samples in data-driven choices.
    names : sequence of str or None
        Names of the columns of X.
    missing : {"error", "neutral"}
        Whether samples may be missing in a view.

    Returns
    -------
    list of Kernel
        At least one.
    """
    if isinstance(kernels, str) and kernels == "precomputed":
        return [Precomputed(index) for index in range(X.shape[2])]
    if is_strings(X):  # recipes see those that are not missing
        X, observed = WHOLE.read(X, missing)
        if observed is not None and sample_weight is not None:
            sample_weight = sample_weight[observed]
    return resolved(kernels, Training(X, resolved, sample_weight, names, missing))


def resolved(kernels, data: Training) -> list[Kernel]:
    """The base kernels of everything the user listed."""
    if kernels is None:
        kernels = [gaussians(), linear()]
    entries = kernels if is_listed(kernels) else [kernels]
    found = [kernel for entry in entries for kernel in members(entry, data)]
    if not found:
        raise InputError(
            "kernels is an empty list; give at least one kernel, or None for the default family."
        )
    return found


def members(entry, data: Training) -> list[Kernel]:
    """The base kernels of one entry of the user's list."""
    if isinstance(entry, On):
        return [entry]
    if isinstance(entry, (View, LowRank)):
        return entry.members(data)
    if tables.is_frame(data.X) or (data.X.dtype == object and data.X.ndim == 2):
        whole = View(slice(None), entry, EVERYTHING)
        return [unnamed(kernel) for kernel in whole.members(data)]
    if isinstance(entry, Family):
        return entry.members(data)
    if isinstance(entry, Kernel):
        if isinstance(entry, (CodedKernel, Metric, GaussianProcess)):
            require_matrix(data.X, f"kernel {entry.name!r}")
        return [entry]
    if isinstance(entry, str):
        return named(entry, data)
    if isinstance(entry, GPKernel):
        return members(GaussianProcess(entry), data)
    if callable(entry):
        return [Custom(entry)]
    raise InputError(
        f"kernels holds {entry!r} of type {type(entry).__name__}; expected a family such as "
        "gaussians(), a view on(columns, kernels), a kernel, the name of a scikit-learn kernel "
        "metric, a gaussian_process kernel or a function f(X, Z)."
    )


def is_listed(kernels) -> bool:
    """Whether the user gave several entries: a list, a tuple, the values of a dictionary."""
    listed = isinstance(kernels, Collection) and is_several(kernels)
    return listed and not isinstance(kernels, (str, bytes, Mapping))


def unnamed(kernel):
    """A kernel of all columns: nobody made a view, so its name does not show one."""
    return On(kernel.source, kernel.kernel, "", kernel.label)


def named(name, data: Training):
    if name in FAMILIES:
        return members(FAMILIES[name](), data)
    if name in PAIRWISE_KERNEL_FUNCTIONS:
        return members(Metric(name), data)
    if name == "precomputed":
        raise InputError(
            'kernels mixes "precomputed" with other kernels; give kernels="precomputed" alone '
            "and put every Gram matrix on the last axis of X."
        )
    known = sorted({*FAMILIES, *PAIRWISE_KERNEL_FUNCTIONS, "precomputed"})
    raise InputError(f"kernels names {name!r}, which is unknown; expected one of {known}.")


def takes_tables(kernels: Any) -> bool:
    """Whether the kernels look at columns by themselves, or at strings."""
    if is_listed(kernels):
        return any(takes_tables(entry) for entry in kernels)
    if isinstance(kernels, Approximated):
        return takes_tables(kernels.kernels)
    if isinstance(kernels, str):
        return kernels == "ngrams"
    return isinstance(kernels, (View, LowRank, Ngrams, Sequences, On))


def kernel_names(kernels: Sequence[Kernel]) -> list[str]:
    """Names of the kernels, made unique by a number behind repeated ones."""
    given = [kernel.name for kernel in kernels]
    total = Counter(given)
    if len(total) == len(given):
        return given
    seen: Counter[str] = Counter()
    names = []
    for name in given:
        seen[name] += 1
        names.append(f"{name} #{seen[name]}" if total[name] > 1 else name)
    return names


def kernel_views(kernels: Sequence[Kernel]) -> list[str]:
    """The view that each kernel belongs to; "all columns" where the user made none."""
    return [getattr(kernel, "view", "") or EVERYTHING for kernel in kernels]
