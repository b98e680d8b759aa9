"""The workers of a Dask cluster.

    items --grouped--> tasks of about a second --joined pairwise, on the workers--> one total

The data travels once (`sending`), to all workers, so that any of them can take any task, and the
loss of one costs no more than its tasks. A join makes a total of its own: the ones it was given may
be needed again, when a worker is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.backends import Threads, single_threaded_blas
from learnkernels.gram.dask_clients import address_of, answers, connected, threads_of
from learnkernels.gram.sending import Held, Sent, packed, unpacked
from learnkernels.progress import SILENT

__all__ = ["Dask"]

# Seconds that a task takes: much more than the scheduler needs for it, and little to lose.
TASK = 1.0
# At least so many tasks for each thread of a worker, where there are enough items.
TASKS_PER_THREAD = 4
# How often a pass is begun again after data was lost with the last worker that had it.
ATTEMPTS = 4

# What each client has on its workers.
SENT: WeakKeyDictionary[Any, Sent] = WeakKeyDictionary()


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster; needs the extra ``learnkernels[dask]``.

    Passes over pairs of samples and predictions run on the workers; the learned Gram, which is one
    matrix, and the machines run in this process.

    Parameters
    ----------
    client : distributed.Client, str or None, default=None
        The client, or the address of a scheduler such as ``"tcp://host:8786"``. None is the current
        client of this process; where there is none, a cluster with a process for each core of this
        machine is started once, and closed in the end. A script that relies on it keeps its work
        below ``if __name__ == "__main__":``, since the processes read it.

    Notes
    -----
    scikit-learn copies the parameters of an estimator that it clones, in a grid search for one, and
    a client cannot be copied: there give ``backend=Dask(client)``, or the address.

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

    @property
    def local(self):
        return Threads()

    def __deepcopy__(self, memo):
        return self  # clones of an estimator share the connection

    def __reduce__(self):
        """A client as the address of its scheduler: connections do not travel."""
        known = self.client is None or isinstance(self.client, str)
        return Dask, (self.client if known else address_of(self.client),)

    def map(self, function, items, what):
        items, client = list(items), connected(self.client)
        if len(items) <= 1:  # not worth sending
            yield from self.local.map(function, items, what)
            return
        done = 0

        def rest(run: Run) -> Iterator[list]:
            return run.mapped(items[done:])

        for results in attempts(client, function, what, rest):
            done += len(results)
            yield from results

    def fold(self, sum, items, what, progress=SILENT):
        items, client = list(items), connected(self.client)
        if len(items) <= 1:
            return self.local.fold(sum, items, what, progress)

        def total(run: Run) -> Iterator[Any]:
            yield run.folded(sum.work, items, what, progress)

        (found,) = attempts(client, sum, what, total)
        return found


def attempts(client, thing: Any, what: str, work: Callable[[Run], Iterator]) -> Iterator:
    """What the work on a thing yields; it is done again where its data was lost."""
    content, arrays = packed(thing)
    for attempt in range(ATTEMPTS):
        try:
            yield from work(Run.of(client, content, arrays))
            return
        except Exception as error:
            explain(error, client, what, last=attempt == ATTEMPTS - 1)


@dataclass(frozen=True)
class Run:
    """One attempt at the work on a thing whose data lies on the workers.

    Attributes
    ----------
    client : distributed.Client
    content : Future of bytes
    arrays : list of Future of Held
    threads : int
        Tasks that run at the same time.
    """

    client: Any
    content: Any
    arrays: list[Any]
    threads: int

    @classmethod
    def of(cls, client, content: bytes, arrays: list[np.ndarray]) -> Run:
        threads = threads_of(client)
        futures = SENT.setdefault(client, Sent()).futures(client, content, arrays)
        return cls(client, *futures, threads)

    def submit(self, task: Callable, *arguments: Any, urgent: bool = False) -> Any:
        """A task on the thing; the future of its result."""
        return self.client.submit(
            task, self.content, self.arrays, *arguments, pure=False, priority=int(urgent)
        )

    def mapped(self, items: Sequence) -> Iterator[list]:
        """Lists of results, in the order of the items."""
        work = np.ones(len(items))
        first = self._first(work)
        tasks = [self.submit(results_of, items[group]) for group in first]
        pace = self._pace(tasks, first, work) if first else None
        later = groups(work, first[-1].stop if first else 0, pace, self.threads)
        tasks += [self.submit(results_of, items[group]) for group in later]
        try:
            while tasks:
                found, _ = tasks[0].result()
                del tasks[0]  # the workers may forget it
                yield found
        finally:
            if tasks:
                self.client.cancel(tasks)

    def folded(self, work_of: Callable[[Any], float], items: Sequence, what: str, progress) -> Any:
        """The total over all items."""
        from distributed import as_completed

        work = np.array([work_of(item) for item in items])
        first = self._first(work)
        timed = [self.submit(total_of, items[group]) for group in first]
        pace = self._pace(timed, first, work) if first else None
        later = groups(work, first[-1].stop if first else 0, pace, self.threads)
        tree = Tree(self)
        leaves = []
        # Joins are submitted between the leaves, and go before them: few totals wait at any time.
        for task in timed:
            leaves.append(self.client.submit(itemgetter(0), task, pure=False, priority=1))
            tree.add(leaves[-1])
        del timed
        for group in later:
            leaves.append(self.submit(plain_total_of, items[group]))
            tree.add(leaves[-1])
        root = tree.root()
        with self.client.as_current():
            waiting = as_completed(leaves)
        n_leaves = len(leaves)
        del leaves  # a total that has come in and been joined may be forgotten
        try:
            for leaf in progress.track(waiting, n_leaves, what):
                if leaf.status != "finished":
                    leaf.result()  # raises
            return root.result()
        except BaseException:
            self.client.cancel([root, *waiting.futures])
            raise

    def _first(self, work: np.ndarray) -> list[slice]:
        """Small groups of the first items, by which the time of all others is judged."""
        if len(work) <= 2 * TASKS_PER_THREAD * self.threads:
            return []
        return [slice(2 * at, 2 * at + 2) for at in range(self.threads)]

    def _pace(self, tasks: list, places: list[slice], work: np.ndarray) -> float:
        """Seconds that a unit of work takes, by the first group that is done."""
        from distributed import wait

        clocks = [self.client.submit(itemgetter(1), t, pure=False, priority=1) for t in tasks]
        with self.client.as_current():
            wait(clocks, return_when="FIRST_COMPLETED")
        at = next((at for at, clock in enumerate(clocks) if clock.done()), 0)
        return clocks[at].result() / work[places[at].stop - 1]


class Tree:
    """Totals joined in pairs of equal size, as they come.

    Parameters
    ----------
    run : Run
    """

    def __init__(self, run: Run):
        self.run = run
        self.branches: list[tuple[int, Any]] = []  # height and future, the heights falling

    def add(self, leaf: Any) -> None:
        self.branches.append((0, leaf))
        while len(self.branches) > 1 and self.branches[-2][0] == self.branches[-1][0]:
            self._join()

    def root(self) -> Any:
        """The total of all leaves."""
        while len(self.branches) > 1:
            self._join()
        return self.branches[0][1]

    def _join(self) -> None:
        (height, left), (_, right) = self.branches[-2:]
        joined = self.run.submit(total_of_both, left, right, urgent=True)
        self.branches[-2:] = [(height + 1, joined)]


def groups(work: np.ndarray, start: int, pace: float | None, threads: int) -> list[slice]:
    """Consecutive items with about the same work, a second of it.

    Parameters
    ----------
    work : ndarray of shape (n_items,)
    start : int
        The first item that is wanted.
    pace : float or None
        Seconds for a unit of work; None puts every item by itself.
    threads : int
        Tasks that run at the same time.
    """
    n_items = len(work) - start
    if n_items <= 0:
        return []
    cuts = np.arange(1, n_items)
    if pace is not None:
        ends = np.cumsum(work[start:])
        n_groups = max(TASKS_PER_THREAD * threads, round(float(pace * ends[-1]) / TASK))
        cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_groups) / n_groups) + 1
    borders = np.unique(np.concatenate([[0], cuts, [n_items]])) + start
    return [slice(int(a), int(b)) for a, b in pairwise(borders)]


def results_of(content: bytes, arrays: list[Held], items: Sequence) -> tuple[list, float]:
    """The function of each item, and the seconds that the last one took."""
    found, seconds = [], 0.0
    with single_threaded_blas():
        function = unpacked(content, arrays)
        for item in items:
            start = time.perf_counter()
            found.append(function(item))
            seconds = time.perf_counter() - start
    return found, seconds


def total_of(content: bytes, arrays: list[Held], items: Sequence) -> tuple[Any, float]:
    """The sum over items, and the seconds that the last one took."""
    seconds = 0.0
    with single_threaded_blas():
        sum = unpacked(content, arrays)
        total = sum.start()
        for item in items:
            start = time.perf_counter()
            sum.add(total, sum.part(item))
            seconds = time.perf_counter() - start
    return total, seconds


def plain_total_of(content: bytes, arrays: list[Held], items: Sequence) -> Any:
    return total_of(content, arrays, items)[0]


def total_of_both(content: bytes, arrays: list[Held], left: Any, right: Any) -> Any:
    sum = unpacked(content, arrays)
    total = sum.start()
    sum.join(total, left)
    sum.join(total, right)
    return total


def explain(error: BaseException, client, what: str, last: bool) -> None:
    """Raise what ended an attempt, as a sentence if the cluster is to blame.

    Nothing is raised if data or workers were lost and this was not the last attempt.
    """
    if isinstance(error, InputError):
        raise error
    if isinstance(error, ModuleNotFoundError):
        raise InputError(
            f"a worker of the Dask cluster at {address_of(client)} lacks a module ({error}); "
            "install the same packages there as here."
        ) from error
    if not answers(client):
        raise InputError(
            f"the Dask scheduler at {address_of(client)} was lost while computing {what}; start it "
            "again or give another backend, and run this again."
        ) from error
    if not is_loss(error):
        raise error
    if last:
        raise InputError(
            f"the workers of the Dask cluster at {address_of(client)} were lost again and again "
            f"while computing {what} ({error}); they may lack memory: their logs tell more."
        ) from error


def is_loss(error: BaseException) -> bool:
    """Whether data or workers were lost: the same work may succeed."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    return isinstance(error, CancelledError | KilledWorker | CommClosedError | TimeoutError)
