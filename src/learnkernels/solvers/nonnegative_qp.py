"""Exact active-set solver of the non-negative quadratic program of `alignf`.

    min_v  v'Mv - 2 v'a,   v >= 0,   M positive semi-definite with non-negative entries

Optimal: with the gradient g = Mv - a, every g_k >= 0 and v_k g_k = 0. The set of positive v_k grows
by the most violated entry and shrinks when the free minimiser leaves the orthant (Lawson and Hanson
1974, on the normal equations). A Cholesky factor of the free block is updated, so a step costs
O(p s) for s free entries. A guess of the positive entries is factorised at once, and only wrong
entries need steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dpotrf, dpstrf, dtrtrs

from learnkernels.solvers.loop import Certificate

EPS = np.finfo(float).eps
PIVOT = 4 * EPS


def nonnegative_qp(
    M: np.ndarray, a: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, Certificate]:
    """Minimise v'Mv - 2v'a over v >= 0.

    Parameters
    ----------
    M : ndarray of shape (p, p)
        Symmetric positive semi-definite, possibly singular. A zero diagonal entry fixes v_k = 0.
    a : ndarray of shape (p,)
        Linear term.
    start : ndarray of shape (p,) or None, default=None
        A vector whose positive entries are a guess of the minimiser's.

    Returns
    -------
    v : ndarray of shape (p,)
        The minimiser (one of them, if M is singular).
    certificate : Certificate
        Primal and dual value and the relative gap.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import nonnegative_qp
    >>> v, certificate = nonnegative_qp(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 0.2]))
    >>> v
    array([0.5, 0. ])
    """
    diagonal = np.diag(M)
    alive = np.flatnonzero(diagonal > 0)
    root = np.sqrt(diagonal[alive])
    # Unit diagonal: entries are then correlations, and one tolerance fits all.
    C = M[np.ix_(alive, alive)] / np.outer(root, root)
    guess = None if start is None else start[alive]
    u, iterations = active_set(C, a[alive] / root, guess)
    v = np.zeros(len(a))
    v[alive] = u / root
    return v, qp_certificate(diagonal, M @ v, a, v, iterations)


def simplex_qp(
    H: np.ndarray, h: np.ndarray, radius: float, start: np.ndarray | None = None
) -> np.ndarray:
    """Minimise z'Hz / 2 - h'z over z >= 0, sum(z) = radius.

    Augmented Lagrangian: the penalty is small enough to keep the digits of H, and each iteration
    updates the multiplier of the sum constraint. A constant in h has no effect, so the largest
    entry is made zero. The positive entries of `start` are a guess of the minimiser's; each
    iteration starts at the last solution.
    """
    h = h - h.max()
    weight = max(100 * float(np.abs(H).max()), float(-h.min()) / radius, np.finfo(float).tiny)
    multiplier = 0.0
    for _ in range(6):
        z, _ = nonnegative_qp(H / 2 + weight, (h + multiplier) / 2 + weight * radius, start)
        start, excess = z, z.sum() - radius
        multiplier -= 2 * weight * excess
        if abs(excess) <= 1e-12 * radius:
            break
    z *= radius / z.sum()
    return z


def active_set(
    M: np.ndarray, a: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, int]:
    """Return the minimiser for M of unit diagonal, and the number of steps."""
    p = len(a)
    free = Factor(M)
    v = np.zeros(p) if start is None else minimise_on_guess(a, start, free)
    tol = 10 * EPS * np.abs(a).max(initial=0.0)
    dependent = np.zeros(p, dtype=bool)
    iterations = 0
    while p and iterations < 10 * p + 10:
        descent = a - M[:, free.index] @ v[free.index]
        descent[free.index] = 0.0
        descent[dependent] = 0.0
        entering = int(np.argmax(descent))
        if descent[entering] <= tol:
            break
        if not free.extend([entering]) and not exchange(v, free, entering):
            dependent[entering] = True  # a combination of the free entries: nothing to gain
            continue
        v, shrunk = minimise_on_free(a, v, free)
        iterations += 1
        if shrunk:
            dependent[:] = False
            dependent[entering] = v[entering] == 0
    return v, iterations


def minimise_on_guess(a: np.ndarray, start: np.ndarray, free: Factor) -> np.ndarray:
    """Free the positive entries of a guess, those that are positive at the minimiser over them."""
    guess = np.flatnonzero(start > 0)
    while True:
        guess = free.restart(guess)
        target = free.solve(a)
        if (target > 0).all():
            break
        # Wrong entries push correct ones below zero too, but less far: remove only the lowest.
        guess = guess[target > target.min() / 4]
    v = np.zeros(len(a))
    v[guess] = target
    return v


def exchange(v: np.ndarray, free: Factor, entering: int) -> bool:
    """Free an entry whose row is a combination of the free rows, in exchange for one of those.

    v moves along the combination, where M v is constant, until the first of them is zero. Return
    False if none would be.
    """
    c = free.solve(free.M[:, entering])
    held = v[free.index]
    falls = c > EPS
    if not falls.any():
        return False
    step = np.where(falls, held / np.where(falls, c, 1.0), np.inf)
    first = free.index[int(np.argmin(step))]
    index = list(free.index)
    free.remove([first])
    if not free.extend([entering]):
        free.extend([first])
        return False
    v[index] = np.maximum(held - step.min() * c, 0.0)
    v[entering], v[first] = step.min(), 0.0
    return True


def minimise_on_free(a: np.ndarray, v: np.ndarray, free: Factor) -> tuple[np.ndarray, bool]:
    """Move to the minimiser over the free entries; entries that reach zero are fixed there."""
    shrunk = False
    while True:
        target = np.zeros_like(v)
        target[free.index] = free.solve(a)
        leaving = [k for k in free.index if target[k] <= 0]
        if not leaving:
            return target, shrunk
        shrunk = True
        steps = [v[k] / (v[k] - target[k]) if v[k] > 0 else 0.0 for k in leaving]
        step = min(steps)
        v = v + step * (target - v)
        gone = [k for k, at in zip(leaving, steps, strict=True) if at <= step]
        v[gone] = 0.0
        free.remove(gone)


@dataclass
class Factor:
    """Cholesky factor of M restricted to the free entries, in the order they entered.

    A pivot of at most ``PIVOT`` times the number of entries is rounding: M has unit diagonal.
    """

    M: np.ndarray
    index: list[int] = field(default_factory=list)
    L: np.ndarray = field(default_factory=lambda: np.zeros((16, 16)))

    def extend(self, entries: list[int]) -> bool:
        """Free some entries; return False, without a change, if a row depends on the others."""
        s, size = len(self.index), len(self.index) + len(entries)
        rows = np.zeros((len(entries), s))
        if s:
            B = self.M[np.ix_(self.index, entries)]
            rows = dtrtrs(self.L[:s, :s].T, B, trans=1)[0].T
        rest, failed = dpotrf(self.M[np.ix_(entries, entries)] - rows @ rows.T, lower=1)
        if failed or (np.diag(rest) ** 2 <= PIVOT * size).any():
            return False
        if size > len(self.L):
            self.L = np.pad(self.L, (0, max(len(self.L), size - len(self.L))))
        self.L[s:size, :s] = rows
        self.L[s:size, s:size] = rest
        self.index.extend(entries)
        return True

    def restart(self, entries: np.ndarray) -> np.ndarray:
        """Free these entries only, without those that depend on others; return the rest."""
        self.index = []
        if len(entries) and not self.extend(entries.tolist()):
            # Cholesky with pivots ends where the first rows span all others.
            block = self.M[np.ix_(entries, entries)]
            _, order, rank, _ = dpstrf(block, tol=4 * PIVOT * len(entries))
            entries = np.sort(entries[order[:rank] - 1])
            if not self.extend(entries.tolist()):
                entries = entries[:0]
        return entries

    def remove(self, gone: list[int]) -> None:
        """Fix entries at zero again; the factor is rebuilt from the first of them on."""
        first = min(self.index.index(k) for k in gone)
        kept = [k for k in self.index[first:] if k not in gone]
        self.index = self.index[:first]
        if kept and not self.extend(kept):
            for k in kept:
                self.extend([k])

    def solve(self, a: np.ndarray) -> np.ndarray:
        """Solve M v = a on the free entries, with one step of refinement, shape (s,)."""
        s = len(self.index)
        b, M, v = a[self.index], self.M[np.ix_(self.index, self.index)], np.zeros(s)
        U = self.L[:s, :s].T
        for _ in range(2 if s else 0):
            v += dtrtrs(U, dtrtrs(U, b - M @ v, trans=1)[0])[0]
        return v


def kkt_residual(M: np.ndarray, a: np.ndarray, v: np.ndarray) -> float:
    """Return the largest violation of the optimality conditions, relative to the largest |a_k|.

    In units of the scaled problem (unit diagonal): ``|min(v, g)|`` for the gradient g = Mv - a.
    """
    root = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
    gradient = (M @ v - a) / root
    scale = np.abs(a / root).max(initial=0.0)
    residual = np.abs(np.minimum(v * root, gradient)).max(initial=0.0)
    return float(residual / scale) if scale > 0 else float(residual)


def qp_certificate(
    diagonal: np.ndarray, Mv: np.ndarray, a: np.ndarray, v: np.ndarray, iterations: int
) -> Certificate:
    """Certify v by its value and by the value of a dual feasible point made from v.

    The dual is max_u -u'Mu over Mu >= a. With v >= 0 and M >= 0, two points are feasible:

        u = t v        t = max_k a_k / (Mv)_k
        u = v + d      d_k = max(a_k - (Mv)_k, 0) / M_kk,  where d'Md <= (sum_k d_k sqrt(M_kk))^2

    The first is exact to rounding at a solution, the second is not sensitive to a small a_k.
    """
    quadratic = v @ Mv
    primal = quadratic - 2 * v @ a
    needed = a > 0
    if not needed.any():
        return Certificate.of(primal, 0.0, iterations, tol=1e-8)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.max(a[needed] / Mv[needed]) if v.any() else np.inf
        short = np.maximum(a - Mv, 0.0)
        d = np.where(short > 0, short / diagonal, 0.0)
        shifted = quadratic + 2 * d @ Mv + (d @ np.sqrt(diagonal)) ** 2
    scaled = t**2 * quadratic if np.isfinite(t) else np.inf
    dual = -min(scaled, shifted) if np.isfinite(shifted) else -scaled
    return Certificate.of(primal, dual, iterations, tol=1e-8)
