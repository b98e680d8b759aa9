"""Scores of held-out outputs by the scorers of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import (
    balanced_accuracy_score,
    check_scoring,
    get_scorer_names,
    roc_auc_score,
)

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.estimators.outputs.probability import decide, fit_temperature, log_probabilities


class HeldOutClassifier(ClassifierMixin, BaseEstimator):
    """Outputs that are known for samples, in the role of a classifier; X is the samples' index."""

    def __init__(self, outputs: np.ndarray, classes: np.ndarray, temperature: float) -> None:
        self.outputs = outputs
        self.classes_ = classes
        self.temperature = temperature

    def fit(self, X: Any, y: Any) -> HeldOutClassifier:
        """Return self: the outputs are known."""
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return decision values."""
        found = self.outputs[X]
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return labels."""
        return self.classes_[decide(self.outputs[X])]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return probabilities."""
        return np.exp(log_probabilities(self.outputs[X], self.temperature))


class HeldOutRegressor(RegressorMixin, BaseEstimator):
    """Outputs that are known for samples, in the role of a regressor; X is the samples' index."""

    def __init__(self, outputs: np.ndarray) -> None:
        self.outputs = outputs

    def fit(self, X: Any, y: Any) -> HeldOutRegressor:
        """Return self: the outputs are known."""
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return predictions."""
        found = self.outputs[X]
        return found[:, 0] if found.shape[1] == 1 else found


def require_scoring(scoring: Any) -> None:
    """Raise unless `scoring` is a callable or the name of a scorer of scikit-learn."""
    names = get_scorer_names()
    if callable(scoring) or (isinstance(scoring, str) and scoring in names):
        return
    near = get_close_matches(str(scoring), names, 3)
    advice = f"did you mean {' or '.join(map(repr, near))}?" if near else "for example 'roc_auc'."
    raise InputError(
        f"scoring={scoring!r}; expected the name of a scorer of scikit-learn, a callable or None: "
        f"{advice}"
    )


def fold_scores(
    outputs: np.ndarray, y: np.ndarray, folds: Sequence[np.ndarray], scoring: Any,
    classes: np.ndarray | None = None, weights: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Return the mean score over folds of each value of the regularisation, (n_values,).

    Parameters
    ----------
    outputs : ndarray of shape (n_values, n_samples, n_outputs)
        Outputs for held-out samples.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Labels or targets.
    folds : sequence of ndarray
        The samples of each fold.
    scoring : str or callable
        A scorer, as in `sklearn.model_selection.GridSearchCV`; higher is better.
    classes : ndarray or None
        The labels; None for regression.
    weights : ndarray or None
        Sample weights, for probabilities.
    """
    found = []
    for held in outputs:
        model: Any = HeldOutRegressor(held)
        if classes is not None and weights is not None:
            codes = np.searchsorted(classes, y)
            model = HeldOutClassifier(held, classes, fit_temperature(held, codes, weights) or 1.0)
        with as_input_error(f"scoring={scoring!r}: "):
            scorer = check_scoring(model, scoring=scoring)
            found.append(float(np.mean([scorer(model, test, y[test]) for test in folds])))
    return np.array(found)


def class_scores(
    codes: np.ndarray, outputs: np.ndarray, weights: np.ndarray | None = None, *,
    probabilities: bool = True,
) -> dict[str, float]:  # fmt: skip
    """Return balanced accuracy, area under the ROC curve and log loss of held-out predictions.

    The area is the mean over the classes, each against the rest. A score that is undefined, for
    example because only one class is present, is NaN.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Classes, from 0.
    outputs : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities, or decision values.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.
    probabilities : bool, default=True
        Whether `outputs` are logarithms of probabilities; decision values have no log loss.
    """
    present = np.bincount(codes, minlength=outputs.shape[1])
    areas = [
        roc_auc_score(codes == label, outputs[:, label], sample_weight=weights)
        for label in np.flatnonzero((present > 0) & (present < len(codes)))
    ]
    with warnings.catch_warnings():  # a class that is predicted may be absent from this fold
        warnings.simplefilter("ignore", UserWarning)
        balanced = balanced_accuracy_score(codes, outputs.argmax(axis=1), sample_weight=weights)
    found = {
        "balanced accuracy": float(balanced),
        "AUC": float(np.mean(areas)) if areas else float("nan"),
    }
    if probabilities:
        logs = outputs[np.arange(len(codes)), codes]
        found["log loss"] = float(-np.average(logs, weights=weights))
    return found
