"""`align-single`: alignment as the regulariser of ridge regression, in one stage (2012, eq. 9)."""

from __future__ import annotations

import numpy as np

from learnkernels.errors import InputError
from learnkernels.solvers import Orthant, Point, minimise, nonnegative_qp, warn_if_open
from learnkernels.weights.base import WeightMethod, require, require_stop
from learnkernels.weights.ridge_task import RidgeTask, ridge_targets

__all__ = ["AlignSingle"]


class AlignSingle(WeightMethod):
    """Learn weights and ridge regression at once, drawn towards high alignment.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the alignment with the target, not negative.
    gamma1 : float, default=1.0
        Weight of the squared norm of the weights, not negative.
    gamma2 : float, default=1.0
        Weight of the squared Frobenius norm of the learned kernel, not negative. One of gamma1 and
        gamma2 must be positive, or nothing would bound the weights.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=100
        Most iterations.

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

    def __init__(self, gamma=1.0, gamma1=1.0, gamma2=1.0, tol=1e-4, max_iter=100):
        self.gamma = gamma
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, evidence):
        for parameter in ("gamma", "gamma1", "gamma2"):
            require(self, parameter, getattr(self, parameter), 0, strict=False)
        require_stop(self)
        if self.gamma1 + self.gamma2 == 0:
            raise InputError(
                "AlignSingle got gamma1=0 and gamma2=0, so nothing bounds the weights; "
                "make one of them positive."
            )
        statistics = evidence.statistics
        p = evidence.oracle.n_kernels
        Q = self.gamma2 * statistics.M + self.gamma1 * np.eye(p)
        task = RegularisedTask(evidence, self.gamma * statistics.a, Q)
        # Start at the minimum of the regulariser alone, or at equal weights.
        start, _ = nonnegative_qp(Q, self.gamma * statistics.a / 2)
        if not start.any():
            start = np.full(p, 1 / p)
        point, certificate = minimise(task, start, self.tol, self.max_iter, say=evidence.say)
        warn_if_open(certificate, self.tol, self)
        return point.mu, certificate


class RegularisedTask(RidgeTask):
    """F(mu) - mu'b + mu'Q mu over mu >= 0.

    For any c the minimum is at least 2 y'c - alpha c'W^-1 c + min_{mu >= 0} mu'Q mu - mu'(v + b),
    v_k = c'K_k c: a quadratic program, solved exactly.
    """

    def __init__(self, evidence, b: np.ndarray, Q: np.ndarray):
        super().__init__(
            evidence.oracle, ridge_targets(evidence), evidence.weights, evidence.alpha, Orthant()
        )
        self.b = b
        self.Q = Q

    def point(self, mu, coef, Z, system):
        v = np.maximum(Z.forms(), 0.0)
        inner = self.inner(coef)
        value = inner - float(mu @ (v + self.b) - mu @ self.Q @ mu)
        z, _ = nonnegative_qp(self.Q, (v + self.b) / 2)
        bound = inner - float(z @ (v + self.b) - z @ self.Q @ z)
        gradient = -v - self.b + 2 * self.Q @ mu
        return Point(mu, value, value, bound, gradient, (coef, Z, system))

    def curvature(self, point):
        return super().curvature(point) + 2 * self.Q

    def safe_target(self, point):
        return np.maximum(point.mu - point.gradient / np.diag(2 * self.Q).max(), 0.0)

    def model_minimum(self, point, H):
        z, _ = nonnegative_qp(H / 2, (H @ point.mu - point.gradient) / 2)
        return z
