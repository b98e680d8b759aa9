"""The SVM's value as a function of the weights.

    J(mu) = sum_t max_beta y_t'beta - beta'K_mu beta / 2,   beta in the box of `solvers.smo`

so dJ/dmu_k = -q_k / 2 with q_k = sum_t beta_t'K_k beta_t, and for any feasible beta at all

    min_mu J(mu) >= sum_t y_t'beta_t - max_mu sum_k mu_k q_k / 2
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.gram import Oracle, single_threaded_blas
from learnkernels.solvers import (
    LpBall,
    Point,
    Simplex,
    WeightSet,
    simplex_qp,
    solve_svm,
)

__all__ = ["LpTask", "SVMTask", "svm_bound"]

# Weights of an lp-norm solution are positive; this keeps roots and logarithms finite.
SMALLEST = 1e-200


# Beyond this many kernels block steps, which see one kernel at a time, are quicker than Newton's.
MOST_CURVED = 1000


class SVMTask:
    """J over mu >= 0, sum(mu) <= 1 (or another set, for its value alone).

    Parameters
    ----------
    oracle : Oracle
        The base kernels.
    Y : ndarray of shape (n_samples, n_outputs)
        Labels -1 and 1.
    C : ndarray of shape (n_samples,)
        Bound of each coefficient.
    allowed : WeightSet
        The weights to choose from.
    """

    def __init__(self, oracle: Oracle, Y, C, allowed: WeightSet | None = None):
        self.oracle = oracle
        self.Y = Y
        self.C = C
        self.allowed = Simplex() if allowed is None else allowed
        self.tol = 1e-3

    def evaluate(self, mu, last):
        return self.evaluate_from(mu, None if last is None else last.state[1])

    def evaluate_from(self, mu, beta: np.ndarray | None) -> Point:
        """J at mu, the solver starting from coefficients of shape (n_samples, n_outputs)."""
        K = self.oracle.gram(mu)
        solutions = []
        for t, y in enumerate(self.Y.T):
            start = None if beta is None else beta[:, t]
            solutions.append(
                solve_svm(
                    K, np.ascontiguousarray(y), self.C, tol=self.tol, start=start, exact=False
                )
            )
        beta = np.column_stack([solution.beta for solution in solutions])
        Z = self.oracle.products(beta)
        q = np.maximum(Z.forms(), 0.0)
        value = sum(solution.certificate.primal for solution in solutions)
        # The dual value errs by the square of what beta errs by: the better estimate of J.
        estimate = sum(solution.certificate.dual for solution in solutions)
        bound = svm_bound(self.Y, beta, q, self.allowed)
        return Point(mu, float(value), float(estimate), bound, -q / 2, (K, beta, Z))

    def restricted(self, mask):
        return SVMTask(self.oracle.keep(mask), self.Y, self.C, self.allowed)

    def seen_by_all(self, point):
        beta = point.state[1]
        q = np.maximum(self.oracle.forms(beta), 0.0)
        return svm_bound(self.Y, beta, q, self.allowed), q / 2

    def curvature(self, point):
        """sum_t Z_F'A Z_F, where A solves for the free coefficients F with their sum held at zero.

        d2J/dmu_k dmu_l = (K_k beta)_F'A (K_l beta)_F, A = K_FF^-1 - K_FF^-1 11'K_FF^-1 / (...).
        """
        K, beta, Z = point.state
        H = np.zeros((len(point.gradient), len(point.gradient)))
        for t in range(beta.shape[1]):
            size = np.abs(beta[:, t])
            F = np.flatnonzero((size > 1e-10 * self.C) & (size < (1 - 1e-10) * self.C))
            if len(F) >= 2:
                H += held_curvature(K[np.ix_(F, F)], Z.of(t)[F])
        return (H + H.T) / 2

    def model_minimum(self, point, H):
        return simplex_qp(H, H @ point.mu - point.gradient, 1.0, point.mu)

    def safe_target(self, point):
        return self.allowed.peak(-point.gradient)

    def sharpen(self):
        self.tol /= 10
        return self.tol >= 1e-9


def held_curvature(K_FF: np.ndarray, Z_F: np.ndarray) -> np.ndarray:
    """Z_F'A Z_F for free coefficients whose sum is held, shape (p, p). Overwrites K_FF."""
    ridge = 1e-8 * np.trace(K_FF) / len(K_FF)
    K_FF.flat[:: len(K_FF) + 1] += max(ridge, np.finfo(float).tiny)
    # Of middling size: waking BLAS threads can take longer than the work.
    with single_threaded_blas():
        factor, failed = dpotrf(K_FF.T, lower=1, overwrite_a=1, clean=0)
        if failed:  # only rounding can do this; a flat model still leads downhill
            return np.zeros((Z_F.shape[1], Z_F.shape[1]))
        solved, _ = dpotrs(factor, np.column_stack([Z_F, np.ones(len(K_FF))]), lower=1)
    ones = solved[:, -1]
    return Z_F.T @ (solved[:, :-1] - np.outer(ones, Z_F.T @ ones) / ones.sum())


class LpTask(SVMTask):
    """J over |mu|_p <= 1, in s = mu^p: s >= 0, sum(s) <= 1.

    mu_k = s_k^(1/p) is concave and J falls with mu, so J is convex in s, and its minimum is inside.
    """

    def __init__(self, oracle: Oracle, Y, C, p: float):
        super().__init__(oracle, Y, C, LpBall(p))
        self.p = p

    def evaluate(self, s, last):
        point = super().evaluate(self.mu(s), last)
        return replace(point, mu=s, gradient=point.gradient * self.slope(s))

    def mu(self, s):
        return np.maximum(s, SMALLEST) ** (1 / self.p)

    def slope(self, s):
        s = np.maximum(s, SMALLEST)
        return s ** (1 / self.p - 1) / self.p

    def curvature(self, point):
        if len(point.mu) > MOST_CURVED:
            return None
        slope = self.slope(point.mu)
        bend = point.gradient * (1 / self.p - 1) / np.maximum(point.mu, SMALLEST)
        return super().curvature(point) * np.outer(slope, slope) + np.diag(bend)

    def model_minimum(self, point, H):
        """The Newton step with the sum held, where it does not leave the orthant.

        Scaled by s itself: near the boundary H grows like s^(1/p - 2).
        """
        s = np.maximum(point.mu, SMALLEST)
        scaled = H * np.outer(s, s)
        size = np.diag(scaled).max()
        scaled.flat[:: len(s) + 1] += 1e-12 * max(size, np.finfo(float).tiny)
        factor = cho_factor(scaled, lower=True, check_finite=False)
        both = cho_solve(factor, np.column_stack([s * point.gradient, s]), check_finite=False)
        multiplier = -(s @ both[:, 0]) / (s @ both[:, 1])
        step = -s * (both[:, 0] + multiplier * both[:, 1])
        falling = step < 0
        room = 0.95 * np.min(s[falling] / -step[falling], initial=np.inf)
        if room < 0.5:  # one small weight would hold up all others
            return self.safe_target(point)
        moved = s + min(1.0, room) * step
        return moved / moved.sum()

    def safe_target(self, point):
        """The block step, which lowers J from any point: mu_k ~ |w_k|^(2/(p+1))."""
        s = np.maximum(point.mu, SMALLEST)
        q = -2 * point.gradient / self.slope(s)
        squares = s ** (2 / self.p) * q  # |w_k|^2
        if not squares.any():
            return point.mu
        moved = (squares / squares.max()) ** (self.p / (self.p + 1))
        return np.maximum(moved / moved.sum(), SMALLEST)


def svm_bound(Y, beta, q: np.ndarray, allowed: WeightSet) -> float:
    """A lower bound of min J over a set, from any feasible beta and q_k = beta'K_k beta."""
    return float(np.vdot(Y, beta)) - allowed.support(q) / 2
