"""What a task on another machine needs: a function or a sum, and the large arrays it holds.

    packed(thing)            the thing as bytes without its large arrays, and these arrays
    Sent().futures(...)      the arrays on every worker of a client, sent if they are not there
    unpacked(content, ...)   the thing again, on a worker, around the worker's arrays

Arrays are known by a digest of their content: what several passes read, X above all, travels once,
and an array that was changed in place travels again. They stay on the workers for as long as the
array lives here.
"""

from __future__ import annotations

import io
import pickle
import weakref
from functools import partial
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.backends import Threads
from learnkernels.gram.digests import digest
from learnkernels.version import __version__

__all__ = ["Held", "Sent", "packed", "unpacked"]

# Arrays of fewer bytes travel with what holds them.
LARGE = 50_000


def packed(thing: Any) -> tuple[bytes, list[np.ndarray]]:
    """A thing as bytes, and the large arrays that were left out of it, in order."""
    from cloudpickle import Pickler

    arrays: dict[int, np.ndarray] = {}  # holds them: an identity is one as long as its object lives
    places: dict[int, int] = {}

    class Packer(Pickler):
        def persistent_id(self, held):
            if all(hasattr(type(held), name) for name in ("map", "fold", "local")):
                return "backend"
            if type(held) is not np.ndarray or held.nbytes < LARGE or held.dtype.hasobject:
                return None
            arrays[id(held)] = held
            return places.setdefault(id(held), len(places))

    stream = io.BytesIO()
    try:
        Packer(stream, protocol=5).dump((__version__, thing))
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InputError(
            f"a kernel or its data cannot be sent to other processes ({error}); kernels on a Dask "
            "cluster must be made of data and functions, without open files, locks or connections."
        ) from error
    return stream.getvalue(), list(arrays.values())


def unpacked(content: bytes, arrays: list[Held]) -> Any:
    """The thing that `packed` took apart; backends inside it are one thread of this process."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, place):
            return Threads(1) if place == "backend" else arrays[place].array

    version, thing = Unpacker(io.BytesIO(content)).load()
    if version != __version__:
        raise InputError(
            f"the workers of the Dask cluster have learnkernels {__version__} and this process has "
            f"{version}; install the same version everywhere."
        )
    return thing


class Held:
    """An array on its way to a worker, where it is put in order once: messages leave it unaligned.

    Compiled code and BLAS are slow on unaligned arrays, or copy them in every task.
    """

    def __init__(self, array: np.ndarray):
        self.array = array

    def __reduce__(self):
        return held, (self.array,)

    def __sizeof__(self) -> int:
        return self.array.nbytes

    @property
    def nbytes(self) -> int:
        return self.array.nbytes


def held(array: np.ndarray) -> Held:
    return Held(np.require(array, requirements=["ALIGNED", "WRITEABLE"]))


class Sent:
    """Arrays on the workers of a client."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}  # futures by digest
        self.holders: dict[str, set[int]] = {}  # identities of the arrays here, by digest

    def futures(self, client, content: bytes, arrays: list[np.ndarray]) -> tuple[Any, list[Any]]:
        """Futures of the bytes and of the arrays; what the workers lack is sent to all of them."""
        names = [digest(array, array.flags.c_contiguous) for array in arrays]
        # First, so that no equal array that dies meanwhile takes a future along.
        for name, array in zip(names, arrays, strict=True):
            self._keep_while_alive(name, array)
        absent: dict[str, np.ndarray] = {}
        for name, array in zip(names, arrays, strict=True):
            if getattr(self.kept.get(name), "status", None) != "finished":
                absent[name] = array
        data = [content, *map(Held, absent.values())]
        first, *rest = client.scatter(data, broadcast=True, hash=False)
        self.kept.update(zip(absent, rest, strict=True))
        return first, [self.kept[name] for name in names]

    def _keep_while_alive(self, name: str, array: np.ndarray) -> None:
        holders = self.holders.setdefault(name, set())
        if id(array) not in holders:
            holders.add(id(array))
            let_go = partial(release, self.kept, self.holders, name, id(array))
            weakref.finalize(array, let_go).atexit = False


def release(kept: dict, holders: dict, name: str, identity: int) -> None:
    """Let a future go when the last array with its content has died."""
    alive = holders.get(name, set())
    alive.discard(identity)
    if not alive:
        holders.pop(name, None)
        kept.pop(name, None)
