"""What a weight method is: evidence in, weights and their certificate out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from learnkernels.checks import is_number
from learnkernels.errors import InputError
from learnkernels.gram import Oracle, Statistics
from learnkernels.machines import Machine
from learnkernels.progress import Say, silent
from learnkernels.solvers import Certificate

__all__ = [
    "Evidence",
    "WeightMethod",
    "class_codes",
    "require",
    "require_stop",
    "sum_to_one",
]


@dataclass(frozen=True)
class Evidence:
    """What weights may be learned from: centered, scaled base kernels and a target.

    Attributes
    ----------
    statistics : Statistics
        All that two-stage methods read.
    oracle : Oracle
        Combinations of, and products with, the base Gram matrices, for one-stage methods.
    Y : ndarray of shape (n_samples, n_outputs)
        What the machine will be trained on: labels -1 and 1, or real targets.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    task : {"classification", "regression"}
    C, alpha : float
        Regularisation; ``alpha = 1 / (2 C)``.
    machine : Machine
        The second stage, for methods that try it.
    setting : float
        The regularisation in the machine's own terms.
    kept : ndarray of bool of shape (n_given,)
        Which of the user's kernels these are: constant ones have been taken out.
    say : callable
        Told how far the method is.
    """

    statistics: Statistics
    oracle: Oracle
    Y: np.ndarray
    weights: np.ndarray
    task: str
    C: float
    alpha: float
    machine: Machine
    setting: float
    kept: np.ndarray
    say: Say = silent


class WeightMethod(BaseEstimator):
    """Base of the methods; parameters live in ``__init__``, so that ``method__q`` can be searched.

    Attributes
    ----------
    name : str
        The string that a user types.
    reads : tuple of str
        What the method reads, of ``"a"``, ``"M"``, ``"diagonal of M"`` and ``"Grams"``. Kernels for
        which some are cheap (rank-one ones) need compute nothing else.
    signed : bool
        Whether weights may be negative.
    tasks : tuple of str
        Where the method makes sense.
    machine : str or None
        The machine whose loss a one-stage method minimises.
    ensemble : bool
        Whether every kernel has a machine of its own and the weights combine their predictions.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[str, ...]]
    signed: ClassVar[bool] = False
    tasks: ClassVar[tuple[str, ...]] = ("classification", "regression")
    machine: ClassVar[str | None] = None
    ensemble: ClassVar[bool] = False

    @property
    def one_stage(self) -> bool:
        """Whether weights depend on the regularisation of the machine."""
        return "Grams" in self.reads

    @abstractmethod
    def learn(self, evidence: Evidence) -> tuple[np.ndarray, Certificate]:
        """Weights of shape (n_kernels,) for the centered, scaled kernels, and their proof.

        No kernel is constant: those are taken out before, and get weight zero.
        """


def class_codes(Y: np.ndarray) -> np.ndarray:
    """Class of each sample from labels -1 and 1."""
    return (Y[:, 0] > 0).astype(int) if Y.shape[1] == 1 else Y.argmax(axis=1)


def sum_to_one(v: np.ndarray) -> np.ndarray:
    """Non-negative v scaled to sum one; the scale of weights is the machine's business."""
    return v / v.sum()


def require(
    method: WeightMethod, parameter: str, value: Any, low: float, strict: bool = True
) -> None:
    """Raise unless a parameter is a number above `low` (at least `low`, if not strict)."""
    if not (is_number(value) and (value > low if strict else value >= low)):
        bound = "greater than" if strict else "at least"
        raise InputError(
            f"{type(method).__name__} got {parameter}={value!r}; {parameter} must be a number "
            f"{bound} {low:g}."
        )


def require_stop(method: Any) -> None:
    """Raise unless ``tol`` is positive and ``max_iter`` a whole number of at least 1."""
    require(method, "tol", method.tol, 0)
    require(method, "max_iter", method.max_iter, 1, strict=False)
    if method.max_iter != int(method.max_iter):
        raise InputError(
            f"{type(method).__name__} got max_iter={method.max_iter!r}; it must be a whole number."
        )
