"""Landmarks on whole tables: the default with `n_components`, against Nystroem and a linear model.

``python -m benchmarks tables_large`` computes what is missing in docs/results/tables_large.json, on
one thread. Each fit is written as soon as it is known, so that a run can be interrupted and
continued. Seconds are CPU time; megabytes are the peak of the memory of the fit, beyond the data.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.measure import peak_extra_memory
from benchmarks.ranking import geometric_mean
from benchmarks.tables import RESULTS, origin, read, write
from benchmarks.tables_models import median_squared_distance
from benchmarks.tables_protocol import Split, error, folder, split, task_of

LARGE_RESULTS = RESULTS.with_name("tables_large.json")
LARGE_TABLES = ("pol", "kin40k", "bike", "elevators", "magic")
N_COMPONENTS = 2000
POWERS = (-4, -2, 0, 2, 4)
ALPHAS = 10.0 ** np.arange(-6, 3)
# Values and folds of logistic regression: each fit takes minutes.
CS, FOLDS = 10.0 ** np.arange(-1, 4), 3


def run(quick: bool = False) -> None:
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    file = None if quick else LARGE_RESULTS
    results = read(LARGE_RESULTS) if file else {"origins": {}, "entries": {}}
    for table in ("pol", "magic") if quick else LARGE_TABLES:
        entry = results["entries"].setdefault(table, {})
        results["origins"].setdefault(table, origin())
        for _ in fits(table, entry, quick):
            write(results, file)
        print(line(table, entry), flush=True)
    entries = results["entries"].values()
    for what, of in (("error", ratio), ("time", time_ratio), ("memory", memory_ratio)):
        print(f"geometric mean of the {what}: {geometric_mean(map(of, entries)):.3f} of Nystroem")


def fits(table: str, entry: dict[str, Any], quick: bool = False) -> Iterator[None]:
    """Measure the models that an entry lacks, and stop after each of them."""
    if is_complete(entry):
        return
    task, m = task_of(table), 20 if quick else N_COMPONENTS
    data = split(table, 0, 300 if quick else None, 200 if quick else None)
    entry |= {"n": len(data.y), "n_components": m, "nystroem": entry.get("nystroem", [])}
    with threadpool_limits(1):
        if "default" not in entry:
            estimator = lk.KernelRegressor if task == "regression" else lk.KernelClassifier
            estimator(n_components=10, n_jobs=1).fit(data.X[:1000], data.y[:1000])  # compile
            entry["default"] = measured(estimator(n_components=m, n_jobs=1), data, task)
            yield
        scale = median_squared_distance(data.X)
        for power in POWERS[len(entry["nystroem"]) :]:
            model = nystroem(2.0**power / scale, m, task)
            entry["nystroem"].append(measured(model, data, task))
            yield


def is_complete(entry: dict[str, Any]) -> bool:
    """Return whether all models were measured."""
    return "default" in entry and len(entry["nystroem"]) == len(POWERS)


def nystroem(gamma: float, n_components: int, task: str = "regression") -> Any:
    linear = RidgeCV(ALPHAS) if task == "regression" else LogisticRegressionCV(Cs=CS, cv=FOLDS)
    return make_pipeline(Nystroem(gamma=gamma, n_components=n_components, random_state=0), linear)


def measured(model: Any, data: Split, task: str = "regression") -> dict[str, float]:
    def fit() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data.X, data.y)

    start = time.process_time()
    megabytes = peak_extra_memory(fit, 0.05)
    seconds = time.process_time() - start
    found = error(task, data.y_test, model.predict(data.X_test))
    return {
        "error": round(found, 6), "seconds": round(seconds, 3), "megabytes": round(megabytes)
    }  # fmt: skip


def best_width(entry: dict[str, Any]) -> float:
    """Return the lowest test error over the widths: chosen in favour of Nystroem."""
    return min(row["error"] for row in entry["nystroem"])


def seconds_of_widths(entry: dict[str, Any]) -> float:
    return sum(row["seconds"] for row in entry["nystroem"])


def seconds_of_one(entry: dict[str, Any]) -> float:
    """Return the mean time of a single width."""
    return seconds_of_widths(entry) / len(entry["nystroem"])


def megabytes_of_widths(entry: dict[str, Any]) -> float:
    return max(row["megabytes"] for row in entry["nystroem"])


def ratio(entry: dict[str, Any]) -> float:
    return entry["default"]["error"] / best_width(entry)


def time_ratio(entry: dict[str, Any]) -> float:
    return entry["default"]["seconds"] / seconds_of_widths(entry)


def memory_ratio(entry: dict[str, Any]) -> float:
    return max(entry["default"]["megabytes"], 1) / max(megabytes_of_widths(entry), 1)


def line(table: str, entry: dict[str, Any]) -> str:
    ours = entry["default"]
    return (
        f"{table}, n={entry['n']}, {entry['n_components']} components: error {ours['error']:.4f} "
        f"against {best_width(entry):.4f} of Nystroem with the best of {len(entry['nystroem'])} "
        f"widths: {ratio(entry):.3f}; CPU {ours['seconds']:.1f} s against "
        f"{seconds_of_widths(entry):.1f} s for all widths: {time_ratio(entry):.2f} "
        f"({seconds_of_one(entry):.1f} s for one: {ours['seconds'] / seconds_of_one(entry):.2f}); "
        f"{ours['megabytes']:.0f} MB against {megabytes_of_widths(entry):.0f} MB: "
        f"{memory_ratio(entry):.2f}"
    )
