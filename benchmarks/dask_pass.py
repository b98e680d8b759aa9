"""The pass over pairs on a Dask cluster of this machine against threads: time and equality."""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds


def run(quick: bool = False) -> None:
    n = 1000 if quick else 40_000
    kernels = lk.gaussians(gaussian_gammas())
    X, y = problem(n)
    small = problem(2000)
    found = {}

    def timed(name, backend):
        lk.alignment_statistics(kernels, *small, backend=backend)  # compile, on every worker

        def run_pass():
            found[name] = lk.alignment_statistics(kernels, X, y, backend=backend)

        return seconds(run_pass, 1)

    # Threads on either side of the cluster: a machine that changes its pace is seen.
    before = timed("threads", lk.Threads())
    there = timed("dask", "dask")
    after = timed("threads", lk.Threads())
    here = (before + after) / 2
    error = max(
        np.abs(getattr(found["dask"], part) / getattr(found["threads"], part) - 1).max()
        for part in ("M", "a")
    )
    print(f"statistics of 10 Gaussians, n={n}, d=20, X sent within the time")
    print(f"  threads {before:.2f} s and {after:.2f} s, a Dask process a core {there:.2f} s")
    print(f"  efficiency {here / there:.0%}; largest relative difference {error:.1e}")
