"""Kernels on columns that were mapped so that they matter equally: a metric learned from y.

With f a ridge predictor and M = E[grad f(x) grad f(x)'] its average gradient outer product,
distances of the mapped columns x -> M^1/2 x count each direction by how much f varies along it
(recursive feature machines, Radhakrishnan et al. 2024).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from learnkernels.checks import require_truth, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.sources import On, Source
from learnkernels.kernels.table import kernels_of_widths, standardize


@dataclass(frozen=True, eq=False)
class LinearMap:
    """A feature map ``x -> A'x``, or ``x -> a x`` for each column with its own factor.

    Attributes
    ----------
    A : ndarray of shape (n_features, n_features) or (n_features,)
    """

    A: np.ndarray

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return X * self.A if self.A.ndim == 1 else X @ self.A


@dataclass(frozen=True)
class LearnedMetric(Family):
    """Kernels on mapped columns; see `learned_metric`.

    Attributes
    ----------
    base, iterations, full
        The parameters of `learned_metric`.
    start : tuple of float
        Weights of the base kernels to start from; empty if none are known.
    """

    base: Family | None = None
    iterations: int = 1
    full: bool = False
    start: tuple[float, ...] = ()

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        if data.gradient_products is None or data.target is None:
            raise InputError(
                "learned_metric() needs the target of an estimator; it is not available here. Use "
                "it in KernelClassifier or KernelRegressor, without compare()."
            )
        if sparse.issparse(data.X):
            raise InputError(
                "learned_metric() takes dense columns, but X is sparse; pass X.toarray(), or leave "
                "it out."
            )
        step = standardize(data)
        Z = step(data.X)
        A = LinearMap(np.ones(Z.shape[1]))
        for _ in range(self.iterations):
            mapped = replace(data, X=A(Z), names=None)
            kernels = self.kernels(mapped)
            start = np.array(self.start) if self.start else None
            M = data.gradient_products(kernels, mapped.X, data.target, data.weights, start)
            A = LinearMap(next_map(A.A, M, self.full))
        source = Source(maps=(step, A))
        found = self.kernels(replace(data, X=A(Z), names=None))
        return [On(source, kernel, label=f"learned metric: {kernel.name}") for kernel in found]

    def kernels(self, data: TrainingData) -> list[Kernel]:
        """Return the base kernels on mapped columns."""
        if self.base is None:
            return kernels_of_widths(data.X, data.weights)
        return self.base.members(data)


def next_map(A: np.ndarray, M: np.ndarray, full: bool) -> np.ndarray:
    """Return M_x^1/2 for the gradient products M_x = A M A of the unmapped columns.

    Parameters
    ----------
    A : ndarray of shape (n_features,) or (n_features, n_features)
        The current map, symmetric.
    M : ndarray of shape (n_features, n_features)
        Average gradient outer product in mapped columns.
    full : bool
        Whether columns are combined; else only the diagonal counts.
    """
    if not full:
        scale = A * np.sqrt(np.diag(M))
        return scale / largest(scale)
    A = np.diag(A) if A.ndim == 1 else A
    eigenvalues, Q = np.linalg.eigh(A @ M @ A)
    root = np.sqrt(np.maximum(eigenvalues, 0.0))
    return (Q * (root / largest(root))) @ Q.T


def largest(values: np.ndarray) -> float:
    """Return the largest value, 1 if all are zero."""
    return float(values.max()) or 1.0


def learned_metric(base: Family | None = None, iterations: int = 1, full: bool = False) -> Family:
    """Return kernels on columns that are scaled by their influence on the target.

    Columns are standardised, and a ridge predictor is trained with the base kernels. Each column is
    then multiplied by the root mean square of the predictor's derivative with respect to it
    (`full`: all columns by the square root of the average outer product of the gradients). The
    family consists of the base kernels on these columns.

    The metric is learned from the same labels as the weights, so it overfits: compare models with
    and without it on held-out data. ``method="auto"`` does so for the default family.

    Parameters
    ----------
    base : family or None, default=None
        Gaussian, Laplacian and linear kernels. None takes those of `table`.
    iterations : int, default=1
        Number of times that the predictor is trained and the columns are mapped.
    full : bool, default=False
        Whether to learn a linear map of all columns, and not only a scale of each.

    Returns
    -------
    Family
        Value for ``kernels=``, best in a sum with others: ``lk.table() + lk.learned_metric()``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(kernels=lk.table() + lk.learned_metric(), method="loo")
    >>> model.fit(X[:200], y[:200]).score(X, y) > 0.4
    True
    """
    if not (base is None or isinstance(base, Family)):
        raise InputError(
            f"learned_metric() got base={base!r}; it must be a family such as lk.gaussians(), or "
            "None."
        )
    require_whole("learned_metric()", "iterations", iterations, 1)
    require_truth("full", full)
    return LearnedMetric(base, int(iterations), full)
