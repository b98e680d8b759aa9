"""From the ``kernels=`` argument and the training data to a list of base kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import groupby
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from learnkernels.checks import is_several
from learnkernels.errors import InputError
from learnkernels.kernels import tables
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.features import per_feature
from learnkernels.kernels.gaussian import gaussians
from learnkernels.kernels.laplacian import laplacians
from learnkernels.kernels.learned_metric import LearnedMetric
from learnkernels.kernels.linear import linear
from learnkernels.kernels.polynomial import polynomials
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.sources import (
    ALL_COLUMNS,
    On,
    Source,
    kernels_behind,
    source_of_columns,
)
from learnkernels.kernels.table import Table, table
from learnkernels.kernels.texts import ngrams
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric
from learnkernels.plurals import count_text

# Families that can be given by name.
FAMILIES: dict[str, Callable[[], Family]] = {
    "gaussians": gaussians,
    "laplacians": laplacians,
    "linear": linear,
    "ngrams": ngrams,
    "per_feature": per_feature,
    "polynomials": polynomials,
    "table": table,
}
# Meaning of ``kernels=None``.
DEFAULT = table()
# Kinds of samples of kernels that are given by name; all other names take numbers.
KINDS = {None: "encoded", "table": "encoded", "ngrams": "table", "precomputed": "precomputed"}
# Collections that are not lists of kernels.
NOT_LISTS = (str, bytes, Mapping)
# End of the message for a family that takes the other kind of samples.
ADVICE = {
    "strings": "contains text; use lk.ngrams() for texts, lk.spectrum(k) or lk.weighted_degree(d) "
    "for sequences.",
    "numbers": "contains numbers; pass a list of strings, or select the column of strings with "
    "lk.on(column, ...).",
}


def resolve(
    kernels: Any,
    X: Any,
    sample_weight: np.ndarray | None = None,
    *,
    names: Sequence[str] | None = None,
    missing: str = "error",
    target: np.ndarray | None = None,
    gradient_products: Callable[..., np.ndarray] | None = None,
) -> list[Kernel]:
    """Return the base kernels that `kernels` specifies on the training data X.

    Parameters
    ----------
    kernels : None, str, Kernel, Family, callable or a list of these
        As given by the user. None is ``table()``.
    X : array or CSR matrix of shape (n_samples, n_features), strings, table, or precomputed stack
        Training data.
    sample_weight : ndarray of shape (n_samples,) or None
        Sample weights in choices that depend on the data.
    names : sequence of str or None
        Column names of X.
    missing : {"error", "neutral"}
        Whether a sample may have no value in a view.
    target, gradient_products
        As in `TrainingData`, for families that learn from the target.

    Returns
    -------
    list of Kernel
        At least one. A kernel takes X directly if X is an array or CSR matrix that the estimator
        validated. Otherwise it is `On` a source, which reads and checks X.
    """
    if isinstance(kernels, str) and kernels == "precomputed":
        return [Precomputed(index) for index in range(X.shape[2])]
    validated = tables.is_numeric(X) and input_kind(kernels) != "table"
    data = TrainingData(X, sample_weight, names, missing, validated, target, gradient_products)
    return expand(kernels, data)


def input_kind(kernels: Any) -> str:
    """Return what kind of samples the user's kernels take.

    Returns
    -------
    {"precomputed", "table", "encoded", "numbers"}
        ``"precomputed"``: a stack of Gram matrices. ``"table"``: a table or strings, because a
        kernel selects columns or takes strings. ``"encoded"``: numbers, or a table with categories
        and missing cells, because all kernels are those of `table`. ``"numbers"``: all others.
    """
    if kernels is None or isinstance(kernels, str):
        return KINDS.get(kernels, "numbers")
    if isinstance(kernels, Family):
        if kernels.takes in ("strings", "table"):
            return "table"
        if isinstance(kernels, (Table, LearnedMetric)):
            return "encoded"
        nested = getattr(kernels, "kernels", None)
        return "table" if nested is not None and input_kind(nested) == "table" else "numbers"
    listed = isinstance(kernels, Collection) and is_several(kernels)
    kinds = {input_kind(entry) for entry in kernels if entry is not None} if listed else set()
    if "table" in kinds:
        return "table"
    return "encoded" if kinds == {"encoded"} else "numbers"


def has_fast_products(kernels: Any) -> bool:
    """Return whether products of every kernel with vectors are fast, see `Family`."""
    if isinstance(kernels, Family):
        nested = getattr(kernels, "kernels", None)
        return kernels.fast_products or (nested is not None and has_fast_products(nested))
    listed = isinstance(kernels, (list, tuple)) and bool(kernels)
    return listed and all(has_fast_products(entry) for entry in kernels)


def expand(kernels: Any, data: TrainingData) -> list[Kernel]:
    """Return the base kernels of everything that the user listed."""
    if kernels is None:
        kernels = DEFAULT
    if (
        isinstance(kernels, Collection)
        and is_several(kernels)
        and not isinstance(kernels, NOT_LISTS)
    ):
        return expand_list(list(kernels), data)
    family = kernels if isinstance(kernels, Family) else as_family(kernels)
    if not data.validated and family.takes != "table":
        return on_all_columns([family], data)
    if family.takes in ("numbers", "strings"):
        found = "strings" if data.X.ndim == 1 else "numbers"
        if family.takes != found:
            name = getattr(family, "name", type(family).__name__)
            raise InputError(f"{name} takes {family.takes}, but X (or this view) {ADVICE[found]}")
    return family.members(data)


def expand_list(entries: list[Any], data: TrainingData) -> list[Kernel]:
    """Return the base kernels of the entries of a list, in order."""
    if not entries:
        raise InputError(
            "kernels is an empty list; expected at least one kernel: add one, or pass None for "
            "the default kernels."
        )
    if any(entry is None for entry in entries):
        as_family(None)
    if data.validated:
        return [kernel for entry in entries for kernel in expand(entry, data)]
    found = []
    # Consecutive entries without a view share one source, so that X is read once for them.
    for selects_columns, group in groupby(entries, key=selects_its_columns):
        if selects_columns:
            found += [kernel for entry in group for kernel in expand(entry, data)]
        else:
            found += on_all_columns(list(group), data)
    return found


def selects_its_columns(entry: Any) -> bool:
    return isinstance(entry, (list, tuple)) or getattr(entry, "takes", "any") == "table"


def as_family(entry: Any) -> Family:
    """Return a name, a Gaussian-process kernel or a function as a family."""
    if isinstance(entry, str):
        return named(entry)
    # Gaussian-process kernels are recognised without importing their module.
    if any(kind.__module__ == "sklearn.gaussian_process.kernels" for kind in type(entry).__mro__):
        return GaussianProcess(entry)
    if callable(entry):
        return Custom(entry)
    raise InputError(
        f"kernels contains {entry!r} of type {type(entry).__name__}; expected a family such as "
        "gaussians(), a view on(columns, kernels), a kernel, the name of a scikit-learn kernel "
        "metric, a gaussian_process kernel or a function f(X, Z). Remove or replace it."
    )


def named(name: str) -> Family:
    """Return the family or the scikit-learn kernel metric of this name."""
    if name in FAMILIES:
        return FAMILIES[name]()
    if name in PAIRWISE_KERNEL_FUNCTIONS:
        return Metric(name)
    if name == "precomputed":
        raise InputError(
            'kernels mixes "precomputed" with other kernels; it must be the only entry: pass '
            'kernels="precomputed" and put every Gram matrix on the last axis of X.'
        )
    known = sorted({*FAMILIES, *PAIRWISE_KERNEL_FUNCTIONS, "precomputed"})
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"kernels contains {name!r}, an unknown name; expected one of {known}.{hint}")


def on_all_columns(kernels: list[Any], data: TrainingData) -> list[Kernel]:
    """Return the base kernels of `kernels` on all columns of a table, or on a list of strings."""
    strings = not tables.is_frame(data.X) and data.X.ndim == 1
    positions = range(tables.n_columns(data.X))
    source = Source()
    if not strings:
        encoded = input_kind(kernels) == "encoded"
        source = source_of_columns(data, positions, ALL_COLUMNS, encoded)
    return kernels_on(source, kernels, data, view="")


def kernels_on(source: Source, kernels: Any, data: TrainingData, view: str) -> list[Kernel]:
    """Return the base kernels of `kernels` on a source of the training table.

    Parameters
    ----------
    source : Source
        Columns of the table.
    kernels : None, str, Kernel, Family, callable or a list of these
        As given by the user.
    data : TrainingData
        Contains the table.
    view : str
        Name of the view, empty if the user selected no columns.
    """
    X, observed = source.read(data.X, data.missing)
    weights, target = data.weights, data.target
    if observed is not None:
        if observed.sum() < 2:
            raise InputError(
                f"view {source.view!r} has values for only "
                f"{count_text(int(observed.sum()), 'sample')}; a view "
                "needs at least 2 in training: drop the view, or add samples."
            )
        weights = None if weights is None else weights[observed]
        target = None if target is None else target[observed]
    names, blocks = data.names, None
    if source.columns is not None:
        names, blocks = source.columns.new_names(), source.columns.blocks()
    inner = replace(
        data, X=X, weights=weights, names=names, validated=True, target=target, blocks=blocks
    )
    members = expand(kernels, inner)
    nested = next((one.view for one in members if isinstance(one, On) and one.view), None)
    if nested is not None:
        raise InputError(
            f"view {source.view!r} contains another view, {nested!r}; lk.on() cannot be nested: "
            "list the columns of the inner view in the outer one."
        )
    return kernels_behind(source, members, view)


def kernel_names(kernels: Sequence[Kernel]) -> list[str]:
    """Return the names of the kernels; repeated names get a number."""
    names = [kernel.name for kernel in kernels]
    total = Counter(names)
    if len(total) == len(names):
        return names
    count: Counter[str] = Counter()
    for i, name in enumerate(names):
        if total[name] > 1:
            count[name] += 1
            names[i] = f"{name} #{count[name]}"
    return names


def kernels_by_source(
    kernels: Sequence[Kernel],
) -> tuple[list[Kernel], dict[Source | None, list[int]]]:
    """Return the kernels without their sources, and their positions on each source.

    The source None means that a kernel takes X as it is.
    """
    formulas: list[Kernel] = []
    sources: dict[Source | None, list[int]] = {}
    for i, kernel in enumerate(kernels):
        formulas.append(kernel.kernel if isinstance(kernel, On) else kernel)
        sources.setdefault(kernel.source if isinstance(kernel, On) else None, []).append(i)
    return formulas, sources
