"""Agreement of a loaded model with its input: the number, the names and the kind of its columns.

    X --columns--> numbers or strings --feature maps--> samples of the kernels

Every step must take what the one before it returns, so that prediction raises no error for samples
like those of training.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.gram.factors.combination import CombinedFactors, FactorFunction
from learnkernels.gram.pairs.combination import CombinedPairs, PairFunction
from learnkernels.gram.tiles.bits import BitSamples
from learnkernels.gram.tiles.combination import TileFunction
from learnkernels.gram.tiles.missing import MissingGroup
from learnkernels.gram.tiles.stored import StackSamples
from learnkernels.kernels import (
    CodedKernel,
    FactorKernel,
    GaussianProcess,
    Kmers,
    Linear,
    Metric,
    On,
    PairKernel,
    Precomputed,
    Source,
    Tanimoto,
    WeightedDegree,
    input_kind,
)
from learnkernels.kernels.learned_metric import LinearMap
from learnkernels.kernels.low_rank import NystroemMap, RandomMap
from learnkernels.kernels.sources import Columns
from learnkernels.kernels.table import Standardize
from learnkernels.kernels.texts import Counts
from learnkernels.persistence.fields import require
from learnkernels.persistence.posteriors import parts_of_posterior


@dataclass(frozen=True)
class Data:
    """The columns that a step takes or returns.

    Attributes
    ----------
    kind : {"numbers", "counts", "strings", "table", "stack"}
        Counts are numbers in a sparse matrix of very many columns, for linear kernels only.
    width : int
        Number of columns; of a stack, of training samples.
    names : tuple of str or None
        Names of the columns of a table.
    """

    kind: str
    width: int = 1
    names: tuple[str, ...] | None = None


def check_inputs(model: Any) -> None:
    """Raise unless all kernels of a fitted estimator can read its input."""
    tables = model._reads_tables
    kind = input_kind(model.kernels)
    known = kind == "table" or (tables and kind == "encoded")
    require(tables == known, "kernels that read other samples")
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        require(len(names) == model.n_features_in_ == len(set(names)), "other names of columns")
    given = None if names is None else tuple(names)
    data = Data("stack" if kind == "precomputed" else "numbers", model.n_features_in_, given)
    if tables:
        require(hasattr(model, "_on_strings"), "a table, or strings")
        data = Data("strings") if model._on_strings else Data("table", model.n_features_in_, given)
    p = len(model.kernel_names_)
    parts = model._functions if hasattr(model, "_functions") else model._kernel.parts
    views = model._training_views.kernel.parts if hasattr(model, "_training_views") else ()
    for part in (*parts, *parts_of_posterior(model), *views):
        if isinstance(part, (FactorFunction, CombinedFactors)):
            check_factors(part, data, p, model.missing)
        elif isinstance(part, (PairFunction, CombinedPairs)):
            found = returned(part.source, data)
            require(found.kind == "numbers" and found.width == 2, "not pairs of objects")
        else:
            check_tiles(part.combined if isinstance(part, TileFunction) else part, data, p, model)


def check_factors(part: Any, data: Data, p: int, missing: str) -> None:
    """Raise unless the groups of columns can read the input of a model with p kernels."""
    require((part.index < p).all(), "a kernel that does not exist")
    for group in part.groups:
        found = returned(group.source, data)
        require(found.kind in ("numbers", "counts"), "columns of strings")
        require(group.columns.max() < found.width, "a column that does not exist")
        require(group.owner.max() < len(part.index), "a kernel that does not exist")
        require(group.missing == missing, "another value of missing=")


def check_tiles(combined: Any, data: Data, p: int, model: Any) -> None:
    """Raise unless the kernels can read the input of a model with p kernels."""
    kernels = combined.kernels
    require((kernels.index < p).all() and len(combined.used) <= p, "a kernel that does not exist")
    expected = tuple(model.kernel_names_[kernels.index])
    require(kernels.names == expected, "kernels of other names")
    require(kernels.missing == model.missing, "another value of missing=")
    for group, samples, source in zip(kernels.groups, kernels.right, kernels.sources, strict=True):
        found = returned(source, data)
        inner, own = group, samples
        if isinstance(group, MissingGroup):
            inner, own = group.inner, samples.inner
        for kernel in inner.kernels:
            check_kernel(kernel, found, p)
        check_width(own, found)
        if isinstance(group, MissingGroup):
            check_width(group.anchors, found)


def check_width(samples: Any, data: Data) -> None:
    """Raise unless stored samples have as many columns as new ones."""
    if isinstance(samples, StackSamples):
        require((samples.index < data.width).all(), "a training sample that does not exist")
        return
    if isinstance(samples, BitSamples):
        words = -(-data.width // 64)
        require(samples.words.shape[1] == words, "bits of another number of columns")
        return
    values = getattr(samples, "A", getattr(samples, "X", None))
    require(values is None or values.shape[1] == data.width, "samples of another width")


def returned(source: Source | None, data: Data) -> Data:
    """Return what a source gives to its kernels; raise if it cannot read the data."""
    if source is None or source.columns is None:
        require(data.kind != "table", "a table without a choice of columns")
    if source is None:
        return data
    if source.columns is not None:
        data = selected(source.columns, data)
    for step in source.maps:
        data = mapped(step, data)
    return data


def selected(columns: Columns, data: Data) -> Data:
    """Return the chosen columns of a table or array."""
    require(data.kind in ("table", "numbers"), "columns of strings")
    require(columns.n_columns == data.width, "a table of another number of columns")
    require(not columns.text or data.kind == "table", "text in an array of numbers")
    if columns.names is not None and data.names is not None:
        expected = tuple(data.names[position] for position in columns.positions)
        require(columns.names == expected, "columns of other names")
    elif data.kind == "table":
        require(columns.names is None and data.names is None, "columns of other names")
    return Data("strings") if columns.text else Data("numbers", len(columns.new_names()))


def mapped(step: Any, data: Data) -> Data:
    """Return what a feature map makes of the data."""
    if isinstance(step, Columns):
        return selected(step, data)
    if isinstance(step, (Counts, Kmers)):
        require(data.kind == "strings", "n-grams of numbers")
        return Data("counts", len(step.vocabulary) if isinstance(step, Counts) else step.n_columns)
    if isinstance(step, NystroemMap):
        check_kernel(step.kernel, data, 0)
        strings = isinstance(step.landmarks, np.ndarray) and step.landmarks.ndim == 1
        require(strings == (data.kind == "strings"), "landmarks of another kind")
        require(strings or step.landmarks.shape[1] == data.width, "landmarks of another width")
        return Data("numbers", step.rank)
    require(data.kind == "numbers", "a linear map of text")
    if isinstance(step, Standardize):
        used = np.concatenate([step.columns, step.indicators])
        require(used.max() < data.width, "a column that does not exist")
        return Data("numbers", step.width)
    if isinstance(step, RandomMap):
        require(len(step.frequencies) == data.width, "frequencies of another width")
        return Data("numbers", step.rank)
    require(isinstance(step, LinearMap) and len(step.A) == data.width, "a map of another width")
    return Data("numbers", step.A.shape[-1])


def check_kernel(kernel: Any, data: Data, p: int) -> None:
    """Raise unless a kernel can be evaluated on the data; p is the number of precomputed ones."""
    if isinstance(kernel, On):
        check_kernel(kernel.kernel, returned(kernel.source, data), p)
    elif isinstance(kernel, WeightedDegree):
        require(data.kind == "strings", "sequences of numbers")
    elif isinstance(kernel, Precomputed):
        require(data.kind == "stack" and kernel.index < p, "a matrix that does not exist")
    elif isinstance(kernel, Linear):
        require(data.kind in ("numbers", "counts"), "products of strings")
    elif isinstance(kernel, FactorKernel):
        require(data.kind in ("numbers", "counts"), "columns of strings")
        require(kernel.start + kernel.width <= data.width, "a column that does not exist")
    else:
        advice = "landmarks that are pairs of objects; leave out low_rank"
        require(not isinstance(kernel, PairKernel), advice)
        require(
            isinstance(kernel, (CodedKernel, Tanimoto, Metric, GaussianProcess)),
            "an unknown kernel",
        )
        require(data.kind == "numbers", "a kernel of numbers on strings")
