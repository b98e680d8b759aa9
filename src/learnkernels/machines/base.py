"""What a machine is: from the learned Gram to coefficients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnkernels.gram import Backend, LearnedKernel
from learnkernels.progress import Say, silent
from learnkernels.solvers import Certificate

__all__ = ["Machine", "Problem", "Trained"]


@dataclass(frozen=True)
class Problem:
    """What a machine is trained on.

    Attributes
    ----------
    K : ndarray of shape (n_samples, n_samples)
        The learned Gram. A machine may overwrite it. Empty where R stands for it.
    Y : ndarray of shape (n_samples, n_outputs)
        Targets, one column an output; -1 and 1 for classes.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    center : bool
        Whether K is centered: then the outputs' means are the unpenalised intercepts.
    backend : Backend
        Runs independent outputs side by side.
    R : ndarray of shape (n_samples, rank) or None
        A factor of the Gram, K = R R', for machines that take one.
    kernel : LearnedKernel or None
        Stands for a Gram that is not held, for machines that take its products with vectors.
    room : float
        Bytes that may be used where the Gram is not held.
    landmarks : ndarray of shape (n_landmarks,) or None
        Samples whose span the predictor is looked for in, instead of that of all.
    say : callable
        Told how far the machine is.
    """

    K: np.ndarray
    Y: np.ndarray
    weights: np.ndarray
    center: bool
    backend: Backend
    R: np.ndarray | None = None
    kernel: LearnedKernel | None = None
    room: float = np.inf
    landmarks: np.ndarray | None = None
    say: Say = silent

    @property
    def means(self) -> np.ndarray:
        """Weighted means of the outputs, zero without centering, shape (n_outputs,)."""
        if not self.center:
            return np.zeros(self.Y.shape[1])
        return self.weights @ self.Y / self.weights.sum()

    def coef(self, u: np.ndarray) -> np.ndarray:
        """``W^1/2 u`` of ridge's solution ``u = (W^1/2 K W^1/2 + alpha I)^-1 W^1/2 y``.

        A centered Gram has the eigenvalue 0 there, so rounding along it comes back divided by
        alpha; predictions count on coefficients that sum to zero.
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
        With a centered Gram its columns sum to zero.
    intercept : ndarray of shape (n_outputs,)
    certificates : tuple of Certificate
        One for each output, where the machine iterates.
    regularization : float or None
        The value that was used.
    primal : ndarray of shape (rank, n_outputs) or None
        ``R'coef`` where the Gram was given by its factor R. For a small alpha, coef is so large
        that the product with it would lose digits.
    """

    coef: np.ndarray
    intercept: np.ndarray
    certificates: tuple[Certificate, ...] = ()
    regularization: float | None = None
    primal: np.ndarray | None = None


class Machine(ABC):
    """The second stage."""

    needs_semidefinite: bool = False
    takes_factors: bool = False
    takes_products: bool = False

    @abstractmethod
    def path(self, problem: Problem, values: Sequence[float]) -> list[Trained]:
        """A predictor for each value of the regularisation, in the given order."""
