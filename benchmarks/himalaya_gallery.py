"""The examples of multiple-kernel ridge in himalaya's gallery, with himalaya and with learnkernels.

The simulated data, the sizes and the settings of himalaya's models are those of its gallery
(``generate_multikernel_dataset``, three views of 1,000 columns). Every fit runs in a process of its
own, after a small fit that compiles and loads. ``python -m benchmarks himalaya_gallery --record``
also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context

import numpy as np
from sklearn.metrics import r2_score
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.measure import peak_extra_memory

SEED = 42  # that of the gallery
TEST_SAMPLES = 300
CANDIDATES = 100
# Seconds between two readings of the memory.
INTERVAL = 0.002


@dataclass(frozen=True)
class Example:
    """Sizes of an example; `weights` are shared by all targets, None is a draw for each target."""

    samples: int
    targets: int
    n_alphas: int
    weights: tuple[float, ...] | None
    seeds: tuple[int, ...] = (SEED,)
    columns: int = 1000
    candidates: int = CANDIDATES

    @property
    def alphas(self) -> np.ndarray:
        return np.logspace(-10, 10, self.n_alphas)


EXAMPLES = {
    "Multiple-kernel ridge with scikit-learn API": Example(600, 50, 41, None, (SEED, 43, 44)),
    "Multiple-kernel ridge": Example(1000, 500, 21, (0.5, 0.3, 0.2)),
}
SMALL = Example(40, 3, 3, None, columns=20, candidates=2)


def run(quick: bool = False) -> dict:
    """Return R^2 on new samples, times and memory of each model, example and seed."""
    if find_spec("himalaya") is None:
        print("himalaya: not available, pip install himalaya")
        return {}
    examples = {"small": SMALL} if quick else EXAMPLES
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    for title, example in examples.items():
        rows = found[title] = {name: [] for name in MODELS}
        for seed in example.seeds:
            for name in MODELS:
                row = one_fit(name, example, seed) if quick else alone(name, example, seed)
                rows[name].append(row)
                print(f"{title}, {name}: {row}", flush=True)
    return {
        "himalaya": version("himalaya"),
        "sizes": {title: [one.samples, one.targets] for title, one in examples.items()},
        "examples": found,
    }


def alone(name: str, example: Example, seed: int) -> dict[str, float]:
    """Return the numbers of one fit in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(one_fit, name, SMALL, seed).result()
        return pool.submit(one_fit, name, example, seed).result()


def one_fit(name: str, example: Example, seed: int) -> dict[str, float]:
    """Return R^2 over the targets, seconds and peak extra MB of a fit and its predictions."""
    X, X_new, Y, Y_new, views = problem(example, seed)
    found: list[np.ndarray] = []
    with threadpool_limits(1):
        wall, cpu = time.perf_counter(), time.process_time()
        megabytes = peak_extra_memory(
            lambda: found.append(MODELS[name](example, X, Y, views)(X_new)), INTERVAL
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    (outputs,) = found
    scores = r2_score(Y_new, outputs, multioutput="raw_values")  # (n_targets,)
    row = {
        "seed": seed,
        "r2": float(scores.mean()),
        "r2_median": float(np.median(scores)),
        "r2_lowest": float(scores.min()),
        "seconds": wall,
        "cpu_seconds": cpu,
        "megabytes": megabytes,
    }
    return {key: round(value, 5) for key, value in row.items()}


def problem(example: Example, seed: int):
    """Return the samples and targets of himalaya's simulation, and the slice of each view."""
    from himalaya.utils import generate_multikernel_dataset

    n_kernels, weights = 3, example.weights
    if weights is not None:
        weights = np.tile(weights, (example.targets, 1))
    *arrays, _, n_features = generate_multikernel_dataset(
        n_kernels=n_kernels,
        n_targets=example.targets,
        n_samples_train=example.samples,
        n_samples_test=TEST_SAMPLES,
        kernel_weights=weights,
        n_features_list=[example.columns] * n_kernels,
        random_state=seed,
    )
    ends = np.cumsum(n_features)
    slices = [slice(int(end) - example.columns, int(end)) for end in ends]
    return *arrays, slices


def learned(weights: str) -> Callable:
    def fitted(example: Example, X: np.ndarray, Y: np.ndarray, slices: list[slice]) -> Callable:
        views = [lk.on(part, lk.linear(), name=f"view {k}") for k, part in enumerate(slices)]
        return lk.KernelRegressor(views, weights=weights, n_jobs=1).fit(X, Y).predict

    return fitted


def concatenated(example: Example, X: np.ndarray, Y: np.ndarray, slices: list[slice]) -> Callable:
    """Fit himalaya's baseline: one kernel of all columns."""
    from himalaya.kernel_ridge import KernelRidgeCV

    return KernelRidgeCV(kernel="linear", alphas=example.alphas).fit(X, Y).predict


def random_search(example: Example, X: np.ndarray, Y: np.ndarray, slices: list[slice]) -> Callable:
    settings = {
        "n_iter": example.candidates,
        "alphas": example.alphas,
        "n_targets_batch": 1000,
        "n_alphas_batch": 20,
        "n_targets_batch_refit": 200,
        "jitter_alphas": True,
    }
    return searched("random_search", settings, X, Y, slices)


def hyper_gradient(example: Example, X: np.ndarray, Y: np.ndarray, slices: list[slice]) -> Callable:
    settings = {
        "max_iter": 30,
        "n_targets_batch": 200,
        "tol": 1e-3,
        "initial_deltas": "ridgecv",
        "max_iter_inner_hyper": 1,
        "hyper_gradient_method": "direct",
    }
    return searched("hyper_gradient", settings, X, Y, slices)


def searched(
    solver: str, settings: dict, X: np.ndarray, Y: np.ndarray, slices: list[slice]
) -> Callable:
    """Fit himalaya's MultipleKernelRidgeCV on a linear kernel for each view."""
    from himalaya.kernel_ridge import ColumnKernelizer, Kernelizer, MultipleKernelRidgeCV
    from sklearn.pipeline import make_pipeline

    kernels = ColumnKernelizer([(str(k), Kernelizer(), part) for k, part in enumerate(slices)])
    settings = settings | {"progress_bar": False}
    ridge = MultipleKernelRidgeCV(
        kernels="precomputed", solver=solver, solver_params=settings, random_state=0
    )
    return make_pipeline(kernels, ridge).fit(X, Y).predict


MODELS: dict[str, Callable] = {
    "shared": learned("shared"),
    "per_target": learned("per_target"),
    "KernelRidgeCV": concatenated,
    "random_search": random_search,
    "hyper_gradient": hyper_gradient,
}
