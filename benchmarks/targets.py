"""Many targets, each with weights of its own: a simulated encoding model against himalaya.

As in neuroimaging, four correlated views of a stimulus predict 1,000 targets, and every target
depends on the views in other proportions. Both libraries get the same Gram matrices.
``python -m benchmarks targets --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from sklearn.metrics import r2_score
from threadpoolctl import threadpool_limits

import learnkernels as lk

SEEDS = 101, 102
VIEWS = 4
ALPHAS = 10.0 ** np.arange(-2, 4, 0.5)
CANDIDATES = 100


def run(quick: bool = False) -> dict:
    """Return mean R^2 on new samples, wall time and CPU time of each model and each seed.

    With one thread, CPU times are comparable on a machine that others use too.
    """
    n, n_targets = (60, 20) if quick else (1000, 1000)
    found: dict[str, list[dict[str, float]]] = {}
    for seed in SEEDS[:1] if quick else SEEDS:
        grams, new, Y, Y_new = problem(n, n // 2, n_targets, seed)
        for name, fitted in models(2 if quick else CANDIDATES).items():
            with threadpool_limits(1):
                wall, cpu = time.perf_counter(), time.process_time()
                outputs = fitted(grams, Y)(new)
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            score = float(r2_score(Y_new, outputs))
            row = {"seed": seed, "r2": score, "seconds": wall, "cpu_seconds": cpu}
            found.setdefault(name, []).append({key: round(row[key], 5) for key in row})
            print(
                f"{name}, seed {seed}: R^2 {score:.4f}, {wall:.2f} s, CPU {cpu:.2f} s", flush=True
            )
    return {"samples": n, "targets": n_targets, "views": VIEWS, "models": found}


def problem(n: int, n_new: int, n_targets: int, seed: int, d: int = 150):
    """Return Gram matrices (n_samples, n, n_views) and targets, of training and of new samples."""
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((n + n_new, 30))
    Y = rng.uniform(0.5, 3, n_targets) * rng.standard_normal((n + n_new, n_targets))
    proportions = rng.dirichlet(np.full(VIEWS, 0.3), n_targets).T  # (n_views, n_targets)
    grams = []
    for part in proportions:
        mixed = 0.3 * shared @ rng.standard_normal((30, d))
        V = mixed + rng.standard_normal((n + n_new, d))
        V = (V - V[:n].mean(axis=0)) / V[:n].std(axis=0)
        Y += np.sqrt(part) * (V @ rng.standard_normal((d, n_targets))) / np.sqrt(d)
        grams.append(V @ V[:n].T / d)
    stack = np.stack(grams, axis=-1)
    Y -= Y[:n].mean(axis=0)
    return stack[:n], stack[n:], Y[:n], Y[n:]


def models(candidates: int) -> dict[str, Callable]:
    """Return functions from training data to a function that predicts."""

    def learned(weights: str) -> Callable:
        model = lk.KernelRegressor("precomputed", weights=weights, n_jobs=1)
        return lambda grams, Y: model.fit(grams, Y).predict

    found = {"shared": learned("shared"), "per_target": learned("per_target")}
    if find_spec("himalaya") is None:
        print("himalaya: not available, pip install himalaya")
    else:
        found["himalaya"] = lambda grams, Y: random_search(grams, Y, candidates)
    return found


def random_search(grams: np.ndarray, Y: np.ndarray, candidates: int) -> Callable:
    """Fit himalaya's random search over weights, with five folds."""
    from himalaya.kernel_ridge import MultipleKernelRidgeCV

    settings = {"n_iter": candidates, "alphas": ALPHAS, "progress_bar": False}
    model = MultipleKernelRidgeCV(
        kernels="precomputed", solver="random_search", solver_params=settings, cv=5, random_state=0
    )
    model.fit(np.moveaxis(grams, -1, 0), Y)
    return lambda new: model.predict(np.moveaxis(new, -1, 0))
