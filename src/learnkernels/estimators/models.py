"""What a fit comes to: the learned kernel, the predictor trained with it, what is kept of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from learnkernels.gram import Backend, LearnedFunction, LearnedKernel
from learnkernels.machines import Trained
from learnkernels.solvers import Certificate

__all__ = ["Function", "Learned", "Model", "Part", "Predictor", "model_of", "outputs_of_all"]


@dataclass(frozen=True)
class Learned:
    """A learned kernel and how it came about.

    Attributes
    ----------
    kernel : LearnedKernel
    weights : ndarray of shape (n_kernels,)
        Of the centered, scaled base kernels.
    certificate : Certificate
    alignment : float
        Of the learned kernel with the target.
    alignments : ndarray of shape (n_kernels,)
        Of each base kernel alone.
    """

    kernel: LearnedKernel
    weights: np.ndarray
    certificate: Certificate
    alignment: float
    alignments: np.ndarray


class Part(NamedTuple):
    """``x -> K(x, samples) coef``.

    Attributes
    ----------
    kernel : LearnedKernel
    coef : ndarray of shape (n_samples, n_outputs)
    primal : ndarray of shape (rank, n_outputs) or None
        As in `Trained`.
    """

    kernel: LearnedKernel
    coef: np.ndarray
    primal: np.ndarray | None

    @classmethod
    def of(cls, kernel: LearnedKernel, trained: Trained, weight: float = 1.0) -> Part:
        """What a machine was trained to, times a weight."""
        primal = None if trained.primal is None else weight * trained.primal
        return cls(kernel, weight * trained.coef, primal)


@dataclass(frozen=True)
class Predictor:
    """``x -> sum_parts K(x, samples) coef + intercept``: one part, or one for each base kernel.

    Attributes
    ----------
    parts : tuple of Part
    intercept : ndarray of shape (n_outputs,)
    """

    parts: tuple[Part, ...]
    intercept: np.ndarray

    def function(self) -> Function:
        """The same with no more than prediction needs."""
        functions = tuple(part.kernel.function(part.coef, part.primal) for part in self.parts)
        return Function(functions, self.intercept)


@dataclass(frozen=True)
class Function:
    """What a fitted estimator keeps: functions of the learned kernel's space, and an intercept.

    Attributes
    ----------
    parts : tuple of LearnedFunction
    intercept : ndarray of shape (n_outputs,)
    """

    parts: tuple[LearnedFunction, ...]
    intercept: np.ndarray

    def outputs(self, X, backend: Backend) -> np.ndarray:
        """Outputs for new samples, shape (n_new, n_outputs)."""
        return np.sum([part.outputs(X, backend) for part in self.parts], axis=0) + self.intercept


@dataclass(frozen=True)
class Model:
    """A learned kernel and the predictor trained with it.

    Attributes
    ----------
    learned : Learned
    predictor : Predictor
    certificates : tuple of Certificate
        Of the machine, one for each output where it iterates.
    """

    learned: Learned
    predictor: Predictor
    certificates: tuple[Certificate, ...]


def outputs_of_all(models: Sequence[Model], multiply) -> list[np.ndarray]:
    """Outputs of several models; models with the same kernel share the pass over it.

    Parameters
    ----------
    models : sequence of Model
    multiply : callable
        ``multiply(kernel, coef)`` gives the products of some samples' Gram rows with coef.
    """
    learned = models[0].learned
    if len(models[0].predictor.parts) == 1 and all(model.learned is learned for model in models):
        coef = np.hstack([model.predictor.parts[0].coef for model in models])
        products = np.hsplit(multiply(learned.kernel, coef), len(models))
        return [p + m.predictor.intercept for p, m in zip(products, models, strict=True)]
    return [
        np.sum([multiply(part.kernel, part.coef) for part in model.predictor.parts], axis=0)
        + model.predictor.intercept
        for model in models
    ]


def model_of(learned: Learned, trained: Trained) -> Model:
    predictor = Predictor((Part.of(learned.kernel, trained),), trained.intercept)
    return Model(learned, predictor, trained.certificates)
