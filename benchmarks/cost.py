"""CPU time of the pass over pairs, and a model of it: seconds = pairs (c0 + c1 p + c2 p^2).

``python -m benchmarks cost --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import time

import numpy as np

import learnkernels as lk
from benchmarks.many_samples import D, problem
from benchmarks.measure import fitted_coefficients, seconds

POINTS = [
    (5_000, 10), (10_000, 10), (20_000, 10), (40_000, 10),
    (5_000, 30), (10_000, 30), (5_000, 100), (10_000, 100), (3_000, 300),
]  # fmt: skip
FEW_POINTS = [(300, 3), (300, 10), (600, 10)]


def run(quick: bool = False) -> dict:
    """Return CPU seconds of each pass and the coefficients of the model, nanoseconds per pair."""
    lk.alignment_statistics(gaussians(4), *problem(200))  # compile
    rows = []
    for n, p in FEW_POINTS if quick else POINTS:
        X, y = problem(n)
        took = seconds(lambda X=X, y=y, p=p: one(X, y, p), 1, clock=time.process_time)
        rows.append((n, p, took))
    table = np.array(rows)
    n, p, took = table.T
    terms = (n**2 / 2)[:, None] * np.column_stack([np.ones_like(p), p, p**2])
    coefficients = fitted_coefficients(terms, took)
    for (samples, kernels, cpu), model in zip(rows, terms @ coefficients, strict=True):
        print(f"n={samples}, {kernels} kernels: {cpu:.2f} s, the model {model:.2f} s")
    print(
        "nanoseconds per pair: "
        + ", ".join(f"{1e9 * c:.3g} p^{k}" for k, c in enumerate(coefficients))
    )
    return {
        "columns": D,
        "nanoseconds": [round(1e9 * float(c), 4) for c in coefficients],
        "points": [[int(a), int(b), round(float(c), 4)] for a, b, c in rows],
    }


def one(X, y, p: int):
    return lk.alignment_statistics(gaussians(p), X, y)


def gaussians(p: int):
    """Return kernels that are no powers of each other, so that each needs its own exponential."""
    return lk.gaussians(np.geomspace(1e-3, 1.0, p) / D)
