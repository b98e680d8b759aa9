"""The models of the benchmark `tables`: ours, and what a user would do instead."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

import learnkernels as lk

# Parameters of our estimators; all other parameters are the defaults, also the kernel family.
OURS: dict[str, dict[str, Any]] = {
    "default": {},
    "loo": {"method": "loo"},
    "unif": {"method": "unif"},
    "alignf": {"method": "alignf"},
}
COMPETITORS = ("grid", "forest", "boosting", "xrfm")
MODELS = (*OURS, *COMPETITORS)


class XRFM:
    """xRFM with its defaults, and a fifth of the training rows as its validation set."""

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, X: np.ndarray, y: np.ndarray) -> XRFM:
        from xrfm import xRFM

        labels = y if self.task == "classification" else None
        X, X_valid, y, y_valid = train_test_split(
            X, y, test_size=0.2, random_state=0, stratify=labels
        )
        self.model = xRFM(random_state=0, verbose=False, n_threads=1)
        self.model.fit(X, y, X_valid, y_valid)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.ravel(self.model.predict(X))


def median_squared_distance(X: np.ndarray) -> float:
    """Return the median over the pairs of different samples among the first 1,000."""
    distances = pairwise_distances(X[:1000], metric="sqeuclidean")
    return float(np.median(distances[distances > 0]))


def widths(X: np.ndarray) -> list[float]:
    """Return ten values of gamma around the inverse of the median squared distance."""
    return list(2.0 ** np.arange(-5, 5) / median_squared_distance(X))


def estimator(model: str, task: str, X: np.ndarray) -> Any:
    """Return an unfitted model; `X` are the training rows, from which the grid is made."""
    classify = task == "classification"
    if model in OURS:
        return (lk.KernelClassifier if classify else lk.KernelRegressor)(**OURS[model], n_jobs=1)
    if model == "xrfm":
        return XRFM(task)
    if model == "forest":
        return (RandomForestClassifier if classify else RandomForestRegressor)(300, random_state=0)
    if model == "boosting":
        boosting = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor
        return boosting(random_state=0)
    if classify:
        return GridSearchCV(SVC(), {"C": [0.1, 1, 10, 100, 1000], "gamma": widths(X)}, cv=5)
    grid = {"alpha": [1e-3, 1e-2, 0.1, 1, 10], "gamma": widths(X)}
    return GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=5, scoring="neg_mean_squared_error")


def is_installed(model: str) -> bool:
    if model != "xrfm":
        return True
    try:
        import xrfm  # noqa: F401
    except ImportError:
        print("xRFM is left out because it is not installed: pip install xrfm")
        return False
    return True
