"""Landmarks on whole tables: the default with `n_components`, against Nystroem and RidgeCV.

``python -m benchmarks tables_large`` computes the tables that are missing in
docs/results/tables_large.json. Both models of a table are fitted in the same run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

import learnkernels as lk
from benchmarks.ranking import geometric_mean
from benchmarks.tables import RESULTS, origin, read, seconds_of_fit, write
from benchmarks.tables_models import median_squared_distance
from benchmarks.tables_protocol import Split, error, folder, split

LARGE_RESULTS = RESULTS.with_name("tables_large.json")
LARGE_TABLES = ("kin40k", "bike", "pol")
N_COMPONENTS = 2000
POWERS = (-4, -2, 0, 2, 4)
ALPHAS = 10.0 ** np.arange(-6, 3)


def run(quick: bool = False) -> None:
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    file = None if quick else LARGE_RESULTS
    results = read(LARGE_RESULTS) if file else {"origins": {}, "entries": {}}
    for table in LARGE_TABLES[-1:] if quick else LARGE_TABLES:
        if table not in results["entries"]:
            data = split(table, 0, 300 if quick else None, 200 if quick else None)
            results["entries"][table] = both(data, 20 if quick else N_COMPONENTS)
            results["origins"][table] = origin()
            write(results, file)
        print(line(table, results["entries"][table]), flush=True)
    found = [ratio(entry) for entry in results["entries"].values()]
    print(f"geometric mean: {geometric_mean(found):.3f} of the RMSE of Nystroem and RidgeCV")


def both(data: Split, n_components: int) -> dict[str, Any]:
    """Return RMSE and seconds of our default, and of Nystroem and RidgeCV with each width."""
    ours = lk.KernelRegressor(n_components=n_components)
    lk.KernelRegressor(n_components=10).fit(data.X[:60], data.y[:60])  # compile
    scale = median_squared_distance(data.X)
    theirs = [nystroem(2.0**power / scale, n_components) for power in POWERS]
    return {
        "n": len(data.y),
        "n_components": n_components,
        "default": measured(ours, data),
        "nystroem": [measured(model, data) for model in theirs],
    }


def nystroem(gamma: float, n_components: int) -> Any:
    return make_pipeline(
        Nystroem(gamma=gamma, n_components=n_components, random_state=0), RidgeCV(ALPHAS)
    )


def measured(model: Any, data: Split) -> dict[str, float]:
    seconds = seconds_of_fit(model, data)
    found = error("regression", data.y_test, model.predict(data.X_test))
    return {"error": round(found, 6), "seconds": round(seconds, 3)}


def best_width(entry: dict[str, Any]) -> float:
    """Return the lowest test error over the widths: chosen in favour of Nystroem and RidgeCV."""
    return min(row["error"] for row in entry["nystroem"])


def seconds_of_widths(entry: dict[str, Any]) -> float:
    return sum(row["seconds"] for row in entry["nystroem"])


def ratio(entry: dict[str, Any]) -> float:
    return entry["default"]["error"] / best_width(entry)


def line(table: str, entry: dict[str, Any]) -> str:
    ours = entry["default"]
    return (
        f"{table}, n={entry['n']}, {entry['n_components']} components: default {ours['error']:.4f} "
        f"({ours['seconds']:.1f} s), Nystroem and RidgeCV, best of {len(entry['nystroem'])} widths "
        f"{best_width(entry):.4f} ({seconds_of_widths(entry):.1f} s), ratio {ratio(entry):.3f}"
    )
