"""The objective of a machine as a function of the weights, for either loss.

Every objective is the maximum over the coefficients c of a function that is linear in the weights,

    J(mu) = max_c L(c, mu),   L(c, mu) = L(c, 0) - mu'q(c)

A `Point` at mu has the value L(c, mu) as its estimate and -q(c) as its gradient, and that is all
that methods need of a loss:

    min_mu J(mu) + R(mu) >= estimate + mu'q - max_nu (nu'q - R(nu))
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram import CenteredKernels
from learnkernels.methods.base import WeightProblem
from learnkernels.methods.objectives.ridge_objective import RidgeObjective
from learnkernels.methods.objectives.svm_objective import SVMObjective
from learnkernels.solvers import Point, Simplex, SparseObjective, WeightSet

LOSSES = ("squared", "hinge")


class Loss(SparseObjective, Protocol):
    """The objective of a machine over a set of weights."""

    @property
    def criterion(self) -> str:
        """Name of the objective in certificates."""

    @property
    def kernels(self) -> CenteredKernels:
        """The base kernels."""

    @property
    def Y(self) -> np.ndarray:
        """Targets of the machine, shape (n_samples, n_outputs)."""

    @property
    def allowed(self) -> WeightSet:
        """Feasible weights."""

    def over(self, kernels: CenteredKernels, allowed: WeightSet) -> Self:
        """Return the objective of other kernels and weights."""

    def restricted(self, mask: np.ndarray) -> Self:
        """Return the objective of some of the kernels."""


def task_loss(problem: WeightProblem, tol: float = 1e-3) -> Loss:
    """Return the SVM objective for classes and the ridge objective for real targets.

    Parameters
    ----------
    problem : WeightProblem
    tol : float, default=1e-3
        Tolerance of the SVM solver, at first.
    """
    if problem.task == "classification":
        return SVMObjective.of(problem, tol=tol)
    return RidgeObjective.of(problem, Simplex())


def named_loss(method: str, name: Any, problem: WeightProblem) -> Loss:
    """Return the objective for a method's argument ``loss``: the squared or the hinge loss.

    Parameters
    ----------
    method : str
        Name of the method's class, for error messages.
    name : {"squared", "hinge"}
    problem : WeightProblem
    """
    if not (isinstance(name, str) and name in LOSSES):
        raise InputError(f"{method} got loss={name!r}; expected one of {list(LOSSES)}.")
    if name == "hinge" and problem.task != "classification":
        raise InputError(
            f"{method} got loss='hinge', which needs class labels, and the targets are real "
            "numbers; use loss='squared' for regression."
        )
    return task_loss(problem) if name == "hinge" else RidgeObjective.of(problem, Simplex())


def constant_term(point: Point) -> float:
    """Compute L(c, 0) from the evaluation of a loss at some weights."""
    return float(point.estimate - point.mu @ point.gradient)
