"""Backends: run the tasks of a pass on threads of this process, or on the workers of a cluster.

A backend has two methods; `what` names the work on a progress bar.

    map(function, items, what)     yields function(item) for every item, in order
    fold(reduction, items, what)   returns the total of a `Reduction` over all items

Functions and reductions only read their data, so a distributed backend (`dask_backend`) can send
them to other processes. A function that writes into an array of the caller needs ``local=True``:
``map(function, items, what, local=True)`` always runs in this process. `Threads` adds partial
results in the order of the items, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from threading import RLock, get_ident
from typing import Any, Protocol, TypeGuard, TypeVar

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from learnkernels._warnings import thread_contexts
from learnkernels.checks import is_whole, require_whole
from learnkernels.errors import InputError
from learnkernels.progress import DISPLAY, track

# Read at import: a Dask cluster that is started in this process changes the variable to 1.
OMP_NUM_THREADS = os.environ.get("OMP_NUM_THREADS", "")

Item = TypeVar("Item")
Result = TypeVar("Result")
Part = TypeVar("Part")
Total = dict[str, np.ndarray]
ItemOfReduction = TypeVar("ItemOfReduction", contravariant=True)


class Reduction(Protocol[ItemOfReduction, Part]):
    """A sum over items. A total is a dict of arrays, so totals of several workers can be added."""

    def part(self, item: ItemOfReduction) -> Part:
        """Return the contribution of one item."""

    def work(self, item: ItemOfReduction) -> float:
        """Return the cost of an item, in any unit."""

    def start(self) -> Total:
        """Return the total over no items."""

    def add(self, total: Total, part: Part) -> None:
        """Add a part to a total, in place."""


def joined(total: Total, other: Total) -> Total:
    """Return a new total over the items of both totals."""
    return {name: values + other[name] for name, values in total.items()}


class Backend(Protocol):
    """Methods that every backend has."""

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        local: bool = False,
    ) -> Iterator[Result]:
        """Yield the function of every item, in order; in this process if `local`."""

    def fold(self, reduction: Reduction[Item, Part], items: Sequence[Item], what: str) -> Total:
        """Return the total of a reduction over all items."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process.

    The compiled functions release Python's global interpreter lock, so threads run in parallel.

    Parameters
    ----------
    n_threads : int or None, default=None
        Number of threads. None uses all cores that are available to this process, and at most
        as many as the environment variable OMP_NUM_THREADS allows.

    Examples
    --------
    >>> from learnkernels.execution import Threads
    >>> list(Threads(2).map(abs, [-1, 2, -3], "absolute values"))
    [1, 2, 3]
    """

    n_threads: int | None = None

    def __post_init__(self) -> None:
        if self.n_threads is not None:
            require_whole("Threads", "n_threads", self.n_threads, 1)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        local: bool = False,
    ) -> Iterator[Result]:
        """Yield the function of every item, in order."""
        n_threads = len(items)
        if n_threads > 1:
            n_threads = min(self.n_threads or available_cores(), n_threads)
        pool = None
        # Tasks run in parallel already, so BLAS must not start threads inside them.
        with single_threaded_blas():
            try:
                if n_threads <= 1:
                    results: Iterator[Result] = map(function, items)
                else:
                    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="learnkernels")
                    # Tasks see the caller's context variables: captured warnings, the display.
                    contexts = thread_contexts(len(items))
                    results = pool.map(Context.run, contexts, repeat(function), items)
                yield from results if DISPLAY.get() is None else track(results, len(items), what)
            finally:
                if pool is not None:
                    pool.shutdown(cancel_futures=True)

    def fold(self, reduction: Reduction[Item, Part], items: Sequence[Item], what: str) -> Total:
        """Return the total of a reduction, adding the parts in the order of the items."""
        total = reduction.start()
        for part in self.map(reduction.part, items, what):
            reduction.add(total, part)
            del part  # frees its memory before the next part is computed
        return total


THREADS = Threads()

# Functions that return a backend for an argument of the user, or None for arguments of other kinds.
FACTORIES: list[Callable[[Any], Backend | None]] = []


def register_backend(factory: Callable[[Any], Backend | None]) -> None:
    """Let `as_backend` accept the arguments for which the factory returns a backend."""
    FACTORIES.append(factory)


def as_backend(backend: Any = None, n_jobs: int | None = None) -> Backend:
    """Return the backend for the arguments of an estimator.

    Parameters
    ----------
    backend : Backend, str, distributed.Client or None, default=None
        None and ``"threads"`` are `Threads`; the Dask arguments are those of `Dask`.
    n_jobs : int or None, default=None
        Number of threads as in joblib: -1 uses all cores, -2 all but one. None leaves the number
        to the backend. Only one of `backend` and `n_jobs` can be given.

    Examples
    --------
    >>> from learnkernels.execution import as_backend
    >>> as_backend(n_jobs=2)
    Threads(n_threads=2)
    """
    if n_jobs is not None:
        return threads_of_jobs(n_jobs, backend)
    if backend is None or (isinstance(backend, str) and backend == "threads"):
        return THREADS
    if is_backend(backend):
        return backend
    for factory in FACTORIES:
        found = factory(backend)
        if found is not None:
            return found
    raise InputError(
        f'backend={backend!r}; expected None or "threads" (threads of this process), '
        'lk.Threads(n_threads), "dask", a distributed.Client, the address of a Dask scheduler '
        'such as "tcp://host:8786", lk.Dask(client), or an object with methods map and fold.'
    )


def threads_of_jobs(n_jobs: int, backend: Any) -> Threads:
    """Return the threads that `n_jobs` asks for; raise if a backend is given too."""
    if backend is not None:
        raise InputError(
            f"both backend={backend!r} and n_jobs={n_jobs!r} are given; use only one of them. "
            "For n threads pass n_jobs=n, or backend=lk.Threads(n)."
        )
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InputError(
            f"n_jobs={n_jobs!r}; expected a positive number of threads, -1 for all cores, -2 for "
            "all cores but one, or None for the default."
        )
    return Threads(n_jobs if n_jobs > 0 else max(available_cores() + 1 + n_jobs, 1))


def is_backend(value: Any) -> TypeGuard[Backend]:
    """Return whether a value has the methods of a backend."""
    return hasattr(type(value), "map") and hasattr(type(value), "fold")


def available_cores() -> int:
    """Return the number of cores that this process may use.

    CPU affinity and the CPU quotas of containers are counted; OMP_NUM_THREADS is an upper limit.
    """
    cores = int(joblib.cpu_count(only_physical_cores=False))
    limit = OMP_NUM_THREADS.split(",")[0].strip()
    return min(cores, max(int(limit), 1)) if limit.isdigit() else cores


@cache
def blas_libraries() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return the functions that get and set the number of threads of each BLAS library.

    The search takes a while, so it is done once. Compatibility with threadpoolctl: since 3.8
    `set_num_threads` of OpenBLAS does nothing unless it is called by the thread that set the number
    first. In `BlasLimit` the last thread restores the number, which may be another one, and there
    is no public function for that without a race. Earlier versions lack the private one.
    """
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [
        (lib.get_num_threads, getattr(lib, "_real_set_num_threads", lib.set_num_threads))
        for lib in found
        if lib.num_threads is not None
    ]


class BlasLimit:
    """Context manager that limits BLAS to one thread; the last user restores the number.

    BLAS has one number of threads for the whole process, so users in all threads are counted. They
    are counted by thread because only the forking thread exists in a forked process.
    """

    def __init__(self) -> None:
        # Reentrant: garbage collection may close an abandoned pass while the lock is held.
        self.lock = RLock()
        self.users: Counter[int] = Counter()  # by the identifier of the thread
        self.before: list[tuple[Callable[[int], None], int]] = []  # setters, numbers to restore

    @contextmanager
    def __call__(self) -> Iterator[None]:
        thread = get_ident()  # a pass may be closed by another thread
        try:
            with self.lock:
                self.users[thread] += 1
                if not self.before:
                    self.before = [(set_number, get()) for get, set_number in blas_libraries()]
                    for set_number, _ in self.before:
                        set_number(1)
            yield
        finally:
            with self.lock:
                self.users[thread] -= 1
                self.users = +self.users
                if not self.users:
                    for set_number, number in self.before:
                        set_number(number)
                    self.before = []

    def after_fork_in_child(self) -> None:
        """Remove the users of threads that do not exist in this process; release the lock."""
        me = get_ident()
        self.users = Counter({me: self.users[me]})
        if self.before:
            with self():  # leaving it restores the number if this thread has no other limit
                pass
        self.lock.release()


single_threaded_blas = BlasLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=single_threaded_blas.lock.acquire,
        after_in_parent=single_threaded_blas.lock.release,
        after_in_child=single_threaded_blas.after_fork_in_child,
    )
