"""All rows of a fit with a subsample, for machines that need sums over rows only; ridge from them.

The kernel, and with it the landmarks, are those of a subsample. Rows are read in parts by this
process, or in chunks by the workers of a cluster; both add up the same equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from learnkernels.execution import Backend, Threads
from learnkernels.gram import Landmarks, LearnedKernel
from learnkernels.machines.base import TrainingProblem
from learnkernels.machines.landmark_ridge import LandmarkRidge, NormalEquations, ranges_of

ONE_THREAD = Threads(1)


class AllRows(Protocol):
    """All rows of a fit.

    Attributes
    ----------
    total : float
        Sum of their weights.
    means : ndarray of shape (n_outputs,)
        Weighted means of their targets.
    """

    @property
    def total(self) -> float: ...

    @property
    def means(self) -> np.ndarray: ...

    def sums(self, landmarks: Landmarks, equations: NormalEquations) -> dict[str, np.ndarray]:
        """Return the sums over all rows, from equations without samples."""


@dataclass(frozen=True)
class RowsRead:
    """Rows that this process reads in parts.

    Attributes
    ----------
    read : callable
        Returns a range of the samples, ready for the kernels.
    Y : ndarray of shape (n_rows, n_outputs)
        Targets of all samples.
    weights : ndarray of shape (n_rows,)
    backend : Backend
        Runs the pass over all samples.
    """

    read: Callable[[slice], Any]
    Y: np.ndarray
    weights: np.ndarray
    backend: Backend

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    @property
    def means(self) -> np.ndarray:
        return np.asarray(self.weights @ self.Y / self.total)

    def sums(self, landmarks: Landmarks, equations: NormalEquations) -> dict[str, np.ndarray]:
        features = partial(read_features, landmarks.near, landmarks.T, self.read)
        task = replace(equations, features=features, Y=self.Y, weights=self.weights)
        return self.backend.fold(task, ranges_of(len(self.Y)), "normal equations")


@dataclass(frozen=True)
class RowsInChunks:
    """Rows in chunks on the workers of a cluster.

    Attributes
    ----------
    chunks : sequence
        Items of the backend.
    convert : callable
        Returns, from the values of a chunk, a function that reads a range of its samples, its
        targets of shape (n_rows, n_outputs) and its weights of shape (n_rows,).
    total, means
        As in `AllRows`.
    backend : Backend
        Runs the pass over all chunks.
    """

    chunks: Sequence[Any]
    convert: Callable[[Any], tuple[Callable[[slice], Any], np.ndarray, np.ndarray]]
    total: float
    means: np.ndarray
    backend: Backend

    def sums(self, landmarks: Landmarks, equations: NormalEquations) -> dict[str, np.ndarray]:
        task = ChunkEquations(self.convert, landmarks.near, equations)
        return self.backend.fold(task, self.chunks, "normal equations")


@dataclass(frozen=True)
class ChunkEquations:
    """Equations as a sum over chunks of samples.

    Attributes
    ----------
    convert : callable
        As in `RowsInChunks`.
    near : LearnedKernel
        As in `Landmarks`.
    equations : NormalEquations
        Without samples.
    """

    convert: Callable[[Any], tuple[Callable[[slice], Any], np.ndarray, np.ndarray]]
    near: LearnedKernel
    equations: NormalEquations

    def part(self, values: Any) -> dict[str, np.ndarray]:
        """Return the sums of one chunk."""
        read, Y, w = self.convert(values)
        features = partial(read_features, self.near, self.equations.T, read)
        task = replace(self.equations, features=features, Y=Y, weights=w)
        return ONE_THREAD.fold(task, ranges_of(len(w)), "normal equations")

    def work(self, chunk: Any) -> float:
        """Return the number of samples."""
        return float(chunk.rows)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        return self.equations.start()

    def add(self, total: dict[str, np.ndarray], part: dict[str, np.ndarray]) -> None:
        """Add sums in place."""
        self.equations.add(total, part)

    def fingerprint(self) -> str:
        """Return a digest of what the sums depend on, except for the data."""
        return self.equations.fingerprint()


@dataclass(frozen=True)
class StreamedRidge(LandmarkRidge):
    """Ridge with sums over all rows; the kernel has the rows of the subsample.

    Leave-one-out errors are those of the kernel's own samples that are not landmarks.

    Attributes
    ----------
    rows : AllRows
    """

    rows: AllRows

    def moments(self, problem: TrainingProblem) -> tuple[float, np.ndarray]:
        return self.rows.total, self.rows.means

    def sums(
        self, problem: TrainingProblem, landmarks: Landmarks, means: np.ndarray
    ) -> dict[str, np.ndarray]:
        return self.rows.sums(landmarks, NormalEquations.of_no_samples(landmarks.T, means))


def read_features(
    near: LearnedKernel, T: np.ndarray, read: Callable[[slice], Any], rows: slice
) -> np.ndarray:
    """Return features of samples that are read, shape (n_rows, rank), up to a constant each."""
    return near.cross_gram(read(rows), ONE_THREAD) @ T
