"""Test error with additional views of pure noise, for uniform and for learned weights.

``python -m benchmarks noise --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from benchmarks.methods import SETS, samples
from learnkernels.inspection import compare

NAMES = ("ionosphere", "splice_binary_train", "digits", "kin8nm")
METHODS = {
    "classification": ("unif", "align", "alignf", "l1-svm"),
    "regression": ("unif", "align", "alignf", "l1-krr"),
}
FAMILY = ["gaussians", "linear"]
VIEWS = (0, 1, 3, 10)
COLUMNS = 5
GRIDS = {
    "classification": 10.0 ** np.arange(-1, 4),
    "regression": 10.0 ** np.arange(-4, 2),
}


def run(quick: bool = False) -> dict:
    """Return the mean error of each method for each number of noise views and each data set."""
    found, counts = {}, list(VIEWS[:2] if quick else VIEWS)
    for name in NAMES[2:3] if quick else NAMES:
        data = samples(name, 100 if quick else 500)
        if data is None:
            print(f"{name}: not available, set LEARNKERNELS_DATA")
            continue
        task = SETS[name]
        errors: dict[str, list[float]] = {method: [] for method in METHODS[task]}
        for views in counts:
            for row in one(*data, task, views, *((4, 3) if quick else (1, 5))).methods:
                errors[row.method].append(round(row.error_mean, 6))
        found[name] = {"task": task, "n": len(data[1]), "errors": errors}
        print(f"{name}, views of noise {counts}: {errors}", flush=True)
    return {"views": counts, "columns": COLUMNS, "sets": found}


def one(X, y, task: str, views: int, step: int, n_folds: int):
    """Compare methods on the data and some views of noise, each with the default kernels.

    Every `step`-th value of the grid is tried.
    """
    noise = np.random.default_rng(1).standard_normal((len(y), views * COLUMNS))
    d = X.shape[1]
    kernels = [lk.on(slice(0, d), FAMILY, name="data")]
    for view in range(views):
        start = d + view * COLUMNS
        kernels.append(lk.on(slice(start, start + COLUMNS), FAMILY, name=f"noise {view}"))
    return compare(
        np.hstack([X, noise]), y, METHODS[task], kernels=kernels, task=task, cv=n_folds,
        grid=GRIDS[task][::step], preprocess=StandardScaler(),
    )  # fmt: skip
