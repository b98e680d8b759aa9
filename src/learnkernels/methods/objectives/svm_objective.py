"""The SVM objective as a function of the weights.

    J(mu) = max_beta L(beta, mu),   L(beta, mu) = sum_t y_t'beta_t - sum_k mu_k q_k / 2

with q_k = sum_t beta_t'K_k beta_t and beta in the box of `solvers.svm`, so dJ/dmu_k = -q_k / 2, and
for any feasible beta at all

    min_mu J(mu) >= min_mu L(beta, mu)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.execution import single_threaded_blas
from learnkernels.gram import CenteredKernels
from learnkernels.methods.base import WeightProblem
from learnkernels.solvers import Point, Simplex, WeightSet, simplex_qp, solve_svm

SIMPLEX = Simplex()


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
    criterion: ClassVar[str] = "SVM objective"

    @classmethod
    def of(cls, problem: WeightProblem, allowed: WeightSet = SIMPLEX, tol: float = 1e-3) -> Self:
        """Return the objective of a weight problem."""
        C = problem.C * problem.sample_weight
        return cls(problem.kernels, problem.Y, C, allowed, tol)

    def over(self, kernels: CenteredKernels, allowed: WeightSet) -> SVMObjective:
        """Return the objective of other kernels and weights."""
        return SVMObjective(kernels, self.Y, self.C, allowed)

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
        return self.over(self.kernels.keep(mask), self.allowed)

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
