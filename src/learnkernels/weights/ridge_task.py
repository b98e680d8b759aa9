"""The ridge objective as a function of the weights.

    F(mu) = sum_t y_t'(K_mu + alpha W^-1)^-1 y_t = max_c 2 y'c - c'(K_mu + alpha W^-1) c

so dF/dmu_k = -c'K_k c at c = (K_mu + alpha W^-1)^-1 y, and for any c at all

    min_mu F(mu) >= 2 y'c - alpha c'W^-1 c - max_mu sum_k mu_k c'K_k c
"""

from __future__ import annotations

import numpy as np

from learnkernels.gram import Oracle
from learnkernels.machines import not_definite, regularised
from learnkernels.solvers import Point, Simplex, WeightSet, simplex_qp
from learnkernels.weights.base import Evidence

__all__ = ["RidgeTask", "ridge_bound", "ridge_inner", "ridge_targets"]


class RidgeTask:
    """F over a set of weights; see the module.

    Parameters
    ----------
    oracle : Oracle
        The base kernels.
    Y : ndarray of shape (n_samples, n_outputs)
        Targets, centered if the kernels are.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    alpha : float
        Regularisation.
    allowed : WeightSet
        The weights to choose from.
    """

    def __init__(self, oracle: Oracle, Y, weights, alpha: float, allowed: WeightSet):
        self.oracle = oracle
        self.Y = Y
        self.root = np.sqrt(weights)[:, None]
        self.alpha = alpha
        self.allowed = allowed

    def evaluate(self, mu, last=None):
        kernel, root = self.oracle.kernel(mu), self.root[:, 0]
        system = regularised(kernel, root, self.alpha, self.oracle.backend)
        if system is None:  # K_mu is semi-definite for mu >= 0, so only rounding can do this
            more = self.alpha + 1e-10 * float(mu @ self.oracle.traces) / len(root)
            system = regularised(kernel, root, more, self.oracle.backend)
            if system is None:
                raise not_definite(self.alpha)
        coef = self.root * system.solve(self.root * self.Y)
        Z = self.oracle.products(coef)
        return self.point(mu, coef, Z, system)

    def point(self, mu, coef, Z, system) -> Point:
        v = np.maximum(Z.forms(), 0.0)
        # The maximum over c is at coef; its value there is right to second order in rounding.
        value = self.inner(coef) - float(mu @ v)
        bound = ridge_bound(self.inner(coef), v, self.allowed)
        return Point(mu, value, value, bound, -v, (coef, Z, system))

    def restricted(self, mask):
        return RidgeTask(
            self.oracle.keep(mask), self.Y, self.root[:, 0] ** 2, self.alpha, self.allowed
        )

    def seen_by_all(self, point):
        coef = point.state[0]
        v = np.maximum(self.oracle.forms(coef), 0.0)
        return ridge_bound(self.inner(coef), v, self.allowed), v

    def inner(self, coef) -> float:
        return ridge_inner(self.Y, self.root[:, 0] ** 2, self.alpha, coef)

    def curvature(self, point):
        # d2F/dmu_k dmu_l = 2 sum_t (K_k c_t)'(K_mu + alpha W^-1)^-1 (K_l c_t)
        coef, Z, system = point.state
        H = np.zeros((len(point.gradient), len(point.gradient)))
        for t in range(coef.shape[1]):
            scaled = self.root * Z.of(t)  # (n, p)
            H += 2 * scaled.T @ system.solve(scaled)
        return H

    def model_minimum(self, point, H):
        if not isinstance(self.allowed, Simplex):
            return self.allowed.peak(-point.gradient)
        return simplex_qp(H, H @ point.mu - point.gradient, self.allowed.radius, point.mu)

    def safe_target(self, point):
        return self.allowed.peak(-point.gradient)

    def sharpen(self):
        return False


def ridge_targets(evidence: Evidence) -> np.ndarray:
    """The targets, centered if the kernels are."""
    if not evidence.oracle.center:
        return evidence.Y
    w = evidence.weights
    return evidence.Y - w @ evidence.Y / w.sum()


def ridge_inner(Y, weights, alpha: float, coef) -> float:
    """2 y'c - alpha c'W^-1 c: the part of the inner maximum that no weight enters."""
    return float(2 * np.vdot(Y, coef) - alpha * np.vdot(coef, coef / weights[:, None]))


def ridge_bound(inner: float, v: np.ndarray, allowed: WeightSet) -> float:
    """A lower bound of min F over a set, from any c: its `ridge_inner`, and v_k = c'K_k c."""
    return inner - allowed.support(v)
