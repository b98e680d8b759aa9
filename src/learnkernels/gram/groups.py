"""Kernels that share a representation of the samples, and how their values on a tile come about.

A group knows how to *prepare* samples once (shift, norms, an index into a stack) and how to give
its *values* on a tile of two prepared sets of samples. `coded`, `stored`, `sequences` and `neutral`
hold the groups there are. Kernels held by factors are no groups: see `factors`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["Group"]


@dataclass(frozen=True)
class Group(ABC):
    """Some of the base kernels, and the samples as they want them.

    Attributes
    ----------
    kernels : tuple of Kernel
        The members, in the order of `values`.
    positions : ndarray of shape (n_members,)
        Their places in the user's list.
    """

    kernels: tuple[Any, ...]
    positions: np.ndarray

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Samples in the form that `values` wants.

        They have a length, ``take(index)``, and ``as_columns()``: themselves without what only
        serves a Gram among them.
        """

    @abstractmethod
    def values(self, left: Any, right: Any, rows: slice, columns: slice) -> np.ndarray:
        """Values of the members on a tile, shape (n_members, rows, columns)."""

    @abstractmethod
    def diagonal(self, samples: Any) -> np.ndarray:
        """Values of the members of each sample with itself, shape (n_members, n_samples)."""

    def require_samples(self, samples: Any) -> None:
        """Raise ValueError unless samples, perhaps of a forged file, have shapes to count on.

        Where NumPy evaluates the members, it looks by itself.
        """
        return

    def keep(self, mask: np.ndarray) -> Group:
        """The group of some of the members, `mask` in the user's order."""
        chosen = mask[self.positions]
        kernels = tuple(kernel for kernel, kept in zip(self.kernels, chosen, strict=True) if kept)
        return replace(self, kernels=kernels, positions=self.positions[chosen])
