"""The pass over pairs on a Dask cluster of this machine against threads: time and equality."""

from __future__ import annotations

import numpy as np
from distributed import Client, LocalCluster

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

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        # Threads on either side of the cluster: a machine that changes its pace is seen.
        before = timed("threads", lk.Threads(2))
        there = timed("dask", client)
        after = timed("threads", lk.Threads(2))
    here = (before + after) / 2
    error = max(
        np.abs(getattr(found["dask"], part) / getattr(found["threads"], part) - 1).max()
        for part in ("M", "a")
    )
    print(f"statistics of 10 Gaussians, n={n}, d=20, X sent within the time")
    print(f"  2 threads {before:.2f} s and {after:.2f} s, 2 Dask workers {there:.2f} s")
    print(f"  efficiency {here / there:.0%}; largest relative difference {error:.1e}")
