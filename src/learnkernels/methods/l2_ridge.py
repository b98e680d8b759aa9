"""`l2-krr`: weights in a ball that minimise the ridge objective (2009)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.methods.base import (
    LARGEST,
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import RidgeObjective
from learnkernels.solvers import Ball, Point, iterate, line_search

# Largest difference between mu - mu0 and radius v / |v| at the end, relative to the radius.
PARALLEL = 3e-5
# Earlier points that Anderson acceleration uses.
DEPTH = 5


class L2Ridge(WeightMethod):
    """Learn weights and ridge regression together, with weights near a given point: dense.

    The interpolated iteration of the paper with Anderson acceleration. Where neither lowers the
    objective, a conditional-gradient step with a line search does, so that it always converges.

    Parameters
    ----------
    radius : float, default=1.0
        Distance of the weights from mu0.
    mu0 : float or array-like of shape (n_kernels,), default=0.0
        Center of the ball of weights, not negative.
    eta : float, default=0.5
        Interpolation parameter: the part of the last weights in the next ones, from 0 to
        0.99. It changes the number of iterations, not the weights.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=500
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="l2-krr", alpha=1).fit(X, y)
    >>> float((model.weights_**2).sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "l2-krr"
    reads = ("Grams",)
    machine = "ridge"

    def __init__(
        self,
        radius: float = 1.0,
        mu0: Any = 0.0,
        eta: float = 0.5,
        tol: float = 1e-4,
        max_iter: int = 500,
    ):
        self.radius = radius
        self.mu0 = mu0
        self.eta = eta
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the ridge objective over the ball."""
        require(self, "radius", 0)
        require(self, "eta", 0, strict=False, high=0.99)
        require_stop(self)
        mu0 = self._center(problem)
        ball = Ball(mu0, self.radius)
        objective = RidgeObjective.of(problem, ball, curved=False)
        pairs: list[tuple[np.ndarray, np.ndarray]] = []

        # 2009, algorithm 1: c = (K_mu + alpha I)^-1 y, v_k = c'K_k c, and a part 1 - eta of the way
        # from mu to mu0 + radius v / |v|
        def step(point: Point) -> Point | None:
            mixed = self.eta * point.mu + (1 - self.eta) * point.target
            between = ball.argmax_linear(mixed - mu0)
            proposal = anderson(pairs, point.mu, between) - mu0
            following = objective.evaluate(ball.argmax_linear(np.maximum(proposal, 0.0)))
            if following.value > point.value:
                del pairs[:-1]
                following = objective.evaluate(between)
            if following.value > point.value:
                return line_search(objective, point, point.target - point.mu)
            return following

        # The paper's theorem must hold too: mu - mu0 parallel to v.
        parallel = PARALLEL * self.radius
        point, certificate = iterate(
            objective.evaluate(ball.argmax_linear(np.ones(len(mu0)))),
            step,
            tol=self.tol,
            max_iter=self.max_iter,
            criterion="ridge objective",
            converged=lambda point: (
                point.gap <= self.tol and np.abs(point.target - point.mu).max() <= parallel
            ),
        )
        deviation = float(np.abs(point.target - point.mu).max()) / self.radius
        status = certificate.status if deviation <= 1e-4 else "not converged"
        certificate = replace(certificate, status=status, last_step=deviation)
        warn_unless_converged(self, certificate)
        return LearnedWeights(point.mu, certificate)

    def _center(self, problem: WeightProblem) -> np.ndarray:
        """Return mu0 of the kernels that are not constant, shape (n_kernels,)."""
        try:
            given = np.asarray(self.mu0, dtype=float)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        shape = problem.kept.shape
        usable = given.shape in ((), shape) and (given >= 0).all() and (given <= LARGEST).all()
        if not usable:
            raise InputError(
                f"L2Ridge got mu0={self.mu0!r}; it must be a number or {shape[0]} numbers, one for "
                "each kernel, none negative."
            )
        return np.broadcast_to(given, shape)[problem.kept].copy()


def anderson(
    pairs: list[tuple[np.ndarray, np.ndarray]], x: np.ndarray, image: np.ndarray
) -> np.ndarray:
    """Propose the next point of a fixed-point iteration x <- g(x) (Anderson 1965).

    With residuals r_i = g(x_i) - x_i of the last few points, the next point is the combination of
    the g(x_i), with coefficients of sum one, whose combined residual is smallest:

        x = g_m - dG gamma,   gamma = argmin |r_m - dR gamma|

    Parameters
    ----------
    pairs : list of (residual, image)
        The last points; this one is appended, the oldest removed.
    x, image : ndarray of shape (p,)
        The current point and g(x).

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.methods.l2_ridge import anderson
    >>> x, pairs = np.array([3.0, 1.0]), []
    >>> for _ in range(5):
    ...     x = anderson(pairs, x, np.array([0.9, -0.8]) * x + 1.0)
    >>> x.round(6)
    array([10.      ,  0.555556])
    """
    pairs.append((image - x, image))
    del pairs[: -DEPTH - 1]
    r, g = pairs[-1]
    if len(pairs) == 1:
        return g
    dR = np.column_stack([r - earlier for earlier, _ in pairs[:-1]])
    dG = np.column_stack([g - earlier for _, earlier in pairs[:-1]])
    gamma = np.linalg.lstsq(dR, r, rcond=1e-10)[0]
    return g - dG @ gamma
