"""The Dask backend: tasks on the workers of a cluster.

    items --grouped--> tasks of about a second --joined in pairs, on the workers--> one total

The data is sent once to all workers (see `scatter`), so that every worker can run every task. If
workers are lost, Dask runs their tasks again on the others. Joining two totals creates a new one:
Dask may need the two again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution.backends import (
    THREADS,
    Reduction,
    Total,
    joined,
    register_backend,
    single_threaded_blas,
)
from learnkernels.execution.dask_clients import (
    connect,
    count_threads,
    import_distributed,
    scheduler_address,
    scheduler_responds,
)
from learnkernels.execution.scatter import SentArray, WorkerArrays, pack, unpack
from learnkernels.progress import counting, track

Item = TypeVar("Item")
Result = TypeVar("Result")
Part = TypeVar("Part")

# Seconds of work in a task: much more than the scheduler's overhead, and little to repeat.
TASK = 1.0
# Minimum number of tasks per thread of a worker, if there are enough items.
TASKS_PER_THREAD = 4
# How often a pass is tried if its data is lost with the last worker that had it.
ATTEMPTS = 4

# Arrays on the workers of each client.
WORKER_ARRAYS: WeakKeyDictionary[Any, WorkerArrays] = WeakKeyDictionary()


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster; requires ``learnkernels[dask]``.

    Passes over pairs of samples, the sums of machines with `n_components`, and predictions run on
    the workers. The combined Gram matrix and the machines that need it are computed in this
    process.

    Parameters
    ----------
    client : distributed.Client, str or None, default=None
        The client, or the address of a scheduler such as ``"tcp://host:8786"``. None uses the
        current client of this process. If there is none, a local cluster with one process per core
        is started once and closed when Python exits; a script must then protect its code with
        ``if __name__ == "__main__":``, since the processes import it.

    Notes
    -----
    Cloning an estimator (as grid searches of scikit-learn do) copies its parameters, and a client
    cannot be copied: pass ``backend=Dask(client)`` or the address instead of the client.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from distributed import Client
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     statistics = lk.alignment_statistics("linear", X, y, backend=lk.Dask(client))
    >>> statistics.alignments().round(2)
    array([0.51])
    """

    client: Any = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Dask:
        """Return this object: clones of an estimator share the connection."""
        return self

    def __reduce__(self) -> tuple[type[Dask], tuple[str | None]]:
        """Replace a client by the address of its scheduler: connections cannot be pickled."""
        picklable = self.client is None or isinstance(self.client, str)
        return Dask, (self.client if picklable else scheduler_address(self.client),)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        local: bool = False,
    ) -> Iterator[Result]:
        """Yield the function of every item, in order."""
        client = None if local else connect(self.client)
        if local or len(items) <= 1:  # not worth sending
            yield from THREADS.map(function, items, what)
            return
        items, done = list(items), 0

        def remaining(job: Job) -> Iterator[list[Result]]:
            return job.map(items[done:])

        with counting(len(items), what) as advance:
            for results in run_job(client, function, what, remaining):
                done += len(results)
                for result in results:
                    yield result
                    advance()

    def fold(self, reduction: Reduction[Item, Part], items: Sequence[Item], what: str) -> Total:
        """Return the total of a reduction over all items."""
        client = connect(self.client)
        if len(items) <= 1:
            return THREADS.fold(reduction, items, what)
        work = np.array([reduction.work(item) for item in items])
        found: Total
        (found,) = run_job(client, reduction, what, lambda job: job.fold(list(items), work, what))
        return found


def dask_for(argument: Any) -> Dask | None:
    """Return the backend for ``"dask"``, an address or a client; None for other arguments."""
    if isinstance(argument, str):
        return Dask(None if argument == "dask" else argument) if is_dask_text(argument) else None
    distributed = sys.modules.get("distributed")  # there is no client unless it is imported
    is_client = distributed is not None and isinstance(argument, distributed.Client)
    return Dask(argument) if is_client else None


def is_dask_text(text: str) -> bool:
    """Return whether a text is ``"dask"`` or an address."""
    return text == "dask" or "://" in text


register_backend(dask_for)


def run_job(
    client: Any, task: Any, what: str, work: Callable[[Job], Iterator[Any]]
) -> Iterator[Any]:
    """Yield the results of a job; start it again if its data was lost with the workers."""
    content, arrays = pack(task)
    for attempt in range(ATTEMPTS):
        try:
            n_threads = count_threads(client)
            sent = WORKER_ARRAYS.setdefault(client, WorkerArrays()).send(client, content, arrays)
            yield from work(Job(client, *sent, n_threads))
            return
        except Exception as error:
            raise_unless_lost(error, client, what, last=attempt == ATTEMPTS - 1)


@dataclass(frozen=True)
class Job:
    """A function or reduction whose data is on the workers.

    Attributes
    ----------
    client : distributed.Client
    content : Future of bytes
    arrays : list of Future of SentArray
    n_threads : int
        Number of tasks that run at the same time.
    """

    client: Any
    content: Any
    arrays: list[Any]
    n_threads: int

    def submit(self, task: Callable[..., Any], *arguments: Any, priority: int = 0) -> Any:
        """Return the future of a task on the data."""
        return self.client.submit(
            task, self.content, self.arrays, *arguments, pure=False, priority=priority
        )

    def map(self, items: list[Any]) -> Iterator[list[Any]]:
        """Yield lists of results, in the order of the items."""
        tasks, groups = self._timed(timed_results, items, np.ones(len(items)))
        tasks += [self.submit(timed_results, items[group]) for group in groups]
        try:
            while tasks:
                results, _ = tasks[0].result()
                del tasks[0]  # so that the workers can delete the results
                yield results
        finally:
            release(tasks)

    def fold(self, items: list[Any], work: np.ndarray, what: str) -> Iterator[Any]:
        """Yield the total over all items."""
        timed, groups = self._timed(timed_total, items, work)
        tree = JoinTree(self)
        totals = [
            tree.add(self.client.submit(itemgetter(0), task, pure=False, priority=1))
            for task in timed
        ]
        del timed  # so that the workers can delete the totals
        totals += [tree.add(self.submit(total, items[group])) for group in groups]
        root = tree.root()
        with self.client.as_current():
            completed = import_distributed().as_completed(totals)
        n_totals = len(totals)
        del totals  # so that the workers can delete a total that was joined
        try:
            for future in track(completed, n_totals, what):
                if future.status != "finished":
                    future.result()  # raises
            found = root.result()
        except BaseException:
            release([root, *completed.futures])
            raise
        yield found

    def _timed(
        self, task: Callable[..., Any], items: list[Any], work: np.ndarray
    ) -> tuple[list[Any], list[slice]]:
        """Submit the first items; group the others by the time that the first ones take.

        Returns
        -------
        tasks : list of Future of (result, seconds)
            Two items for each thread; empty if there are few items.
        groups : list of slice
            The other items.
        """
        if len(items) <= 2 * TASKS_PER_THREAD * self.n_threads:
            return [], group_items(work, 0, None, self.n_threads)
        ends = [2 * thread + 2 for thread in range(self.n_threads)]
        tasks = [self.submit(task, items[end - 2 : end]) for end in ends]
        times = [self.client.submit(itemgetter(1), t, pure=False, priority=1) for t in tasks]
        with self.client.as_current():
            import_distributed().wait(times, return_when="FIRST_COMPLETED")
        first = next((i for i, seconds in enumerate(times) if seconds.done()), 0)
        pace = times[first].result() / work[ends[first] - 1]  # seconds per unit of work
        return tasks, group_items(work, ends[-1], pace, self.n_threads)


class JoinTree:
    """Binary tree of tasks that join totals.

    Joins are submitted between the totals and have priority over them, so that few totals are in
    memory at the same time.

    Parameters
    ----------
    job : Job
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.branches: list[tuple[int, Any]] = []  # height and future, heights decreasing

    def add(self, future: Any) -> Any:
        """Add a total as a leaf, and return it."""
        self.branches.append((0, future))
        while len(self.branches) > 1 and self.branches[-2][0] == self.branches[-1][0]:
            self._join()
        return future

    def root(self) -> Any:
        """Return the future of the total of all leaves."""
        while len(self.branches) > 1:
            self._join()
        return self.branches[0][1]

    def _join(self) -> None:
        (height, left), (_, right) = self.branches[-2:]
        joined = self.job.submit(joined_totals, left, right, priority=1)
        self.branches[-2:] = [(height + 1, joined)]


def release(futures: Iterable[Any]) -> None:
    """Stop tasks that no other future needs, also if a traceback refers to their futures.

    `Client.cancel` fails in the scheduler, which then closes the connection, if a task that depends
    on a cancelled one was released before.
    """
    for future in futures:
        future.release()


def group_items(work: np.ndarray, start: int, pace: float | None, n_threads: int) -> list[slice]:
    """Return consecutive groups of items with about a second of work each.

    Parameters
    ----------
    work : ndarray of shape (n_items,)
    start : int
        Index of the first item to group.
    pace : float or None
        Seconds per unit of work; None returns groups of one item.
    n_threads : int
        Number of tasks that run at the same time.
    """
    n_items = len(work) - start
    if n_items <= 0:
        return []
    cuts = np.arange(1, n_items)
    if pace is not None:
        ends = np.cumsum(work[start:])
        n_groups = max(TASKS_PER_THREAD * n_threads, round(float(pace * ends[-1]) / TASK))
        cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_groups) / n_groups) + 1
    borders = np.unique(np.concatenate([[0], cuts, [n_items]])) + start
    return [slice(int(a), int(b)) for a, b in pairwise(borders)]


def timed_results(
    content: bytes, arrays: list[SentArray], items: Sequence[Any]
) -> tuple[list[Any], float]:
    """Return the function of each item, and the seconds that the last one took."""
    results, seconds = [], 0.0
    with single_threaded_blas():
        function = unpack(content, arrays)
        for item in items:
            start = time.perf_counter()
            results.append(function(item))
            seconds = time.perf_counter() - start
    return results, seconds


def timed_total(content: bytes, arrays: list[SentArray], items: Sequence[Any]) -> tuple[Any, float]:
    """Return the total of the reduction, and the seconds that the last item took."""
    seconds = 0.0
    with single_threaded_blas():
        reduction = unpack(content, arrays)
        found = reduction.start()
        for item in items:
            start = time.perf_counter()
            reduction.add(found, reduction.part(item))
            seconds = time.perf_counter() - start
    return found, seconds


def total(content: bytes, arrays: list[SentArray], items: Sequence[Any]) -> Any:
    """Return the total of the reduction over some items."""
    return timed_total(content, arrays, items)[0]


def joined_totals(content: bytes, arrays: list[SentArray], left: Total, right: Total) -> Total:
    """Return a new total over the items of both totals."""
    return joined(left, right)


def raise_unless_lost(error: Exception, client: Any, what: str, last: bool) -> None:
    """Raise the error of an attempt, with an explanation if the cluster is the cause.

    Return if data or workers were lost and this was not the last attempt.
    """
    if isinstance(error, InputError):
        raise error
    address = scheduler_address(client)
    if isinstance(error, ModuleNotFoundError):
        raise InputError(
            f"a worker of the Dask cluster at {address} lacks a module ({error}); install the same "
            "packages on the workers as in this process."
        ) from error
    if not scheduler_responds(client):
        raise InputError(
            f"the connection to the Dask scheduler at {address} was lost while computing {what}; "
            "start the scheduler again or pass another backend, and repeat the call."
        ) from error
    if not is_loss(error):
        raise error
    if last:
        raise InputError(
            f"the workers of the Dask cluster at {address} were lost repeatedly while "
            f"computing {what} ({error}); check their logs, and start them with more memory."
        ) from error


def is_loss(error: Exception) -> bool:
    """Return whether the error means that data or workers were lost."""
    distributed = import_distributed()
    lost = (distributed.KilledWorker, distributed.comm.CommClosedError)
    return isinstance(error, (CancelledError, TimeoutError, *lost))
