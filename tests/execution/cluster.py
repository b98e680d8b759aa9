"""Helpers for tests on Dask workers: waiting for events, gates, and a simple reduction."""

from __future__ import annotations

import asyncio
import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Warnings of distributed about closed clusters and killed workers.
DASK_MARKS = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
]

# Some time after a worker was lost, a local cluster closes it if it is not there at that moment, as
# one that was killed again by the next test.
KEEP_LOST_WORKERS = {"distributed.deploy.lost-worker-timeout": "1 hour"}

# Workers are forked from a process that has imported the library, and so start at once.
FORK_WORKERS = {"distributed.worker.multiprocessing-method": "forkserver"}
PRELOADED = [
    "distributed", "dask.array", "dask.dataframe", "numba", "learnkernels.estimators",
]  # fmt: skip

# Seconds before a test gives up waiting for an event; only failures take that long.
DEADLINE = 600.0


@cache
def shared_client() -> Any:
    """Return a client of two worker processes with one thread each; killed ones are restarted.

    All tests of this process share the cluster.
    """
    distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
    dask = pytest.importorskip("dask", reason="needs learnkernels[dask]")
    dask.config.set(KEEP_LOST_WORKERS)
    if "forkserver" in multiprocessing.get_all_start_methods():
        dask.config.set(FORK_WORKERS)
        # Dask sets other modules in its first call.
        distributed.utils.get_mp_context().set_forkserver_preload(PRELOADED)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    )
    client = distributed.Client(cluster, set_as_default=False)
    atexit.register(cluster.close)
    atexit.register(client.close)  # is called first
    return client


def serve(sender: Any) -> None:
    """Run a scheduler with one worker, and send its address."""
    from distributed import Scheduler, Worker

    async def main() -> None:
        async with (
            Scheduler(port=0, host="127.0.0.1", dashboard=False) as scheduler,
            Worker(scheduler.address, nthreads=1, dashboard=False),
        ):
            sender.send(scheduler.address)
            await scheduler.finished()

    asyncio.run(main())


@contextmanager
def scheduler_process() -> Iterator[tuple[Any, str]]:
    """Start a process with a scheduler and a worker; yield it and its address."""
    from distributed.utils import get_mp_context

    shared_client()  # sets how processes start
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = get_mp_context().Process(target=serve, args=(sender,), daemon=True)
    process.start()
    sender.close()  # so that `recv` raises if the process ends before it sends
    try:
        yield process, receiver.recv()
    finally:
        process.kill()
        process.join()
        receiver.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Poll a condition; raise TimeoutError after the deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition did not become true")
        time.sleep(0.01)


@dataclass(frozen=True)
class Gate:
    """Stop tasks on workers until the test opens the gate.

    Attributes
    ----------
    folder : Path
        A folder that the workers can write to.
    creator : int
        Process that never stops at the gate.
    """

    folder: Path
    creator: int

    def wait(self) -> None:
        """Wait until the gate is open, on workers."""
        if os.getpid() != self.creator:
            (self.folder / str(os.getpid())).touch()
            wait_until((self.folder / "open").exists)

    def arrived(self) -> set[int]:
        """Return the processes that have come to the gate."""
        return {int(file.name) for file in self.folder.iterdir() if file.name.isdigit()}

    def open(self) -> None:
        (self.folder / "open").touch()


@contextmanager
def when(condition: Callable[[], bool], *actions: Callable[[], Any]) -> Iterator[None]:
    """Run actions in a thread as soon as a condition is true, which must be inside the block."""
    ended, done = threading.Event(), []

    def run() -> None:
        wait_until(lambda: condition() or ended.is_set())
        if not ended.is_set():
            for action in actions:
                action()
            done.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    assert done


def kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows: both end it at once


def worker_pids(client) -> list[int]:
    """Return the processes of the workers that answer."""
    found = client.run(os.getpid, on_error="ignore")
    return [pid for pid in found.values() if isinstance(pid, int)]


def wait_for_restart(client, killed: list[int]) -> None:
    """Wait until two workers answer and none of them was killed."""
    wait_until(lambda: len(set(worker_pids(client)) - set(killed)) == 2)


class Count:
    """A sum of numbers; one item can kill its worker, and all can wait at a gate."""

    def __init__(self, fatal: int | None = None, gate: Gate | None = None) -> None:
        self.fatal = fatal
        self.gate = gate

    def part(self, item):
        if item == self.fatal:
            os._exit(1)
        if self.gate is not None:
            self.gate.wait()
        return item

    def work(self, item):
        return 1.0

    def start(self):
        return {"sum": np.zeros(1)}

    def add(self, total, part):
        total["sum"] += part


class RecordingDisplay:
    """A progress display that records its calls."""

    def __init__(self) -> None:
        self.counted = False
        self.calls: list[Any] = []

    def write(self, text: str) -> None:
        self.calls.append(text)

    def start(self, total: int | None, what: str, done: int = 0) -> None:
        self.counted = total is not None
        self.calls.append((total, what, done))

    def advance(self) -> None:
        self.calls.append("advance")


def close(found, expected, tolerance=1e-10):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def agree(found, expected):
    """Return whether two sets of alignment statistics agree."""
    return all(
        close(getattr(found, name), getattr(expected, name)) for name in ("a", "M", "traces")
    )
