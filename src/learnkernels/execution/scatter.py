"""Tasks for other processes: a function or reduction as bytes, and the large arrays it refers to.

    pack(task)                  returns the task as bytes without its large arrays, and the arrays
    WorkerArrays().send(...)    sends arrays to all workers of a client, unless they are there
    unpack(content, arrays)     returns the task again, on a worker

Arrays are identified by a digest of their content. An array that several passes read, above all X,
is sent once; an array that was modified in place is sent again. It stays on the workers as long as
the array exists in this process.
"""

from __future__ import annotations

import io
import pickle
import weakref
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution.backends import Threads, is_backend
from learnkernels.execution.fingerprint import digest
from learnkernels.version import __version__

# Smaller arrays, in bytes, are sent with the task.
LARGE = 50_000


def pack(task: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return a task as bytes, and the large arrays that were replaced by their index."""
    from cloudpickle import Pickler

    arrays: dict[int, np.ndarray] = {}  # by id; keeps them alive, so that ids stay unique
    indices: dict[int, int] = {}

    class TaskPickler(Pickler):  # type: ignore[misc, unused-ignore]
        def persistent_id(self, value: Any) -> str | int | None:
            if is_backend(value):
                return "backend"
            if type(value) is not np.ndarray or value.nbytes < LARGE or value.dtype.hasobject:
                return None
            arrays[id(value)] = value
            return indices.setdefault(id(value), len(indices))

    stream = io.BytesIO()
    try:
        TaskPickler(stream, protocol=5).dump((__version__, task))
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InputError(
            f"a kernel or its data cannot be sent to Dask workers ({error}); expected kernels made "
            "of data and functions. Remove open files, locks and connections, or use threads."
        ) from error
    return stream.getvalue(), list(arrays.values())


def unpack(content: bytes, arrays: list[SentArray]) -> Any:
    """Return the task that `pack` converted; its backends become one thread of this process."""

    class TaskUnpickler(pickle.Unpickler):
        def persistent_load(self, index: Any) -> Any:
            return Threads(1) if index == "backend" else arrays[index].array

    version, task = TaskUnpickler(io.BytesIO(content)).load()
    if version != __version__:
        raise InputError(
            f"the Dask workers have learnkernels {__version__} and this process has {version}; "
            "install the same version on all machines."
        )
    return task


class SentArray:
    """An array that is aligned once it arrives on a worker.

    Arrays in messages are not aligned, and compiled code and BLAS are slow on unaligned arrays or
    copy them in every task.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __reduce__(self) -> tuple[Any, tuple[np.ndarray]]:
        return aligned, (self.array,)

    def __sizeof__(self) -> int:  # read by Dask
        return self.array.nbytes


def aligned(array: np.ndarray) -> SentArray:
    """Return the array as one that compiled code reads without a copy."""
    return SentArray(np.require(array, requirements=["ALIGNED", "WRITEABLE"]))


class WorkerArrays:
    """Arrays that one client has sent to its workers."""

    def __init__(self) -> None:
        self.futures: dict[str, Any] = {}  # by digest
        self.owners: dict[str, set[int]] = {}  # ids of the equal local arrays, by digest

    def send(self, client: Any, content: bytes, arrays: list[np.ndarray]) -> tuple[Any, list[Any]]:
        """Send what the workers lack to all of them; return futures of content and arrays."""
        names = [digest(array, array.flags.c_contiguous) for array in arrays]
        # Before sending, so that the deletion of an equal array does not remove a future.
        for name, array in zip(names, arrays, strict=True):
            self._keep_while_alive(name, array)
        absent = {
            name: array
            for name, array in zip(names, arrays, strict=True)
            if getattr(self.futures.get(name), "status", None) != "finished"
        }
        data = [content, *map(SentArray, absent.values())]
        first, *rest = client.scatter(data, broadcast=True, hash=False)
        self.futures.update(zip(absent, rest, strict=True))
        return first, [self.futures[name] for name in names]

    def _keep_while_alive(self, name: str, array: np.ndarray) -> None:
        owners = self.owners.setdefault(name, set())
        if id(array) not in owners:
            owners.add(id(array))
            finalizer = weakref.finalize(array, release, self.futures, self.owners, name, id(array))
            finalizer.atexit = False


def release(futures: dict[str, Any], owners: dict[str, set[int]], name: str, identity: int) -> None:
    """Remove a future when the last array with its content has been deleted."""
    alive = owners.get(name, set())
    alive.discard(identity)
    if not alive:
        owners.pop(name, None)
        futures.pop(name, None)
