"""The default family: kernels on the standardised columns of a table of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels._warnings import warn
from learnkernels.errors import ConstantKernelWarning
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.exponential import median_distance
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.sources import On, Source

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
    """

    columns: np.ndarray
    center: np.ndarray
    scale: np.ndarray

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return (X[:, self.columns] - self.center) / self.scale


@dataclass(frozen=True)
class Table(Family):
    """Kernels on the standardised columns; see `table`."""

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        if sparse.issparse(data.X):
            return kernels_of_widths(data.X, data.weights)
        step = standardize(data)
        source = Source(maps=(step,))
        return [On(source, kernel) for kernel in kernels_of_widths(step(data.X), data.weights)]


def table() -> Family:
    """Return kernels for a table of numbers: the default family.

    Seven Gaussian kernels and six Laplacian kernels of widths around the median distance, and the
    linear kernel. Columns are standardised inside the kernels, robustly against outliers: minus
    the median, divided by the standard deviation without extreme values. Constant columns are
    ignored, with a warning. Sparse matrices are not standardised.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.table(), method="unif").fit(X, y)
    >>> len(model.kernel_names_)
    14
    """
    return Table()


def kernels_of_widths(X: Any, weights: np.ndarray | None) -> list[Kernel]:
    """Return Gaussians and Laplacians of widths around the median distance, and linear."""
    found: list[Kernel] = []
    for kind, multiples in ((Gaussian, GAUSSIANS), (Laplacian, LAPLACIANS)):
        inverse = 1 / median_distance(X, weights, kind)
        found += [kind(float(inverse * multiple)) for multiple in multiples]
    return [*found, Linear()]


def standardize(data: TrainingData) -> Standardize:
    """Return the map that standardises the columns; warn about constant ones."""
    X = data.X
    w = np.ones(len(X)) if data.weights is None else data.weights
    order = np.argsort(X, axis=0, kind="stable")
    values, cumulated = np.take_along_axis(X, order, axis=0), np.cumsum(w[order], axis=0)
    low, center, high = (quantile(values, cumulated, q) for q in (0.1, 0.5, 0.9))
    margin = np.where(high > low, OUTSIDE * (high - low), np.inf)
    clipped = np.clip(X, low - margin, high + margin) - center
    size = np.abs(clipped).max(axis=0, initial=0.0)
    size[size == 0] = 1.0
    unit = clipped / size  # squares of very large or small values leave the range of numbers
    scale = size * np.sqrt(w @ (unit - w @ unit / w.sum()) ** 2 / w.sum())
    varies = scale > ROUNDING * np.abs(X).max(axis=0, initial=0.0)
    if not varies.any():  # the kernels are constant: `learn_weights` raises
        return Standardize(np.arange(X.shape[1]), center, np.ones(X.shape[1]))
    if not varies.all():
        names = [
            str(data.names[k]) if data.names is not None else f"x[{k}]"
            for k in np.flatnonzero(~varies).tolist()
        ]
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        warn(
            f"columns that are constant in the training data are ignored: "
            f"{', '.join(names[:LISTED])}{more}.",
            ConstantKernelWarning,
        )
    return Standardize(np.flatnonzero(varies), center[varies], scale[varies])


def quantile(values: np.ndarray, cumulated: np.ndarray, q: float) -> np.ndarray:
    """Return the weighted quantile of each column.

    Parameters
    ----------
    values, cumulated : ndarray of shape (n_samples, n_columns)
        Sorted values of each column, and the sums of their weights up to each.
    q : float
    """
    position = (cumulated < q * cumulated[-1]).sum(axis=0)
    return np.take_along_axis(values, position[None, :], axis=0)[0]
