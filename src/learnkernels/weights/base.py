"""What a weight method is: evidence in, weights and their certificate out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from learnkernels.checks import is_number, require_whole
from learnkernels.errors import InputError
from learnkernels.gram import Oracle, Statistics
from learnkernels.machines import Machine
from learnkernels.progress import Say, silent
from learnkernels.solvers import Certificate

__all__ = [
    "LARGEST",
    "UNDEFINED",
    "Evidence",
    "WeightMethod",
    "check_learned",
    "check_method",
    "class_codes",
    "require",
    "require_stop",
    "sum_to_one",
]


READABLE = ("a", "M", "diagonal of M", "Grams")
# The status of a certificate where there is nothing to learn weights from.
UNDEFINED = "undefined: uniform weights"


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

    def grams(self, n_kernels: int) -> int:
        """How many Gram matrices a one-stage method holds at once: one, and a factor of it."""
        return 2

    def learn(self, evidence: Evidence) -> tuple[np.ndarray, Certificate]:
        """Weights of shape (n_kernels,) for the centered, scaled kernels, and their proof.

        No kernel is constant: those are taken out before, and get weight zero.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to learn.")


def check_method(method: WeightMethod) -> None:
    """Raise unless a method, perhaps a user's own, declares what it reads."""
    reads = getattr(method, "reads", None)
    if not (isinstance(reads, tuple) and set(reads) <= set(READABLE)):
        raise InputError(
            f"{type(method).__name__}.reads is {reads!r}; it must be a tuple of what the method "
            f"reads, of {list(READABLE)}."
        )


def check_learned(method: WeightMethod, found: Any, n_kernels: int) -> tuple:
    """The weights and certificate that a method returned, or a sentence on what is wrong."""
    name = f"{type(method).__name__}.learn"
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Certificate)):
        raise InputError(
            f"{name} must return weights and a Certificate; found {type(found).__name__}."
        )
    mu = np.asarray(found[0], dtype=float)
    if mu.shape != (n_kernels,) or not np.isfinite(mu).all():
        raise InputError(
            f"{name} must return {n_kernels} finite weights, one for each kernel; found an array "
            f"of shape {mu.shape} with {np.sum(~np.isfinite(mu))} values that are not finite."
        )
    if not mu.any() or (not method.signed and (mu < 0).any()):
        raise InputError(
            f"{name} must return weights of which some are positive and none negative (unless it "
            f"is declared signed); the smallest is {mu.min():g}, the largest {mu.max():g}."
        )
    return mu, found[1]


def class_codes(Y: np.ndarray) -> np.ndarray:
    """Class of each sample from labels -1 and 1."""
    return (Y[:, 0] > 0).astype(int) if Y.shape[1] == 1 else Y.argmax(axis=1)


def sum_to_one(v: np.ndarray) -> np.ndarray:
    """Non-negative v scaled to sum one; the scale of weights is the machine's business."""
    return v / v.sum()


# Beyond these a method's formulas leave the range of floating-point numbers.
SMALLEST, LARGEST = 1e-50, 1e50


def require(
    method: WeightMethod, parameter: str, value: Any, low: float, strict: bool = True,
    high: float = LARGEST,
) -> None:  # fmt: skip
    """Raise unless a parameter is a number above `low` (at least `low`, if not strict)."""
    inside = is_number(value) and (value > low if strict else value >= low)
    if not (inside and value <= high and (value == 0 or abs(value) >= SMALLEST)):
        bound = "greater than" if strict else "of at least"
        raise InputError(
            f"{type(method).__name__} got {parameter}={value!r}; {parameter} must be a number "
            f"{bound} {low:g} and at most {high:g}."
        )


def require_stop(method: Any) -> None:
    """Raise unless ``tol`` is positive and ``max_iter`` a whole number of at least 1."""
    require(method, "tol", method.tol, 0)
    require_whole(type(method).__name__, "max_iter", method.max_iter, 1)
