"""Landmark sums and predictions of a Dask array: more processes against fewer, and threads.

Configurations alternate, and the best of several repeats counts. CPU time of the workers is printed
beside the time, because other processes of the machine change it less. Predictions are of twice as
many rows as sums, so that both take seconds: starting any computation takes some tenths of a
second, which more processes do not shorten.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import learnkernels as lk
from benchmarks.million import D
from learnkernels.estimators.large import streaming
from learnkernels.estimators.predictor import Fitted

# Processes, and threads of each.
SETTINGS = {"1 process": (1, 1), "2 processes": (2, 1), "4 processes": (4, 1), "2 threads": (1, 2)}
STEPS = ("sums", "predictions")
# Rows that are predicted, for each row that is summed over.
PREDICTED = 2


def run(quick: bool = False) -> None:
    found = measured(400, 10, 1, workers=False, chunks=4) if quick else measured()
    for step in STEPS:
        for name, (wall, cpu, largest) in found[step].items():
            print(f"{step}, {name}: {wall:.2f} s; CPU {cpu:.2f} s, busiest worker {largest:.2f} s")
        one, two, four, threads = (found[step][name] for name in SETTINGS)
        print(f"  2 processes {one[0] / two[0]:.2f} times as fast as 1")
        print(f"  4 processes {threads[0] / four[0]:.2f} times as fast as 2 threads")
        print(f"  2 processes, each with its own core: {one[2] / two[2]:.2f} times as fast")


def measured(
    n: int = 240_000, m: int = 700, repeats: int = 3, workers: bool = True, chunks: int = 24
) -> dict[str, dict[str, list[float]]]:
    """Return time, CPU time of all workers and of the busiest one, by step and setting.

    With ``workers=False``, workers are threads, which start faster.
    """
    X, y = blocks(n, n // chunks)
    new, _ = blocks(PREDICTED * n, PREDICTED * n // chunks)
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for _ in range(repeats):
        for name, (processes, threads) in SETTINGS.items():
            with (
                LocalCluster(
                    n_workers=processes, threads_per_worker=threads, dashboard_address=":0",
                    silence_logs=50, processes=workers,
                ) as cluster,
                Client(cluster, set_as_default=False) as client,
            ):  # fmt: skip
                for step, took in zip(STEPS, steps(client, X, y, new, m), strict=True):
                    found.setdefault((name, step), []).append(took)
    return {
        step: {name: np.min(found[name, step], axis=0).round(3).tolist() for name in SETTINGS}
        for step in STEPS
    }


def blocks(n: int, rows: int) -> tuple[Any, Any]:
    """Return samples and targets that the workers make, chunk by chunk."""
    chunks = ((rows,) * (n // rows), (D,))
    X = da.map_blocks(block, chunks=chunks, dtype=float, meta=np.empty((0, 0)))
    return X, da.map_blocks(target, X, drop_axis=1, dtype=float, meta=np.empty(0))


def block(block_info: Any) -> np.ndarray:
    (start, stop), *_ = block_info[None]["array-location"]
    return np.random.default_rng(start).standard_normal((stop - start, D))


def target(X: np.ndarray) -> np.ndarray:
    return np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2]


def steps(client: Client, X: Any, y: Any, new: Any, m: int) -> list[tuple[float, float, float]]:
    """Return the times of the sums over all rows, and of the predictions of new rows."""
    model = lk.KernelRegressor(
        lk.gaussians(), "unif", alpha=1e-3, n_components=m, subsample=2 * m, backend=client
    )
    rows = streaming.training_rows(model, X, y, None)
    _, *few = rows.take(*streaming.draw(model, rows, 2 * m))
    fitted: Fitted = model._fit_in_memory(*few)
    some = X.chunks[0][0] * len(client.nthreads())
    # Every worker loads the compiled functions of both steps.
    streaming.train_on_all(model, fitted, streaming.training_rows(model, X[:some], y[:some], None))
    client.compute(model.predict(X[:some]).sum()).result()
    return [
        timed(client, lambda: streaming.train_on_all(model, fitted, rows)),
        timed(client, lambda: client.compute(model.predict(new).sum()).result()),
    ]


def timed(client: Client, call: Callable[[], object]) -> tuple[float, float, float]:
    """Return time, CPU time of all workers, and CPU time of the busiest worker."""
    before, start = cpu_times(client), time.perf_counter()
    call()
    wall = time.perf_counter() - start
    cpu = cpu_times(client) - before
    return wall, float(cpu.sum()), float(cpu.max())


def cpu_times(client: Client) -> np.ndarray:
    return np.array(list(client.run(time.process_time).values()))
