"""Minimise a convex quadratic over non-negative vectors in a second-order cone and the unit ball.

    min_x  x'H x / 2 - b'x,   x >= 0,   |x|_2 <= 1,   a'x >= omega sqrt(x'M x)

Newton's method on a logarithmic barrier: the iterates are strictly feasible, and the multiplier of
the cone is dual feasible, so that it gives a bound on linear functions over the set.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize_scalar

# Growth of the weight of the objective against the barrier, and the last one: the objective, of
# size one, is then exact to the number of constraints divided by it.
GROWTH, LAST = 10.0, 1e10
# Largest number of Newton steps for one weight; as a rule about ten are needed.
STEPS = 200
# Part of the distance from a curved boundary that a step must keep: away from one that is too near
# only small steps lead.
KEPT = 0.5
TINY = float(np.finfo(float).tiny)


class Margins(NamedTuple):
    """Distances of a point from the boundaries of the cone and of the ball.

    Attributes
    ----------
    low, high : float
        a'x -+ omega sqrt(x'M x)
    slack : float
        1 - x'x
    w : ndarray of shape (p,)
        omega M x / sqrt(x'M x), the gradient of omega sqrt(x'M x).
    """

    low: float
    high: float
    slack: float
    w: np.ndarray


@dataclass(frozen=True)
class AlignedBall:
    """The set x >= 0, |x|_2 <= 1, a'x >= omega sqrt(x'M x).

    Attributes
    ----------
    M : ndarray of shape (p, p)
        Positive semi-definite.
    a : ndarray of shape (p,)
        Not negative.
    omega : float
        Not negative.
    inside : ndarray of shape (p,)
        A point where all constraints are strict.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import AlignedBall
    >>> ball = AlignedBall(np.eye(2), np.array([1.0, 0.0]), 0.8, np.array([0.5, 0.1]))
    >>> x, bound = ball.maximise(np.array([0.0, 1.0]))
    >>> x.round(4), round(bound, 4)
    (array([0.8, 0.6]), 0.6)
    """

    M: np.ndarray
    a: np.ndarray
    omega: float
    inside: np.ndarray

    def maximise(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """Maximise q'x; return the point and an upper bound of the maximum."""
        size = float(np.linalg.norm(q))
        if size == 0:
            return self.inside, 0.0
        x, t = self._follow(np.zeros_like(self.M), q / size)
        # a'y >= omega sqrt(y'M y) >= omega (M x)'y / sqrt(x'M x) = w'y for any y in the set, so for
        # any k >= 0:  q'y <= (q + k (a - w))'y <= |(q + k (a - w))_+|_2
        low, _, _, w = self._margins(x)

        def bound(k: float) -> float:
            return float(np.linalg.norm(np.maximum(q / size + k * (self.a - w), 0.0)))

        # The central path has k = 1 / (t low) up to rounding errors, which are large in `low`.
        best = minimize_scalar(bound, bounds=(0.0, 2 / (t * low)), options={"xatol": 1e-12})
        return x, size * float(best.fun)

    def minimise(self, H: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Minimise x'H x / 2 - b'x, shape (p,)."""
        size = max(float(np.abs(H).max()), float(np.abs(b).max()), np.finfo(float).tiny)
        return self._follow(H / size, b / size)[0]

    def _margins(self, x: np.ndarray) -> Margins:
        """Compute the distances from the curved boundaries."""
        Mx = self.M @ x
        norm = sqrt(max(float(x @ Mx), TINY))
        inner, outer = float(self.a @ x), self.omega * norm
        return Margins(inner - outer, inner + outer, 1 - float(x @ x), self.omega * Mx / norm)

    def _follow(self, H: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
        """Follow the central path; return its last point and the weight of the objective there."""
        x, t = self.inside, 1.0
        while True:
            x = self._center(H, b, x, t)
            if t >= LAST:
                return x, t
            t = min(GROWTH * t, LAST)

    def _center(self, H: np.ndarray, b: np.ndarray, x: np.ndarray, t: float) -> np.ndarray:
        """Minimise t (x'H x / 2 - b'x) + barrier by Newton's method with a line search."""
        here = self._margins(x)
        value = self._value(H, b, x, t, here)
        for _ in range(STEPS):
            try:
                step, g = self._newton_step(H, b, x, t, here)
            except LinAlgError:  # rounding; the point is feasible, and the bound holds for any
                return x
            slope, length = float(g @ step), 1.0
            if -slope <= 1e-8:
                break
            while True:
                new = x + length * step
                there = self._margins(new)
                if there.low >= KEPT * here.low and there.slack >= KEPT * here.slack:
                    trial = self._value(H, b, new, t, there)
                    if trial <= value + length * slope / 4:
                        break
                length /= 2
                if length < 1e-8:  # rounding hides the decrease
                    return x
            x, here, value = new, there, trial
        return x

    def _value(
        self, H: np.ndarray, b: np.ndarray, x: np.ndarray, t: float, margins: Margins
    ) -> float:
        """Compute t (x'H x / 2 - b'x) + barrier; infinite outside the set.

        The barrier is -log((a'x)^2 - omega^2 x'M x) - log(1 - x'x) - sum_k log x_k.
        """
        low, high, slack, _ = margins
        if low <= 0 or slack <= 0 or (x <= 0).any():
            return np.inf
        barrier = -np.log(low) - np.log(high) - np.log(slack) - np.log(x).sum()
        return float(t * (x @ H @ x / 2 - b @ x) + barrier)

    def _newton_step(
        self, H: np.ndarray, b: np.ndarray, x: np.ndarray, t: float, margins: Margins
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the Newton step and the gradient of `_value`.

        The second derivatives are B + UU', with the columns of U far larger than B near the
        boundary, so B alone is factored. In units of x, where the barrier of x >= 0 has second
        derivatives one.
        """
        low, high, slack, w = margins
        columns = np.column_stack([(self.a - w) / low, (self.a + w) / high, 2 * x / slack])
        g = t * (H @ x - b) + columns @ np.array([-1.0, -1.0, 1.0]) - 1 / x
        B = t * H + 2 / (low * high) * (self.omega**2 * self.M - np.outer(w, w))
        B.flat[:: len(x) + 1] += 2 / slack
        B *= np.outer(x, x)
        B.flat[:: len(x) + 1] += 1
        U = x[:, None] * columns
        factor = cho_factor(B, lower=True, check_finite=False)
        solved = cho_solve(factor, np.column_stack([x * g, U]), check_finite=False)
        inner = np.eye(3) + U.T @ solved[:, 1:]
        return -x * (solved[:, 0] - solved[:, 1:] @ np.linalg.solve(inner, U.T @ solved[:, 0])), g
