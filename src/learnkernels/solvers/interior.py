"""Sparse weights of kernels of rank one, K_k = x_k x_k': a quadratic program, by interior points.

    max_c  y'c - c'(diag a)c / 2 - (radius / 2) max_k (x_k'c)^2,   low <= c <= high, sum(c) = 0

is the dual of the SVM (a = 0, with the box and the sum) and of ridge (a = alpha / w, without) when
the weights mu >= 0, sum(mu) <= radius, are learned too. With s >= |x_k'c| for all k it has linear
constraints; their multipliers l_k, m_k for s - x_k'c >= 0 and s + x_k'c >= 0 are the weights,

    mu_k = (l_k + m_k) / s,   sum_k (l_k + m_k) = radius s

Each step (Mehrotra 1992) factors one n x n matrix X D X' + diagonal, so a few dozen combined Gram
matrices solve the problem to many digits, whatever the number of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.progress import Say, gap_reached, silent

__all__ = ["InteriorSolution", "RankOne", "interior_weights"]

# Part of the way to the nearest wall that a step may go.
CLOSE = 0.995
# Of the largest weight, below which a kernel may be left out.
SHARES = (1e-4, 1e-6, 1e-8, 0.0)


@dataclass(frozen=True)
class RankOne:
    """The kernels of rank one, by what the steps ask of X = [x_1 ... x_p].

    Attributes
    ----------
    gram : callable
        ``gram(d)`` is X diag(d) X' as a new array of shape (n, n), for d >= 0.
    times : callable
        ``times(u)`` is X u, shape (n,).
    transposed : callable
        ``transposed(c)`` is X'c, shape (p,).
    """

    gram: Callable[[np.ndarray], np.ndarray]
    times: Callable[[np.ndarray], np.ndarray]
    transposed: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class InteriorSolution:
    """Where the path ends: mu and w a primal point, c a dual one.

    Attributes
    ----------
    mu : ndarray of shape (p,)
        Weights, all positive.
    w : ndarray of shape (p,)
        Of the function x -> sum_k w_k x_k that they give.
    kept : ndarray of shape (p,)
        False where a kernel's walls are farther than its weight is large: at the end of the path
        its weight would be zero.
    c : ndarray of shape (n,)
        Coefficients.
    steps : int
    gaps : tuple of float
        Of the path before each step and at its end.
    """

    mu: np.ndarray
    w: np.ndarray
    kept: np.ndarray
    c: np.ndarray
    steps: int
    gaps: tuple[float, ...]

    def sparse(self) -> InteriorSolution:
        """The same without the kernels that are not kept."""
        return self.only(self.kept)

    def denser(self) -> Iterator[InteriorSolution]:
        """First the sparse solution, then with smaller and smaller weights, at last with all."""
        yield self.sparse()
        for share in SHARES:
            yield self.only(self.mu >= share * self.mu.max())

    def only(self, mask: np.ndarray) -> InteriorSolution:
        mu = np.where(mask, self.mu, 0.0)
        mu *= self.mu.sum() / mu.sum()
        return replace(self, mu=mu, w=np.where(mask, self.w, 0.0))


@dataclass
class State:
    """A point inside all walls: c, s, the multiplier b of the sum, and those of the walls."""

    c: np.ndarray  # (n,)
    s: float
    b: float
    wall: np.ndarray  # (walls,) distances
    force: np.ndarray  # (walls,) multipliers


def interior_weights(
    kernels: RankOne,
    y: np.ndarray,
    a: np.ndarray,
    box: tuple[np.ndarray, np.ndarray] | None,
    radius: float,
    tol: float,
    max_iter: int = 100,
    say: Say = silent,
) -> InteriorSolution:
    """Follow the path of interior points until the gap is small enough.

    Parameters
    ----------
    kernels : RankOne
    y : ndarray of shape (n,)
        The linear term.
    a : ndarray of shape (n,)
        The diagonal of the quadratic term, not negative.
    box : (low, high) or None
        Bounds of c; with them the sum of c is zero.
    radius : float
        Bound on the sum of the weights.
    tol : float
        Relative gap at which to stop.
    max_iter : int, default=100
        Most steps.
    say : callable
        Told before every step.
    """
    path = Path(kernels, y, a, box, radius)
    state = path.start()
    gaps = [path.gap(state)]
    for step in range(max_iter):
        say(gap_reached(gaps[-1], step))
        moved = path.step(state, tol)
        if moved is None:
            break
        state = moved
        gaps.append(path.gap(state))
    return path.solution(state, gaps)


class Path:
    """The steps; walls are s - x_k'c, s + x_k'c, c - low and high - c, in this order."""

    def __init__(self, kernels: RankOne, y, a, box, radius: float):
        self.kernels, self.y, self.a, self.box, self.radius = kernels, y, a, box, radius
        self.n = len(y)

    def start(self) -> State:
        c = self.y / (self.a + 1.0) if self.box is None else (self.box[0] + self.box[1]) / 2
        u = self.kernels.transposed(c)
        self.p = len(u)
        s = 2 * float(np.abs(u).max()) + 1e-3 * float(np.linalg.norm(self.y))
        wall = self.walls(c, s)
        force = np.empty(len(wall))
        force[: 2 * self.p] = self.radius * s / (2 * self.p)
        force[2 * self.p :] = np.abs(self.y).max()
        return State(c, s, 0.0, wall, force)

    def walls(self, c, s) -> np.ndarray:
        u = self.kernels.transposed(c)
        sides = [] if self.box is None else [c - self.box[0], self.box[1] - c]
        return np.concatenate([s - u, s + u, *sides])

    def solution(self, state: State, gaps: list[float]) -> InteriorSolution:
        p = self.p
        left, right = state.force[:p], state.force[p : 2 * p]
        mu = (left + right) / state.s
        away = np.minimum(state.wall[:p], state.wall[p : 2 * p]) / state.s
        kept = mu >= self.radius * away
        total = mu.sum()
        if np.isfinite(total) and total > 0:
            mu *= self.radius / total
        else:
            mu = np.full(p, self.radius / p)
        kept |= not kept.any()
        return InteriorSolution(mu, left - right, kept, state.c, len(gaps) - 1, tuple(gaps))

    def pull(self, force: np.ndarray) -> tuple[np.ndarray, float]:
        """A' force for the walls' gradients A: the part of c, shape (n,), and that of s."""
        p, n = self.p, self.n
        c = self.kernels.times(force[p : 2 * p] - force[:p])
        if self.box is not None:
            c += force[2 * p : 2 * p + n] - force[2 * p + n :]
        return c, float(force[: 2 * p].sum())

    def slopes(self, dc, ds) -> np.ndarray:
        """A (dc, ds): how the walls' distances change."""
        u = self.kernels.transposed(dc)
        sides = [] if self.box is None else [dc, -dc]
        return np.concatenate([ds - u, ds + u, *sides])

    def gap(self, state: State) -> float:
        """Distances times multipliers of the walls, relative to the value."""
        c, s = state.c, state.s
        value = self.y @ c - c @ (self.a * c) / 2 - self.radius * s**2 / 2
        return float(state.wall @ state.force) / max(abs(value), np.finfo(float).tiny)

    def step(self, state: State, tol: float) -> State | None:
        """The next point; None if the gap is small enough or rounding allows no more."""
        c, s, b, wall, force = state.c, state.s, state.b, state.wall, state.force
        pull_c, pull_s = self.pull(force)
        rest_c = self.y - self.a * c + pull_c - (b if self.box is not None else 0.0)
        rest_s = pull_s - self.radius * s
        rest_b = -c.sum() if self.box is not None else 0.0
        if self.gap(state) <= tol and np.abs(rest_c).max() <= 1e-6 * np.abs(self.y).max():
            return None
        solve = self.newton(wall, force)
        if solve is None:
            return None
        center = float(wall @ force) / len(wall)

        def direction(target):
            """Newton step towards wall * force = target."""
            push = (target - wall * force) / wall
            pc, ps = self.pull(push)
            dc, ds, db = solve(rest_c + pc, rest_s + ps, rest_b)
            dwall = self.slopes(dc, ds)
            return dc, ds, db, dwall, push - force / wall * dwall

        *_, dwall, dforce = direction(0.0)
        reach = min(room(wall, dwall), room(force, dforce))
        predicted = (wall + reach * dwall) @ (force + reach * dforce) / len(wall)
        target = center * (predicted / center) ** 3 - dwall * dforce
        dc, ds, db, dwall, dforce = direction(target)
        reach = min(1.0, CLOSE * min(room(wall, dwall), room(force, dforce)))
        if reach < 1e-10:
            return None
        return State(
            c + reach * dc, s + reach * ds, b + reach * db, wall + reach * dwall,
            force + reach * dforce,
        )  # fmt: skip

    def newton(self, wall, force):
        """A function that solves the linear system of a step, or None where rounding forbids."""
        p, n = self.p, self.n
        stiff = force / wall
        left, right = stiff[:p], stiff[p : 2 * p]
        H = self.kernels.gram(left + right)
        diagonal = self.a.copy()
        if self.box is not None:
            diagonal += stiff[2 * p : 2 * p + n] + stiff[2 * p + n :]
        H.flat[:: n + 1] += diagonal + 1e-14 * np.trace(H) / n
        factor, failed = dpotrf(H.T, lower=1, overwrite_a=1, clean=0)
        if failed:
            return None
        border = [self.kernels.times(right - left)]  # of s
        if self.box is not None:
            border.append(np.ones(n))  # of b
        E = np.column_stack(border)
        HE = dpotrs(factor, E, lower=1)[0]
        corner = np.zeros((E.shape[1], E.shape[1]))
        corner[0, 0] = self.radius + left.sum() + right.sum()
        schur = corner - E.T @ HE

        def solve(rc, rs, rb):
            # [H E; E' corner] (dc, ds, db) = (rc, rs, rb)
            t = dpotrs(factor, rc, lower=1)[0].ravel()
            other = np.array([rs, rb])[: E.shape[1]]
            d = np.linalg.solve(schur, other - E.T @ t)
            dc = t - HE @ d
            return dc, float(d[0]), float(d[1]) if len(d) > 1 else 0.0

        return solve


def room(x: np.ndarray, dx: np.ndarray) -> float:
    """Largest step up to 1 / CLOSE that keeps x + step dx >= 0."""
    falling = dx < 0
    return float(np.min(-x[falling] / dx[falling], initial=1 / CLOSE))
