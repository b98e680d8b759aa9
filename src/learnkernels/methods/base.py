"""Weight methods: a problem in, weights and their certificate out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.checks import is_number, require_whole
from learnkernels.errors import InputError
from learnkernels.gram import CenteredKernels
from learnkernels.machines import Machine
from learnkernels.methods.candidates import Selection
from learnkernels.plurals import count_text
from learnkernels.solvers import Certificate

# Status of a certificate where there is nothing to learn weights from.
UNDEFINED = "undefined: uniform weights"


@dataclass(frozen=True)
class WeightProblem:
    """Centered, scaled base kernels and a target.

    Attributes
    ----------
    kernels : CenteredKernels
        The base kernels on the training samples. ``kernels.statistics`` is all that two-stage
        methods read; combinations of, and products with, the Gram matrices are for one-stage
        methods.
    Y : ndarray of shape (n_samples, n_outputs)
        Training target of the machine: labels -1 and 1, or real targets.
    sample_weight : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    C, alpha : float
        Regularisation; ``alpha = 1 / (2 C)``.
    machine : Machine
        The second stage, for methods that train it.
    regularization : float
        The parameter of the machine: C of an SVM, alpha of ridge.
    kept : ndarray of bool of shape (n_given,)
        The user's kernels that are in `kernels`: those that are not constant.
    start : ndarray of shape (n_kernels,) or None, default=None
        Initial weights, learned with the choice of kernels, for methods that use them.
    max_memory : float, default=inf
        Bytes for Gram matrices.
    """

    kernels: CenteredKernels
    Y: np.ndarray
    sample_weight: np.ndarray
    task: str
    C: float
    alpha: float
    machine: Machine
    regularization: float
    kept: np.ndarray
    start: np.ndarray | None = None
    max_memory: float = np.inf


@dataclass(frozen=True)
class TargetModels:
    """One model for every target.

    Attributes
    ----------
    weights : ndarray of shape (n_targets, n_kernels)
        Averages of the candidates; each row sums to one.
    alpha : ndarray of shape (n_targets,)
        Alpha of the candidate with the lowest error.
    coef : ndarray of shape (n_kernels, n_samples, n_targets)
        The prediction is ``sum_k K_k(x, samples) coef_k``.
    """

    weights: np.ndarray
    alpha: np.ndarray
    coef: np.ndarray

    def spread(self, kept: np.ndarray) -> TargetModels:
        """Return the models of all kernels; those that are not in the mask `kept` get weight 0."""
        weights = np.zeros((len(self.weights), len(kept)))
        coef = np.zeros((len(kept), *self.coef.shape[1:]))
        weights[:, kept], coef[kept] = self.weights, self.coef
        return TargetModels(weights, self.alpha, coef)


@dataclass(frozen=True)
class LearnedWeights:
    """The result of a weight method.

    Attributes
    ----------
    weights : ndarray of shape (n_kernels,)
        Weights of the centered, scaled kernels.
    certificate : Certificate
    offset : ndarray of shape (n_outputs,) or None, default=None
        If given, the weights combine the predictions of one machine per kernel, and this is added.
    tail_sums : ndarray of shape (n_kernels,) or None, default=None
        Tail sum of the spectrum of each kernel, if the weights are bounded by it.
    alpha : float or None, default=None
        Regularisation of ridge, if it was learned together with the weights.
    selection : Selection or None, default=None
        The candidates among which the method chose.
    errors : ndarray of shape (n_compared,) or None, default=None
        Held-out squared error of each sample on which the candidates were compared.
    targets : TargetModels or None, default=None
        The models of all targets if each has its own weights; then `weights` are their mean.
    """

    weights: np.ndarray
    certificate: Certificate
    offset: np.ndarray | None = None
    tail_sums: np.ndarray | None = None
    alpha: float | None = None
    selection: Selection | None = None
    errors: np.ndarray | None = None
    targets: TargetModels | None = None


class WeightMethod(BaseEstimator):
    """Base class of weight methods; parameters of ``__init__`` can be searched as ``method__q``.

    Attributes
    ----------
    name : str
        Name in messages; for methods of the library, the string that selects it.
    reads : tuple of str
        Quantities that the method reads, of ``"a"``, ``"M"``, ``"diagonal of M"`` and ``"Grams"``.
    one_stage : bool
        Whether the method reads ``"Grams"`` (derived from `reads`): then weights depend on the
        regularisation.
    signed : bool
        Whether weights may be negative.
    tasks : tuple of str
        Tasks that the method applies to.
    machine : str or None
        The machine whose objective a one-stage method minimises.
    handles_undefined : bool
        Whether `learn` is called if the target is constant or no kernel is aligned with it; else
        the weights are uniform then.
    learns_alpha : bool
        Whether the method finds the regularisation of ridge itself: then weights do not depend on
        the user's.
    holds_out : bool
        Whether the method leaves samples out and compares errors on them.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[str, ...]]
    one_stage: ClassVar[bool] = False
    signed: ClassVar[bool] = False
    tasks: ClassVar[tuple[str, ...]] = ("classification", "regression")
    machine: ClassVar[str | None] = None
    handles_undefined: ClassVar[bool] = False
    learns_alpha: ClassVar[bool] = False
    holds_out: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.one_stage = "Grams" in (getattr(cls, "reads", None) or ()) and not cls.learns_alpha

    def grams(self, n_kernels: int) -> int:
        """Return how many Gram matrices the method holds at once: one, and a factor of it."""
        return 2

    def gram_samples(self, n: int) -> int:
        """Return the number of samples of these matrices, of n in all."""
        return n

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Learn weights for the kernels of a problem, none of which is constant."""
        raise NotImplementedError(
            f"{type(self).__name__} has no method learn, which every weight method needs; add it."
        )


def class_codes(Y: np.ndarray) -> np.ndarray:
    """Return the class of each sample from labels -1 and 1, shape (n_samples,)."""
    return (Y[:, 0] > 0).astype(int) if Y.shape[1] == 1 else Y.argmax(axis=1)


# Beyond these a method's formulas leave the range of floating-point numbers.
SMALLEST, LARGEST = 1e-50, 1e50


def require(
    method: WeightMethod, parameter: str, low: float, strict: bool = True, high: float = LARGEST
) -> None:
    """Raise unless a parameter is a number above `low` (at least `low`, if not strict)."""
    value = getattr(method, parameter)
    inside = is_number(value) and (value > low if strict else value >= low)
    if not (inside and value <= high and (value == 0 or abs(value) >= SMALLEST)):
        bound = "greater than" if strict else "of at least"
        raise InputError(
            f"{type(method).__name__} got {parameter}={value!r}; {parameter} must be a number "
            f"{bound} {low:g} and at most {high:g}."
        )


def require_stop(method: Any) -> None:
    """Raise unless ``tol`` is positive and ``max_iter`` an integer of at least 1."""
    require(method, "tol", 0)
    require_whole(type(method).__name__, "max_iter", method.max_iter, 1)


def warn_unless_converged(method: Any, certificate: Certificate) -> None:
    """Warn, with the gap, if a solution is not optimal to the method's tolerance."""
    if certificate.status != "not converged":
        return
    advice = "Rounding prevents further steps"
    if certificate.iterations >= method.max_iter:
        advice = "Raise max_iter"
    kind = type(method).__name__
    advice += f": pass method=lk.methods.{kind}(...) with a larger tol, or a smaller C"
    warn(
        f"{method.name} did not converge: relative gap {certificate.gap:.1e} after "
        f"{count_text(certificate.iterations, 'iteration')} (tol={method.tol:g}). {advice}.",
        ConvergenceWarning,
    )
