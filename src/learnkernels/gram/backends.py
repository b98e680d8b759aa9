"""Where the work on tiles runs: threads of this process, or the workers of a Dask cluster.

A backend has two methods; `what` names the work to a person who watches.

    map(function, items, what)   yields function(item) in the order of the items
    fold(sum, items, what)       the sum over all items, a `Sum` that knows how to add them

The functions are pure (they read a `Bank` and return small partial results), so a distributed
backend (`dask_backend`) needs to know nothing else. Functions that write into an array of the
caller, or that share one large matrix, run in this process: ``backend.local.map(...)``. On threads
partial results are always added in the same order, so that results do not depend on their number.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from threading import RLock, get_ident
from typing import Any, Protocol, TypeVar

from threadpoolctl import ThreadpoolController

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.progress import SILENT, Progress

__all__ = ["Backend", "Sum", "Threads", "Watched", "as_backend"]

# As it was when the library was imported: a Dask cluster that is started in this process sets it to
# 1 for its workers, and leaves it so.
OMP_NUM_THREADS = os.environ.get("OMP_NUM_THREADS", "")

Item = TypeVar("Item")
Result = TypeVar("Result")


class Backend(Protocol):
    """What a backend must offer."""

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item], what: str
    ) -> Iterator[Result]: ...

    def fold(self, sum: Sum, items: Sequence, what: str, progress: Progress = SILENT) -> Any: ...

    @property
    def local(self) -> Backend:
        """The backend for functions that must run in this process."""


class Sum(Protocol):
    """What is added up over items: some here, some there, and the totals in the end."""

    def part(self, item: Any) -> Any:
        """What one item contributes."""

    def work(self, item: Any) -> float:
        """How much work an item is, in any unit."""

    def start(self) -> Any:
        """The sum over no item."""

    def add(self, total: Any, part: Any) -> None:
        """Add a part to a total, in place."""

    def join(self, total: Any, other: Any) -> None:
        """Add a total of other items to a total, in place."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process; the compiled leaves release Python's lock.

    Parameters
    ----------
    n_threads : int or None, default=None
        Number of threads. None takes the cores this process may use, no more than the environment
        variable OMP_NUM_THREADS allows.

    Examples
    --------
    >>> from learnkernels.gram import Threads
    >>> list(Threads(2).map(abs, [-1, 2, -3], "sizes"))
    [1, 2, 3]
    """

    n_threads: int | None = None

    def __post_init__(self):
        if self.n_threads is not None:
            require_whole("Threads", "n_threads", self.n_threads, 1)

    def map(self, function, items, what):
        n_threads = min(self.n_threads or available_cores(), len(items))
        # Each task already has a core of its own, so BLAS must not start threads inside it.
        with single_threaded_blas():
            if n_threads <= 1:
                yield from map(function, items)
                return
            pool = ThreadPoolExecutor(n_threads, thread_name_prefix="learnkernels")
            # Tasks belong to who called: what is asked of `telling` holds in them.
            contexts = [copy_context() for _ in items]
            try:
                yield from pool.map(run_in, contexts, repeat(function), items)
            finally:
                pool.shutdown(cancel_futures=True)

    def fold(self, sum, items, what, progress=SILENT):
        total = sum.start()
        for part in progress.track(self.map(sum.part, items, what), len(items), what):
            sum.add(total, part)
        return total

    @property
    def local(self):
        return self


def run_in(context: Context, function: Callable[[Item], Result], item: Item) -> Result:
    return context.run(function, item)


@dataclass(frozen=True)
class Watched:
    """A backend whose results are counted before somebody's eyes as they come in."""

    backend: Backend
    progress: Progress

    def map(self, function, items, what):
        results = self.backend.map(function, items, what)
        yield from self.progress.track(results, len(items), what)

    def fold(self, sum, items, what, progress=SILENT):
        return self.backend.fold(sum, items, what, self.progress)

    @property
    def local(self):
        return Watched(self.backend.local, self.progress)


def as_backend(backend: Any, progress: Progress = SILENT) -> Backend:
    """The backend that the user's argument stands for: None is `Threads()`."""
    found = backend
    if backend is None or (isinstance(backend, str) and backend == "threads"):
        found = Threads()
    elif is_dask(backend):
        from learnkernels.gram.dask_backend import Dask

        found = Dask(None if isinstance(backend, str) and backend == "dask" else backend)
    if not all(hasattr(found, name) for name in ("map", "fold", "local")):
        raise InputError(
            f'backend={backend!r}; expected None or "threads" (threads of this process), '
            'lk.Threads(n_threads), "dask", a distributed.Client, the address of a Dask scheduler '
            'such as "tcp://host:8786", lk.Dask(client), or an object with map, fold and local.'
        )
    return found if progress.line is None else Watched(found, progress)


def is_dask(backend: Any) -> bool:
    """Whether this is the word, an address or a client; distributed need not be installed."""
    if isinstance(backend, str):
        return backend == "dask" or "://" in backend
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(backend, distributed.Client)


def available_cores() -> int:
    """Cores this process may use; OMP_NUM_THREADS, where set, is the most."""
    affine = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if affine else os.cpu_count() or 1
    limit = OMP_NUM_THREADS.split(",")[0].strip()
    return min(cores, max(int(limit), 1)) if limit.isdigit() else cores


@cache
def blas_libraries() -> list[Any]:
    """The BLAS of this process; looking for them takes a while, so once is enough."""
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library for library in found if library.num_threads is not None]


def set_threads(numbers: Iterable[tuple[Any, int]]) -> None:
    """Set numbers of threads, whichever thread was the last to do so.

    Since 3.8 threadpoolctl lets only one thread change OpenBLAS until it has put back what it
    found. Here the last to leave puts it back, who need not be the first that came.
    """
    for library, number in numbers:
        getattr(library, "_real_set_num_threads", library.set_num_threads)(number)


class BlasLimit:
    """One thread for BLAS while anybody wants that: the first limits, the last restores.

    BLAS knows one number for the whole process, so users are counted over all threads. Each is
    counted by its thread: in a forked process no other thread lives on that could leave.
    """

    def __init__(self):
        # The collector may close a pass that was let go in the middle, here as anywhere.
        self.lock = RLock()
        self.users: Counter[int] = Counter()  # by the thread that came
        self.before: list[tuple[Any, int]] = []  # libraries and their numbers of threads

    @contextmanager
    def __call__(self):
        thread = get_ident()
        try:
            with self.lock:
                self.users[thread] += 1
                if not self.before:
                    self.before = [(library, library.num_threads) for library in blas_libraries()]
                    set_threads((library, 1) for library, _ in self.before)
            yield
        finally:
            with self.lock:
                self.users[thread] -= 1
                self._restore_if_left()

    def _restore_if_left(self) -> None:
        self.users = +self.users
        if not self.users:
            set_threads(self.before)
            self.before = []

    def forked(self) -> None:
        """Go on in a forked process, with what its only thread wanted; the lock is held."""
        me = get_ident()
        self.users = Counter({me: self.users[me]})
        self._restore_if_left()
        self.lock.release()


single_threaded_blas = BlasLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=single_threaded_blas.lock.acquire,
        after_in_parent=single_threaded_blas.lock.release,
        after_in_child=single_threaded_blas.forked,
    )
