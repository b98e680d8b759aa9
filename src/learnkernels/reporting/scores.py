"""Cross-validated errors of the learned weights, of uniform weights and of the best single kernel.

All use the same folds, kernels, machine and preprocessing. The baselines choose their
regularisation parameter in each fold: the best C of the learned kernel need not suit a kernel with
another sum of weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from learnkernels.checks import positive_values
from learnkernels.estimators.search import (
    fitted_regularization,
    grid_of,
    regularization_name,
)
from learnkernels.folds import folds
from learnkernels.methods import (
    BestSingle,
    Ensemble,
    LearnedWeights,
    Uniform,
    WeightMethod,
    WeightProblem,
    as_method,
)
from learnkernels.progress import counting
from learnkernels.reporting.details import class_details, residual_details
from learnkernels.reporting.formatting import CONSTANT, MISCLASSIFICATION
from learnkernels.reporting.held_out import HeldOut, Split, held_out, weight_argument
from learnkernels.significance import paired_difference
from learnkernels.solvers import Certificate

# Errors of a fit on a fold that is too small or lacks a category.
FIT_ERRORS = (ValueError, ArithmeticError, LinAlgError)
# The best single kernel is chosen among those with the highest alignment, by this many folds.
MAX_SINGLE_KERNELS, SINGLE_KERNEL_FOLDS = 10, 3


def final_estimator(model: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return model[-1] if isinstance(model, Pipeline) else model


def cross_validated_errors(
    model: Any, X: Any, y: Any, cv: int, random_state: int, sample_weight: np.ndarray | None = None
) -> dict[str, Any]:
    """Compute held-out predictions of the model and of its baselines, and their errors.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor of this library, or a pipeline that ends with one.
    X, y
        The data.
    cv : int
        Number of folds, at least 2; reduced to the size of the smallest class.
    random_state : int
        Seed of the folds.
    sample_weight : ndarray of shape (n_samples,) or None
        Sample weights, positive; errors are weighted too.

    Returns
    -------
    dict
        ``measure``, ``folds``, ``results`` (for each model the errors of the folds, and for each
        baseline the difference of the learned weights from it, with an interval and a verdict; a
        model that cannot be fitted has a ``reason`` instead), and ``details`` of the held-out
        predictions of the learned weights.
    """
    y = np.asarray(y)
    classes = getattr(final_estimator(model), "classes_", None)
    splits = make_splits(y, cv, random_state, classes is not None)
    models = models_to_compare(model)
    results: dict[str, Any] = {}
    found: dict[str, HeldOut] = {}
    with counting(len(models) * len(splits), "cross-validation") as advance:
        for name, candidate in models.items():
            try:
                found[name] = held_out(
                    candidate, X, y, splits, sample_weight, classes, name, advance
                )
            except FIT_ERRORS as reason:
                results[name] = {"reason": " ".join(str(reason).split())}
    found[CONSTANT] = constant_predictions(y, splits, sample_weight, classes)
    losses = {name: losses_of(y, one.predictions, classes is None) for name, one in found.items()}
    for name in (*models, CONSTANT):
        if name in found:
            errors = fold_errors(losses[name], splits, sample_weight, classes is None)
            results[name] = errors | {"unconverged": found[name].unconverged}
        if name in found and name != "learned" and "learned" in found:
            results[name] |= difference(
                losses["learned"], losses[name], sample_weight, classes is None
            )
            lower = np.less(results["learned"]["errors"], results[name]["errors"])
            results[name]["folds_lower"] = int(lower.sum())
    return {
        "measure": "RMSE" if classes is None else MISCLASSIFICATION,
        "folds": len(splits),
        "results": results,
        "details": details_of(y, found.get("learned"), classes, sample_weight),
    }


def details_of(
    y: np.ndarray, found: HeldOut | None, classes: np.ndarray | None, weights: np.ndarray | None
) -> dict[str, Any] | None:
    """Return the details of the held-out predictions of the learned weights."""
    if found is None:
        return None
    if classes is None:
        return residual_details(y, found.predictions, weights)
    return class_details(np.searchsorted(classes, y), [*map(str, classes)], found, weights)


def make_splits(y: np.ndarray, cv: int, random_state: int, stratify: bool) -> list[Split]:
    """Return the training and test indices of each fold."""
    samples = np.unique(y, return_inverse=True)[1] if stratify else len(y)
    advice = "Remove the class or merge it with another one."
    every = np.arange(len(y))
    return [
        (np.setdiff1d(every, test), test)
        for test in folds(samples, cv, random_state, advice=advice)
    ]


def models_to_compare(model: Any) -> dict[str, Any]:
    """Return the unfitted model with its own method and with those of the baselines."""
    fitted = final_estimator(model)
    learned = clone(model)
    final_estimator(learned).set_params(verbose=False)
    model = clone(learned)
    if hasattr(fitted, "machine_"):  # machine="auto" may choose another one for another method
        final_estimator(model).set_params(machine=fitted.machine_)
    scale, values = regularization_scale(fitted), regularization_candidates(fitted)
    return {
        "learned": learned,
        "uniform weights": with_method(model, Uniform(), values),
        "best single kernel": BestSingleKernel(
            model, fitted_regularization(fitted) * scale, values
        ),
    }


def with_method(model: Any, method: WeightMethod, value: float | list[float]) -> Any:
    """Return the unfitted model with another method and regularisation parameter."""
    changed = clone(model)
    last = final_estimator(changed)
    last.set_params(method=method, **{regularization_name(last): value})
    return changed


def regularization_candidates(fitted: Any) -> list[float]:
    """Return the values that the baselines choose from.

    They are the list given by the user, or the value given and ten times less and more, scaled to
    weights of sum one.
    """
    name = regularization_name(fitted)
    if isinstance(getattr(fitted, name), str):  # "auto"
        return [value * regularization_scale(fitted) for value in grid_of(fitted)]
    given = positive_values(name, getattr(fitted, name))
    if len(given) == 1:
        given = [given[0] * factor for factor in (0.1, 1.0, 10.0)]
    return [value * regularization_scale(fitted) for value in given]


def regularization_scale(fitted: Any) -> float:
    """Return the factor by which C or alpha changes if the weights are divided by their sum.

    The kernel s K with C is the kernel K with s C, or with alpha / s.
    """
    if isinstance(as_method(fitted.method), Ensemble):
        return 1.0  # its weights are those of predictions
    total = float(np.abs(fitted.weights_).sum())
    return total if regularization_name(fitted) == "C" else 1 / total


class FixedWeights(WeightMethod):
    """Weights that are given.

    Parameters
    ----------
    weights : tuple of float
        One weight per kernel, including constant kernels.
    """

    name = "fixed"
    reads = ()

    def __init__(self, weights: tuple[float, ...] = ()):
        self.weights = weights

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Return the given weights of the kernels that are not constant."""
        mu = np.array(self.weights)[problem.kept]
        value = problem.kernels.statistics.alignment(mu)
        return LearnedWeights(mu, Certificate.closed_form(value))


class BestSingleKernel(BaseEstimator):
    """Model with the best single kernel and the best regularisation parameter for it.

    Parameters
    ----------
    model : estimator
        The model.
    value : float
        Regularisation parameter with which the kernels are compared.
    values : list of float
        Candidates for the regularisation parameter of the best kernel.
    """

    def __init__(self, model: Any, value: float, values: list[float]):
        self.model = model
        self.value = value
        self.values = values

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestSingleKernel:
        """Choose the kernel, then the regularisation parameter."""
        method = BestSingle(cv=SINGLE_KERNEL_FOLDS, max_kernels=MAX_SINGLE_KERNELS)
        given = weight_argument(self.model, sample_weight)
        chosen = with_method(self.model, method, self.value).fit(X, y, **given)
        weights = tuple(final_estimator(chosen).weights_)
        self.model_ = with_method(self.model, FixedWeights(weights), self.values)
        self.model_.fit(X, y, **given)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision values of the best kernel."""
        return np.asarray(self.model_.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict with the best kernel."""
        return np.asarray(self.model_.predict(X))


def constant_predictions(
    y: np.ndarray, splits: list[Split], weights: np.ndarray | None, classes: np.ndarray | None
) -> HeldOut:
    """Predict the most frequent class, or the mean, of the training part of each fold."""
    w = np.ones(len(y)) if weights is None else weights
    predictions = np.empty_like(y, dtype=float if classes is None else y.dtype)
    for train, test in splits:
        if classes is None:
            predictions[test] = np.average(y[train], axis=0, weights=w[train])
        else:
            totals = np.bincount(np.searchsorted(classes, y[train]), w[train])
            predictions[test] = classes[totals.argmax()]
    return HeldOut(predictions, None, False, 0)


def losses_of(y: np.ndarray, predictions: np.ndarray, regression: bool) -> np.ndarray:
    """Return the zero-one loss, or the mean squared error over targets, of each sample."""
    if not regression:
        return np.asarray(predictions != y, dtype=float)
    return np.asarray(np.mean((predictions - y).reshape(len(y), -1) ** 2, axis=1))


def fold_errors(
    losses: np.ndarray, splits: list[Split], weights: np.ndarray | None, regression: bool
) -> dict[str, Any]:
    """Return the misclassification rate, or the RMSE, of each fold, and mean and deviation."""
    w = np.ones(len(losses)) if weights is None else weights
    errors = np.array([np.average(losses[test], weights=w[test]) for _, test in splits])
    errors = np.sqrt(errors) if regression else errors
    return {
        "errors": errors.tolist(),
        "mean": float(errors.mean()),
        "std": float(errors.std(ddof=1)),
    }


def difference(
    losses: np.ndarray, others: np.ndarray, weights: np.ndarray | None, regression: bool
) -> dict[str, Any]:
    """Return the difference of the error from that of a baseline, with a 95 % interval.

    The interval of the mean loss is cut at possible values. RMSE is the root of the mean loss, and
    its difference is relative to that of the baseline, if this is not zero.
    """
    found = paired_difference(losses, others, weights)
    base = float(np.average(others, weights=weights))
    ends = np.array([found.mean, found.low, found.high]) + base
    if regression:
        values = np.sqrt(np.maximum(ends, 0.0)) - np.sqrt(base)
        values = values / np.sqrt(base) if base else values
    else:
        values = np.clip(ends, 0.0, 1.0) - base
    names = ("difference", "low", "high")
    return dict(zip(names, values.tolist(), strict=True)) | {"verdict": found.verdict}
