"""What a weight method is: statistics in, weights and their certificate out."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from learnkernels.gram import Statistics
from learnkernels.solvers import Certificate

__all__ = ["WeightMethod", "sum_to_one"]


class WeightMethod(BaseEstimator):
    """Base of the methods; parameters live in ``__init__``, so that ``method__q`` can be searched.

    Attributes
    ----------
    name : str
        The string that a user types.
    reads : tuple of str
        The statistics that the method reads, of ``"a"``, ``"M"`` and ``"diagonal of M"``. Kernels
        for which these are cheap (rank-one ones) need compute nothing else.
    signed : bool
        Whether weights may be negative.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[str, ...]]
    signed: ClassVar[bool] = False

    @abstractmethod
    def learn(self, statistics: Statistics) -> tuple[np.ndarray, Certificate]:
        """Weights of shape (n_kernels,) for the centered, scaled kernels, and their proof.

        Constant kernels (``statistics.constant``) get weight zero.
        """


def sum_to_one(v: np.ndarray) -> np.ndarray:
    """Non-negative v scaled to sum one; the scale of weights is the machine's business."""
    return v / v.sum()
