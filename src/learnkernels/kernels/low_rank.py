"""Kernels of low rank: blocks of columns, and approximations of other kernels by such blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import is_several, random_generator, require_choice, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.base import Kernel
from learnkernels.kernels.families import Family, Training, require_matrix
from learnkernels.kernels.features import Block
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.sources import On, Source
from learnkernels.kernels.views import View

__all__ = ["NystroemMap", "RandomMap", "low_rank"]

APPROXIMATIONS = ("nystroem", "random")


@dataclass(frozen=True)
class AllColumns(Family):
    """All columns as one kernel known by its factor."""

    def members(self, data: Training):
        require_matrix(data.X, "low_rank()")
        return [Block(0, data.X.shape[1], "low_rank")]


@dataclass(frozen=True)
class LowRank(Family):
    """A kernel for each group of columns; see `low_rank`."""

    blocks: tuple[Any, ...]

    def members(self, data: Training):
        views = [View(block, AllColumns()) for block in self.blocks]
        sources = [view.source(data) for view in views]
        chosen = [source.columns for source in sources if source.columns is not None]
        positions = [at for columns in chosen for at in columns.positions]
        apart = len(set(positions)) == len(positions) and not any(one.text for one in chosen)
        if data.missing != "error" or not apart or not chosen:
            return [kernel for view in views for kernel in view.members(data)]
        # One reading of all columns: the blocks stand side by side in one matrix.
        names = tuple(name for one in chosen for name in one.names or ()) or None
        whole = Source(replace(chosen[0], positions=tuple(positions), names=names, view="blocks"))
        kernels, start = [], 0
        for columns in chosen:
            width = len(columns.positions)
            kernels.append(On(whole, Block(start, width, "low_rank"), columns.view))
            start += width
        return kernels


@dataclass(frozen=True)
class Approximated(Family):
    """Other kernels by blocks of given rank; see `low_rank`."""

    kernels: Any
    rank: int
    approximation: str
    random_state: Any

    def members(self, data: Training):
        random = random_generator(self.random_state)
        found = []
        counted = data.X if data.weights is None else data.X[np.flatnonzero(data.weights)]
        for kernel in data.resolve(self.kernels, data):
            if self.approximation == "random":
                step: Any = RandomMap.of(kernel, data.X, self.rank, random)
            else:
                step = NystroemMap.of(kernel, counted, self.rank, random)
            block = Block(0, step.rank, f"{kernel.name} rank {step.rank}")
            found.append(On(Source(maps=(step,)), block))
        return found


@dataclass(frozen=True)
class NystroemMap:
    """``b(x) = k(x, Z) V`` with V such that ``b(x)'b(z) = k(x, z)`` for the landmarks Z.

    Attributes
    ----------
    kernel : Kernel
    landmarks : array, CSR matrix or strings
        Some training samples.
    V : ndarray of shape (n_landmarks, rank)
        ``K(Z, Z)^(-1/2)`` on the directions that are not zero.
    """

    kernel: Kernel
    landmarks: Any
    V: np.ndarray

    @classmethod
    def of(cls, kernel, X, rank: int, random) -> NystroemMap:
        chosen = np.sort(random.choice(X.shape[0], min(rank, X.shape[0]), replace=False))
        landmarks = X[chosen]
        eigenvalues, U = np.linalg.eigh(np.asarray(kernel(landmarks, landmarks), dtype=float))
        good = eigenvalues > 1e-12 * eigenvalues[-1]
        if not good.any():
            raise InputError(
                f"kernel {kernel.name!r} is zero on {len(chosen)} samples, so there is nothing to "
                "approximate; use a higher rank or another kernel."
            )
        return cls(kernel, landmarks, U[:, good] / np.sqrt(eigenvalues[good]))

    @property
    def rank(self) -> int:
        return self.V.shape[1]

    def __call__(self, X) -> np.ndarray:
        if X.shape[0] == 0:
            return np.empty((0, self.rank))
        return self.kernel(X, self.landmarks) @ self.V


@dataclass(frozen=True)
class RandomMap:
    """``b(x) = sqrt(2 / r) cos(x'frequencies + phases)``: random Fourier features.

    Attributes
    ----------
    frequencies : ndarray of shape (n_features, rank)
        Drawn from the kernel's spectral density: normal for a Gaussian, Cauchy for a Laplacian.
    phases : ndarray of shape (rank,)
    """

    frequencies: np.ndarray
    phases: np.ndarray

    @classmethod
    def of(cls, kernel, X, rank: int, random) -> RandomMap:
        require_matrix(X, "low_rank()")
        shape = X.shape[1], rank
        if isinstance(kernel, Gaussian):
            frequencies = np.sqrt(2 * kernel.gamma) * random.standard_normal(shape)
        elif isinstance(kernel, Laplacian):
            frequencies = kernel.gamma * random.standard_cauchy(shape)
        else:
            raise InputError(
                f"random features exist here for Gaussian and Laplacian kernels, not for "
                f"{kernel.name!r}; use approximation='nystroem', which takes any kernel."
            )
        return cls(frequencies, 2 * np.pi * random.uniform(size=rank))

    @property
    def rank(self) -> int:
        return len(self.phases)

    def __call__(self, X) -> np.ndarray:
        projected = X @ self.frequencies
        if sparse.issparse(projected):
            projected = projected.toarray()
        return np.sqrt(2 / self.rank) * np.cos(projected + self.phases)


def low_rank(
    blocks, rank: int | None = None, *, approximation: str = "nystroem", random_state=0
) -> Family:
    """Kernels of low rank ``B_k B_k'``, at a price that grows with the rank and not with n^2.

    Parameters
    ----------
    blocks : list
        Without `rank`, groups of columns as in `on`: each becomes the kernel ``B_k B_k'`` of its
        columns. With `rank`, the kernels to approximate, as in `KernelClassifier` (a family, a
        kernel, a list).
    rank : int or None, default=None
        Columns of the block that stands for each kernel.
    approximation : {"nystroem", "random"}, default="nystroem"
        How a kernel becomes a block: by its values at `rank` random training samples (any kernel),
        or by random Fourier features (Gaussians and Laplacians).
    random_state : int, RandomState or None, default=0
        Chooses the samples or the frequencies.

    Returns
    -------
    Family
        To be given as ``kernels=``, alone or in a list.

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
        if isinstance(blocks, (str, Kernel, Family)) or not is_several(blocks):
            raise InputError(
                f"low_rank() got {blocks!r}; without rank= it takes a list of groups of columns, "
                "with rank= the kernels to approximate."
            )
        return LowRank(tuple(blocks))
    require_whole("low_rank()", "rank", rank, 1)
    return Approximated(blocks, int(rank), approximation, random_state)
