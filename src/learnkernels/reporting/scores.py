"""Cross-validated errors of the learned weights, of uniform weights and of the best single kernel.

All use the same folds, kernels, machine and preprocessing. The baselines choose their
regularisation parameter in each fold: the best C of the learned kernel need not suit a kernel with
another sum of weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.stats import t as student
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from learnkernels._warnings import counted_unconverged, suppressed
from learnkernels.checks import positive_values
from learnkernels.errors import InputError, UniformBetterWarning
from learnkernels.estimators.selection import grid_of, regularization_name
from learnkernels.methods import (
    BestSingle,
    Ensemble,
    LearnedWeights,
    Uniform,
    WeightMethod,
    WeightProblem,
    as_method,
)
from learnkernels.progress import counting, within
from learnkernels.reporting.formatting import MISCLASSIFICATION
from learnkernels.solvers import Certificate

# Errors of a fit on a fold that is too small or lacks a category.
FIT_ERRORS = (ValueError, ArithmeticError, LinAlgError)
# The best single kernel is chosen among those with the highest alignment, by this many folds.
MAX_SINGLE_KERNELS, SINGLE_KERNEL_FOLDS = 10, 3
LEVEL = 0.9

Split = tuple[np.ndarray, np.ndarray]


def final_estimator(model: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return model[-1] if isinstance(model, Pipeline) else model


def cross_validated_errors(
    model: Any, X: Any, y: Any, cv: int, random_state: int
) -> dict[str, Any]:
    """Compute the errors of the model and of its baselines on each fold.

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

    Returns
    -------
    dict
        ``measure``, ``folds``, the error ``dummy`` of a constant prediction, and ``results``: for
        each model the errors of the folds, and for each baseline the mean difference from the
        learned weights with an interval. A model that cannot be fitted has a ``reason`` instead.
    """
    y = np.asarray(y)
    classification = hasattr(final_estimator(model), "classes_")
    splits = make_splits(y, cv, random_state, classification)
    models = models_to_compare(model)
    error = misclassification_rate if classification else rmse
    results: dict[str, Any] = {}
    with counting(len(models) * len(splits), "cross-validation") as advance:
        for name, candidate in models.items():
            try:
                results[name] = errors_of(candidate, X, y, splits, error, name, advance)
            except FIT_ERRORS as reason:
                results[name] = {"reason": " ".join(str(reason).split())}
    add_differences(results)
    dummy = [dummy_error(y[train], y[test], classification) for train, test in splits]
    return {
        "measure": MISCLASSIFICATION if classification else "RMSE",
        "folds": len(splits),
        "dummy": float(np.mean(dummy)),
        "results": results,
    }


def make_splits(y: np.ndarray, cv: int, random_state: int, stratify: bool) -> list[Split]:
    """Return the training and test indices of each fold."""
    if not stratify:
        return list(KFold(min(cv, len(y)), shuffle=True, random_state=random_state).split(y))
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        raise InputError(
            "a class has only one sample, but cross-validation needs at least 2 per class. Remove "
            "the class or merge it with another one."
        )
    splitter = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=random_state)
    return list(splitter.split(y, y))


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


def fitted_regularization(fitted: Any) -> float:
    """Return the regularisation parameter that was used, or 1."""
    return float(getattr(fitted, "C_", getattr(fitted, "alpha_", None)) or 1.0)


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

    def fit(self, X: Any, y: Any) -> BestSingleKernel:
        """Choose the kernel, then the regularisation parameter."""
        method = BestSingle(cv=SINGLE_KERNEL_FOLDS, max_kernels=MAX_SINGLE_KERNELS)
        chosen = with_method(self.model, method, self.value).fit(X, y)
        weights = tuple(final_estimator(chosen).weights_)
        self.model_ = with_method(self.model, FixedWeights(weights), self.values).fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict with the best kernel."""
        return np.asarray(self.model_.predict(X))


def errors_of(
    model: Any,
    X: Any,
    y: np.ndarray,
    splits: list[Split],
    error: Callable[..., float],
    name: str,
    advance: Callable[[], None],
) -> dict[str, Any]:
    """Return the errors of the folds, and the number of fits that did not converge."""
    errors, unconverged = [], 0
    for fold, split in enumerate(splits, start=1):
        with (
            within(name, f"fold {fold} of {len(splits)}"),
            counted_unconverged() as found,
            suppressed(UniformBetterWarning),  # the fit on all samples raises it
        ):
            done = cross_validate(model, X, y, cv=[split], scoring=error, error_score="raise")
        errors.append(float(done["test_score"][0]))
        unconverged += found.count
        advance()
    mean, std = float(np.mean(errors)), float(np.std(errors, ddof=1))
    return {"errors": errors, "mean": mean, "std": std, "unconverged": unconverged}


def misclassification_rate(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the fraction of misclassified samples."""
    return float(np.mean(model.predict(X) != y))


def rmse(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the root mean squared error."""
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def dummy_error(train: np.ndarray, test: np.ndarray, classification: bool) -> float:
    """Return the error of always predicting the most frequent class, or the mean."""
    if classification:
        values, counts = np.unique(train, return_counts=True)
        return float(np.mean(test != values[counts.argmax()]))
    return float(np.sqrt(np.mean((test - train.mean(axis=0)) ** 2)))


def add_differences(results: dict[str, Any]) -> None:
    """Add to each baseline the difference of the errors of the learned weights from its own."""
    learned = results["learned"]
    for name, result in results.items():
        if name != "learned" and "errors" in result and "errors" in learned:
            mean, low, high = paired_difference(learned["errors"], result["errors"])
            lower = int(np.sum(np.less(learned["errors"], result["errors"])))
            result |= {"difference": mean, "low": low, "high": high, "folds_lower": lower}


def paired_difference(
    errors: list[float] | np.ndarray, others: list[float] | np.ndarray
) -> tuple[float, float, float]:
    """Return the mean of errors - others over the same folds, and the ends of its 90 % interval.

    The training sets of the folds overlap, so the variance of the differences is too small. It is
    corrected as in Nadeau and Bengio, "Inference for the generalization error" (2003).
    """
    d = np.subtract(errors, others)
    k = len(d)
    # Var(mean d) = (1/k + n_test / n_train) s^2, and n_test / n_train = 1 / (k - 1) for k folds
    error = np.sqrt((1 / k + 1 / (k - 1)) * d.var(ddof=1)) * student.ppf((1 + LEVEL) / 2, k - 1)
    return float(d.mean()), float(d.mean() - error), float(d.mean() + error)
