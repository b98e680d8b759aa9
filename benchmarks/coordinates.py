"""Targets that are rough in two coordinates: elevations and pictures of matplotlib's sample data.

The RMSE of the default, of the default family without narrower kernels, of a grid search, and of
forests and boosting, on random points of each picture. The elevations of Jacksboro suggested that
`method="auto"` tries narrower kernels; the other pictures did not choose anything.
"""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
from matplotlib import cbook, image
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk

SPLITS = (0, 1, 2)
N_TEST = 3000


def run(quick: bool = False) -> None:
    n, splits = (120, SPLITS[:1]) if quick else (1500, SPLITS)
    pictures = {"elevations of Jacksboro": elevations()}
    if not quick:
        pictures |= {"sea floor": sea_floor(), "photograph": photograph(), "brain scan": scan()}
    for name, values in pictures.items():
        errors = [split_errors(values, n, seed) for seed in splits]
        for model in errors[0]:
            found = ", ".join(f"{one[model]:.4g}" for one in errors)
            print(f"{name}, n={n}, RMSE of {model}: {found}")


def elevations() -> np.ndarray:
    """Return elevations in metres on a grid."""
    with cbook.get_sample_data("jacksboro_fault_dem.npz") as content:
        return content["elevation"].astype(float)


def sea_floor() -> np.ndarray:
    """Return heights of land and sea in metres on a grid."""
    with cbook.get_sample_data("topobathy.npz") as content:
        return content["topo"].astype(float)


def photograph() -> np.ndarray:
    """Return the brightness of the pixels of a photograph."""
    with cbook.get_sample_data("grace_hopper.jpg") as file:
        return image.imread(file, format="jpg").mean(axis=2)


def scan() -> np.ndarray:
    """Return the brightness of the pixels of a scan."""
    with gzip.open(cbook.get_sample_data("s1045.ima.gz", asfileobj=False)) as file:
        return np.frombuffer(file.read(), np.uint16).reshape(256, 256).astype(float)


def split_errors(values: np.ndarray, n: int, seed: int) -> dict[str, float]:
    """Return the RMSE of each model on random points that were not used for training."""
    points = np.random.default_rng(seed).choice(values.size, n + N_TEST, replace=False)
    X = np.column_stack(np.unravel_index(points, values.shape)).astype(float)
    y = values.ravel()[points]
    mean = y[:n].mean()
    return {
        name: root_mean_squared_error(y[n:] - mean, model.fit(X[:n], y[:n] - mean).predict(X[n:]))
        for name, model in models().items()
    }


def models() -> dict[str, Any]:
    """Return the models to compare."""
    grid = {
        "kernelridge__gamma": 2.0 ** np.arange(-5, 10, 1.6),
        "kernelridge__alpha": 10.0 ** np.arange(-3, 2),
    }
    ridge = make_pipeline(StandardScaler(), KernelRidge(kernel="rbf"))
    return {
        "the default": lk.KernelRegressor(),
        "lk.table()": lk.KernelRegressor(lk.table()),
        "GridSearchCV of KernelRidge": GridSearchCV(ridge, grid, cv=5),
        "random forest": RandomForestRegressor(300, random_state=0),
        "boosting": HistGradientBoostingRegressor(random_state=0),
    }
