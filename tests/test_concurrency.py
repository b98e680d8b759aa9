"""Concurrent fits, predictions and saves, in threads and in processes of every start method."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

import learnkernels as lk

TIMEOUT = 600.0  # seconds; only failures take that long


def problem(n: int = 80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def classifier(n: int = 80):
    X, y = problem(n)
    kernels = [lk.gaussians([0.1, 1.0]), lk.per_feature()]
    return lk.KernelClassifier(kernels, "l1-svm", C=[0.1, 1.0], cv=2).fit(X, y > 0)


def regressor(n: int = 80):
    return lk.KernelRegressor(
        alpha=[0.1, 1.0], kernels=["gaussians", "linear"], method="alignf"
    ).fit(*problem(n))


def iterative(n: int = 80):
    return lk.KernelRegressor(
        max_memory=3e4, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(*problem(n))


def outputs(make) -> np.ndarray:
    """Return the decision values or predictions of a fitted model on the training samples."""
    model = make()
    return getattr(model, "decision_function", model.predict)(problem()[0])


def saved_outputs(folder, job) -> np.ndarray:
    """Return the same of a model that was saved and loaded."""
    number, make = job
    path = folder / f"{number}.lk"
    lk.save(make(), path)
    return outputs(lambda: lk.load(path))


def reported(make) -> str:
    model = make(40)
    X, y = problem(40)
    y = y > 0 if hasattr(model, "classes_") else y
    found = lk.report(model, X, y, cv=2, draws=2).summary
    return str([found["halves"], found["guarantees"]])


FITS = [classifier, regressor, iterative, partial(classifier, 60), partial(regressor, 60)]
REPEATS = 2
JOBS = REPEATS * FITS


def test_concurrent_fits_equal_sequential_fits_with_one_blas_thread(tmp_path):
    """The number of BLAS threads is global and changes the last digits, so it is fixed."""
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(4) as pool:
        expected = REPEATS * [outputs(make) for make in FITS]
        found = list(pool.map(partial(saved_outputs, tmp_path), enumerate(JOBS)))
        for alone, at_once in zip(expected, found, strict=True):
            assert np.array_equal(alone, at_once)
    assert len(list(tmp_path.iterdir())) == len(JOBS)  # no temporary file is left


def test_concurrent_fits_agree_with_sequential_fits_with_two_blas_threads():
    with threadpool_limits(2, "blas"), ThreadPoolExecutor(4) as pool:
        expected = REPEATS * [outputs(make) for make in FITS]
        for alone, at_once in zip(expected, pool.map(outputs, JOBS), strict=True):
            assert np.abs(alone - at_once).max() <= 1e-9 * np.abs(alone).max()


def test_concurrent_reports_equal_sequential_reports():
    models = [regressor, classifier]
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(4) as pool:
        expected = [reported(make) for make in models]
        assert list(pool.map(reported, REPEATS * models)) == REPEATS * expected


def test_one_model_predicts_the_same_in_several_threads():
    model, X = classifier(), problem()[0]
    alone = model.decision_function(X)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.decision_function(X), range(20)):
            assert np.array_equal(found, alone)


def available(methods):
    return [name for name in methods if name in multiprocessing.get_all_start_methods()]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("start_method", available(["fork", "spawn", "forkserver"]))
def test_child_process_fits_the_same_after_parent_has_fitted(start_method):
    expected = outputs(classifier)
    # Kill the child explicitly: a hanging child would block the exit of the pool.
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(start_method))
    try:
        found = pool.submit(outputs, classifier).result(TIMEOUT)
    finally:
        for child in list((pool._processes or {}).values()):
            child.kill()
        pool.shutdown(cancel_futures=True)
    assert np.array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_forked_child_fits_while_parent_threads_are_busy():
    """Locks held by threads that do not exist in the child must not block it."""
    context = multiprocessing.get_context("fork")
    expected = outputs(regressor)
    with ThreadPoolExecutor(2) as pool:
        busy = [pool.submit(outputs, regressor) for _ in range(30)]
        for _ in range(5):
            found = context.SimpleQueue()
            child = context.Process(target=lambda found=found: found.put(outputs(regressor)))
            child.start()
            child.join(TIMEOUT)
            ended = child.exitcode
            child.kill()
            assert ended == 0
            assert np.allclose(found.get(), expected, rtol=1e-9)
        for one in busy:
            one.cancel()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_workers_agree_with_sequential_fit(backend):
    expected = outputs(classifier)
    jobs = [delayed(outputs)(classifier) for _ in range(4)]
    with threadpool_limits(1, "blas"):
        for found in Parallel(2, backend=backend, timeout=TIMEOUT)(jobs):
            assert np.allclose(found, expected, rtol=1e-9)


def test_grid_search_scores_do_not_depend_on_n_jobs():
    X, y = problem()
    grid = {"method": ["unif", "align"], "alpha": [0.1, 1.0]}
    one, two = (
        GridSearchCV(
            lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
            grid,
            cv=2,
            n_jobs=n,
        ).fit(X, y)
        for n in (1, 2)
    )
    scores = "mean_test_score"
    assert np.allclose(one.cv_results_[scores], two.cv_results_[scores], rtol=1e-9)
