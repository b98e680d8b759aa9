"""Interior-point method for sparse weights of kernels of rank one, K_k = x_k x_k'.

    max_c  y'c - c'(diag a)c / 2 - (radius / 2) max_k (x_k'c)^2,   low <= c <= high, sum(c) = 0

is the dual of the SVM (a = 0, with the box and the sum) and of ridge (a = alpha / w, without) when
the weights mu >= 0, sum(mu) <= radius, are learned too. With s >= |x_k'c| for all k it is a
quadratic program; the multipliers l_k, m_k of s - x_k'c >= 0 and s + x_k'c >= 0 give the weights,

    mu_k = (l_k + m_k) / s,   sum_k (l_k + m_k) = radius s

Each step (Mehrotra 1992) factors one n x n matrix X D X' + diagonal, so a few dozen combined Gram
matrices solve the problem to many digits, for any number of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.solvers.loop import Certificate, Iterate, iterate

# Largest part of the step to the boundary.
TO_BOUNDARY = 0.995
# Kernels below these parts of the largest weight may be left out.
THRESHOLDS = (1e-4, 1e-6, 1e-8, 0.0)

Box = tuple[np.ndarray, np.ndarray]
Direction = tuple[np.ndarray, float, float]


class RankOneKernels(Protocol):
    """Kernels of rank one, given by products with X = [x_1 ... x_p]."""

    def gram(self, d: np.ndarray) -> np.ndarray:
        """Compute X diag(d) X' for d >= 0 as a new array of shape (n, n)."""

    def times(self, u: np.ndarray) -> np.ndarray:
        """Compute X u, shape (n,)."""

    def transposed_times(self, c: np.ndarray) -> np.ndarray:
        """Compute X'c, shape (p,)."""


@dataclass(frozen=True)
class InteriorSolution:
    """The last interior point: mu and w are primal, c is dual.

    Attributes
    ----------
    mu : ndarray of shape (p,)
        Weights, all positive.
    w : ndarray of shape (p,)
        Coefficients of the function x -> sum_k w_k x_k.
    kept : ndarray of bool of shape (p,)
        False where the slack of a kernel exceeds its weight: in the limit its weight is zero.
    c : ndarray of shape (n,)
        Coefficients.
    certificate : Certificate
        Iterations and gaps of the interior points.
    """

    mu: np.ndarray
    w: np.ndarray
    kept: np.ndarray
    c: np.ndarray
    certificate: Certificate

    def sparse(self) -> InteriorSolution:
        """Set the weights of kernels that are not kept to zero."""
        return self.only(self.kept)

    def denser(self) -> Iterator[InteriorSolution]:
        """Yield the sparse solution, then solutions with smaller and smaller weights."""
        yield self.sparse()
        for threshold in THRESHOLDS:
            yield self.only(self.mu >= threshold * self.mu.max())

    def only(self, mask: np.ndarray) -> InteriorSolution:
        """Restrict the solution to some kernels; the sum of the weights stays."""
        mu = np.where(mask, self.mu, 0.0)
        mu *= self.mu.sum() / mu.sum()
        return replace(self, mu=mu, w=np.where(mask, self.w, 0.0))


@dataclass(frozen=True)
class InteriorPoint(Iterate):
    """A point strictly inside all constraints; `value` is minus the objective.

    Slacks are those of s - x_k'c, s + x_k'c, c - low and high - c, in this order.
    """

    c: np.ndarray  # (n,)
    s: float
    b: float  # multiplier of the sum
    slacks: np.ndarray  # (constraints,)
    multipliers: np.ndarray  # (constraints,)
    residual_c: np.ndarray  # (n,) of stationarity in c
    residual_s: float

    @property
    def gap(self) -> float:
        """Complementarity relative to the objective."""
        return float(self.slacks @ self.multipliers) / max(abs(self.value), np.finfo(float).tiny)


def interior_weights(
    kernels: RankOneKernels,
    y: np.ndarray,
    a: np.ndarray,
    box: Box | None,
    radius: float,
    *,
    tol: float,
    max_iter: int = 100,
) -> InteriorSolution:
    """Follow the central path until the gap is at most tol.

    Parameters
    ----------
    kernels : RankOneKernels
    y : ndarray of shape (n,)
        Linear term.
    a : ndarray of shape (n,)
        Diagonal of the quadratic term, not negative.
    box : (low, high) or None
        Bounds of c; with them the sum of c is zero.
    radius : float
        Bound on the sum of the weights.
    tol : float
        Relative gap at which to stop.
    max_iter : int, default=100
        Largest number of steps.
    """
    path = CentralPath(kernels, y, a, box, radius)
    small = 1e-6 * np.abs(y).max()
    end, certificate = iterate(
        path.start(),
        path.step,
        tol=tol,
        max_iter=max_iter,
        converged=lambda point: point.gap <= tol and np.abs(point.residual_c).max() <= small,
    )
    return path.solution(end, certificate)


@dataclass(frozen=True)
class CentralPath:
    """The predictor-corrector steps."""

    kernels: RankOneKernels
    y: np.ndarray
    a: np.ndarray
    box: Box | None
    radius: float

    def start(self) -> InteriorPoint:
        """Return a point well inside the constraints."""
        c = self.y / (self.a + 1.0) if self.box is None else (self.box[0] + self.box[1]) / 2
        u = self.kernels.transposed_times(c)
        s = 2 * float(np.abs(u).max()) + 1e-3 * float(np.linalg.norm(self.y))
        box = [] if self.box is None else [c - self.box[0], self.box[1] - c]
        slacks = np.concatenate([s - u, s + u, *box])
        multipliers = np.full(len(slacks), np.abs(self.y).max())
        multipliers[: 2 * len(u)] = self.radius * s / (2 * len(u))
        return self.point(c, s, 0.0, slacks, multipliers)

    def point(
        self, c: np.ndarray, s: float, b: float, slacks: np.ndarray, multipliers: np.ndarray
    ) -> InteriorPoint:
        """Compute the residuals of stationarity and the objective."""
        force_c, force_s = self.transposed(multipliers)
        residual_c = self.y - self.a * c + force_c - b
        objective = self.y @ c - c @ (self.a * c) / 2 - self.radius * s**2 / 2
        return InteriorPoint(
            c, s, b, slacks, multipliers, residual_c, force_s - self.radius * s,
            value=-float(objective),
        )  # fmt: skip

    def changes(self, dc: np.ndarray, ds: float) -> np.ndarray:
        """Compute A (dc, ds), the change of the slacks, for the Jacobian A of the constraints."""
        u = self.kernels.transposed_times(dc)
        box = [] if self.box is None else [dc, -dc]
        return np.concatenate([ds - u, ds + u, *box])

    def transposed(self, multipliers: np.ndarray) -> tuple[np.ndarray, float]:
        """Compute A'multipliers: its part for c, shape (n,), and for s."""
        n, (p, sides) = len(self.y), self.sizes(multipliers)
        c = self.kernels.times(multipliers[p : 2 * p] - multipliers[:p])
        if sides:
            c += multipliers[2 * p : 2 * p + n] - multipliers[2 * p + n :]
        return c, float(multipliers[: 2 * p].sum())

    def sizes(self, multipliers: np.ndarray) -> tuple[int, int]:
        """Return the numbers of kernels and of box constraints."""
        sides = 0 if self.box is None else 2 * len(self.y)
        return (len(multipliers) - sides) // 2, sides

    def step(self, now: InteriorPoint) -> InteriorPoint | None:
        """Take a predictor-corrector step; None if rounding prevents one."""
        slacks, multipliers = now.slacks, now.multipliers
        solve = self.newton_system(slacks, multipliers)
        if solve is None:
            return None
        residual_b = -float(now.c.sum()) if self.box is not None else 0.0

        def direction(
            target: np.ndarray | float,
        ) -> tuple[np.ndarray, float, float, np.ndarray, np.ndarray]:
            """Solve for the Newton step towards slacks * multipliers = target."""
            push = (target - slacks * multipliers) / slacks
            push_c, push_s = self.transposed(push)
            dc, ds, db = solve(now.residual_c + push_c, now.residual_s + push_s, residual_b)
            dslacks = self.changes(dc, ds)
            return dc, ds, db, dslacks, push - multipliers / slacks * dslacks

        *_, dslacks, dmultipliers = direction(0.0)
        length = min(longest_step(slacks, dslacks), longest_step(multipliers, dmultipliers))
        center = float(slacks @ multipliers) / len(slacks)
        moved = slacks + length * dslacks, multipliers + length * dmultipliers
        predicted = moved[0] @ moved[1] / len(slacks)
        dc, ds, db, dslacks, dmultipliers = direction(
            center * (predicted / center) ** 3 - dslacks * dmultipliers
        )
        length = min(longest_step(slacks, dslacks), longest_step(multipliers, dmultipliers))
        length = min(1.0, TO_BOUNDARY * length)
        if length < 1e-10:
            return None
        return self.point(
            now.c + length * dc, now.s + length * ds, now.b + length * db,
            slacks + length * dslacks, multipliers + length * dmultipliers,
        )  # fmt: skip

    def newton_system(
        self, slacks: np.ndarray, multipliers: np.ndarray
    ) -> Callable[[np.ndarray, float, float], Direction] | None:
        """Factor the linear system of a step; None where it is not definite to rounding."""
        n, (p, sides) = len(self.y), self.sizes(multipliers)
        ratio = multipliers / slacks
        left, right = ratio[:p], ratio[p : 2 * p]
        H = self.kernels.gram(left + right)
        diagonal = self.a.copy()
        if sides:
            diagonal += ratio[2 * p : 2 * p + n] + ratio[2 * p + n :]
        H.flat[:: n + 1] += diagonal + 1e-14 * np.trace(H) / n
        factor, failed = dpotrf(H.T, lower=1, overwrite_a=1, clean=0)
        if failed:
            return None
        border = [self.kernels.times(right - left)]  # of s
        if sides:
            border.append(np.ones(n))  # of b
        E = np.column_stack(border)
        HE = dpotrs(factor, E, lower=1)[0]
        corner = np.zeros((E.shape[1], E.shape[1]))
        corner[0, 0] = self.radius + left.sum() + right.sum()
        schur = corner - E.T @ HE

        def solve(rc: np.ndarray, rs: float, rb: float) -> Direction:
            # [H E; E' corner] (dc, ds, db) = (rc, rs, rb)
            t = dpotrs(factor, rc, lower=1)[0].ravel()
            other = np.array([rs, rb])[: E.shape[1]]
            d = np.linalg.solve(schur, other - E.T @ t)
            return t - HE @ d, float(d[0]), float(d[1]) if len(d) > 1 else 0.0

        return solve

    def solution(self, end: InteriorPoint, certificate: Certificate) -> InteriorSolution:
        """Compute weights and coefficients from the last point."""
        p, _ = self.sizes(end.multipliers)
        left, right = end.multipliers[:p], end.multipliers[p : 2 * p]
        mu = (left + right) / end.s
        slack = np.minimum(end.slacks[:p], end.slacks[p : 2 * p]) / end.s
        kept = mu >= self.radius * slack
        total = mu.sum()
        if np.isfinite(total) and total > 0:
            mu *= self.radius / total
        else:
            mu = np.full(p, self.radius / p)
        kept |= not kept.any()
        return InteriorSolution(mu, left - right, kept, end.c, certificate)


def longest_step(x: np.ndarray, dx: np.ndarray) -> float:
    """Return the largest step up to 1 / TO_BOUNDARY with x + step dx >= 0."""
    falling = dx < 0
    return float(np.min(-x[falling] / dx[falling], initial=1 / TO_BOUNDARY))
