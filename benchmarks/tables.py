"""The default and the single methods on 24 public tables, against what a user would do instead.

``python -m benchmarks tables`` computes the results that are missing in docs/results/tables.json.
Each is written as soon as it is known, so that a run can be interrupted and continued.
``python -m benchmarks.tables --again default loo`` computes the results of these models again.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.ranking import geometric_mean, mean_ranks, ratios
from benchmarks.tables_models import MODELS, OURS, estimator, is_installed
from benchmarks.tables_protocol import (
    MOST_TRAINING_ROWS,
    SPLITS,
    TABLES,
    Split,
    error,
    folder,
    split,
    task_of,
)
from learnkernels.files import replacing
from learnkernels.version import versions

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "tables.json"

QUICK_TABLES = ("autompg", "bupa")
QUICK_ROWS = 100
QUICK_MODELS = ("default", "unif", "grid", "forest", "boosting")

# The ratios by which the defaults are judged: task, model, references.
COMPARISONS = (
    ("classification", "default", ("grid",)),
    ("regression", "default", ("grid",)),
    ("classification", "default", ("forest", "boosting")),
    ("regression", "default", ("forest", "boosting")),
    ("all", "default", ("unif",)),
    ("classification", "default", ("xrfm",)),
    ("regression", "default", ("xrfm",)),
)


def run(quick: bool = False) -> None:
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    if quick:
        results = empty()
        compute(results, QUICK_TABLES, SPLITS[:1], QUICK_MODELS, None, QUICK_ROWS)
        compute_times(results, QUICK_TABLES[:1], None, QUICK_ROWS)
    else:
        results = read(RESULTS)
        compute(results, TABLES, SPLITS, MODELS, RESULTS)
        compute_times(results, full_size_tables(), RESULTS)
    show(results, SPLITS[:1] if quick else SPLITS)


def seconds_of_fit(
    fitted: Any, data: Split, clock: Callable[[], float] = time.perf_counter
) -> float:
    # Warnings of single fits would hide the progress; results show what they warn of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = clock()
        fitted.fit(data.X, data.y)
        return clock() - start


def one(table: str, number: int, model: str, n_train: int = MOST_TRAINING_ROWS) -> dict[str, float]:
    """Return the test error of one model on one split, and the CPU seconds of its fit."""
    data, task = split(table, number, n_train), task_of(table)
    fitted = estimator(model, task, data.X)
    with threadpool_limits(1):
        seconds = seconds_of_fit(fitted, data, time.process_time)
    found = error(task, data.y_test, fitted.predict(data.X_test))
    return {"error": round(found, 6), "seconds": round(seconds, 4)}


def compute(
    results: dict,
    tables: Iterable[str],
    splits: Iterable[int],
    models: Iterable[str],
    file: Path | None,
    n_train: int = MOST_TRAINING_ROWS,
) -> None:
    """Add the entries that are missing in `results`; write the file after each."""
    usable = [model for model in models if is_installed(model)]
    wanted = [(t, s, m) for s in splits for t in tables for m in usable]
    missing = [names for names in wanted if key(*names) not in results["entries"]]
    print(f"{len(wanted) - len(missing)} of {len(wanted)} results exist", flush=True)
    compile_ours({model for _, _, model in missing} & OURS.keys())
    for count, names in enumerate(missing, 1):
        found = results["entries"][key(*names)] = one(*names, n_train)
        results["origins"][names[-1]] = origin(names[-1])
        print(f"[{count}/{len(missing)}] {key(*names)}: {found}", flush=True)
        write(results, file)


def key(table: str, number: int, model: str) -> str:
    return f"{table}/{number}/{model}"


def compile_ours(models: Iterable[str]) -> None:
    """Fit models of ours on a few rows of both tasks, so that no time includes the compilation."""
    for table in QUICK_TABLES:
        data = split(table, 0, n_train=60)
        for model in models:
            seconds_of_fit(estimator(model, task_of(table), data.X), data)


def full_size_tables() -> list[str]:
    """Return the tables that have the maximum number of training rows."""
    return [table for table in TABLES if len(split(table, 0).y) == MOST_TRAINING_ROWS]


def compute_times(
    results: dict, tables: Iterable[str], file: Path | None, n_train: int = MOST_TRAINING_ROWS
) -> None:
    """Add the time of the default fit and of the grid search, one after the other."""
    for table in tables:
        if table not in results["times"]:
            results["times"][table] = found = time_ratio(table, n_train)
            results["origins"]["times"] = origin()
            print(f"{table}: default fit {found['default']} s, grid {found['grid']} s", flush=True)
            write(results, file)


def time_ratio(table: str, n_train: int = MOST_TRAINING_ROWS) -> dict[str, float]:
    """Return the CPU seconds of the default fit and of the grid search, in turn, on one thread.

    Other processes of the machine change elapsed time more.
    """
    data, task = split(table, 0, n_train), task_of(table)
    models = {name: estimator(name, task, data.X) for name in ("default", "grid")}
    compile_ours(["default"])
    with threadpool_limits(1):
        times = {
            name: seconds_of_fit(model, data, time.process_time) for name, model in models.items()
        }
    return {name: round(value, 4) for name, value in times.items()}


def origin(model: str = "") -> dict:
    """Return the date and the versions of the libraries that the numbers of a model depend on."""
    used = versions() | ({"xrfm": version("xrfm")} if model == "xrfm" else {})
    return {"date": datetime.now(UTC).date().isoformat(), "versions": used}


def read(file: Path) -> dict:
    """Return earlier results, or none."""
    return empty() | (json.loads(file.read_text(encoding="utf-8")) if file.exists() else {})


def empty() -> dict:
    return {"origins": {}, "entries": {}, "times": {}}


def write(results: dict, file: Path | None) -> None:
    """Write results with one line for each entry; a section without entries is left out."""
    if file is None:
        return
    sections = []
    for name, values in results.items():
        if not values:
            continue
        lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(values[k])}" for k in sorted(values))
        sections.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    with replacing(file) as stream:
        stream.write(("{\n" + ",\n".join(sections) + "\n}\n").encode())


def mean_errors(
    entries: dict, splits: Iterable[int] = SPLITS, tables: Iterable[str] = TABLES
) -> dict[str, dict[str, float]]:
    """Return the mean error over the splits, of each table and model with all of them."""
    found: dict[str, dict[str, float]] = {}
    for table in tables:
        for model in MODELS:
            rows = [entries.get(key(table, number, model)) for number in splits]
            if all(rows):
                found.setdefault(table, {})[model] = float(np.mean([row["error"] for row in rows]))
    return found


def complete_models(errors: dict[str, dict[str, float]]) -> list[str]:
    """Return the models that were measured on every table."""
    return [model for model in MODELS if errors and all(model in row for row in errors.values())]


def of_task(errors: dict[str, dict[str, float]], task: str) -> dict[str, dict[str, float]]:
    return {table: row for table, row in errors.items() if task in (task_of(table), "all")}


def show(results: dict, splits: Iterable[int], tables: Iterable[str] = TABLES) -> None:
    """Print the ratios and the mean ranks."""
    errors = mean_errors(results["entries"], splits, tables)
    for task, model, references in COMPARISONS:
        found = ratios(of_task(errors, task), model, references)
        if found:
            worst = max(found, key=lambda table: found[table])
            print(
                f"{task}: {geometric_mean(found.values()):.3f} of the error of "
                f"{' or '.join(references)} over {len(found)} tables, at most {found[worst]:.3f} "
                f"({worst})"
            )
    models = complete_models(errors)
    if models:
        ranks = mean_ranks(errors, models)
        print("mean ranks: " + ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items()))
    times = [found["default"] / found["grid"] for found in results["times"].values()]
    if times:
        print(f"time of the default fit: {geometric_mean(times):.3f} of the grid search's")


def main() -> None:
    """Remove the results of some models, then compute what is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument(
        "--again", nargs="*", default=[], choices=[*MODELS, "times"], help="models to compute again"
    )
    options = parser.parse_args()
    if options.again:
        write(without(read(RESULTS), options.again), RESULTS)
    run()


def without(results: dict, names: Iterable[str]) -> dict:
    """Return the results without those of some models, or without the times."""
    kept = {k: v for k, v in results["entries"].items() if k.rpartition("/")[2] not in names}
    origins = {name: value for name, value in results["origins"].items() if name not in names}
    times = {} if {"times", "default"} & set(names) else results["times"]
    return {"origins": origins, "entries": kept, "times": times}


if __name__ == "__main__":
    main()
