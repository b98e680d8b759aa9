"""Held-out predictions: every sample is predicted once, by a model that was trained without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import _safe_split

from learnkernels._warnings import counted_unconverged, suppressed
from learnkernels.errors import NeverPredictedWarning, UniformBetterWarning
from learnkernels.progress import within

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class HeldOut:
    """Held-out predictions of one model.

    Attributes
    ----------
    predictions : ndarray of shape (n_samples,) or (n_samples, n_targets)
    outputs : ndarray of shape (n_samples, n_classes) or None
        Logarithms of the probabilities of the classes, or decision values; None for regression.
    probabilities : bool
        Whether `outputs` are logarithms of probabilities.
    unconverged : int
        Number of fits that did not converge.
    """

    predictions: np.ndarray
    outputs: np.ndarray | None
    probabilities: bool
    unconverged: int


def held_out(
    model: Any, X: Any, y: np.ndarray, splits: list[Split], weights: np.ndarray | None,
    classes: np.ndarray | None, name: str, advance: Callable[[], None],
) -> HeldOut:  # fmt: skip
    """Train a model on each fold, and predict the held-out samples.

    Parameters
    ----------
    model : estimator
        Not fitted.
    X, y
        The data.
    splits : list of (train, test)
        Every sample is in one test part.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.
    classes : ndarray or None
        The labels; None for regression.
    name : str
        Name of the model in messages of progress.
    advance : callable
        Called after each fold.
    """
    predictions = np.empty_like(y, dtype=float if classes is None else y.dtype)
    outputs = None if classes is None else np.empty((len(y), len(classes)))
    probabilities, unconverged = classes is not None, 0
    for fold, (train, test) in enumerate(splits, start=1):
        with (
            within(name, f"fold {fold} of {len(splits)}"),
            counted_unconverged() as found,
            # The fit on all samples raises these.
            suppressed(UniformBetterWarning, NeverPredictedWarning),
        ):
            X_train, y_train = _safe_split(model, X, y, train)
            X_test, _ = _safe_split(model, X, y, test, train)
            w = None if weights is None else weights[train]
            fitted = clone(model).fit(X_train, y_train, **weight_argument(model, w))
            if outputs is None or classes is None:
                predictions[test] = fitted.predict(X_test).reshape(predictions[test].shape)
            else:
                outputs[test], known = class_outputs(fitted, X_test)
                probabilities = probabilities and known
                predictions[test] = classes[outputs[test].argmax(axis=1)]
        unconverged += found.count
        advance()
    return HeldOut(predictions, outputs, probabilities, unconverged)


def weight_argument(model: Any, weights: np.ndarray | None) -> dict[str, np.ndarray]:
    """Return the sample weights as an argument of `fit`; in a pipeline, of its last step."""
    if weights is None:
        return {}
    prefix = f"{model.steps[-1][0]}__" if isinstance(model, Pipeline) else ""
    return {f"{prefix}sample_weight": weights}


def class_outputs(fitted: Any, X: Any) -> tuple[np.ndarray, bool]:
    """Return an output for each class, whose largest is predicted, and if they are log p."""
    if hasattr(fitted, "predict_log_proba"):
        return fitted.predict_log_proba(X), True
    decision = fitted.decision_function(X)
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision, False
