"""The SVM objective as a function of the weights.

    J(mu) = max_beta L(beta, mu),   L(beta, mu) = sum_t y_t'beta_t - sum_k mu_k q_k / 2

with q_k = sum_t beta_t'K_k beta_t and beta in the box of `solvers.svm`, so dJ/dmu_k = -q_k / 2, and
for any feasible beta at all

    min_mu J(mu) >= min_mu L(beta, mu)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.execution import single_threaded_blas
from learnkernels.gram import CenteredKernels
from learnkernels.solvers import LpBall, Point, Simplex, WeightSet, simplex_qp, solve_svm

# Weights of an lp-norm solution are positive; this keeps roots and logarithms finite.
SMALLEST = 1e-200
# Beyond this many kernels block steps, which treat one kernel at a time, are faster than Newton's.
MAX_CURVED = 1000
SIMPLEX, EUCLIDEAN = Simplex(), LpBall(2.0)


@dataclass
class SVMObjective:
    """J over mu >= 0, sum(mu) <= 1 (or another set, for its value alone).

    Attributes
    ----------
    kernels : CenteredKernels
        The base kernels.
    Y : ndarray of shape (n_samples, n_outputs)
        Labels -1 and 1.
    C : ndarray of shape (n_samples,)
        Bound of each coefficient.
    allowed : WeightSet
        Feasible weights.
    tol : float, default=1e-3
        Tolerance of the SVM solver; `sharpen` lowers it.
    """

    kernels: CenteredKernels
    Y: np.ndarray
    C: np.ndarray
    allowed: WeightSet = SIMPLEX
    tol: float = 1e-3

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Solve the SVMs at mu, starting from the coefficients of `near`."""
        return self.evaluate_from(mu, None if near is None else near.state[1])

    def evaluate_from(self, mu: np.ndarray, start: np.ndarray | None) -> Point:
        """Solve the SVMs at mu, starting from coefficients of shape (n_samples, n_outputs)."""
        K = self.kernels.gram(mu)
        beta = np.empty_like(self.Y, dtype=float)
        value = estimate = 0.0
        for t, y in enumerate(self.Y.T):
            warm = None if start is None else start[:, t]
            solution, _ = solve_svm(
                K, np.ascontiguousarray(y), self.C, tol=self.tol, start=warm, exact=False
            )
            beta[:, t] = solution.beta
            value += solution.value
            # The error of the dual value is the square of that of beta: the better estimate of J.
            estimate += solution.bound
        Z = self.kernels.products(beta)
        q = np.maximum(Z.forms(), 0.0)
        target = self.allowed.argmax_linear(q)
        bound = self.lower_bound(beta, q)
        return Point(mu, estimate, -q / 2, target, (K, beta, Z), value=value, bound=bound)

    def lower_bound(self, beta: np.ndarray, q: np.ndarray) -> float:
        """Compute min_mu L(beta, mu) from any feasible beta and q_k = sum_t beta_t'K_k beta_t."""
        return float(np.vdot(self.Y, beta) - q @ self.allowed.argmax_linear(q) / 2)

    def restricted(self, mask: np.ndarray) -> SVMObjective:
        """Return the objective of some of the kernels."""
        return SVMObjective(self.kernels.keep(mask), self.Y, self.C, self.allowed)

    def bound_over_all(self, point: Point) -> tuple[float, np.ndarray]:
        """Return a lower bound over all weights, and minus their gradient, shape (p,)."""
        beta = point.state[1]
        q = np.maximum(self.kernels.forms(beta), 0.0)
        return self.lower_bound(beta, q), q / 2

    def curvature(self, point: Point) -> np.ndarray | None:
        """Compute sum_t Z_F'A Z_F, where A solves for the free coefficients F of fixed sum.

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

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimise the quadratic model over the simplex."""
        return simplex_qp(H, H @ point.mu - point.gradient, 1.0, point.mu)

    def sharpen(self) -> bool:
        """Lower the tolerance of the SVM solver; return False if rounding prevents that."""
        self.tol /= 10
        return self.tol >= 1e-9


def held_curvature(K_FF: np.ndarray, Z_F: np.ndarray) -> np.ndarray:
    """Compute Z_F'A Z_F for free coefficients of fixed sum, shape (p, p); overwrites K_FF."""
    ridge = 1e-8 * np.trace(K_FF) / len(K_FF)
    K_FF.flat[:: len(K_FF) + 1] += max(ridge, np.finfo(float).tiny)
    # At this size, starting BLAS threads can take longer than the work.
    with single_threaded_blas():
        factor, failed = dpotrf(K_FF.T, lower=1, overwrite_a=1, clean=0)
        if failed:  # by rounding only; a linear model still gives a direction of descent
            return np.zeros((Z_F.shape[1], Z_F.shape[1]))
        solved, _ = dpotrs(factor, np.column_stack([Z_F, np.ones(len(K_FF))]), lower=1)
    ones = solved[:, -1]
    return Z_F.T @ (solved[:, :-1] - np.outer(ones, Z_F.T @ ones) / ones.sum())


@dataclass
class LpObjective(SVMObjective):
    """J over |mu|_p <= 1, in s = mu^p: s >= 0, sum(s) <= 1.

    mu_k = s_k^(1/p) is concave and J decreases in mu, so J is convex in s, and its minimum is
    inside.
    """

    allowed: LpBall = EUCLIDEAN

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Solve the SVMs at s; `mu` of the point is s."""
        s = mu
        point = super().evaluate(self.weights(s), near)
        target = self.block_step(s, -2 * point.gradient)
        return replace(point, mu=s, gradient=point.gradient * self.slope(s), target=target)

    def weights(self, s: np.ndarray) -> np.ndarray:
        """Compute mu_k = s_k^(1/p)."""
        return np.maximum(s, SMALLEST) ** (1 / self.allowed.p)

    def slope(self, s: np.ndarray) -> np.ndarray:
        """Compute dmu_k/ds_k."""
        return np.maximum(s, SMALLEST) ** (1 / self.allowed.p - 1) / self.allowed.p

    def curvature(self, point: Point) -> np.ndarray | None:
        """Compute the second derivatives in s; None for so many kernels that they cost too much."""
        H = super().curvature(point) if len(point.mu) <= MAX_CURVED else None
        if H is None:
            return None
        slope = self.slope(point.mu)
        diagonal = point.gradient * (1 / self.allowed.p - 1) / np.maximum(point.mu, SMALLEST)
        return H * np.outer(slope, slope) + np.diag(diagonal)

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Take the Newton step of fixed sum, unless it leaves the orthant.

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
        longest = 0.95 * np.min(s[falling] / -step[falling], initial=np.inf)
        if longest < 0.5:  # one small weight would limit the step of all others
            return point.target
        moved = s + min(1.0, longest) * step
        return moved / moved.sum()

    def block_step(self, s: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Take the block step, which lowers J from any point: mu_k ~ |w_k|^(2/(p+1))."""
        p = self.allowed.p
        squares = np.maximum(s, SMALLEST) ** (2 / p) * q  # |w_k|^2
        if not squares.any():
            return s
        moved = (squares / squares.max()) ** (p / (p + 1))
        return np.maximum(moved / moved.sum(), SMALLEST)
