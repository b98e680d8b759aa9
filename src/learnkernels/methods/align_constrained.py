"""`align-constrained`: the smallest loss among weights of high alignment (2012, section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels.gram import Statistics
from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import PenalisedObjective, named_loss
from learnkernels.solvers import AlignedBall, minimise, nonnegative_qp


class AlignConstrained(WeightMethod):
    """Learn weights and a machine together, among weights whose alignment is high.

    Parameters
    ----------
    min_alignment : float, default=0.9
        Smallest alignment, as a part of the highest one that non-negative weights reach (that of
        `AlignF`): 0 is no constraint, towards 1 the weights are those of `AlignF`.
    radius : float, default=1.0
        Bound on the 2-norm of the weights.
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
    >>> best = lk.KernelRegressor(method="alignf", alpha=1).fit(X, y).alignment_
    >>> near = lk.methods.AlignConstrained(min_alignment=0.95)
    >>> model = lk.KernelRegressor(method=near, alpha=1).fit(X, y)
    >>> bool(model.alignment_ >= 0.95 * best), model.certificate_.gap <= 1e-4
    (True, True)
    """

    name = "align-constrained"
    reads = ("a", "M", "Grams")

    def __init__(
        self,
        min_alignment: float = 0.9,
        radius: float = 1.0,
        loss: str = "squared",
        tol: float = 1e-4,
        max_iter: int = 100,
    ):
        self.min_alignment = min_alignment
        self.radius = radius
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    @property
    def machine(self) -> str:  # type: ignore[override]
        """Return the machine whose objective the method minimises."""
        return "svm" if str(self.loss) == "hinge" else "ridge"

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the objective of the machine over the weights of high alignment."""
        require(self, "min_alignment", 0, strict=False, high=HIGHEST)
        require(self, "radius", 0)
        require_stop(self)
        # min_mu J(mu),   mu >= 0, |mu|_2 <= radius, rho(K_mu, YY') >= min_alignment rho(alignf)
        loss = named_loss(type(self).__name__, self.loss, problem)
        allowed = AlignedWeights.of(problem.kernels.statistics, self.min_alignment, self.radius)
        point, certificate = minimise(
            PenalisedObjective(loss, allowed), self.radius * allowed.ball.inside, tol=self.tol,
            max_iter=self.max_iter, criterion=f"{loss.criterion} at high alignment",
        )  # fmt: skip
        warn_unless_converged(self, certificate)
        return LearnedWeights(point.mu, certificate)


# Largest part of the highest alignment: beyond it the set of weights has almost no interior.
HIGHEST = 0.9999


@dataclass(frozen=True)
class AlignedWeights:
    """The set mu >= 0, |mu|_2 <= radius, mu'a >= omega sqrt(mu'M mu); a penalty of zero inside.

    Attributes
    ----------
    ball : AlignedBall
        The set of mu / radius.
    radius : float
    """

    ball: AlignedBall
    radius: float

    @classmethod
    def of(cls, statistics: Statistics, share: float, radius: float) -> AlignedWeights:
        """Return the weights whose alignment is at least a part of the highest one."""
        a, M = statistics.a, statistics.M
        size = np.diag(M).max()
        # Scaled alike, both sides of the constraint keep their ratio.
        a, M = a / np.sqrt(size), M / size
        best, _ = nonnegative_qp(M, a)
        omega = share * float(a @ best / np.sqrt(best @ M @ best))
        best /= np.linalg.norm(best)
        part = 0.5  # of uniform weights: the direction of alignf has zeros
        while True:
            inside = (1 - part) * best + part / np.sqrt(len(a))
            if a @ inside > omega * np.sqrt(inside @ M @ inside):
                break
            part /= 2
        return cls(AlignedBall(M, a, omega, 0.9 * inside / np.linalg.norm(inside)), radius)

    def value(self, mu: np.ndarray) -> float:
        """Return zero."""
        return 0.0

    def gradient(self, mu: np.ndarray) -> np.ndarray:
        """Return zeros, shape (p,)."""
        return np.zeros(len(mu))

    def curvature(self) -> np.ndarray:
        """Return zeros, shape (p, p)."""
        return np.zeros_like(self.ball.M)

    def conjugate(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """Maximise q'mu, and return the maximiser and an upper bound of the maximum."""
        x, bound = self.ball.maximise(q)
        return self.radius * x, self.radius * bound

    def minimise(self, H: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Minimise mu'H mu / 2 - b'mu, shape (p,)."""
        return self.radius * self.ball.minimise(self.radius**2 * H, self.radius * b)
