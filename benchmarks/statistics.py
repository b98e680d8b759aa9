"""The pass over pairs compared with dense NumPy: time, memory, accuracy, growth with n."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, peak_extra_memory, problem, seconds


def dense_reference(gammas, X, y):
    """Compute M and a from a stack of explicitly centered Gram matrices."""
    D = cdist(X, X, "sqeuclidean")
    grams = np.stack([np.exp(-gamma * D) for gamma in gammas])
    grams -= grams.mean(axis=1, keepdims=True)
    grams -= grams.mean(axis=2, keepdims=True)
    grams /= (np.einsum("kii->k", grams) / len(X))[:, None, None]
    flat = grams.reshape(len(gammas), -1)
    centered = y - y.mean()
    return flat @ flat.T, np.einsum("kij,i,j->k", grams, centered, centered)


def family_times(n: int, d: int) -> dict[str, float]:
    """Return the CPU times of ten Gaussians and of the kernels of `lk.table`."""
    X, y = problem(n, d)
    times = {}
    for name, kernels in (("gaussians", lk.gaussians()), ("table", lk.table())):
        work = partial(lk.alignment_statistics, kernels, X, y)
        work()  # compile
        times[name] = round(seconds(work, 5, time.process_time), 4)
    return times


def default_family(n: int, columns: list[int]) -> None:
    """Print the CPU time of the kernels of `lk.table` divided by that of ten Gaussians."""
    for d in columns:
        times = family_times(n, d)
        gaussians, table = times["gaussians"], times["table"]
        print(
            f"  n={n}, {d} columns: ten Gaussians {gaussians:.2f} s of CPU, the default family "
            f"{table:.2f} s: {table / gaussians:.2f}x"
        )


def run(quick: bool = False) -> None:
    gammas = gaussian_gammas()
    n = 300 if quick else 5000
    X, y = problem(n)
    kernels = lk.gaussians(gammas)

    def ours():
        return lk.alignment_statistics(kernels, X, y)

    ours()  # compile
    M, a = dense_reference(gammas, X, y)
    found = ours()
    error = max(np.abs(found.M / M - 1).max(), np.abs(found.a / a - 1).max())
    dense = seconds(lambda: dense_reference(gammas, X, y), 1 if quick else 2)
    time_ours = seconds(ours, 5)
    print(f"statistics of 10 Gaussians, n={n}, d=20")
    print(f"  dense NumPy {dense:.2f} s, ours {time_ours:.3f} s: {dense / time_ours:.0f}x faster")
    print(
        f"  extra memory: dense {peak_extra_memory(lambda: dense_reference(gammas, X, y)):.0f} MB, "
        f"ours {peak_extra_memory(ours):.0f} MB; largest relative difference {error:.1e}"
    )
    sizes = [200, 400] if quick else [2000, 5000, 10_000, 20_000, 40_000]
    times = []
    for size in sizes:
        X, y = problem(size)
        times.append(seconds(ours, 3 if size <= 10_000 else 1))
        memory = peak_extra_memory(ours)
        print(f"  n={size}: {times[-1]:.3f} s, {memory:.0f} MB extra")
    if not quick:
        exponent = np.log(times[-1] / times[2]) / np.log(sizes[-1] / sizes[2])
        print(f"  time grows as n^{exponent:.2f} from 10,000 to 40,000")
    default_family(*((100, [20]) if quick else (5000, [20, 100, 500])))
