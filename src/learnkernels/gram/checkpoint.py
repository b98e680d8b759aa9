"""Long passes that can be stopped: the sum so far stands in a file, and the next call goes on.

The file is an .npz without pickled objects. It names what the sum depends on by a digest, so that a
file of other data, other kernels or another version is never taken for this pass; and it is never
overwritten, since somebody may want it. A pass that has come to its end removes its file.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.files import replacing
from learnkernels.gram.backends import Backend
from learnkernels.gram.digests import digest
from learnkernels.progress import SILENT

__all__ = ["Checkpointed"]

# The pass stops for the file after this part of its work, or after this time if that is longer.
SHARE = 0.02
SECONDS = 5.0


@dataclass(frozen=True)
class Checkpointed:
    """A backend whose sums can be stopped and gone on with.

    Parameters
    ----------
    backend : Backend
        Where the work runs.
    path : path-like
        Where the sum so far is kept.
    data : str
        A digest of the data that is summed over.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import learnkernels as lk
    >>> from learnkernels.gram.checkpoint import Checkpointed
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     backend = Checkpointed(lk.Threads(), pathlib.Path(folder, "iris.npz"), "iris")
    ...     statistics = lk.alignment_statistics("linear", X, y, backend=backend)
    >>> statistics.alignments().round(2)
    array([0.66])
    """

    backend: Backend
    path: str | os.PathLike
    data: str

    def map(self, function, items, what):
        return self.backend.map(function, items, what)

    @property
    def local(self):
        return self.backend.local

    def fold(self, sum, items, what, progress=SILENT):
        file = File(Path(self.path), digest(self.data, sum.fingerprint(), what, list(items)))
        work = np.cumsum([sum.work(item) for item in items])
        total, done = file.read(sum, len(items))
        saved, last = done, time.monotonic()
        share = SHARE * work[-1]
        try:
            with progress.counting(len(items), what, done) as advance:
                while done < len(items):
                    stop = end_of_group(work, done, share)
                    start = time.monotonic()
                    part = self.backend.fold(sum, items[done:stop], what)
                    seconds = max(time.monotonic() - start, 1e-9)
                    speed = (work[stop - 1] - work_until(work, done)) / seconds
                    share = max(SHARE * work[-1], SECONDS * speed)
                    # One assignment: whoever stops us finds a total that fits its count.
                    total, done, count = joined(sum, total, part), stop, stop - done
                    for _ in range(count):
                        advance()
                    if done < len(items) and time.monotonic() - last >= SECONDS:
                        file.write(sum, total, done)
                        saved, last = done, time.monotonic()
        except BaseException as error:
            if saved < done < len(items):
                file.write(sum, total, done)
            if done and isinstance(error, InputError):
                raise InputError(
                    f"{error} The sum over the first {done} of {len(items)} ranges of rows is kept "
                    f"in {str(self.path)!r}; the same call goes on from there."
                ) from error
            raise
        file.remove()
        return total


def end_of_group(work: np.ndarray, done: int, share: float) -> int:
    """Where the group of items that begins at `done` ends, with about this share of the work."""
    reached = int(np.searchsorted(work, work_until(work, done) + share))
    return min(max(reached, done + 1), len(work))


def work_until(work: np.ndarray, done: int) -> float:
    return float(work[done - 1]) if done else 0.0


def joined(sum, total: Any, part: Any) -> Any:
    """Both totals in one, the given ones untouched."""
    found = sum.start()
    sum.join(found, total)
    sum.join(found, part)
    return found


@dataclass(frozen=True)
class File:
    """The file of one pass.

    Attributes
    ----------
    path : Path
    fingerprint : str
        Of the pass.
    """

    path: Path
    fingerprint: str

    def read(self, sum, n_items: int) -> tuple[Any, int]:
        """The total so far and the number of items in it; the file is checked, or not there."""
        if not self.path.parent.is_dir():
            raise InputError(
                f"checkpoint={str(self.path)!r}: there is no folder {str(self.path.parent)!r}."
            )
        if not self.path.exists():
            return sum.start(), 0
        try:
            with np.load(self.path, allow_pickle=False) as content:
                arrays = {name: content[name] for name in content.files}
            fingerprint, done = str(arrays.pop("fingerprint")), int(arrays.pop("done"))
        except Exception as error:  # whatever a damaged archive makes its reader stumble over
            raise InputError(
                f"{str(self.path)!r} is not a checkpoint, or it is damaged ({error}); delete it to "
                "begin anew, or give another file."
            ) from error
        if fingerprint != self.fingerprint:
            raise InputError(
                f"the checkpoint {str(self.path)!r} belongs to another pass: other data, kernels, "
                "target, weights or version of learnkernels; give another file, or delete this one "
                "to begin anew."
            )
        try:
            if not 0 < done < n_items:
                raise ValueError(f"it counts {done} of {n_items} ranges of rows")
            return sum.restored(arrays), done
        except ValueError as error:
            raise InputError(
                f"the checkpoint {str(self.path)!r} is damaged ({error}); delete it to begin anew."
            ) from error

    def write(self, sum, total: Any, done: int) -> None:
        """Keep a total: the file is complete or as it was."""
        with replacing(self.path) as stream:
            np.savez(stream, fingerprint=np.array(self.fingerprint), done=np.array(done),
                     **sum.arrays(total))  # fmt: skip

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
