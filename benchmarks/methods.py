"""The methods of the papers on real data: test error and time, as ratios to ``unif``.

``python -m benchmarks methods --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import genuine
from learnkernels.inspection import compare
from learnkernels.methods import METHODS

SETS = {
    "ionosphere": "classification",
    "sonar": "classification",
    "heart_statlog": "classification",
    "breast_cancer_wisconsin": "classification",
    "german_numeric": "classification",
    "splice_binary_train": "classification",
    "spambase": "classification",
    "digits": "classification",
    "kin8nm": "regression",
    "diabetes": "regression",
}
MOST_SAMPLES = 800
BY_TAILS = ("conv", "dc")  # their C and alpha are on the scale of kernels with trace one
# With its default lp-svm is l2-svm; the benchmark `tables` compares auto and loo.
LEFT_OUT = ("lp-svm", "auto", "loo")
KERNELS = ["gaussians", "linear"]


def run(quick: bool = False) -> dict:
    """Return the error of every fold and mean seconds, for each data set and method."""
    found = {}
    for name, task in list(SETS.items())[-1 if quick else 0 :]:
        data = samples(name, 40 if quick else MOST_SAMPLES)
        if data is None:
            print(f"{name}: not available, set LEARNKERNELS_DATA")
            continue
        found[name] = one_set(*data, task, *((1, 3, 3) if quick else (2, 1, 5)))
        print(f"{name} ({task}, n={len(data[1])}): " + line(found[name]), flush=True)
    show(found)
    return {"sets": found}


def samples(name: str, most: int):
    """Return random samples of a data set, at most `most`; None if it is not available."""
    shipped = {"digits": load_digits, "diabetes": load_diabetes}
    data = shipped[name](return_X_y=True) if name in shipped else genuine(name)
    if data is None:
        return None
    chosen = np.random.default_rng(0).permutation(len(data[1]))[:most]
    return data[0][chosen], data[1][chosen]


def one_set(X, y, task: str, seeds: int, step: int, n_folds: int) -> dict:
    """Compare the methods that apply to the task, over the folds of some seeds.

    Every `step`-th value of the grid is tried.
    """
    n = len(y)
    plain = [name for name in METHODS if name not in BY_TAILS + LEFT_OUT]
    grid = 10.0 ** np.arange(-2, 4) if task == "classification" else 10.0 ** np.arange(-4, 3)
    grid = grid[::step]
    groups = [(plain, grid), (list(BY_TAILS), n * grid if task == "classification" else grid / n)]
    results: dict = {}
    for seed in range(seeds):
        for methods, values in groups:
            done = compare(
                X,
                y,
                methods,
                kernels=KERNELS,
                task=task,
                cv=n_folds,
                random_state=seed,
                grid=values,
                preprocess=StandardScaler(),
            )
            for row in done.methods:
                one = results.setdefault(row.method, {"errors": [], "seconds": []})
                one["errors"] += [round(error, 6) for error in row.errors]
                one["seconds"].append(round(row.fit_seconds, 4))
    return {"task": task, "n": n, "methods": results}


def line(found: dict) -> str:
    return ", ".join(
        f"{method} {np.mean(one['errors']):.4f} ({np.mean(one['seconds']):.2f} s)"
        for method, one in found["methods"].items()
    )


def ratios(found: dict, method: str, what: str) -> list[float]:
    """Return mean error or time relative to ``unif``, for each data set of the method."""
    rows = [one["methods"] for one in found.values() if method in one["methods"]]
    return [float(np.mean(row[method][what]) / np.mean(row["unif"][what])) for row in rows]


def show(found: dict) -> None:
    for method in METHODS:
        error, time = (ratios(found, method, what) for what in ("errors", "seconds"))
        if error:
            print(
                f"{method}: {geometric(error):.3f} of unif's error over {len(error)} sets (from "
                f"{min(error):.2f} to {max(error):.2f}), {geometric(time):.1f} of its time"
            )


def geometric(values: list[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))
