"""Time and memory of classifiers against the number of samples.

``python -m benchmarks scaling`` computes what is missing in docs/results/scaling.json. Each fit
runs in a process of its own, so that its peak memory does not depend on the fits before it. Seconds
are CPU time on one thread; megabytes are the growth of the memory of the process during the fit.
"""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.cached import Measurement, complete
from benchmarks.measure import peak_extra_memory, problem
from benchmarks.tables import RESULTS

SCALING_RESULTS = RESULTS.with_name("scaling.json")
N_TEST = 5000
GAMMA = 1 / 20
ALPHAS = 10.0 ** np.arange(-6, 3)
# With more samples, the kernel of the default with landmarks is learned from a subsample.
IN_MEMORY = 100_000
# Sample sizes of each model, limited by time (a few minutes) and memory.
SIZES = {
    "default": (1000, 2000, 5000, 10_000),
    "default, 1,000 landmarks": (5000, 10_000, 20_000, 50_000, 100_000, 1_000_000),
    "SVC": (1000, 2000, 5000, 10_000, 20_000, 50_000),
    "Nystroem + ridge": (5000, 10_000, 20_000, 50_000),
    "himalaya": (1000, 2000, 5000),
    "boosting": (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000),
}


def run(quick: bool = False) -> None:
    for key, found in complete(tasks(quick), None if quick else SCALING_RESULTS):
        print(
            f"{key}: {found['seconds']:.2f} s of CPU, {found['megabytes']:.0f} MB, error "
            f"{found['error']:.3f} ({found['origin']})",
            flush=True,
        )


def tasks(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield names and measurements, the small ones first."""
    if find_spec("himalaya") is None:
        print("himalaya: not available, pip install himalaya")
    sizes = dict.fromkeys(SIZES, (300,)) if quick else SIZES
    for n in sorted({n for of_model in sizes.values() for n in of_model}):
        for name in SIZES:
            if n in sizes[name] and (name != "himalaya" or find_spec("himalaya")):
                work = partial(measured, name, n, 20 if quick else 1000)
                yield f"n={n}, {name}", work if quick else partial(alone, work)


def alone(work: Measurement) -> dict[str, Any]:
    """Return the result of a call in another process, a fork of this one if possible."""
    known = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in known else "spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work).result()


def measured(name: str, n: int, n_components: int) -> dict[str, float]:
    """Return CPU seconds, megabytes and test error of a fit."""
    X, y = problem(n + N_TEST)
    X_test, y_test = X[n:].copy(), y[n:]
    X, y = X[:n].copy(), y[:n]
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        few = min(n, 600)
        model(name, few, few // 10).fit(X[:few], y[:few])  # compile
        fitted, times = model(name, n, n_components), []

        def fit() -> None:
            start = time.process_time()
            fitted.fit(X, y)
            times.append(time.process_time() - start)

        megabytes = peak_extra_memory(fit, 0.02)
        predicted = np.sign(np.ravel(fitted.predict(X_test)))
    return {
        "seconds": round(times[0], 3), "megabytes": round(megabytes, 1),
        "error": round(float(np.mean(predicted != y_test)), 4),
    }  # fmt: skip


def model(name: str, n: int, n_components: int) -> Any:
    """Return a classifier for n samples; himalaya's is a regression on labels of -1 and 1."""
    if name == "default":
        return lk.KernelClassifier(n_jobs=1)
    if name.startswith("default"):
        subsample = "auto" if n > IN_MEMORY else None
        return lk.KernelClassifier(n_components=n_components, subsample=subsample, n_jobs=1)
    if name == "SVC":
        return SVC(gamma=GAMMA, cache_size=1000)
    if name == "boosting":
        return HistGradientBoostingClassifier()
    if name == "himalaya":
        from himalaya.kernel_ridge import KernelRidge

        return KernelRidge(alpha=0.1, kernel="rbf", kernel_params={"gamma": GAMMA})
    basis = Nystroem(gamma=GAMMA, n_components=n_components, random_state=0)
    return make_pipeline(basis, RidgeClassifierCV(ALPHAS))
