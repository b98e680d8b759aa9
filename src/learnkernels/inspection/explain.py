"""Which columns, words and positions the outputs of a fitted model depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import random_generator, require_choice, require_whole
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.outputs.missing_views import model_of
from learnkernels.gram.pairs.combination import PairFunction
from learnkernels.inspection.explanation import Explanation
from learnkernels.inspection.terms import (
    EXACT,
    PERMUTATION,
    Component,
    Term,
    components_of,
    exact_term,
)
from learnkernels.kernels import Source, tables
from learnkernels.kernels.learned_metric import LinearMap
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.sources import ALL_COLUMNS
from learnkernels.kernels.table import Standardize
from learnkernels.progress import track

SIDES = ("left object", "right object")


def explain(
    model: Any, X: Any, *, by: str = "feature", n_repeats: int = 5, random_state: Any = 0
) -> Explanation:
    """Explain which columns, words, k-mers or positions the outputs of a model depend on.

    The output is the decision function of a classifier or the prediction of a regressor. The
    importance of a feature is the standard deviation of its contribution to the output over the
    samples of X, in the unit of the output. It measures what the model uses, not whether the model
    is accurate, so no target is needed.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
        A fitted estimator, or a fitted pipeline or search that ends with one.
    X : array-like, sparse matrix, table or list of str
        At least two samples, for example the training or the test data.
    by : {"feature", "kernel", "view"}, default="feature"
        Whether to divide the output among features, base kernels, or views. The parts of kernels
        and of views are exact for every kernel.
    n_repeats : int, default=5
        Number of permutations of each column, where there is no exact contribution.
    random_state : int, RandomState or None, default=0
        Chooses the permutations.

    Returns
    -------
    Explanation
        Prints as a table; has ``to_frame()``, ``contributions()``, ``plot()`` and, for weighted
        degree kernels, ``plot_logo()``.

    Notes
    -----
    Every row of the table has one of two measures.

    ``"exact"``
        The kernel is an inner product of features, and the output is a sum over them: columns for
        `linear` and `per_feature`, n-grams for `ngrams`, k-mers for `spectrum`, letters at
        positions for `weighted_degree`. If all rows are exact, the contributions of a sample sum
        to its output minus the mean output over X. The value of a word in the weighted degree
        kernel is divided equally among its positions.
    ``"permutation"``
        All other kernels. A column is permuted over the samples of X, and the root mean square
        change of the output, divided by the square root of 2, is the importance. For a linear
        function it equals the exact measure. A view with any such kernel has one row for each
        column, for the sum of all its kernels of columns. If a metric was learned
        (`learned_metric`), the column ``metric`` is its diagonal, relative to the largest entry.
        Pairs have a row for each of the two objects.

    A sample that lacks a view has no contributions from it. If all samples of X lack the same
    views (``missing="neutral"``), the explanation is that of the machine that predicts them; if
    they lack different views, it is that of complete samples. `sklearn.inspection` has permutation
    importance by loss, which needs the target.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = lk.KernelRegressor("linear").fit(X, y)
    >>> found = lk.explain(model, X)
    >>> list(found.to_frame().feature[:3]), set(found.measures)
    (['bmi', 's5', 'bp'], {'exact'})
    >>> parts = found.contributions()
    >>> bool(abs(parts.sum(axis=1) + found.baseline[0] - model.predict(X)).max() < 1e-9)
    True
    """
    require_choice("by", by, ("feature", "kernel", "view"))
    require_whole("explain()", "n_repeats", n_repeats, 1)
    fitted, X, names = last_step(model, X)
    if not hasattr(fitted, "predict"):
        raise InputError(
            f"model is a {type(fitted).__name__}, which makes no predictions to explain; fit a "
            "KernelClassifier or KernelRegressor."
        )
    X = fitted._validate(X, reset=False)
    if tables.n_rows(X) < 2:
        raise InputError(
            f"X has {tables.n_rows(X)} sample; contributions are differences from the mean over X, "
            "so at least 2 are needed. Pass the training data too, and read the row of the sample "
            "from contributions()."
        )
    fitted = model_of(fitted, X)
    outputs = fitted._outputs_of(X)
    if by == "feature":
        shuffler = Shuffler(fitted, X, n_repeats, random_generator(random_state))
        terms = feature_terms(fitted, X, names, shuffler)
    else:
        terms = part_terms(fitted, X, by)
    names_of_outputs = tuple(output_names(fitted))
    return Explanation(tuple(terms), names_of_outputs, outputs.mean(axis=0), len(outputs), by)


def last_step(model: Any, X: Any) -> tuple[Any, Any, Any]:
    """Return the estimator of a pipeline or search, its samples, and the names of their columns."""
    model = getattr(model, "best_estimator_", model)
    names = None
    if isinstance(model, Pipeline) and len(model) > 1:
        X, names = model[:-1].transform(X), new_column_names(model[:-1])
    fitted = model[-1] if isinstance(model, Pipeline) else model
    if not isinstance(fitted, BaseKernelEstimator):
        raise InputError(
            f"model is a {type(fitted).__name__}, which has no kernels; pass a fitted "
            "KernelClassifier or KernelRegressor, or a pipeline that ends with one."
        )
    check_is_fitted(fitted)
    names = getattr(fitted, "feature_names_in_", names)
    if names is None:
        names = [f"x[{k}]" for k in range(getattr(fitted, "n_features_in_", 0))]
    return fitted, X, list(map(str, names))


def new_column_names(steps: Pipeline) -> list[str] | None:
    """Return the names of the columns after some steps, None if these have none."""
    try:
        return list(steps.get_feature_names_out())
    except (AttributeError, ValueError):
        return None


def output_names(fitted: Any) -> list[str]:
    """Return the names of the outputs: classes or targets."""
    if hasattr(fitted, "classes_"):
        classes = list(map(str, fitted.classes_))
        return classes[1:] if len(fitted._intercept) == 1 else classes
    return ["y"] if fitted._flat else [f"y[{t}]" for t in range(len(fitted._intercept))]


def part_terms(fitted: Any, X: Any, by: str) -> Iterator[Term]:
    """Yield the kernels or views with their parts of the outputs."""
    weights = np.atleast_2d(fitted.weights_).any(axis=0)
    labels = fitted.kernel_names_ if by == "kernel" else fitted.kernel_views_
    for label in dict.fromkeys(labels[weights]):
        own = np.flatnonzero((labels == label) & weights)
        values = values_of(fitted, own, X)
        values -= values.mean(axis=0)  # (n_samples, n_outputs)
        view = str(fitted.kernel_views_[own[0]])
        kernel = str(label) if by == "kernel" else ""
        importances = np.sqrt((values**2).sum(axis=0) / (len(values) - 1))
        yield Term(
            view, kernel, EXACT, [str(label)], importances[None],
            contributions=partial(output_of, values),
        )  # fmt: skip


def output_of(values: np.ndarray, output: int) -> np.ndarray:
    """Return one of the outputs, shape (n_samples, 1)."""
    return values[:, [output]]


def values_of(fitted: Any, kernels: np.ndarray, X: Any) -> np.ndarray:
    """Return the part of the outputs of some kernels, up to a constant, (n_samples, n_outputs)."""
    parts = [function.restricted(kernels) for function in fitted._functions]
    found: np.ndarray = fitted._evaluated([part for part in parts if part is not None], X)
    return found


class Shuffler:
    """Importance of columns by permutations of them over the samples.

    Parameters
    ----------
    fitted : KernelClassifier or KernelRegressor
    X
        Validated samples.
    n_repeats : int
        Number of permutations of each column.
    random : RandomState
    """

    def __init__(self, fitted: Any, X: Any, n_repeats: int, random: np.random.RandomState):
        self.fitted, self.X, self.n_repeats, self.random = fitted, X, n_repeats, random

    def importances(self, functions: Sequence[Any], columns: Sequence[int]) -> np.ndarray:
        """Return the importance of columns for the sum of functions, (n_columns, n_outputs)."""
        if not len(columns):
            return np.zeros((0, len(self.fitted._intercept)))
        observed = np.arange(tables.n_rows(self.X))
        if self.fitted.missing == "neutral" and not sparse.issparse(self.X):
            observed = np.flatnonzero(tables.has_any(self.X, columns))
        values = self.fitted._evaluated(functions, self.X)
        found = []
        for column in track(columns, len(columns), "permutations"):
            squares = 0.0
            for _ in range(self.n_repeats):
                X = shuffled(self.X, column, self.permutation(observed))
                change = self.fitted._evaluated(functions, X) - values
                squares += (change**2).sum(axis=0) / max(len(observed), 1) / self.n_repeats
            # E (x_i - x_j)^2 = 2 var(x) for different samples i and j
            found.append(np.sqrt(squares / 2))
        return np.array(found)

    def permutation(self, samples: np.ndarray) -> np.ndarray:
        """Return rows of X where each of these samples is replaced by another of them."""
        rows = np.arange(tables.n_rows(self.X))
        order = self.random.permutation(samples)
        rows[order] = np.roll(order, 1)
        return rows


def shuffled(X: Any, column: int, rows: np.ndarray) -> Any:
    """Return X with the values of one column taken from other rows."""
    if sparse.issparse(X):
        values = X[:, [column]].toarray().ravel()
        change = sparse.csr_array((values[rows] - values)[:, None])
        width = sparse.csr_array(([1.0], ([0], [column])), shape=(1, X.shape[1]))
        return sparse.csr_array(X + change @ width)
    if hasattr(X, "iloc"):
        X = X.copy(deep=False)
        X.isetitem(column, X.iloc[rows, column].array)
        return X
    if tables.is_frame(X):
        return X.with_columns(X.to_series(column).gather(rows))
    if X.ndim == 1:
        return X[rows]
    X = X.copy()
    X[:, column] = X[rows, column]
    return X


def feature_terms(fitted: Any, X: Any, names: list[str], shuffler: Shuffler) -> Iterator[Term]:
    """Yield the features of kernels of non-zero weight: exact ones, then those by permutation."""
    components = components_of(fitted._functions)
    if any(isinstance(component.formula, Precomputed) for component in components):
        raise InputError(
            "precomputed Gram matrices have no features to explain; pass by='kernel', or fit the "
            "model with kernels that are computed from samples."
        )
    other = {view_of(fitted, one) for one in components if one.kind == "other"}
    permuted: dict[str, list[Component]] = {view: [] for view in other}
    for component in components:
        view = view_of(fitted, component)
        if view in other and component.kind in ("columns", "other"):
            permuted[view].append(component)
        else:
            yield exact_term(component, X, names, (view, kernel_of(fitted, component)))
    for view, own in permuted.items():
        yield permutation_term(fitted, X, names, view, own, shuffler)
    for function in fitted._functions:
        if isinstance(function, PairFunction):
            columns = columns_read([function.source], X)
            found = shuffler.importances([function], columns)
            yield Term(ALL_COLUMNS, "", PERMUTATION, SIDES, found)


def view_of(fitted: Any, component: Component) -> str:
    """Return the name of the view of a component; kernels that share a source share a view."""
    return str(fitted.kernel_views_[component.kernels[0]])


def kernel_of(fitted: Any, component: Component) -> str:
    """Return the name of the kernel of a component, empty if it has several."""
    own = component.kernels
    return str(fitted.kernel_names_[own[0]]) if len(own) == 1 else ""


def permutation_term(
    fitted: Any, X: Any, names: list[str], view: str, components: list[Component],
    shuffler: Shuffler,
) -> Term:  # fmt: skip
    """Return the importance by permutation of the columns of some components of a view."""
    columns = columns_read([component.source for component in components], X)
    kernels = np.concatenate([component.kernels for component in components])
    parts = [function.restricted(kernels) for function in fitted._functions]
    found = shuffler.importances([part for part in parts if part is not None], columns)
    here = tables.column_names(X) or names
    metric = None
    for component in components:
        metric = metric_diagonal(component.source, columns, X) if metric is None else metric
    kernel = kernel_of(fitted, components[0]) if len(kernels) == 1 else ""
    return Term(view, kernel, PERMUTATION, [here[k] for k in columns], found, metric=metric)


def columns_read(sources: Sequence[Source | None], X: Any) -> list[int]:
    """Return the columns of X that some sources read; skip sources whose columns X lacks."""
    found: set[int] = set()
    for source in sources:
        if source is None or source.columns is None:
            found |= set(range(tables.n_columns(X)))
        elif not source.columns.absent(X):
            found |= set(source.columns.positions_in(X))
    return sorted(found)


def metric_diagonal(source: Source | None, columns: list[int], X: Any) -> np.ndarray | None:
    """Return the diagonal of the metric that a source applies, None if it applies none.

    Distances of samples are ``(x - z)'M(x - z)`` in standardised columns, M = AA'. The entry
    of a category is the sum over its columns.

    Returns
    -------
    ndarray of shape (n_columns,) or None
        The largest entry is one.
    """
    maps = () if source is None else source.maps
    if source is None or len(maps) != 2 or not isinstance(maps[1], LinearMap):
        return None
    step, A = maps[0], maps[1].A
    if not isinstance(step, Standardize):
        return None
    squares = A**2 if A.ndim == 1 else (A**2).sum(axis=1)
    owners = np.arange(tables.n_columns(X))
    if source.columns is not None:
        positions = source.columns.positions_in(X)
        encodings = source.columns.encodings or [None] * len(positions)
        widths = [1 if one is None else len(one.names("")) for one in encodings]
        owners = np.repeat(positions, widths)
    total = np.zeros(tables.n_columns(X))
    np.add.at(total, owners[step.columns], squares[: len(step.columns)])
    return np.asarray(total[columns] / (total.max() or 1.0))
