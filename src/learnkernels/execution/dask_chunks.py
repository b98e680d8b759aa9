"""Passes over the chunks of Dask arrays and frames, on the workers that have them.

    chunk --read, summed by one task--> total --joined, some at a time--> one total

The chunks are not copied to this process: each is read or computed by the worker that sums it. A
chunk that is lost with its worker is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any, TypeVar

from learnkernels.execution.backends import Reduction, Total, joined, single_threaded_blas
from learnkernels.execution.dask_backend import Job, release, run_job
from learnkernels.execution.dask_clients import connect, import_distributed
from learnkernels.execution.scatter import SentArray, unpack
from learnkernels.progress import counting, track

Item = TypeVar("Item")
Part = TypeVar("Part")
Result = TypeVar("Result")

# Totals that one task joins: few, since a worker holds them all, but not two, since a scheduler
# needs about a millisecond for each task.
JOINED = 4


@dataclass(frozen=True)
class Chunk:
    """Some rows of one or several Dask collections.

    Attributes
    ----------
    rows : int
        Number of rows.
    values : tuple
        `dask.delayed` values, or plain ones, of the same rows. Not compared: chunks of the same
        data in another process differ in them.
    """

    rows: int
    values: tuple[Any, ...] = field(compare=False)


@dataclass(frozen=True)
class DaskChunks:
    """Backend whose items are chunks.

    Functions and reductions get the values of a chunk as a tuple.

    Parameters
    ----------
    client : distributed.Client, str or None
        As in `Dask`.
    """

    client: Any = None

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        local: bool = False,
    ) -> Iterator[Result]:
        """Yield the function of the values of every chunk, in order."""
        client, chunks = connect(self.client), list(items)
        done = 0

        def remaining(job: Job) -> Iterator[Any]:
            return map_chunks(job, chunks[done:])

        with counting(len(chunks), what) as advance:
            for result in run_job(client, function, what, remaining):
                done += 1
                yield result
                advance()

    def fold(self, reduction: Reduction[Item, Part], items: Sequence[Item], what: str) -> Total:
        """Return the total of a reduction over the values of all chunks."""
        if not items:
            return reduction.start()
        work = partial(fold_chunks, chunks=list(items), what=what)
        found: Total
        (found,) = run_job(connect(self.client), reduction, what, work)
        return found


def map_chunks(job: Job, chunks: list[Any]) -> Iterator[Any]:
    """Yield the results of a function, in the order of the chunks."""
    from dask.delayed import delayed

    task = delayed(chunk_result, pure=False)
    futures = job.client.compute([task(job.content, job.arrays, *c.values) for c in chunks])
    try:
        while futures:
            result = futures[0].result()
            del futures[0]  # so that the workers can delete the result
            yield result
    finally:
        release(futures)


def fold_chunks(job: Job, chunks: list[Any], what: str) -> Iterator[Total]:
    """Yield the total of a reduction over all chunks.

    All tasks are one graph, so that Dask joins totals before it reads further chunks.
    """
    from dask.delayed import delayed

    task, join = delayed(chunk_total, pure=False), delayed(join_totals, pure=False)
    level = leaves = [task(job.content, job.arrays, *chunk.values) for chunk in chunks]
    while len(level) > 1:
        groups = [level[start : start + JOINED] for start in range(0, len(level), JOINED)]
        level = [join(group) if len(group) > 1 else group[0] for group in groups]
    *totals, root = job.client.compute([*leaves, level[0]])
    with job.client.as_current():
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


def chunk_result(content: bytes, arrays: list[SentArray], *values: Any) -> Any:
    """Return the function of the values of a chunk."""
    with single_threaded_blas():
        return unpack(content, arrays)(values)


def chunk_total(content: bytes, arrays: list[SentArray], *values: Any) -> Total:
    """Return the total of the reduction over one chunk."""
    with single_threaded_blas():
        reduction = unpack(content, arrays)
        found: Total = reduction.start()
        reduction.add(found, reduction.part(values))
    return found


def join_totals(totals: list[Total]) -> Total:
    """Return a new total over the items of all totals."""
    return reduce(joined, totals)
