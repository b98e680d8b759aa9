"""Time of the pass over pairs on a local Dask cluster, compared with threads; equal results."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds


def run(quick: bool = False) -> None:
    """Print times, parallel efficiency and the largest difference of the statistics."""
    n = 1000 if quick else 40_000
    kernels = lk.gaussians(gaussian_gammas())
    X, y = problem(n)
    small = problem(2000)
    found = {}

    def timed(name: str, backend: Any) -> float:
        lk.alignment_statistics(kernels, *small, backend=backend)  # compile, on every worker

        def run_pass() -> None:
            found[name] = lk.alignment_statistics(kernels, X, y, backend=backend)

        return seconds(run_pass, 1)

    # Threads before and after: two different times show that the speed of the machine changed.
    before = timed("threads", lk.Threads())
    dask = timed("dask", "dask")
    after = timed("threads", lk.Threads())
    error = max(
        np.abs(getattr(found["dask"], part) / getattr(found["threads"], part) - 1).max()
        for part in ("M", "a")
    )
    print(f"statistics of 10 Gaussians, n={n}, d=20, time includes sending X")
    print(f"  threads {before:.2f} s and {after:.2f} s, Dask with a process per core {dask:.2f} s")
    efficiency = (before + after) / 2 / dask
    print(f"  efficiency {efficiency:.0%}; largest relative difference {error:.1e}")
