"""Sums over all rows of a fit with a subsample, and ridge that is trained from these sums.

The kernel, and with it the landmarks, are those of the subsample. Rows are read in parts by this
process, or in chunks by the workers of a cluster; both add up the same equations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.execution import Backend, Threads, remove_checkpoint, saved_point
from learnkernels.gram import Landmarks, LearnedKernel
from learnkernels.machines.base import TrainingProblem
from learnkernels.machines.landmark_ridge import LandmarkRidge, NormalEquations, ranges_of

ONE_THREAD = Threads(1)
# Name of a pass on a progress bar.
PASS = "normal equations"


class RowSums(ABC):
    """Sums over all rows of a fit.

    Attributes
    ----------
    backend : Backend
        Runs the passes over the rows.
    total : float
        Sum of the weights of the rows.
    means : ndarray of shape (n_outputs,)
        Weighted means of their targets.
    """

    backend: Backend
    total: float
    means: np.ndarray

    @abstractmethod
    def task(self, landmarks: Landmarks, equations: NormalEquations) -> tuple[Any, Sequence[Any]]:
        """Return a reduction and its items, from equations without samples."""

    def sums(self, landmarks: Landmarks, equations: NormalEquations) -> dict[str, np.ndarray]:
        """Return the sums over all rows, from equations without samples."""
        return self.backend.fold(*self.task(landmarks, equations), PASS)

    def saved_point(
        self, landmarks: Landmarks, equations: NormalEquations
    ) -> dict[str, np.ndarray] | None:
        """Return the point of an interrupted iteration, if the backend has a checkpoint of it."""
        return saved_point(self.backend, *self.task(landmarks, equations), PASS)

    def finish(self) -> None:
        """Remove the checkpoint of an iteration."""
        remove_checkpoint(self.backend)


class LocalRowSums(RowSums):
    """Sums over rows that this process reads in parts.

    Parameters
    ----------
    read : callable
        Returns a range of the samples, ready for the kernels.
    Y : ndarray of shape (n_rows, n_outputs)
        Targets of all samples.
    weights : ndarray of shape (n_rows,)
    backend : Backend
    """

    def __init__(
        self, read: Callable[[slice], Any], Y: np.ndarray, weights: np.ndarray, backend: Backend
    ) -> None:
        self.read, self.Y, self.weights, self.backend = read, Y, weights, backend
        self.total = float(weights.sum())
        self.means = np.asarray(weights @ Y / self.total)

    def task(self, landmarks: Landmarks, equations: NormalEquations) -> tuple[Any, Sequence[Any]]:
        values = partial(read_values, landmarks.near, self.read)
        task = replace(equations, values=values, Y=self.Y, weights=self.weights)
        return task, ranges_of(len(self.Y))


class ChunkRowSums(RowSums):
    """Sums over rows in chunks on the workers of a cluster.

    Parameters
    ----------
    chunks : sequence
        Items of the backend.
    convert : callable
        Returns, from the values of a chunk, a function that reads a range of its samples, its
        targets of shape (n_rows, n_outputs) and its weights of shape (n_rows,).
    total, means, backend
        As in `RowSums`.
    """

    def __init__(
        self, chunks: Sequence[Any],
        convert: Callable[[Any], tuple[Callable[[slice], Any], np.ndarray, np.ndarray]],
        total: float, means: np.ndarray, backend: Backend,
    ) -> None:  # fmt: skip
        self.chunks, self.convert, self.backend = chunks, convert, backend
        self.total, self.means = total, means

    def task(self, landmarks: Landmarks, equations: NormalEquations) -> tuple[Any, Sequence[Any]]:
        return ChunkEquations(self.convert, landmarks.near, equations), self.chunks


@dataclass(frozen=True)
class ChunkEquations:
    """Equations as a sum over chunks of samples.

    Attributes
    ----------
    convert : callable
        As in `ChunkRowSums`.
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
        values_at = partial(read_values, self.near, read)
        task = replace(self.equations, values=values_at, Y=Y, weights=w)
        return ONE_THREAD.fold(task, ranges_of(len(w)), PASS)

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
        """Return a digest of what the sums depend on, except for the data and the point."""
        return self.equations.fingerprint()

    def point(self) -> dict[str, np.ndarray]:
        """Return the point at which the sums are computed."""
        return self.equations.point()

    def check_point(self, point: dict[str, np.ndarray]) -> None:
        """Raise ValueError unless arrays are a point of this iteration."""
        self.equations.check_point(point)


@dataclass(frozen=True)
class StreamedRidge(LandmarkRidge):
    """Ridge with sums over all rows; the kernel has the rows of the subsample.

    Leave-one-out errors are those of the kernel's own samples that are not landmarks.

    Attributes
    ----------
    rows : RowSums
    """

    rows: RowSums

    def moments(self, problem: TrainingProblem) -> tuple[float, np.ndarray]:
        return self.rows.total, self.rows.means

    def sums(
        self, problem: TrainingProblem, landmarks: Landmarks, means: np.ndarray
    ) -> dict[str, np.ndarray]:
        return self.rows.sums(landmarks, NormalEquations.of_no_samples(landmarks.T, means))


def read_values(near: LearnedKernel, read: Callable[[slice], Any], rows: slice) -> np.ndarray:
    """Return values of samples that are read at the landmarks, shape (n_rows, n_landmarks)."""
    return near.cross_gram(read(rows), ONE_THREAD)
