"""Kernels that share one representation of the samples.

A group *prepares* samples once (shift, norms, an index into a stack) and computes the *values* of
its kernels on a tile of two prepared sets of samples. `compiled`, `stored`, `sequences` and
`missing` define the groups. Kernels held as factors are not groups: see `gram.factors`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from learnkernels.gram.tiles.leaves import Tile


class Tiled(Protocol):
    """Kernels on row samples and column samples, as passes read them (see `TileKernels`)."""

    @property
    def index(self) -> np.ndarray: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def units(self) -> np.ndarray: ...

    @property
    def shape(self) -> tuple[int, int]: ...

    def tile(self, rows: slice, columns: slice) -> Tile: ...

    def diagonal(self) -> np.ndarray: ...

    def take(self, index: np.ndarray) -> Self: ...

    def keep(self, mask: np.ndarray) -> Self: ...

    def facing(self, other: Any) -> Self: ...

    def against(self, X: Any) -> Self: ...

    def as_columns(self) -> Self: ...


@dataclass(frozen=True)
class Group(ABC):
    """Some of the base kernels, evaluated together.

    Attributes
    ----------
    kernels : tuple of Kernel
        The members, in the order of `values`.
    stores_grams : bool
        Whether `without_grams` returns the group without Gram matrices, for prediction.
    """

    kernels: tuple[Any, ...]

    stores_grams: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, X: Any, observed: np.ndarray | None = None) -> Any:
        """Return samples in the form that `values` reads.

        They have a length, ``take(index)``, and ``as_columns()``, which drops Gram matrices among
        the samples themselves.

        Parameters
        ----------
        X
            What the source of the kernels gives: the observed samples only.
        observed : ndarray of bool of shape (n_samples,) or None
            Which samples these are; None means all.
        """

    @abstractmethod
    def values(self, left: Any, right: Any, rows: slice, columns: slice) -> np.ndarray:
        """Return the values of the members on a tile, shape (n_members, rows, columns)."""

    @abstractmethod
    def diagonal(self, samples: Any) -> np.ndarray:
        """Return k(x, x) of the members for each sample, shape (n_members, n_samples)."""

    def keep(self, mask: np.ndarray) -> Self:
        """Return the group of some members."""
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, mask, strict=True) if kept)
        return replace(self, kernels=kernels)

    def without_grams(self) -> Self:
        """Return the group without Gram matrices, for prediction; see `stores_grams`."""
        return self
