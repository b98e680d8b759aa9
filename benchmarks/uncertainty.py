"""Coverage of intervals and log-likelihood of standard deviations, against a Gaussian process.

On the regression tables of `tables_protocol`, with at most 500 training rows. The Gaussian process
is scikit-learn's, with `ConstantKernel * RBF + WhiteKernel` tuned by marginal likelihood. Targets
have unit variance.

``python -m benchmarks uncertainty --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import learnkernels as lk
from benchmarks.tables_protocol import REGRESSION, SPLITS, Split, folder, split

COVERAGE = 0.9
ROWS = 500
RESTARTS = 2
BOUNDS = 1e-5, 1e5


def run(quick: bool = False) -> dict:
    """Return the mean over splits of each measure, for each table and model."""
    found: dict[str, dict[str, Any]] = {}
    tables, splits = (REGRESSION[1:2], SPLITS[:1]) if quick else (REGRESSION, SPLITS)
    if folder() is None:
        print("not available, set LEARNKERNELS_DATA")
        tables = ()
    for table in tables:
        rows = [of_split(split(table, number, 60 if quick else ROWS)) for number in splits]
        found[table] = {
            model: {name: round(float(np.mean([row[model][name] for row in rows])), 4)
                    for name in rows[0][model]}
            for model in rows[0]
        }  # fmt: skip
        for model, values in found[table].items():
            print(f"{table}, {model}: {values}", flush=True)
    return {"coverage": COVERAGE, "rows": ROWS, "splits": len(splits), "tables": found}


def of_split(data: Split) -> dict[str, dict[str, float]]:
    """Return the measures of each model on one split."""
    return {
        "learnkernels": measures(*learned(data), data.y_test),
        "GaussianProcessRegressor": measures(*gaussian_process(data), data.y_test),
    }


def learned(data: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return mean, standard deviation and interval of the default regressor, and its seconds."""
    start = time.perf_counter()
    model = lk.KernelRegressor().fit(data.X, data.y)
    mean, std = model.predict(data.X_test, return_std=True)
    interval = model.predict_interval(data.X_test, COVERAGE)
    return mean, std, interval, time.perf_counter() - start


def gaussian_process(data: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the same of a Gaussian process, whose intervals are normal."""
    start = time.perf_counter()
    kernel = ConstantKernel(1.0, BOUNDS) * RBF(1.0, BOUNDS) + WhiteKernel(0.1, BOUNDS)
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=RESTARTS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a parameter at its bound
        model.fit(data.X, data.y)
    mean, std = model.predict(data.X_test, return_std=True)
    half = norm.ppf((1 + COVERAGE) / 2) * std
    interval = np.stack([mean - half, mean + half], axis=1)
    return mean, std, interval, time.perf_counter() - start


def measures(
    mean: np.ndarray, std: np.ndarray, interval: np.ndarray, seconds: float, y: np.ndarray
) -> dict[str, float]:
    """Return the measures of predictions for the targets y."""
    lower, upper = interval.T
    half = norm.ppf((1 + COVERAGE) / 2) * std
    return {
        "coverage": float(np.mean((lower <= y) & (y <= upper))),
        "width": float(np.mean(upper - lower)),
        "normal_coverage": float(np.mean(np.abs(y - mean) <= half)),
        "log_likelihood": float(np.mean(norm.logpdf(y, mean, std))),
        "rmse": float(np.sqrt(np.mean((y - mean) ** 2))),
        "seconds": seconds,
    }
