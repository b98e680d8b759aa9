"""`l2-krr`: weights in a ball that make ridge regression's objective smallest (2009)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnkernels.errors import InputError
from learnkernels.progress import gap_reached
from learnkernels.solvers import Anderson, Ball, Certificate, relative, search, warn_if_open
from learnkernels.weights.base import LARGEST, WeightMethod, require, require_stop
from learnkernels.weights.ridge_task import RidgeTask, ridge_targets

__all__ = ["L2Ridge"]

# Largest difference between mu - mu0 and radius v / |v| at the end, relative to the radius.
PARALLEL = 3e-5


class L2Ridge(WeightMethod):
    """Learn weights and ridge regression at once, with weights near a given point: dense.

    The interpolated iteration of the paper, accelerated by what the last few rounds have shown.
    Where neither lowers the objective, a conditional-gradient step with a line search does, so
    that it converges on every input.

    Parameters
    ----------
    radius : float, default=1.0
        Distance of the weights from mu0.
    mu0 : float or array-like of shape (n_kernels,), default=0.0
        Where the ball of weights is centered, not negative.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=500
        Most iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="l2-krr").fit(X, y)
    >>> float((model.weights_**2).sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "l2-krr"
    reads = ("Grams",)
    machine = "ridge"

    def __init__(self, radius=1.0, mu0=0.0, tol=1e-4, max_iter=500):
        self.radius = radius
        self.mu0 = mu0
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, evidence):
        require(self, "radius", self.radius, 0)
        require_stop(self)
        mu0 = self._center(evidence)
        ball = Ball(mu0, self.radius)
        task = RidgeTask(
            evidence.oracle, ridge_targets(evidence), evidence.weights, evidence.alpha, ball
        )
        # 2009, algorithm 1: c = (K_mu + alpha I)^-1 y, v_k = c'K_k c, and halfway from mu to
        # mu0 + radius v / |v|

        def at(mu):
            # Without what curvature would need: no second n x n matrix is held.
            return replace(task.evaluate(mu), state=None)

        point = at(ball.peak(np.ones(len(mu0))))
        faster = Anderson()
        bound, iterations = point.bound, 0
        gaps = [relative(point.value, bound)]
        # The theorem of the paper is asked for too: mu - mu0 parallel to v, whatever the gap.
        while iterations < self.max_iter and (
            point.value - bound > self.tol * abs(point.value)
            or np.abs(ball.peak(-point.gradient) - point.mu).max() > PARALLEL * self.radius
        ):
            evidence.say(gap_reached(gaps[-1], iterations))
            iterations += 1
            peak = ball.peak(-point.gradient)
            halfway = ball.peak((point.mu + peak) / 2 - mu0)
            proposal = faster.next(point.mu, halfway) - mu0
            following = at(ball.peak(np.maximum(proposal, 0.0)))
            if following.value > point.value:
                faster.forget()
                following = at(halfway)
            if following.value > point.value:
                found = search(task, point, peak - point.mu)
                if found is None:
                    break
                following = found
            point, bound = following, max(bound, following.bound)
            gaps.append(relative(point.value, bound))
        away = float(np.abs(ball.peak(-point.gradient) - point.mu).max()) / self.radius
        certificate = replace(
            Certificate.of(point.value, bound, iterations, self.tol, gaps), last_step=away
        )
        if away > 1e-4:
            certificate = replace(certificate, status="not converged")
        warn_if_open(certificate, self.tol, self)
        return point.mu, certificate

    def _center(self, evidence) -> np.ndarray:
        try:
            given = np.asarray(self.mu0, dtype=float)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        shape = evidence.kept.shape
        usable = given.shape in ((), shape) and (given >= 0).all() and (given <= LARGEST).all()
        if not usable:
            raise InputError(
                f"L2Ridge got mu0={self.mu0!r}; it must be a number or {shape[0]} numbers, one for "
                "each kernel, none negative."
            )
        return np.broadcast_to(given, shape)[evidence.kept].copy()
