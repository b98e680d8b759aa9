"""Error of the default with landmarks, against their number and against the number of samples.

``python -m benchmarks landmarks`` computes what is missing in docs/results/landmarks.json, on one
thread. Seconds are CPU time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.cached import Measurement, complete
from benchmarks.many_samples import problem
from benchmarks.tables import RESULTS
from benchmarks.tables_large import POWERS, measured, nystroem
from benchmarks.tables_models import median_squared_distance
from benchmarks.tables_protocol import Split, folder, split

LANDMARK_RESULTS = RESULTS.with_name("landmarks.json")
TABLE = "pol"
COMPONENTS = (200, 500, 1000, 2000)
SIZES, DENSE_SIZES = (2000, 5000, 10_000, 20_000, 50_000, 100_000), (2000, 5000, 10_000)
OF_SIZES = 1000
N_TEST = 2000


def run(quick: bool = False) -> None:
    tasks = [*by_components(quick), *by_size(quick)]
    with threadpool_limits(1):
        for key, found in complete(tasks, None if quick else LANDMARK_RESULTS):
            print(f"{key}: error {found['error']:.4f}, {found['seconds']:.1f} s", flush=True)


def by_components(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield names and measurements of numbers of landmarks on one table."""
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    data = split(TABLE, 0, 300 if quick else None, 200 if quick else None)
    for m in (10, 20) if quick else COMPONENTS:
        yield f"m={m}, default", partial(ours, data, n_components=m)
        yield f"m={m}, Nystroem", partial(best_of_widths, data, m)


def by_size(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield names and measurements of numbers of samples, with landmarks and with all of them."""
    sizes, dense = ((200,), (200,)) if quick else (SIZES, DENSE_SIZES)
    X, y = problem(max(sizes) + N_TEST)
    for n in sizes:
        data = Split(X[:n], y[:n], X[-N_TEST:], y[-N_TEST:])
        yield f"n={n}, landmarks", partial(ours, data, n_components=20 if quick else OF_SIZES)
        if n in dense:
            yield f"n={n}, all samples", partial(ours, data)


def ours(data: Split, **options: Any) -> dict[str, float]:
    """Return error, seconds and megabytes of the default."""
    lk.KernelRegressor(n_components=10).fit(data.X[:60], data.y[:60])  # compile
    return measured(lk.KernelRegressor(n_jobs=1, **options), data)


def best_of_widths(data: Split, m: int) -> dict[str, float]:
    """Return the lowest error of Nystroem over its widths, and the time of all of them."""
    scale = median_squared_distance(data.X)
    found = [measured(nystroem(2.0**power / scale, m), data) for power in POWERS]
    return {
        "error": min(row["error"] for row in found),
        "seconds": round(sum(row["seconds"] for row in found), 3),
        "megabytes": max(row["megabytes"] for row in found),
    }
