"""Threads of BLAS: one inside passes, and as before whatever happens to the pass."""

from __future__ import annotations

import gc
import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import learnkernels as lk
from learnkernels.gram import Threads, single_threaded_blas
from learnkernels.methods import Uniform
from learnkernels.telling import told, warn

PATIENCE = 60.0


def blas_threads() -> list[int]:
    """Of NumPy and SciPy; other packages may bring a BLAS that knows one thread only."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return [pool["num_threads"] for pool in pools if re.search("numpy|scipy", pool["filepath"])]


@pytest.fixture(autouse=True)
def two_threads():
    """BLAS has two threads before each test, and must have them afterwards."""
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        assert set(before) == {2}
        yield
        gc.collect()
        assert blas_threads() == before


def test_users_may_come_and_go_in_any_order():
    """The second comes while the first is there, and leaves when the first has left."""
    both, first_left = threading.Barrier(2, timeout=PATIENCE), threading.Event()

    def first():
        with single_threaded_blas():
            both.wait()
        first_left.set()

    def second():
        with single_threaded_blas():
            both.wait()
            assert first_left.wait(PATIENCE)
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        done = pool.submit(first)
        assert set(pool.submit(second).result(PATIENCE)) == {1}
        done.result(PATIENCE)


def test_users_in_many_threads(rng):
    waits = rng.uniform(0, 1e-3, (8, 20))

    def user(mine):
        for wait in mine:
            with single_threaded_blas(), single_threaded_blas():
                time.sleep(wait)
                assert set(blas_threads()) == {1}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(user, waits))


class Broken(Uniform):
    """A method that raises in the middle of a pass."""

    def learn(self, evidence):
        for value in evidence.oracle.backend.map(float, range(10), "passing"):
            if value == 5:
                raise KeyboardInterrupt("stopped")


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_kernel_that_raises(n_threads, error, classes):
    X, y = classes
    broken = []

    def kernel(A, B):
        if broken:
            raise error("stopped")
        return A @ B.T

    model = lk.KernelClassifier([kernel], backend=Threads(n_threads)).fit(X, y)
    broken.append(True)
    for work in (lambda: model.predict(X), lambda: model.fit(X, y)):
        with pytest.raises(error, match="stopped") as held:
            work()
        assert held.value is not None and set(blas_threads()) == {2}


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_task_that_raises(n_threads):
    def task(item):
        if item == 7:
            raise KeyboardInterrupt("stopped")
        return item

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        list(Threads(n_threads).map(task, range(20), "items"))
    assert set(blas_threads()) == {2}


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_method_that_is_interrupted_in_a_pass(n_threads, classes):
    """Also while somebody holds the error, as an interactive session does."""
    with pytest.raises(KeyboardInterrupt) as held:
        lk.KernelClassifier(method=Broken(), backend=Threads(n_threads)).fit(*classes)
    assert held.value is not None and set(blas_threads()) == {2}


def test_an_interrupt_between_parts_of_the_preconditioner(monkeypatch, curve):
    """The rows are written by this thread while the pass waits."""
    from learnkernels.machines import iterative

    class Rows(np.ndarray):
        def __setitem__(self, key, value):
            raise KeyboardInterrupt("stopped")

    class Numpy:
        def __getattr__(self, name):
            return getattr(np, name)

        def empty(self, shape):
            return np.zeros(shape).view(Rows)

    monkeypatch.setattr(iterative, "np", Numpy())
    with pytest.raises(KeyboardInterrupt) as held:
        lk.KernelRegressor(max_memory=5e4).fit(*curve)
    assert held.value is not None and set(blas_threads()) == {2}


def test_a_pass_that_is_left_alone_ends_with_its_last_reference():
    results = Threads(2).map(float, range(10), "items")
    next(results)
    assert set(blas_threads()) == {1}
    cycle = [results]
    cycle.append(cycle)
    del results, cycle
    gc.collect()
    assert set(blas_threads()) == {2}


def test_a_pass_may_be_collected_while_another_begins():
    """The collector runs anywhere, also where the lock is held."""
    results = Threads(1).map(float, range(10), "items")
    next(results)

    def collected():
        nonlocal results
        with single_threaded_blas.lock:
            results = None

    thread = threading.Thread(target=collected, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive() and set(blas_threads()) == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("inside", [False, True])
def test_a_forked_process_keeps_only_what_its_own_thread_wants(inside):
    """Another thread limits BLAS, and does not live on in the child."""
    limited, done = threading.Event(), threading.Event()

    def other():
        with single_threaded_blas():
            limited.set()
            done.wait(PATIENCE)

    thread = threading.Thread(target=other)
    thread.start()
    assert limited.wait(PATIENCE)
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


def status_of_child(check) -> int | None:
    """Exit status of a fork: 0 if the check holds, None if it does not end."""
    child = os.fork()
    if child == 0:
        try:
            right = check()
            with single_threaded_blas():
                right = right and set(blas_threads()) == {1}
            os._exit(0 if right and check() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def test_tasks_see_the_context_of_who_called():
    heard = []
    with told(UserWarning, heard.append):
        list(Threads(2).map(lambda item: warn(str(item), UserWarning), [1, 2], "items"))
    assert sorted(heard) == ["1", "2"]
