"""Base classes of machines and training strategies: from the learned kernel to coefficients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, eigh

from learnkernels.errors import InputError
from learnkernels.execution import Backend, format_bytes
from learnkernels.solvers import Certificate

# Bytes for Gram matrices if the user gives no bound. A constant, so that the model depends on the
# data and the parameters only, and not on the memory that happens to be free.
MAX_MEMORY = 8e9


def gram_bytes(n: int, count: int = 1) -> float:
    """Return the bytes of some Gram matrices of n samples."""
    return 8.0 * n * n * count


def require_gram_memory(n: int, count: int, max_memory: float, who: str, instead: str) -> None:
    """Raise if some Gram matrices of n samples need more than `max_memory` bytes."""
    wanted = gram_bytes(n, count)
    if wanted > max_memory:
        matrices = "the Gram matrix" if count == 1 else f"{count} Gram matrices"
        raise InputError(
            f"{who} needs {matrices} of {n} samples, {format_bytes(wanted)}, more than "
            f"max_memory={format_bytes(max_memory)}; {instead}, or raise max_memory."
        )


def decomposed(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues in ascending order and eigenvectors; K is overwritten."""
    try:
        return eigh(K, overwrite_a=True, check_finite=False, driver="evd")
    except LinAlgError as error:
        raise InputError(
            f"the learned Gram matrix has no eigendecomposition ({error}); scale the "
            "columns of X, for example with StandardScaler, or raise alpha."
        ) from error


def not_definite(alpha: float) -> InputError:
    """Return the error for a kernel with which ridge has no solution."""
    return InputError(
        f"the learned kernel plus alpha={alpha:g} on its diagonal is not positive definite, so "
        "ridge has no solution; raise alpha (or use a method with non-negative weights, if some "
        "are negative)."
    )


def needs_all_samples(who: str, n_components: int) -> str:
    """Return the message for a machine that cannot be trained with landmarks."""
    return (
        f"n_components={n_components} is for ridge and for the SVM of KernelClassifier, and {who} "
        'needs all samples; use machine="ridge", or leave n_components out.'
    )


def require_dense(
    who: str, n: int, max_memory: float, n_components: int | None, instead: str
) -> None:
    """Raise if a machine that needs the Gram matrix of n samples cannot be trained."""
    if n_components is not None and n_components < n:
        raise InputError(needs_all_samples(who, n_components))
    require_gram_memory(n, 1, max_memory, who, instead)


@dataclass(frozen=True)
class TrainingProblem:
    """The training data of a machine.

    Attributes
    ----------
    kernel : LearnedKernel or GramMatrix
    Y : ndarray of shape (n_samples, n_outputs)
        Targets, one column for each output; -1 and 1 for classes.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    center : bool
        Whether the kernel is centered: then the outputs' means are the unpenalised intercepts.
    backend : Backend
    signed : bool
        Whether some kernel weights are negative.
    max_memory : float
        Bytes for Gram matrices.
    n_components : int or None
        Landmarks that span the predictor; None is all samples.
    random_state : int, RandomState or None
        Chooses the landmarks.
    left_out : bool
        Whether the outputs for samples that are left out are wanted, where they have a closed form.
    posterior : bool
        Whether the posterior is wanted, of strategies without the Gram matrix.
    known : dict
        Results of strategies that a later call may need; see `kept`.
    """

    kernel: Any
    Y: np.ndarray
    weights: np.ndarray
    center: bool
    backend: Backend
    signed: bool = False
    max_memory: float = np.inf
    n_components: int | None = None
    random_state: Any = 0
    left_out: bool = False
    posterior: bool = False
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def kept(self, strategy: type[Strategy]) -> dict[Any, Any]:
        """Return what a strategy keeps for later calls with this kernel and these targets."""
        own = self.kernel, self.Y, self.weights, self.center, self.n_components, self.random_state
        other, found = self.known.get(strategy, (None, {}))
        if other is None or any(one is not two for one, two in zip(own, other, strict=True)):
            found = {}
            self.known[strategy] = own, found
        return found

    @property
    def means(self) -> np.ndarray:
        """Weighted means of the outputs, zero without centering, shape (n_outputs,)."""
        if not self.center:
            return np.zeros(self.Y.shape[1])
        return self.weights @ self.Y / self.weights.sum()

    def coef(self, u: np.ndarray) -> np.ndarray:
        """Return ``W^1/2 u`` for ridge's solution ``u = (W^1/2 K W^1/2 + alpha I)^-1 W^1/2 y``.

        A centered Gram matrix has the eigenvalue 0 along W^1/2 1, where rounding is divided by
        alpha. That part is removed: predictions need coefficients that sum to zero.
        """
        root = np.sqrt(self.weights)[:, None]
        if self.center:
            along = root / np.linalg.norm(root)
            u = u - along * np.sum(along * u, axis=0)
        return root * u


@dataclass(frozen=True)
class Trained:
    """A predictor ``x -> sum_i coef_i K(x, x_i) + intercept``.

    Attributes
    ----------
    coef : ndarray of shape (n_samples, n_outputs)
        With a centered Gram matrix its columns sum to zero.
    intercept : ndarray of shape (n_outputs,)
    certificates : tuple of Certificate
        One for each output, if the machine iterates.
    primal : ndarray of shape (rank, n_outputs) or None
        ``R'coef`` if the Gram matrix was given by its factor R. For a small alpha, coef is so large
        that the product with it would lose digits.
    left_out : ndarray of shape (n_samples, n_outputs) or None
        Output for each sample of the predictor that was trained without it; NaN where it was not
        computed. None if it was not asked for, or has no closed form.
    posterior : FactorPosterior, LandmarkPosterior or None
        None if it was not asked for, or is computed from the Gram matrix.
    single : bool
        Whether kernel values of single precision are precise enough for its outputs.
    """

    coef: np.ndarray
    intercept: np.ndarray
    certificates: tuple[Certificate, ...] = ()
    primal: np.ndarray | None = None
    left_out: np.ndarray | None = None
    posterior: Any = None
    single: bool = False


class Strategy(ABC):
    """One way to train a machine; `Machine.strategy` chooses one.

    Attributes
    ----------
    name : str
        Shown to the user as ``solver_``.
    """

    name: ClassVar[str]

    @abstractmethod
    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Return a predictor for each value of the regularisation."""

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray | None:
        """Return the leave-one-out error for each value, None if there is no closed form."""
        return None


class Machine(ABC):
    """The second stage.

    Attributes
    ----------
    name : str
        The string a user types.
    takes_C, takes_alpha : bool
        Whether the regularisation parameter is C, or alpha = 1 / (2 C); some have none.
    """

    name: ClassVar[str]
    takes_C: ClassVar[bool] = False
    takes_alpha: ClassVar[bool] = False

    def approximate(self) -> Machine:
        """Return the machine for predictors that are compared and not kept: less precise."""
        return self

    @abstractmethod
    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        """Raise before any work if n samples are too many, or if components are not supported."""

    @abstractmethod
    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> Strategy:
        """Return how the machine is trained on this problem, for some values."""
