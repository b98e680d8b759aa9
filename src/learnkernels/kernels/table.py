"""The default family: kernels on the standardised columns of a table.

A missing cell gets the neutral value, the mean of its column. Columns that have missing cells in
training get an indicator: a further column of zeros and ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from learnkernels._warnings import warn
from learnkernels.checks import require_truth
from learnkernels.errors import ConstantKernelWarning, InputError
from learnkernels.kernels.base import Family, Kernel, TrainingData, as_entries
from learnkernels.kernels.exponential import median_distance
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.quantiles import column_quantiles
from learnkernels.kernels.sources import Source, kernels_behind

# Multiples of the inverse median distance. Wide Gaussians make nearly linear functions smooth.
GAUSSIANS = 4.0 ** np.arange(-4.5, 2)
LAPLACIANS = 4.0 ** np.arange(-3.5, 2)
# Values further than this many interdecile ranges outside the deciles do not count in a scale.
OUTSIDE = 3.0
# Standard deviations below this part of the largest value of a column are rounding.
ROUNDING = 1e-13
# Names that a warning lists.
LISTED = 10


@dataclass(frozen=True, eq=False)
class Standardize:
    """A feature map: some columns minus their median, divided by a robust standard deviation.

    Attributes
    ----------
    columns : ndarray of shape (n_kept,)
        Positions of the columns that are not constant.
    center, scale : ndarray of shape (n_kept,)
    neutral : ndarray of shape (n_kept,)
        Value of missing cells after standardisation: the mean, without extreme values.
    indicators : ndarray of shape (n_indicators,)
        Positions of the columns whose missing cells are ones in a further column.
    """

    columns: np.ndarray
    center: np.ndarray
    scale: np.ndarray
    neutral: np.ndarray
    indicators: np.ndarray

    fills: ClassVar[bool] = True

    def __call__(self, X: Any) -> np.ndarray:
        X = X.toarray() if sparse.issparse(X) else X  # of a model that was fitted to an array
        Z = np.take(X, self.columns, axis=1)  # samples in rows also in memory
        Z = Z - self.center
        Z /= self.scale
        missing = np.isnan(Z)
        if missing.any():
            Z = np.where(missing, self.neutral, Z)
        if not len(self.indicators):
            return Z
        return np.hstack([Z, np.isnan(X[:, self.indicators])])

    @property
    def width(self) -> int:
        """Number of columns that it returns."""
        return len(self.columns) + len(self.indicators)


@dataclass(frozen=True)
class Table(Family):
    """Kernels on the standardised columns; see `table`."""

    kernels: tuple[Family, ...] = ()
    standardize: bool = True

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        if sparse.issparse(data.X):
            return self.inner(data)
        step = standardize(data, self.standardize)
        inner = replace(data, X=step(data.X), names=new_names(step, data), blocks=None)
        return kernels_behind(Source(maps=(step,)), self.inner(inner))

    def inner(self, data: TrainingData) -> list[Kernel]:
        """Return the kernels on standardised columns."""
        if not self.kernels:
            return kernels_of_widths(data.X, data.weights)
        return [kernel for family in self.kernels for kernel in family.members(data)]


def table(kernels: Any = None, standardize: bool = True) -> Family:
    """Return kernels for a whole table: the default family.

    Seven Gaussian kernels and six Laplacian kernels of widths around the median distance, and the
    linear kernel. Columns are standardised inside the kernels, robustly against outliers: minus
    the median, divided by the standard deviation without extreme values. Constant columns are
    ignored, with a warning. Sparse matrices are not standardised.

    A pandas or polars frame may contain numbers, booleans, dates, categories and missing cells. A
    category becomes a column of zeros and ones; one that is not in the training data is zero in
    all of them. A date becomes its number of days, with sine and cosine of the year if the dates
    span more than one. A missing number gets the mean of its column, and columns with missing
    numbers in training get an indicator; missing categories are a category. Text that is different
    in every row, and columns of lists or structs, are left out, with a warning.

    Parameters
    ----------
    kernels : family, kernel or list of these, default=None
        Kernels on the standardised columns, instead of the 14 above.
    standardize : bool, default=True
        Whether to standardise the columns. If not, they are only encoded, and missing cells filled.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum, or for a view: ``lk.on(columns,
        lk.table())``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.table(), method="unif").fit(X, y)
    >>> len(model.kernel_names_)
    14

    A table with a category and a missing cell:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.0, 1.2, None, 3.3], "color": ["red", "red", "blue", "blue"]})
    >>> model = lk.KernelClassifier(lk.table(lk.linear())).fit(X, [0, 0, 1, 1])
    >>> model.predict(pd.DataFrame({"size": [2.0], "color": ["blue"]})).tolist()
    [1]
    """
    require_truth("standardize", standardize)
    families = [] if kernels is None else as_entries(kernels) or [kernels]
    for family in families:
        if not isinstance(family, Family) or family.takes in ("strings", "table"):
            raise InputError(
                f"table() got {family!r}; expected families of kernels on numbers: pass some such "
                "as lk.gaussians() + lk.linear(), or None."
            )
    return Table(tuple(families), standardize)


def kernels_of_widths(X: Any, weights: np.ndarray | None) -> list[Kernel]:
    """Return Gaussians and Laplacians of widths around the median distance, and linear."""
    found: list[Kernel] = []
    for kind, multiples in ((Gaussian, GAUSSIANS), (Laplacian, LAPLACIANS)):
        inverse = 1 / median_distance(X, weights, kind)
        found += [kind(float(inverse * multiple)) for multiple in multiples]
    return [*found, Linear()]


def standardize(data: TrainingData, scaled: bool = True) -> Standardize:
    """Return the map that standardises the columns; warn about constant ones.

    Parameters
    ----------
    data : TrainingData
    scaled : bool, default=True
        Whether to standardise, or only to fill missing cells.
    """
    X = data.X
    w = np.ones(len(X)) if data.weights is None else data.weights
    missing = np.isnan(X)
    filled = np.where(missing, 0.0, X)
    moments = robust_moments(filled, w)  # (3, n_columns)
    for k in np.flatnonzero(missing.any(axis=0)):
        seen = ~missing[:, k] & (w > 0)
        if seen.any():
            moments[:, k] = robust_moments(X[seen, k : k + 1], w[seen])[:, 0]
    center, mean, scale = moments
    varies = scale > ROUNDING * np.abs(filled).max(axis=0, initial=0.0)
    if varies.any() and not varies.all():
        warn_constant(np.flatnonzero(~varies), data.names)
    if not varies.any() or not scaled:  # if none varies, `learn_weights` raises
        varies, scale = varies | (not varies.any()), np.ones(X.shape[1])
    scale = np.where(varies, scale, 1.0)
    if scaled and data.blocks is not None:
        scale = block_scales(scale, data.blocks)
    patterns = missing_patterns(missing[w > 0])
    neutral = (mean - center) / scale
    columns = np.flatnonzero(varies)
    return Standardize(columns, center[varies], scale[varies], neutral[varies], patterns)


def robust_moments(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return median, mean and standard deviation of each column, shape (3, n_columns).

    Extreme values do not count in the mean and in the standard deviation.
    """
    low, center, high = column_quantiles(X, w, (0.1, 0.5, 0.9))
    margin = np.where(high > low, OUTSIDE * (high - low), np.inf)
    unit = np.clip(X, low - margin, high + margin)
    unit -= center
    size = np.maximum(unit.max(axis=0, initial=0.0), -unit.min(axis=0, initial=0.0))
    size[size == 0] = 1.0
    unit /= size  # squares of very large or small values leave the range of numbers
    mean = w @ unit / w.sum()
    unit -= mean
    unit *= unit
    scale = size * np.sqrt(w @ unit / w.sum())
    return np.stack([center, center + size * mean, scale])


def block_scales(scale: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Return scales with which all columns of a block together have variance one.

    Parameters
    ----------
    scale : ndarray of shape (n_columns,)
        Standard deviations.
    blocks : ndarray of shape (n_columns,)
        Number of the block of each column: a category is a block.
    """
    found = scale.copy()
    for block in np.flatnonzero(np.bincount(blocks) > 1):
        found[blocks == block] = np.linalg.norm(scale[blocks == block])
    return found


def missing_patterns(missing: np.ndarray) -> np.ndarray:
    """Return the first column of each pattern of missing cells that varies among the samples."""
    some = np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0))
    if not len(some):
        return some
    first = np.unique(missing[:, some], axis=1, return_index=True)[1]
    return np.sort(some[first])


def warn_constant(columns: np.ndarray, names: Sequence[str] | None) -> None:
    """Warn of constant columns."""
    found = [str(names[k]) if names is not None else f"x[{k}]" for k in columns.tolist()]
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    warn(
        f"columns that are constant in the training data are ignored: "
        f"{', '.join(found[:LISTED])}{more}.",
        ConstantKernelWarning,
    )


def new_names(step: Standardize, data: TrainingData) -> list[str] | None:
    """Return the names of the columns that a map of named columns returns."""
    if data.names is None:
        return None
    indicators = [f"{data.names[k]} is missing" for k in step.indicators]
    return [*(data.names[k] for k in step.columns), *indicators]
