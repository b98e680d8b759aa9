"""`align-single`: alignment as the regulariser of a machine, in one stage (2012, eq. 9)."""

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
from learnkernels.methods.objectives import PenalisedObjective, named_loss
from learnkernels.solvers import minimise, nonnegative_qp


class AlignSingle(WeightMethod):
    """Learn weights and a machine together, with a reward for alignment.

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
    loss : {"squared", "hinge"}, default="squared"
        The loss of ridge, or that of the SVM, which needs classes.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=100
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="align-single", alpha=1.0).fit(X[:200], y[:200])
    >>> model.certificate_.gap <= 1e-4
    True
    """

    name = "align-single"
    reads = ("a", "M", "Grams")

    def __init__(
        self,
        gamma: float = 1.0,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        loss: str = "squared",
        tol: float = 1e-4,
        max_iter: int = 100,
    ):
        self.gamma = gamma
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    @property
    def machine(self) -> str:  # type: ignore[override]
        """Return the machine whose objective the method minimises."""
        return "svm" if str(self.loss) == "hinge" else "ridge"

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the objective of the machine plus the regulariser."""
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
        loss = named_loss(type(self).__name__, self.loss, scaled)
        # Start at the minimum of the regulariser alone, or at equal weights.
        start, _ = regulariser.conjugate(np.zeros(p))
        if not start.any():
            start = np.full(p, 1 / p)
        point, certificate = minimise(
            PenalisedObjective(loss, regulariser), start, tol=self.tol, max_iter=self.max_iter,
            criterion=f"{loss.criterion} with alignment",
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
class Regulariser:
    """R(mu) = mu'Q mu - mu'b over mu >= 0."""

    Q: np.ndarray  # (p, p)
    b: np.ndarray  # (p,)

    def value(self, mu: np.ndarray) -> float:
        """Compute R(mu)."""
        return float(mu @ self.Q @ mu - mu @ self.b)

    def gradient(self, mu: np.ndarray) -> np.ndarray:
        """Compute the gradient of R, shape (p,)."""
        return 2 * self.Q @ mu - self.b

    def curvature(self) -> np.ndarray:
        """Return the second derivatives of R, shape (p, p)."""
        return 2 * self.Q

    def conjugate(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """Maximise q'mu - R(mu), and return the maximiser and the maximum.

        A quadratic program, solved exactly: the dual value of its certificate is the bound.
        """
        mu, certificate = nonnegative_qp(self.Q, (q + self.b) / 2)
        return mu, -certificate.dual

    def minimise(self, H: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Minimise mu'H mu / 2 - b'mu over mu >= 0, shape (p,)."""
        return nonnegative_qp(H / 2, b / 2)[0]
