"""Gram matrices given by the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.kernels.base import Kernel


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The matrix ``X[:, :, index]`` of a stack of shape (n_samples, n_samples_train, n_kernels).

    Parameters
    ----------
    index : int
        Position on the last axis of the stack.
    """

    index: int

    semidefinite = False

    @property
    def name(self) -> str:
        return f"precomputed[{self.index}]"

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        return np.asarray(X)[:, :, self.index]

    def diagonal(self, X: Any) -> np.ndarray:
        raise InputError(
            'normalize="cosine" needs k(x, x) of new samples, which a precomputed stack does not '
            'contain; scale the matrices to unit diagonal yourself and use normalize="trace".'
        )
