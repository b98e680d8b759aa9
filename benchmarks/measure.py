"""Time and memory of a call, and data for benchmarks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from scipy.optimize import lsq_linear

__all__ = [
    "cpu_seconds",
    "fitted_coefficients",
    "gaussian_gammas",
    "genuine",
    "peak_extra_memory",
    "problem",
    "seconds",
]


# Seconds that the clock of `cpu_seconds` counts at a time.
CLOCK = 0.01


def seconds(
    function: Callable[[], object],
    repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the lowest time of several calls.

    The default is wall time. ``time.process_time`` is the CPU time of all threads, which other
    processes on the machine change little.
    """
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the CPU time of a call and all its threads, without that of the operating system.

    In a virtual machine the system may take longer to hand out memory than the call to use it. The
    result is at least half a unit of the clock, so that it can be divided by.
    """
    start = os.times().user
    function()
    return max(os.times().user - start, CLOCK / 2)


def peak_extra_memory(function: Callable[[], object], interval: float = 0.002) -> float:
    """Return the growth of resident memory during a call, at its peak, in MB.

    The memory is read every `interval` seconds, which takes CPU time too.
    """
    process = psutil.Process()
    before = peak = process.memory_info().rss
    done = threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(interval):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        function()
    finally:
        done.set()
        watcher.join()
    return (peak - before) / 1e6


def problem(n: int, d: int = 20, seed: int = 0):
    """Return samples of two classes that need Gaussians of several widths."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.sign(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.standard_normal(n))
    return X, y


def gaussian_gammas(d: int = 20) -> np.ndarray:
    """Return ten powers of two around the inverse median squared distance of normal samples."""
    return 2.0 ** (np.round(-np.log2(2 * d)) + np.arange(-5, 5))


def genuine(name: str):
    """Return features and target of a real data set; None if it is not available."""
    folder = os.environ.get("LEARNKERNELS_DATA")
    if not folder:
        return None
    table = pd.read_csv(Path(folder, f"{name}.csv.gz"))
    table = table.dropna()
    return table.drop(columns="target").to_numpy(float), table["target"].to_numpy()


def fitted_coefficients(terms: np.ndarray, took: np.ndarray) -> np.ndarray:
    """Return the non-negative coefficients with the smallest relative errors of seconds.

    Relative, so that long measurements do not dominate the fit.

    Parameters
    ----------
    terms : ndarray of shape (n_points, n_terms)
    took : ndarray of shape (n_points,)
        Seconds.
    """
    relative = terms / took[:, None]
    scales = np.linalg.norm(relative, axis=0)
    found = lsq_linear(relative / scales, np.ones(len(took)), (0, np.inf), method="bvls")
    return np.asarray(found.x / scales)
