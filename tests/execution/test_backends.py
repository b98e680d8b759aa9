"""Threads, the arguments of as_backend, and the thread limit of BLAS inside and after passes."""

from __future__ import annotations

import gc
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import linalg  # noqa: F401  loads the BLAS of SciPy
from threadpoolctl import ThreadpoolController

import learnkernels as lk
from learnkernels._warnings import captured, warn
from learnkernels.execution import (
    Threads,
    as_backend,
    available_cores,
    backends,
    register_backend,
    single_threaded_blas,
)
from learnkernels.methods import Uniform
from tests.execution.cluster import DEADLINE, Count, wait_until

BLAS = ThreadpoolController().select(user_api="blas")  # of all libraries that are loaded now


def blas_threads() -> list[int]:
    """Return the numbers of NumPy and SciPy; other packages may have a BLAS with one thread."""
    pools = BLAS.info()
    return [pool["num_threads"] for pool in pools if re.search("numpy|scipy", pool["filepath"])]


@pytest.fixture
def two_threads():
    """BLAS has two threads before a test, and must have them afterwards."""
    with BLAS.limit(limits=2):
        before = blas_threads()
        assert set(before) == {2}
        yield
        gc.collect()
        assert blas_threads() == before


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_threads", [1, 3, None])
def test_map_yields_results_in_order_and_fold_adds_them(n_threads):
    backend = Threads(n_threads)
    assert list(backend.map(abs, range(-20, 0), "absolute values")) == list(range(20, 0, -1))
    assert backend.fold(Count(), range(10), "counting") == {"sum": 45}
    assert list(backend.map(abs, [], "absolute values")) == []


@pytest.mark.usefixtures("two_threads")
def test_fold_is_equal_to_the_bit_for_every_number_of_threads(rng):
    values = rng.standard_normal(1000)
    totals = {float(Threads(n).fold(Count(), values, "counting")["sum"][0]) for n in (1, 2, 5)}
    assert len(totals) == 1


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_progress_counts_results(n_threads, display):
    expected = [(3, "work", 0), *["advance"] * 3, (None, "", 0)]
    assert list(Threads(n_threads).map(abs, range(3), "work")) == [0, 1, 2]
    assert display.calls == expected
    display.calls.clear()
    assert Threads(n_threads).fold(Count(), range(3), "work") == {"sum": 3}
    assert display.calls == expected


@pytest.mark.parametrize("backend", [None, "threads"])
def test_threads_are_the_default_backend(backend):
    assert as_backend(backend) == Threads()


def test_backend_objects_are_returned_unchanged():
    backend = Threads(2)
    assert as_backend(backend) is backend


@pytest.mark.parametrize("backend", ["spark", 3, object(), Threads])
def test_unknown_backend_raises_input_error(backend):
    with pytest.raises(lk.InputError, match="the address of a Dask scheduler"):
        as_backend(backend)


def test_registered_factory_supplies_the_backend(monkeypatch):
    monkeypatch.setattr(backends, "FACTORIES", list(backends.FACTORIES))
    backend = Threads(2)
    register_backend(lambda argument: backend if argument == "two" else None)
    assert as_backend("two") is backend
    with pytest.raises(lk.InputError, match="expected"):
        as_backend("three")


def test_n_jobs_sets_the_number_of_threads_as_in_joblib(monkeypatch):
    monkeypatch.setattr(backends, "available_cores", lambda: 8)
    expected = {None: None, 1: 1, 3: 3, -1: 8, -2: 7, -8: 1, -20: 1}
    assert {n_jobs: as_backend(n_jobs=n_jobs).n_threads for n_jobs in expected} == expected


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_invalid_n_jobs_raises_input_error(n_jobs):
    with pytest.raises(lk.InputError, match=r"n_jobs=.*; expected a positive number of threads"):
        as_backend(n_jobs=n_jobs)


@pytest.mark.parametrize("backend", ["threads", "dask", Threads(2)])
def test_backend_with_n_jobs_raises_input_error(backend):
    with pytest.raises(lk.InputError, match="use only one of them"):
        as_backend(backend, n_jobs=2)


@pytest.mark.parametrize(
    ("variable", "expected"), [("", 8), ("3", 3), ("4,2", 4), ("20", 8), ("0", 1), ("many", 8)]
)
def test_available_cores_are_limited_by_omp_num_threads(variable, expected, monkeypatch):
    monkeypatch.setattr(backends.joblib, "cpu_count", lambda only_physical_cores: 8)
    monkeypatch.setattr(backends, "OMP_NUM_THREADS", variable)
    assert available_cores() == expected


@pytest.mark.usefixtures("two_threads")
def test_limit_lasts_until_the_last_user_leaves_in_any_order():
    """The second user enters while the first is inside, and leaves after the first."""
    both, first_left = threading.Barrier(2, timeout=DEADLINE), threading.Event()

    def first():
        with single_threaded_blas():
            both.wait()
        first_left.set()

    def second():
        with single_threaded_blas():
            both.wait()
            assert first_left.wait(DEADLINE)
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        done = pool.submit(first)
        assert set(pool.submit(second).result(DEADLINE)) == {1}
        done.result(DEADLINE)


@pytest.mark.usefixtures("two_threads")
def test_limit_holds_for_nested_users_in_many_threads(rng):
    waits = rng.uniform(0, 1e-3, (8, 20))

    def user(mine):
        for wait in mine:
            with single_threaded_blas(), single_threaded_blas():
                threading.Event().wait(wait)
                assert set(blas_threads()) == {1}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(user, waits))


class InterruptedMethod(Uniform):
    """A method that is interrupted in the middle of a pass."""

    def __init__(self, backend):
        self.backend = backend

    def learn(self, *arguments):
        for value in self.backend.map(float, range(10), "passing"):
            if value == 5:
                raise KeyboardInterrupt("stopped")


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_limit_ends_if_a_kernel_raises(n_threads, error, classes):
    X, y = classes
    broken = []

    def kernel(A, B):
        if broken:
            raise error("stopped")
        return A @ B.T

    model = lk.KernelClassifier([kernel], backend=Threads(n_threads), method="alignf", C=1.0).fit(
        X, y
    )
    broken.append(True)
    for work in (lambda: model.predict(X), lambda: model.fit(X, y)):
        with pytest.raises(error, match="stopped") as held:
            work()
        assert held.value is not None and set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_limit_ends_if_a_task_raises(n_threads):
    def task(item):
        if item == 7:
            raise KeyboardInterrupt("stopped")
        return item

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        list(Threads(n_threads).map(task, range(20), "items"))
    assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_limit_ends_if_a_method_is_interrupted_in_a_pass(n_threads, classes):
    """Also while the error is referenced, as in an interactive session."""
    backend = Threads(n_threads)
    with pytest.raises(KeyboardInterrupt) as held:
        lk.KernelClassifier(
            method=InterruptedMethod(backend),
            backend=backend,
            kernels=["gaussians", "linear"],
            C=1.0,
        ).fit(*classes)
    assert held.value is not None and set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_limit_ends_if_the_preconditioner_is_interrupted(monkeypatch, curve):
    """The rows are written by this thread between the results of a pass."""
    from learnkernels.machines import conjugate_gradient_ridge

    class Rows(np.ndarray):
        def __setitem__(self, key, value):
            raise KeyboardInterrupt("stopped")

    class Numpy:
        def __getattr__(self, name):
            return getattr(np, name)

        def empty(self, shape):
            return np.zeros(shape).view(Rows)

    monkeypatch.setattr(conjugate_gradient_ridge, "np", Numpy())
    with pytest.raises(KeyboardInterrupt) as held:
        lk.KernelRegressor(
            max_memory=5e4, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ).fit(*curve)
    assert held.value is not None and set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_limit_ends_when_an_abandoned_pass_is_collected():
    results = Threads(2).map(float, range(10), "items")
    next(results)
    assert set(blas_threads()) == {1}
    cycle = [results]
    cycle.append(cycle)
    del results, cycle
    gc.collect()
    assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_pass_can_be_collected_by_another_thread_that_holds_the_lock():
    results = Threads(1).map(float, range(10), "items")
    next(results)

    def collect():
        nonlocal results
        with single_threaded_blas.lock:
            results = None

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    thread.join(DEADLINE)
    assert not thread.is_alive() and set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("inside", [False, True])
def test_forked_process_keeps_only_the_limit_of_its_own_thread(inside):
    """Another thread limits BLAS, and does not exist in the child."""
    limited, done = threading.Event(), threading.Event()

    def other():
        with single_threaded_blas():
            limited.set()
            done.wait(DEADLINE)

    thread = threading.Thread(target=other)
    thread.start()
    assert limited.wait(DEADLINE)
    try:
        if inside:
            with single_threaded_blas():
                status = status_of_child(lambda: set(blas_threads()) == {1})
        else:
            status = status_of_child(lambda: set(blas_threads()) == {2})
    finally:
        done.set()
        thread.join()
    assert status == 0


def status_of_child(check) -> int:
    """Return the exit status of a fork: 0 if the check holds; kill it if it does not exit."""
    child = os.fork()
    if child == 0:
        try:
            right = check()
            with single_threaded_blas():
                right = right and set(blas_threads()) == {1}
            os._exit(0 if right and check() else 1)
        finally:
            os._exit(2)
    found: list[int] = []

    def exited() -> bool:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            found.append(os.waitstatus_to_exitcode(status))
        return bool(pid)

    try:
        wait_until(exited)
    except TimeoutError:
        os.kill(child, 9)
        os.waitpid(child, 0)
        raise
    return found[0]


@pytest.mark.usefixtures("two_threads")
def test_tasks_run_in_the_context_of_the_caller():
    messages = []
    with captured(messages.append, UserWarning):
        list(Threads(2).map(lambda item: warn(str(item), UserWarning), [1, 2], "items"))
    assert sorted(messages) == ["1", "2"]
