"""Many at once: threads that fit, predict and save, and processes however they were made."""

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

PATIENCE = 120.0  # seconds after which a process that says nothing is taken for dead


def problem(n: int = 150):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def classifier(n: int = 150):
    X, y = problem(n)
    kernels = [lk.gaussians([0.1, 1.0]), lk.per_feature()]
    return lk.KernelClassifier(kernels, "l1-svm", C=[0.1, 1.0]).fit(X, y > 0)


def regressor(n: int = 150):
    return lk.KernelRegressor(alpha=[0.1, 1.0]).fit(*problem(n))


def iterative(n: int = 150):
    return lk.KernelRegressor(max_memory=1e5).fit(*problem(n))


def outputs(make) -> np.ndarray:
    """What a model says of samples."""
    model = make()
    return getattr(model, "decision_function", model.predict)(problem()[0])


def saved_outputs(folder, job) -> np.ndarray:
    """The same, through a file."""
    number, make = job
    path = folder / f"{number}.skops"
    lk.save(make(), path)
    return outputs(lambda: lk.load(path))


def reported(make) -> str:
    model = make(60)
    X, y = problem(60)
    y = y > 0 if hasattr(model, "classes_") else y
    found = lk.report(model, X, y, folds=2, draws=2).summary
    return str([found["halves"], found["guarantees"]])


JOBS = 2 * [classifier, regressor, iterative, partial(classifier, 120), partial(regressor, 120)]


def test_threads_at_once_find_what_one_finds_alone(tmp_path):
    """With one thread of BLAS: its number is one for the whole process, and so are last digits."""
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(4) as pool:
        expected = [outputs(make) for make in JOBS]
        found = list(pool.map(partial(saved_outputs, tmp_path), enumerate(JOBS)))
        for alone, at_once in zip(expected, found, strict=True):
            assert np.array_equal(alone, at_once)
    assert len(list(tmp_path.iterdir())) == len(JOBS)  # and nothing else is left


def test_threads_at_once_agree_however_many_threads_blas_has():
    with threadpool_limits(2, "blas"), ThreadPoolExecutor(4) as pool:
        expected = [outputs(make) for make in JOBS]
        for alone, at_once in zip(expected, pool.map(outputs, JOBS), strict=True):
            assert np.abs(alone - at_once).max() <= 1e-9 * np.abs(alone).max()


def test_reports_at_once():
    jobs = [regressor, classifier] * 2
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(4) as pool:
        assert list(pool.map(reported, jobs)) == [reported(make) for make in jobs]


def test_one_model_predicts_in_many_threads():
    model, X = classifier(), problem()[0]
    alone = model.decision_function(X)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.decision_function(X), range(20)):
            assert np.array_equal(found, alone)


def available(ways):
    return [way for way in ways if way in multiprocessing.get_all_start_methods()]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("way", available(["fork", "spawn", "forkserver"]))
def test_a_process_of_a_parent_that_has_fitted(way):
    expected = outputs(classifier)
    # The pool is told how to end, so that a child that hangs does not hang the tests.
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(way))
    try:
        found = pool.submit(outputs, classifier).result(PATIENCE)
    finally:
        for child in list((pool._processes or {}).values()):
            child.kill()
        pool.shutdown(cancel_futures=True)
    assert np.array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_a_fork_in_the_middle_of_other_threads_work():
    """Locks and limits of threads that do not live on in the child do not stop it."""
    context = multiprocessing.get_context("fork")
    expected = outputs(regressor)
    with ThreadPoolExecutor(2) as pool:
        busy = [pool.submit(outputs, regressor) for _ in range(30)]
        for _ in range(5):
            found = context.SimpleQueue()
            child = context.Process(target=lambda found=found: found.put(outputs(regressor)))
            child.start()
            child.join(PATIENCE)
            ended = child.exitcode
            child.kill()
            assert ended == 0
            assert np.allclose(found.get(), expected, rtol=1e-9)
        for one in busy:
            one.cancel()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend):
    expected = outputs(classifier)
    jobs = [delayed(outputs)(classifier) for _ in range(4)]
    with threadpool_limits(1, "blas"):
        for found in Parallel(2, backend=backend, timeout=PATIENCE)(jobs):
            assert np.allclose(found, expected, rtol=1e-9)


def test_grid_search_in_two_processes():
    X, y = problem()
    grid = {"method": ["unif", "align"], "alpha": [0.1, 1.0]}
    one, two = (GridSearchCV(lk.KernelRegressor(), grid, cv=2, n_jobs=n).fit(X, y) for n in (1, 2))
    scores = "mean_test_score"
    assert np.allclose(one.cv_results_[scores], two.cv_results_[scores], rtol=1e-9)
