"""Cost model of a fit with landmarks on a cluster: measured, fitted, and simulated for 10^9 rows.

``python -m benchmarks cost_model`` measures CPU time on one thread at 10^5 and 10^6 rows, fits the
costs of a row, a landmark and a task, simulates the task graph for more rows and workers, and
writes docs/results/cost_model.json.
"""

from __future__ import annotations

import json
import pickle
import tempfile
import time
import tracemalloc
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh

import learnkernels as lk
from benchmarks.measure import fitted_coefficients, seconds
from benchmarks.million import D, opened, rows, write
from benchmarks.tables import RESULTS, origin
from benchmarks.task_graph import Costs, simulate
from learnkernels.estimators.large import streaming
from learnkernels.execution import Chunk, DaskChunks
from learnkernels.execution.backends import joined
from learnkernels.execution.dask_chunks import JOINED
from learnkernels.gram import Landmarks
from learnkernels.machines.landmark_ridge import chosen_landmarks, zero_sums
from learnkernels.machines.row_sums import StreamedRidge

COST_RESULTS = RESULTS.with_name("cost_model.json")
POINTS = [(100_000, 250), (100_000, 500), (100_000, 1000), (1_000_000, 250), (1_000_000, 500)]
# Assumed, not measured: bytes per second between two machines, and the sizes to simulate.
NETWORK = 1.25e9
ROWS, WORKERS = (10**7, 10**8, 10**9), (1, 10, 30, 100, 300, 1000)
CHUNK_ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
LANDMARKS, KERNELS = 1000, 10
TRIVIAL_TASKS = 4000


def run(quick: bool = False) -> None:
    points = [(2000, 30), (2000, 60), (4000, 30)] if quick else POINTS
    found: dict[str, Any] = {"origin": origin(), "columns": D, "kernels": KERNELS}
    found["points"] = [measured(n, m) for n, m in points]
    found["row"] = fitted(found["points"])
    found["read"] = reading(2000 if quick else 100_000)
    found["totals"] = totals(100 if quick else LANDMARKS)
    found["statistics"] = statistics(500 if quick else 5000)
    found["tasks"] = task_overhead(*((50, False) if quick else (TRIVIAL_TASKS, True)))
    found["network"] = NETWORK
    m = 100 if quick else LANDMARKS
    sizes = (10**5, 10**6) if quick else ROWS
    found["landmarks"] = m
    found["simulated"] = [simulated(found, n, w, m) for n in sizes for w in WORKERS]
    for one in found["simulated"]:
        print(
            f"n={one['n']:.0e}, {one['workers']} workers: {one['seconds']:.3g} s with chunks of "
            f"{one['chunk_rows']:,} rows, efficiency {one['efficiency']:.0%}, bound by "
            f"{one['bound']}"
        )
    if not quick:
        COST_RESULTS.write_text(f"{json.dumps(found, indent=1)}\n", encoding="utf-8")


def measured(n: int, m: int) -> dict[str, float]:
    """Return CPU seconds of the sums over n rows with m landmarks, and of n predictions."""
    X, y = rows(np.random.default_rng(0), n)
    model = lk.KernelRegressor(
        lk.gaussians(), "unif", alpha=1e-3, n_components=m, subsample=2 * m, n_jobs=1
    )
    every = streaming.training_rows(model, X, y, None)
    _, *few = every.take(*streaming.draw(model, every, 2 * m))
    fitted = model._fit_in_memory(*few)
    problem = fitted.learned.problem
    one = lk.Threads(1)
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), one)
    strategy = StreamedRidge(every.row_sums(model))
    _, means = strategy.moments(problem)
    clock = time.process_time
    found = {
        "n": n, "m": m,
        "sums": round(seconds(lambda: strategy.sums(problem, landmarks, means), 1, clock), 3),
        "predictions": round(seconds(lambda: model.predict(X), 1, clock), 3),
    }  # fmt: skip
    print(f"n={n}, m={m}: sums {found['sums']:.1f} s, predictions {found['predictions']:.1f} s")
    return found


def fitted(points: list[dict[str, float]]) -> dict[str, list[float]]:
    """Fit seconds = n (c0 + c1 m + c2 m^2) to the sums, and n (c0 + c1 m) to the predictions."""
    n, m = (np.array([one[name] for one in points], dtype=float) for name in ("n", "m"))
    result = {}
    for what, powers in (("sums", 3), ("predictions", 2)):
        took = np.array([one[what] for one in points])
        terms = n[:, None] * m[:, None] ** np.arange(powers)
        found = fitted_coefficients(terms, took)
        result[what] = [float(f"{c:.4g}") for c in found]
        errors = terms @ found / took - 1
        result[f"{what} errors"] = [round(float(error), 3) for error in errors]
        print(f"{what}: seconds per row {result[what]} (powers of m), errors {errors.round(2)}")
    return result


def reading(n: int) -> dict[str, float]:
    """Return CPU seconds and bytes of a row of a Parquet file."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), n)
        X, _ = opened(Path(folder), "Parquet")
        took = seconds(lambda: X[:n], 3, time.process_time)
    print(f"reading: {1e6 * took / n:.3g} microseconds a row")
    return {"rows": n, "seconds": float(f"{took / n:.3g}"), "bytes": 8 * D}


def totals(m: int) -> dict[str, float]:
    """Return size and CPU seconds of a total: to add it, to send and receive it, to solve it."""
    total = zero_sums(m, 1)
    values = np.random.default_rng(0).standard_normal((m, m))
    total["inner"] = values @ values.T
    clock = time.process_time
    found = {
        "m": m,
        "bytes": float(sum(values.nbytes for values in total.values())),
        "add": seconds(lambda: joined(total, total), 5, clock),
        "copy": seconds(lambda: pickle.loads(pickle.dumps(total, protocol=5)), 5, clock),
        "solve": seconds(lambda: eigh(total["inner"], check_finite=False), 1, clock),
    }
    print(f"a total of {m} landmarks: {found}")
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def statistics(s: int) -> dict[str, float]:
    """Return CPU seconds of the pass over pairs of a subsample, which does not grow with n."""
    X, y = rows(np.random.default_rng(0), s)
    one = lk.Threads(1)
    took = seconds(
        lambda: lk.alignment_statistics(lk.gaussians(), X, y, backend=one), 1, time.process_time
    )
    print(f"statistics of {s} rows: {took:.2f} s")
    return {"rows": s, "seconds": round(took, 3)}


class Nothing:
    """A sum of numbers."""

    def part(self, values: Any) -> float:
        return float(values[0])

    def work(self, chunk: Chunk) -> float:
        return 1.0

    def start(self) -> dict[str, np.ndarray]:
        return {"sum": np.zeros(1)}

    def add(self, total: dict[str, np.ndarray], part: float) -> None:
        total["sum"] += part


def task_overhead(n: int, processes: bool = True) -> dict[str, float]:
    """Return CPU seconds and bytes of client and scheduler for each task, of a pass that sums n.

    With workers in this process (`processes=False`) the seconds include those of the workers.
    """
    from distributed import Client, LocalCluster

    chunks = [Chunk(1, (float(k),)) for k in range(n)]
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=processes
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        backend = DaskChunks(client)
        backend.fold(Nothing(), chunks[:50], "warm up")
        took = seconds(lambda: backend.fold(Nothing(), chunks, "tasks"), 1, time.process_time)
        tracemalloc.start()
        backend.fold(Nothing(), chunks, "tasks")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    tasks = simulate(n, 1, Costs(1.0, 0.0, 0.0, 0.0, 1, JOINED)).tasks
    found = {"tasks": tasks, "seconds": took / tasks, "bytes": peak / tasks}
    print(
        f"client and scheduler: {1e3 * found['seconds']:.2f} ms, {found['bytes']:.0f} bytes a task"
    )
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def simulated(found: dict[str, Any], n: int, workers: int, m: int) -> dict[str, Any]:
    """Return the time of a fit of n rows on some workers, with the best size of chunks."""
    best: dict[str, Any] = {}
    for chunk in CHUNK_ROWS:
        one = with_chunks(found, n, workers, m, chunk)
        if not best or one["seconds"] < best["seconds"]:
            best = one
    return best


def with_chunks(found: dict[str, Any], n: int, workers: int, m: int, chunk: int) -> dict[str, Any]:
    """Return the time of a fit of n rows in chunks, and what it is bound by."""
    per_row = found["read"]["seconds"] + found["row"]["sums"] @ m ** np.arange(3.0)
    total = found["totals"]
    costs = Costs(
        leaf=per_row * chunk,
        add=total["add"],
        transfer=total["copy"] + total["bytes"] / NETWORK,
        overhead=found["tasks"]["seconds"],
        fan=JOINED,
    )
    n_chunks = -(-n // chunk)
    result = simulate(n_chunks, workers, costs)
    # The kernel and the landmarks are sent to all workers, from one to the next.
    broadcast = np.ceil(np.log2(max(workers, 2))) * total["bytes"] / NETWORK
    here = found["statistics"]["seconds"] + total["solve"]
    took = result.seconds + broadcast + here
    ideal = n * per_row / workers
    parts = {
        "the work of the workers": result.work,
        "the scheduler": result.scheduler,
        "joining totals": result.tail,
        "chunks that do not divide evenly": costs.leaf * (-(-n_chunks // workers)) - result.work,
        "the client": here + broadcast,
    }
    return {
        "n": n, "workers": workers, "chunk_rows": chunk, "seconds": float(f"{took:.4g}"),
        "efficiency": round(ideal / took, 4), "bound": max(parts, key=lambda name: parts[name]),
        "parts": {name: float(f"{max(value, 0.0):.3g}") for name, value in parts.items()},
        "tasks": result.tasks, "moved_bytes": float(f"{result.moved * total['bytes']:.3g}"),
        "read_bytes": 8 * D * n,
        "graph_bytes": float(f"{found['tasks']['bytes'] * result.tasks:.3g}"),
        "simulated": {name: float(f"{value:.4g}") for name, value in asdict(result).items()},
    }  # fmt: skip
