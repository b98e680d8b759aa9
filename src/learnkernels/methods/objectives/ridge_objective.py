"""The ridge objective as a function of the weights.

    F(mu) = sum_t y_t'(K_mu + alpha W^-1)^-1 y_t = max_c L(c, mu)
    L(c, mu) = 2 y'c - alpha c'W^-1 c - sum_k mu_k v_k,   v_k = c'K_k c

so dF/dmu_k = -v_k at c = (K_mu + alpha W^-1)^-1 y, and for any c at all

    min_mu F(mu) >= min_mu L(c, mu)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram import CenteredKernels
from learnkernels.machines import not_definite, ridge_system
from learnkernels.methods.base import WeightProblem
from learnkernels.solvers import Point, Simplex, WeightSet, simplex_qp


@dataclass(frozen=True)
class RidgeObjective:
    """F over a set of weights; see the module.

    Attributes
    ----------
    kernels : CenteredKernels
        The base kernels.
    Y : ndarray of shape (n_samples, n_outputs)
        Targets, centered if the kernels are.
    root : ndarray of shape (n_samples, 1)
        W^1/2, the square roots of the sample weights.
    alpha : float
        Regularisation parameter.
    allowed : WeightSet
        Feasible weights.
    curved : bool, default=True
        Whether points keep what `curvature` needs, an n x n matrix among it.
    """

    kernels: CenteredKernels
    Y: np.ndarray
    root: np.ndarray
    alpha: float
    allowed: WeightSet
    curved: bool = True
    criterion: ClassVar[str] = "ridge objective"

    @classmethod
    def of(cls, problem: WeightProblem, allowed: WeightSet, curved: bool = True) -> Self:
        """Return the objective of a weight problem."""
        Y, w = problem.Y, problem.sample_weight
        if problem.kernels.center:
            Y = Y - w @ Y / w.sum()
        return cls(problem.kernels, Y, np.sqrt(w)[:, None], problem.alpha, allowed, curved)

    def over(self, kernels: CenteredKernels, allowed: WeightSet) -> Self:
        """Return the objective of other kernels and weights."""
        return replace(self, kernels=kernels, allowed=allowed)

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Solve ridge at mu."""
        kernel, root, backend = self.kernels.kernel(mu), self.root[:, 0], self.kernels.backend
        system = ridge_system(kernel, root**2, self.alpha, backend)
        if system is None:  # K_mu is semi-definite for mu >= 0, so this is rounding
            more = self.alpha + 1e-10 * float(mu @ self.kernels.traces) / len(root)
            system = ridge_system(kernel, root**2, more, backend)
            if system is None:
                raise not_definite(self.alpha)
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            coef = self.root * system.solve(self.root * self.Y)
            Z = self.kernels.products(coef)
            v = np.maximum(Z.forms(), 0.0)
            # L is largest at coef, so its value is accurate to second order in rounding.
            value = self.lagrangian(coef, v, mu)
            target = self.allowed.argmax_linear(v)
            bound = self.lagrangian(coef, v, target)
        if not np.isfinite([value, bound]).all():
            raise InputError(
                f"the coefficients of ridge with alpha={self.alpha:g} overflow; raise alpha, or "
                "lower C."
            )
        state = (coef, Z, system) if self.curved else None
        return Point(mu, value, -v, target, state, value=value, bound=bound)

    def lagrangian(self, coef: np.ndarray, v: np.ndarray, mu: np.ndarray) -> float:
        """Compute L(c, mu) from c and v_k = c'K_k c."""
        penalty = self.alpha * np.vdot(coef, coef / self.root**2)
        return float(2 * np.vdot(self.Y, coef) - penalty - mu @ v)

    def restricted(self, mask: np.ndarray) -> Self:
        """Return the objective of some of the kernels."""
        return self.over(self.kernels.keep(mask), self.allowed)

    def bound_over_all(self, point: Point) -> tuple[float, np.ndarray]:
        """Return a lower bound over all weights, and minus their gradient, shape (p,)."""
        coef = point.state[0]
        v = np.maximum(self.kernels.forms(coef), 0.0)
        return self.lagrangian(coef, v, self.allowed.argmax_linear(v)), v

    def curvature(self, point: Point) -> np.ndarray:
        """Compute d2F/dmu_k dmu_l = 2 sum_t (K_k c_t)'(K_mu + alpha W^-1)^-1 (K_l c_t)."""
        coef, Z, system = point.state
        H = np.zeros((len(point.gradient), len(point.gradient)))
        for t in range(coef.shape[1]):
            scaled = self.root * Z.of(t)  # (n, p)
            H += 2 * scaled.T @ system.solve(scaled)
        return H

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimise the quadratic model over the simplex; the linear one over another set."""
        if not isinstance(self.allowed, Simplex):
            return point.target
        return simplex_qp(H, H @ point.mu - point.gradient, self.allowed.radius, point.mu)

    def sharpen(self) -> bool:
        """Return False: evaluations are exact."""
        return False
