"""Kernels of low rank: blocks of columns, and approximations of other kernels by such blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import is_several, random_generator, require_choice, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.features import FactorKernel
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.resolve import expand
from learnkernels.kernels.sources import On, Source
from learnkernels.kernels.views import View

APPROXIMATIONS = ("nystroem", "random")


@dataclass(frozen=True)
class AllColumns(Family):
    """All columns as one block."""

    takes = "numbers"

    def members(self, data: TrainingData) -> list[Kernel]:
        return [FactorKernel(0, data.X.shape[1], "low_rank")]


@dataclass(frozen=True)
class LowRank(Family):
    """A kernel for each group of columns; see `low_rank`."""

    blocks: tuple[Any, ...]

    takes = "table"

    def members(self, data: TrainingData) -> list[Kernel]:
        views = [View(block, AllColumns()) for block in self.blocks]
        sources = [view.source(data) for view in views]
        groups = [source.columns for source in sources if source.columns is not None]
        positions = [position for columns in groups for position in columns.positions]
        disjoint = len(set(positions)) == len(positions)
        text = any(columns.text for columns in groups)
        if data.missing != "error" or not disjoint or text or not groups:
            return [kernel for view in views for kernel in view.members(data)]
        # Read all columns at once: each kernel is a block of the joint matrix.
        names = tuple(name for columns in groups for name in columns.names or ()) or None
        joint = Source(replace(groups[0], positions=tuple(positions), names=names, view="blocks"))
        kernels: list[Kernel] = []
        start = 0
        for columns in groups:
            width = len(columns.positions)
            kernels.append(On(joint, FactorKernel(start, width, "low_rank"), columns.view))
            start += width
        return kernels


@dataclass(frozen=True)
class Approximated(Family):
    """Other kernels, approximated by blocks of a given rank; see `low_rank`."""

    kernels: Any
    rank: int
    approximation: str
    random_state: Any

    def members(self, data: TrainingData) -> list[Kernel]:
        random = random_generator(self.random_state)
        candidates = data.X if data.weights is None else data.X[np.flatnonzero(data.weights)]
        found: list[Kernel] = []
        for kernel in expand(self.kernels, data):
            if self.approximation == "random":
                step: Any = RandomMap.of(kernel, data.X, self.rank, random)
            else:
                step = NystroemMap.of(kernel, candidates, self.rank, random)
            block = FactorKernel(0, step.rank, f"{kernel.name} rank {step.rank}")
            found.append(On(Source(maps=(step,)), block))
        return found


@dataclass(frozen=True)
class NystroemMap:
    """The feature map ``b(x) = k(x, Z) V``, where ``b(x)'b(z) = k(x, z)`` for the landmarks Z.

    Attributes
    ----------
    kernel : Kernel
        Kernel to approximate.
    landmarks : array, CSR matrix or strings
        Some training samples.
    V : ndarray of shape (n_landmarks, rank)
        ``K(Z, Z)^(-1/2)`` on the eigenvectors with positive eigenvalues.
    """

    kernel: Kernel
    landmarks: Any
    V: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, X: Any, rank: int, random: np.random.RandomState) -> NystroemMap:
        """Return the map with `rank` random rows of X as landmarks."""
        chosen = np.sort(random.choice(X.shape[0], min(rank, X.shape[0]), replace=False))
        landmarks = X[chosen]
        eigenvalues, U = np.linalg.eigh(np.asarray(kernel(landmarks, landmarks), dtype=float))
        positive = eigenvalues > 1e-12 * eigenvalues[-1]
        if not positive.any():
            raise InputError(
                f"kernel {kernel.name!r} is zero on {len(chosen)} random samples and cannot be "
                "approximated; use a higher rank or another kernel."
            )
        return cls(kernel, landmarks, U[:, positive] / np.sqrt(eigenvalues[positive]))

    @property
    def rank(self) -> int:
        return int(self.V.shape[1])

    def __call__(self, X: Any) -> np.ndarray:
        if X.shape[0] == 0:
            return np.empty((0, self.rank))
        return np.asarray(self.kernel(X, self.landmarks) @ self.V)


@dataclass(frozen=True)
class RandomMap:
    """Random Fourier features ``b(x) = sqrt(2 / rank) cos(x'frequencies + phases)``.

    Attributes
    ----------
    frequencies : ndarray of shape (n_features, rank)
        Drawn from the spectral density of the kernel: normal for a Gaussian, Cauchy for a
        Laplacian.
    phases : ndarray of shape (rank,)
    """

    frequencies: np.ndarray
    phases: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, X: Any, rank: int, random: np.random.RandomState) -> RandomMap:
        """Draw the frequencies and phases for a kernel on the columns of X."""
        if isinstance(kernel, Gaussian):
            normal = random.standard_normal((X.shape[1], rank))
            frequencies = np.sqrt(2 * kernel.gamma) * normal
        elif isinstance(kernel, Laplacian):
            frequencies = kernel.gamma * random.standard_cauchy((X.shape[1], rank))
        else:
            raise InputError(
                f"random features exist here for Gaussian and Laplacian kernels, not for "
                f"{kernel.name!r}; use approximation='nystroem', which takes any kernel."
            )
        return cls(frequencies, 2 * np.pi * random.uniform(size=rank))

    @property
    def rank(self) -> int:
        return len(self.phases)

    def __call__(self, X: Any) -> np.ndarray:
        projected = X @ self.frequencies
        if sparse.issparse(projected):
            projected = projected.toarray()
        return np.asarray(np.sqrt(2 / self.rank) * np.cos(projected + self.phases))


def low_rank(
    blocks: Any,
    rank: int | None = None,
    *,
    approximation: str = "nystroem",
    random_state: Any = 0,
) -> Family:
    """Return kernels of low rank ``B_k B_k'``, whose cost is linear in the number of samples.

    Parameters
    ----------
    blocks : list
        Without `rank`, groups of columns as in `on`: each becomes the kernel ``B_k B_k'`` of its
        columns. With `rank`, the kernels to approximate, as in `KernelClassifier` (a family, a
        kernel, a list).
    rank : int or None, default=None
        Number of columns of the block that approximates each kernel.
    approximation : {"nystroem", "random"}, default="nystroem"
        Approximation of a kernel by a block: by its values at `rank` random training samples (any
        kernel), or by random Fourier features (Gaussians and Laplacians).
    random_state : int, RandomState or None, default=0
        Seed for the choice of samples or frequencies.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> groups = lk.low_rank([["age", "sex"], ["bmi", "bp"], "s"])
    >>> list(lk.KernelRegressor(kernels=groups).fit(X, y).kernel_names_)
    ['age+sex: low_rank', 'bmi+bp: low_rank', 's: low_rank']
    >>> cheap = lk.low_rank(lk.gaussians([1.0, 10.0]), rank=50)
    >>> list(lk.KernelRegressor(kernels=cheap).fit(X, y).kernel_names_)
    ['gaussian(2^0) rank 50', 'gaussian(10) rank 50']
    """
    require_choice("approximation", approximation, APPROXIMATIONS)
    if rank is None:
        if isinstance(blocks, (str, Family)) or not is_several(blocks):
            raise InputError(
                f"low_rank() got {blocks!r}; without rank= it takes a list of groups of columns, "
                "with rank= the kernels to approximate. Pass a list, or set rank."
            )
        return LowRank(tuple(blocks))
    require_whole("low_rank()", "rank", rank, 1)
    return Approximated(blocks, int(rank), approximation, random_state)
