"""The objective of a machine over a ball of the p-norm."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from learnkernels.methods.objectives.loss import Loss
from learnkernels.solvers import Point

# Weights of an lp-norm solution are positive; this keeps roots and logarithms finite.
SMALLEST = 1e-200
# Beyond this many kernels block steps, which treat one kernel at a time, are faster than Newton's.
MAX_CURVED = 1000


@dataclass
class PowerObjective:
    """J over |mu|_p <= 1, in s = mu^p: s >= 0, sum(s) <= 1.

    mu_k = s_k^(1/p) is concave and J decreases in mu, so J is convex in s, and its minimum is
    inside.

    Attributes
    ----------
    loss : Loss
        J over the ball of the p-norm.
    p : float
        The norm, above 1.
    """

    loss: Loss
    p: float

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Train the machine at s; `mu` of the point is s."""
        s = mu
        point = self.loss.evaluate(self.weights(s), near)
        target = self.block_step(s, -point.gradient)
        return replace(point, mu=s, gradient=point.gradient * self.slope(s), target=target)

    def weights(self, s: np.ndarray) -> np.ndarray:
        """Compute mu_k = s_k^(1/p)."""
        return np.asarray(np.maximum(s, SMALLEST) ** (1 / self.p))

    def slope(self, s: np.ndarray) -> np.ndarray:
        """Compute dmu_k/ds_k."""
        return np.asarray(np.maximum(s, SMALLEST) ** (1 / self.p - 1) / self.p)

    def curvature(self, point: Point) -> np.ndarray | None:
        """Compute the second derivatives in s; None for so many kernels that they cost too much."""
        H = self.loss.curvature(point) if len(point.mu) <= MAX_CURVED else None
        if H is None:
            return None
        slope = self.slope(point.mu)
        diagonal = point.gradient * (1 / self.p - 1) / np.maximum(point.mu, SMALLEST)
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
        """Take the block step, which lowers J from any point: mu_k ~ |w_k|^(2/(p+1)).

        |w_k|^2 = mu_k^2 q_k, up to a factor that all kernels share.
        """
        p = self.p
        squares = np.maximum(s, SMALLEST) ** (2 / p) * q
        if not squares.any():
            return s
        moved = (squares / squares.max()) ** (p / (p + 1))
        return np.maximum(moved / moved.sum(), SMALLEST)

    def sharpen(self) -> bool:
        """Make evaluations more accurate; return False if they are exact already."""
        return self.loss.sharpen()
