"""Time, memory and error of fits with many samples, each compared with a goal.

``python -m benchmarks large`` prints all of them. Measurements that take long are read from
docs/results, each with its date; those that are missing there are computed. Delete an entry of
docs/results/large.json to measure it again. Times are CPU time on one thread, unless a line
states elapsed time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks import dask_chunks, earlier, landmarks, million, statistics, tables_large
from benchmarks.cached import Measurement, complete
from benchmarks.measure import cpu_seconds, gaussian_gammas, peak_extra_memory
from benchmarks.measure import problem as two_classes
from benchmarks.tables import RESULTS, read
from benchmarks.tables_protocol import folder

LARGE_RESULTS = RESULTS.with_name("large.json")
D = 20
# Less than 2 GB with the interpreter and the libraries.
SVM_MEMORY = 1.6e9
SVM_SIZES = (5000, 10_000, 20_000, 50_000)
ALONE = 100_000  # a size at which SVC takes too long
COLUMNS = (20, 100, 500)
# Tables with a lower goal for the error.
ERROR_GOALS = {"kin40k": 0.9, "bike": 0.9, "pol": 0.9}


def run(quick: bool = False) -> None:
    with threadpool_limits(1):
        for key, found in complete(tasks(quick), None if quick else LARGE_RESULTS):
            for line in lines(key, found):
                print(line, flush=True)
    show_landmarks()
    show_million()


def tasks(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield the names of the measurements of this file, and the measurements."""
    for n in (600,) if quick else SVM_SIZES:
        yield f"SVM, n={n}", partial(svm, n)
    for d in COLUMNS[:1] if quick else COLUMNS:
        yield f"pass, {d} columns", partial(statistics.family_times, 300 if quick else 5000, d)
    if quick:
        return
    yield f"SVM, n={ALONE}", partial(svm, ALONE, svc=False)
    if earlier.is_available():
        for name in earlier.MEASURED:
            if name != "exact ridge" or folder() is not None:
                yield f"0.1.0, {name}", partial(earlier.compare, name)
    else:
        print("version 0.1.0: not available, fetch the whole history of the repository")
    yield "Dask", dask_chunks.measured


def lines(key: str, found: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each goal of a measurement of this file."""
    when = found["origin"]
    if key.startswith("SVM"):
        if "svc_seconds" in found:
            ratio = found["seconds"] / found["svc_seconds"]
            yield with_goal(f"{key}, ten Gaussians, time / SVC with one", ratio, 0.6, when)
        yield with_goal(f"{key}, memory of the fit in GB", found["megabytes"] / 1000, 2, when)
    elif key.startswith("0.1.0"):
        name, now, before = key.partition(", ")[2], found["now"], found["earlier"]
        yield with_goal(f"{name}, time / 0.1.0", now["seconds"] / before["seconds"], 0.5, when)
        if "megabytes" in now:
            yield with_goal(f"{name}, memory in GB", now["megabytes"] / 1000, 1, when)
    elif key.startswith("pass"):
        ratio = found["table"] / found["gaussians"]
        yield with_goal(f"{key}, default family / ten Gaussians", ratio, 2, when)
    else:
        yield from dask_lines(found, when)


def dask_lines(found: dict[str, Any], when: str) -> Iterator[str]:
    """Yield lines about processes of Dask, by elapsed time and by the CPU time of tasks."""
    for step in dask_chunks.STEPS:
        one, two, four, threads = (found[step][name] for name in dask_chunks.SETTINGS)
        when_elapsed = f"elapsed time; {when}"
        yield with_goal(f"Dask, {step}, 2 processes / 1", two[0] / one[0], 1 / 1.7, when_elapsed)
        yield with_goal(
            f"Dask, {step}, 4 processes / 2 threads", four[0] / threads[0], 1, when_elapsed
        )
        busiest = two[2] / one[2]
        yield f"  CPU time of the busiest of 2 processes / 1 process: {busiest:.2f} ({when})"


def show_landmarks() -> None:
    """Print the goals and results of landmarks on whole tables, and of 100,000 samples."""
    results = read(tables_large.LARGE_RESULTS)
    for table in tables_large.LARGE_TABLES:
        entry = results["entries"].get(table)
        if entry is None or not tables_large.is_complete(entry):
            print(f"{table}: not measured, run python -m benchmarks tables_large")
            continue
        when = f"cached, {results['origins'][table]['date']}"
        what = f"{table}, n={entry['n']}, {entry['n_components']} landmarks"
        limit = ERROR_GOALS.get(table, 0.95)
        print(with_goal(f"{what}, error / Nystroem", tables_large.ratio(entry), limit, when))
        print(with_goal(f"{what}, time / five widths", tables_large.time_ratio(entry), 0.7, when))
        print(with_goal(f"{what}, memory / Nystroem", tables_large.memory_ratio(entry), 0.25, when))
    results = read(landmarks.LANDMARK_RESULTS)
    many, few = "n=100000, landmarks", "n=10000, all samples"
    if {many, few} <= results["entries"].keys():
        ratio = results["entries"][many]["error"] / results["entries"][few]["error"]
        when = f"cached, {results['origins'][many]['date']}"
        what = f"n=100,000, {landmarks.OF_SIZES} landmarks, error / all samples at n=10,000"
        print(with_goal(what, ratio, 1, when))


def show_million() -> None:
    """Print time and memory of a million rows on disk."""
    content = json.loads(million.MILLION_RESULTS.read_text(encoding="utf-8"))
    when = f"cached, {content['origin']['date']}"
    for entry in content["entries"]:
        if entry["n"] == 1_000_000:
            what, minutes = f"10^6 rows, {entry['rows']}", entry["processor_seconds"] / 60
            print(with_goal(f"{what}, minutes of CPU", minutes, 10, when))
            print(with_goal(f"{what}, memory in GB", entry["megabytes"] / 1000, 1, when))


def with_goal(what: str, found: float, limit: float, when: str) -> str:
    """Return a line with a number, its goal and the date of the measurement."""
    reached = "reached" if found <= limit else "not reached"
    return f"{what}: {found:.2f} (goal {limit:.2f}, {reached}; {when})"


def svm(n: int, svc: bool = True) -> dict[str, float]:
    """Measure an SVM with ten Gaussians weighted by alignf, and an SVC with one Gaussian.

    Probabilities are left out: their folds need more than one Gram matrix, and `max_memory`
    allows at most one.
    """
    X, y = two_classes(n, D)
    gammas = gaussian_gammas(D)
    model = lk.KernelClassifier(
        lk.gaussians(gammas), "alignf", C=1.0, machine="svm", max_memory=min(8 * n**2, SVM_MEMORY),
        n_jobs=1,
    )  # fmt: skip
    learner = lk.KernelLearner(lk.gaussians(gammas), "alignf", n_jobs=1)
    few = min(n, 20_000)  # enough to use every compiled function
    model.fit(X[:few], y[:few])  # compile
    found = {"weights_seconds": cpu_seconds(lambda: learner.fit(X, y))}
    times: list[float] = []
    found["megabytes"] = peak_extra_memory(
        lambda: times.append(cpu_seconds(lambda: model.fit(X, y))), 0.1
    )
    found["seconds"] = times[0]
    if svc:
        one = SVC(gamma=gammas[5], cache_size=1000)
        found["svc_seconds"] = cpu_seconds(lambda: one.fit(X, y))
    return {name: round(value, 3) for name, value in found.items()}
