"""Checkpoints: save the total of a long pass to a file, so that an interrupted pass can continue.

The file is an .npz archive without pickled objects. It contains a digest of everything the total
depends on. A file of other data, other kernels or another version is refused, and it is never
overwritten. The file is removed when the pass is complete.

An iteration repeats a pass at other points. Its file also contains the point of the last pass, from
which another process can continue, and stays until `remove_checkpoint`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.execution.backends import Backend, Reduction, Total, joined
from learnkernels.execution.fingerprint import digest
from learnkernels.files import replacing
from learnkernels.progress import counting

Item = TypeVar("Item")
Result = TypeVar("Result")
Part = TypeVar("Part")
# Prefix of the names of a point's arrays in the file.
POINT = "point "
# A group of items takes this share of the work, or this many seconds if that is longer. The file is
# written between groups.
SHARE = 0.02
SECONDS = 5.0


@runtime_checkable
class SavableReduction(Protocol):
    """Methods of a reduction, besides those of `Reduction`, that a checkpoint needs."""

    def fingerprint(self) -> str:
        """Return a digest of what the total depends on, except for the data."""


@runtime_checkable
class RepeatedReduction(SavableReduction, Protocol):
    """A reduction that an iteration repeats at other points; they are not in its fingerprint."""

    def point(self) -> Total:
        """Return the arrays of the point at which the total is computed; none for a single pass."""

    def check_point(self, point: Total) -> None:
        """Raise ValueError unless arrays are a point of this iteration."""


@dataclass(frozen=True)
class Checkpointed:
    """Backend wrapper that saves totals to a file and continues from it.

    Reductions that are not a `SavableReduction` run on the wrapped backend without a checkpoint.

    Parameters
    ----------
    backend : Backend
        The backend that runs the tasks.
    path : path-like
        The file.
    data : str
        A digest of the data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import learnkernels as lk
    >>> from learnkernels.execution.checkpoint import Checkpointed
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     backend = Checkpointed(lk.Threads(), pathlib.Path(folder, "iris.npz"), "iris")
    ...     statistics = lk.alignment_statistics("linear", X, y, backend=backend)
    >>> statistics.alignments().round(2)
    array([0.66])
    """

    backend: Backend
    path: str | os.PathLike[str]
    data: str

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        what: str,
        local: bool = False,
    ) -> Iterator[Result]:
        """Yield the function of every item, in order; nothing is saved."""
        return self.backend.map(function, items, what, local)

    def fold(self, reduction: Reduction[Item, Part], items: Sequence[Item], what: str) -> Total:
        """Return the total of a reduction; continue from the file if it exists."""
        if not isinstance(reduction, SavableReduction):
            return self.backend.fold(reduction, items, what)
        file = self.file(reduction, items, what)
        work = np.cumsum([reduction.work(item) for item in items])
        total: Total
        total, done = file.read(len(items))
        if file.point and not done:
            file.write({}, 0)
        saved, last = done, time.monotonic()
        share = SHARE * work[-1]
        try:
            with counting(len(items), what, done) as advance:
                while done < len(items):
                    stop = end_of_group(work, done, share)
                    start = time.monotonic()
                    part = self.backend.fold(reduction, items[done:stop], what)
                    seconds = max(time.monotonic() - start, 1e-9)
                    speed = (work[stop - 1] - work_before(work, done)) / seconds
                    share = max(SHARE * work[-1], SECONDS * speed)
                    # Assign both together, so that an interrupt cannot leave them inconsistent.
                    total, done, count = joined(total, part), stop, stop - done
                    for _ in range(count):
                        advance()
                    if done < len(items) and time.monotonic() - last >= SECONDS:
                        file.write(total, done)
                        saved, last = done, time.monotonic()
        except BaseException as error:
            if saved < done < len(items):
                file.write(total, done)
            if (done or file.point) and isinstance(error, InputError | KeyboardInterrupt):
                kind = InputError if isinstance(error, InputError) else KeyboardInterrupt
                some = f"total over the first {done} of {len(items)} ranges of rows"
                text = (
                    f"{error} The {some if done else 'point of this pass'} is saved in "
                    f"{str(self.path)!r}; repeat the call to continue from there."
                )
                raise kind(text.lstrip()) from error
            raise
        if not file.point:
            file.path.unlink(missing_ok=True)
        return total

    def file(self, reduction: SavableReduction, items: Sequence[Any], what: str) -> CheckpointFile:
        """Return the file of a pass."""
        fingerprint = digest(self.data, reduction.fingerprint(), what, list(items))
        point = reduction.point() if isinstance(reduction, RepeatedReduction) else {}
        return CheckpointFile(Path(self.path), fingerprint, reduction, point)


def saved_point(
    backend: Backend, reduction: RepeatedReduction, items: Sequence[Any], what: str
) -> Total | None:
    """Return the point of the last pass of an interrupted iteration; None without a checkpoint."""
    if not isinstance(backend, Checkpointed):
        return None
    return backend.file(reduction, items, what).saved_point()


def remove_checkpoint(backend: Backend) -> None:
    """Remove the file of an iteration, if the backend has a checkpoint."""
    if isinstance(backend, Checkpointed):
        Path(backend.path).unlink(missing_ok=True)


def saving_backend(backend: Backend, path: Any, *data: Any) -> Backend:
    """Return a backend that saves totals of these data to a file; the same one without a path."""
    if path is None:
        return backend
    return Checkpointed(backend, checkpoint_path(path), digest(*data))


def checkpoint_path(path: Any) -> Path:
    """Return the path of a checkpoint; raise if it cannot be one, or is another file."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise InputError(f"checkpoint={path!r}; expected the path of a file, or None.")
    with as_input_error("checkpoint: "):
        file = Path(os.fsdecode(os.fsencode(path)))
    if file.is_dir():
        raise InputError(f"checkpoint={str(file)!r} is a folder; pass the path of a file.")
    if not file.parent.is_dir():
        raise InputError(
            f"checkpoint={str(file)!r}: the folder {str(file.parent)!r} does not exist; create it, "
            "or choose another file."
        )
    if file.exists():
        read_arrays(file, names=["done"])
    return file


def read_arrays(path: Path, names: list[str] | None = None) -> dict[str, Any]:
    """Return arrays of a checkpoint, all by default; raise if the file is none, or is damaged."""
    try:
        with np.load(path, allow_pickle=False) as content:
            if not {"fingerprint", "done"} <= set(content.files):
                raise ValueError("it has other arrays than a checkpoint")
            arrays = {name: content[name] for name in names or content.files}
            int(arrays["done"])  # raises if it is not one number
            return arrays
    except MemoryError:
        raise
    except PermissionError as error:
        raise InputError(
            f"{str(path)!r} cannot be read: permission denied. Allow reading it, or choose another "
            "file."
        ) from error
    except Exception as error:  # a damaged archive raises errors of many types
        raise InputError(
            f"{str(path)!r} is not a checkpoint, or it is damaged; delete it to start again, or "
            "choose another file."
        ) from error


def end_of_group(work: np.ndarray, done: int, share: float) -> int:
    """Return the end of the group of items that begins at `done` and has this much work."""
    reached = int(np.searchsorted(work, work_before(work, done) + share))
    return min(max(reached, done + 1), len(work))


def work_before(work: np.ndarray, done: int) -> float:
    """Return the work of the first items, from the cumulative sum over all."""
    return float(work[done - 1]) if done else 0.0


def require_arrays(arrays: Total, expected: Total) -> None:
    """Raise ValueError unless arrays have the names, shapes and types of others."""
    if arrays.keys() != expected.keys():
        raise ValueError("its arrays are not those of this pass")
    for name, array in expected.items():
        if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            raise ValueError(f"array {name!r} has another shape or type than in this pass")


@dataclass(frozen=True)
class CheckpointFile:
    """The file of one pass.

    Attributes
    ----------
    path : Path
    fingerprint : str
        A digest of everything the total depends on, except for the point.
    reduction : Reduction and SavableReduction
    point : dict of str to ndarray
        The point at which the total is computed, empty for a single pass.
    """

    path: Path
    fingerprint: str
    reduction: Any
    point: Total

    def read(self, n_items: int) -> tuple[Any, int]:
        """Return the total and the number of items in it; zero items if there is no file.

        The file of another pass of the same iteration has no items of this one.
        """
        if not self.path.exists():
            return self.reduction.start(), 0
        arrays, point, done = self.content()
        if any(not np.array_equal(point[name], self.point[name]) for name in point):
            return self.reduction.start(), 0
        try:
            if not (0 if self.point else 1) <= done < n_items:
                raise ValueError(f"it contains {done} of {n_items} ranges of rows")
            if done:
                require_arrays(arrays, self.reduction.start())
        except ValueError as error:
            raise self.damaged(error) from error
        return (arrays if done else self.reduction.start()), done

    def saved_point(self) -> Total | None:
        """Return the point in the file, None if there is no file."""
        return self.content()[1] if self.path.exists() else None

    def content(self) -> tuple[Total, Total, int]:
        """Return the arrays of the total, those of the point, and the number of items."""
        arrays = read_arrays(self.path)
        fingerprint, done = str(arrays.pop("fingerprint")), int(arrays.pop("done"))
        if fingerprint != self.fingerprint:
            raise InputError(
                f"the checkpoint {str(self.path)!r} belongs to another pass: other data, kernels, "
                "target, weights or version of learnkernels. Choose another file, or delete this "
                "one to start again."
            )
        of_point = [name for name in arrays if name.startswith(POINT)]
        point = {name.removeprefix(POINT): arrays.pop(name) for name in of_point}
        try:
            if isinstance(self.reduction, RepeatedReduction):
                self.reduction.check_point(point)
            else:
                require_arrays(point, self.point)
        except ValueError as error:
            raise self.damaged(error) from error
        return arrays, point, done

    def damaged(self, error: ValueError) -> InputError:
        """Return the error for a file with other content than it should have."""
        return InputError(
            f"the checkpoint {str(self.path)!r} is damaged ({error}); delete it to start again."
        )

    def write(self, total: Any, done: int) -> None:
        """Replace the file, as a whole or not at all."""
        arrays: Any = total | {POINT + name: values for name, values in self.point.items()}
        with replacing(self.path) as stream:
            np.savez(stream, fingerprint=np.array(self.fingerprint), done=np.array(done),
                     **arrays)  # fmt: skip
