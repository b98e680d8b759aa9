"""`align-single`: alignment as the regulariser of ridge regression, in one stage (2012, eq. 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.errors import InputError
from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import RidgeObjective
from learnkernels.solvers import Point, WeightSet, minimise, nonnegative_qp


class AlignSingle(WeightMethod):
    """Learn weights and ridge regression together, with a reward for alignment.

    Real targets are divided by their standard deviation first.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the alignment with the target, not negative.
    gamma1 : float, default=1.0
        Weight of the squared norm of the weights, not negative.
    gamma2 : float, default=1.0
        Weight of the squared Frobenius norm of the learned kernel, not negative. At least one of
        gamma1 and gamma2 must be positive, or the weights would be unbounded.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=100
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="align-single").fit(X, y)
    >>> model.certificate_.gap <= 1e-4
    True
    """

    name = "align-single"
    reads = ("a", "M", "Grams")
    machine = "ridge"

    def __init__(
        self,
        gamma: float = 1.0,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 100,
    ):
        self.gamma = gamma
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the regularised ridge objective."""
        for parameter in ("gamma", "gamma1", "gamma2"):
            require(self, parameter, 0, strict=False)
        require_stop(self)
        if self.gamma1 + self.gamma2 == 0:
            raise InputError(
                "AlignSingle got gamma1=0 and gamma2=0, so nothing bounds the weights; "
                "make one of them positive."
            )
        statistics = problem.kernels.statistics
        p, square = problem.kernels.n_kernels, squared_unit(problem)
        regulariser = Regulariser(
            self.gamma2 * statistics.M + self.gamma1 * np.eye(p),
            self.gamma * statistics.a / square,
        )
        scaled = replace(problem, Y=problem.Y / np.sqrt(square))
        objective = AlignedRidgeObjective.of(scaled, regulariser)
        # Start at the minimum of the regulariser alone, or at equal weights.
        start = regulariser.argmax_linear(np.zeros(p))
        if not start.any():
            start = np.full(p, 1 / p)
        point, certificate = minimise(
            objective, start, tol=self.tol, max_iter=self.max_iter,
            criterion="ridge objective with alignment",
        )  # fmt: skip
        warn_unless_converged(self, certificate)
        return LearnedWeights(point.mu, certificate)


def squared_unit(problem: WeightProblem) -> float:
    """Return the mean square of real targets around their mean; 1 for labels -1 and 1.

    The terms of the objective grow by different powers of y, so its unit would matter.
    """
    if problem.task == "classification":
        return 1.0
    Y, w = problem.Y, problem.sample_weight / problem.sample_weight.sum()
    if problem.kernels.center:
        Y = Y - w @ Y
    return float(np.mean(w @ Y**2))


@dataclass(frozen=True)
class Regulariser(WeightSet):
    """R(mu) = mu'Q mu - mu'b over mu >= 0, in place of a bounded set."""

    Q: np.ndarray  # (p, p)
    b: np.ndarray  # (p,)

    def value(self, mu: np.ndarray) -> float:
        """Compute R(mu)."""
        return float(mu @ self.Q @ mu - mu @ self.b)

    def argmax_linear(self, v: np.ndarray) -> np.ndarray:
        """Maximise v'mu - R(mu) over mu >= 0, shape (p,)."""
        return nonnegative_qp(self.Q, (v + self.b) / 2)[0]


@dataclass(frozen=True)
class AlignedRidgeObjective(RidgeObjective):
    """F(mu) + R(mu) over mu >= 0.

    For any c the minimum is at least min_{mu >= 0} L(c, mu) + R(mu): a quadratic program, solved
    exactly.
    """

    allowed: Regulariser

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Solve ridge at mu."""
        point, Q = super().evaluate(mu, near), self.allowed.Q
        gradient = point.gradient - self.allowed.b + 2 * Q @ mu
        # A projected gradient step is a direction of descent.
        target = np.maximum(mu - gradient / np.diag(2 * Q).max(), 0.0)
        return replace(point, gradient=gradient, target=target)

    def lagrangian(self, coef: np.ndarray, v: np.ndarray, mu: np.ndarray) -> float:
        """Compute L(c, mu) + R(mu)."""
        return super().lagrangian(coef, v, mu) + self.allowed.value(mu)

    def curvature(self, point: Point) -> np.ndarray:
        """Add the second derivatives of R."""
        return super().curvature(point) + 2 * self.allowed.Q

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimise the quadratic model over mu >= 0."""
        return nonnegative_qp(H / 2, (H @ point.mu - point.gradient) / 2)[0]
