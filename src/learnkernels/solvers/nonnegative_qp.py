"""The non-negative quadratic program of `alignf`, exactly, by an active set.

    min_v  v'Mv - 2 v'a,   v >= 0,   M positive semi-definite with non-negative entries

Optimal: with the gradient g = Mv - a, every g_k >= 0 and v_k g_k = 0. The set of positive v_k grows
by the most violated entry and shrinks when the free minimiser leaves the orthant (Lawson and Hanson
1974, on the normal equations). A Cholesky factor of the free block is carried along, so a step
costs O(p s) for s free entries. A guess of the positive entries is factorised at once, and only
what is wrong with it takes steps.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpstrf

from learnkernels.solvers.certificate import Certificate

__all__ = ["kkt_residual", "nonnegative_qp", "qp_certificate", "simplex_qp"]

EPS = np.finfo(float).eps


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

    By the method of multipliers: a penalty that loses few digits of H, and rounds that learn the
    price of the sum. A constant in h changes nothing, so the largest entry is made zero. The
    positive entries of `start` are a guess of the minimiser's; each round starts at the last one.
    """
    h = h - h.max()
    weight = max(100 * float(np.abs(H).max()), float(-h.min()) / radius, np.finfo(float).tiny)
    price = 0.0
    for _ in range(6):
        z, _ = nonnegative_qp(H / 2 + weight, (h + price) / 2 + weight * radius, start)
        start, excess = z, z.sum() - radius
        price -= 2 * weight * excess
        if abs(excess) <= 1e-12 * radius:
            break
    return z * (radius / z.sum())


def active_set(
    M: np.ndarray, a: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, int]:
    """The minimiser for M of unit diagonal, and the number of steps."""
    p = len(a)
    free = Factor(M)
    v = np.zeros(p) if start is None else begin(a, start, free)
    tol = 10 * EPS * np.abs(a).max(initial=0.0)
    dependent = np.zeros(p, dtype=bool)
    iterations = 0
    while iterations < 10 * p + 10:
        descent = a - M[:, free.index] @ v[free.index]
        descent[free.index] = 0.0
        descent[dependent] = 0.0
        entering = int(np.argmax(descent)) if p else 0
        if not p or descent[entering] <= tol:
            break
        if not free.append(entering) and not exchange(v, free, entering):
            dependent[entering] = True  # a combination of the free ones: nothing to gain
            continue
        v, shrunk = minimise_on_free(a, v, free)
        iterations += 1
        if shrunk:
            dependent[:] = False
            dependent[entering] = v[entering] == 0
    return v, iterations


def begin(a, start, free) -> np.ndarray:
    """Free the positive entries of a guess, as many as stay positive at the minimiser over them."""
    guess = np.flatnonzero(start > 0)
    while True:
        guess = free.restart(guess)
        target = free.solve(a)
        if (target > 0).all():
            break
        # Wrong entries pull right ones below zero with them, but not as far: only the lowest go.
        guess = guess[target > target.min() / 4]
    v = np.zeros(len(a))
    v[guess] = target
    return v


def exchange(v: np.ndarray, free: Factor, entering: int) -> bool:
    """Free an entry in place of one of those that its row is, to rounding, a combination of.

    v moves along the combination, where M v stays, until the first of them is zero. False if none
    would be.
    """
    c = free.solve(free.M[:, entering])
    held = v[free.index]
    falls = c > EPS
    if not falls.any():
        return False
    step = np.where(falls, held / np.where(falls, c, 1.0), np.inf)
    first = free.index[int(np.argmin(step))]
    places = list(free.index)
    free.remove([first])
    if not free.append(entering):
        free.append(first)
        return False
    v[places] = np.maximum(held - step.min() * c, 0.0)
    v[entering], v[first] = step.min(), 0.0
    return True


def minimise_on_free(a, v, free) -> tuple[np.ndarray, bool]:
    """Walk to the minimiser over the free entries, dropping those that reach zero on the way."""
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


class Factor:
    """Cholesky factor of M restricted to the free entries, in the order they entered."""

    def __init__(self, M: np.ndarray):
        self.M = M
        self.index: list[int] = []
        self.L = np.zeros((16, 16))

    def append(self, k: int) -> bool:
        """Free entry k; False if its row is, to rounding, a combination of the free ones."""
        s = len(self.index)
        row = self.triangular(self.M[self.index, k])
        rest = self.M[k, k] - row @ row
        if rest <= least_pivot(s + 1):
            return False
        self.make_room(s + 1)
        self.L[s, :s] = row
        self.L[s, s] = np.sqrt(rest)
        self.index.append(k)
        return True

    def extend(self, entries: np.ndarray) -> bool:
        """Free several entries at once; False, and no change, if a row depends on others."""
        s, size = len(self.index), len(self.index) + len(entries)
        rows = self.triangular(self.M[self.index][:, entries]).T  # (new, s)
        rest = self.M[np.ix_(entries, entries)] - rows @ rows.T
        L, failed = dpotrf(rest, lower=1)
        if failed or (np.diag(L) ** 2 <= least_pivot(size)).any():
            return False
        self.make_room(size)
        self.L[s:size, :s] = rows
        self.L[s:size, s:size] = L
        self.index.extend(entries.tolist())
        return True

    def restart(self, entries: np.ndarray) -> np.ndarray:
        """Free these entries only, less those that depend on others; returns the rest."""
        self.index = []
        if len(entries) and not self.extend(entries):
            # Cholesky with pivots ends where nothing is left that the first ones do not span.
            block = self.M[np.ix_(entries, entries)]
            _, order, rank, _ = dpstrf(block, tol=4 * least_pivot(len(entries)))
            entries = np.sort(entries[order[:rank] - 1])
            if not self.extend(entries):
                entries = entries[:0]
        return entries

    def remove(self, gone: list[int]) -> None:
        """Fix entries at zero again; the factor is rebuilt from the first of them on."""
        kept = np.array(self.index)
        kept = kept[~np.isin(kept, gone)]
        first = min(self.index.index(k) for k in gone)
        self.index = self.index[:first]
        if first < len(kept) and not self.extend(kept[first:]):
            for k in kept[first:].tolist():
                self.append(k)

    def make_room(self, size: int) -> None:
        if size > len(self.L):
            self.L = np.pad(self.L, (0, max(len(self.L), size - len(self.L))))

    def solve(self, a: np.ndarray) -> np.ndarray:
        """Solution on the free entries of M v = a, with one step of refinement."""
        M = self.M[np.ix_(self.index, self.index)]
        v = self.both(a[self.index])
        return v + self.both(a[self.index] - M @ v)

    def both(self, b):
        return self.triangular(self.triangular(b), trans=1)

    def triangular(self, b, trans=0):
        s = len(self.index)
        if s == 0:
            return b
        return solve_triangular(self.L[:s, :s], b, lower=True, trans=trans, check_finite=False)


def least_pivot(size: int) -> float:
    """Below this a pivot of a matrix of unit diagonal is rounding."""
    return 4 * size * EPS


def kkt_residual(M: np.ndarray, a: np.ndarray, v: np.ndarray) -> float:
    """Largest violation of the optimality conditions, relative to the largest |a_k|.

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
    """Primal value at v, and the value of a dual feasible point made from v.

    The dual is max_u -u'Mu over Mu >= a. With v >= 0 and M >= 0, two points are feasible:

        u = t v        t = max_k a_k / (Mv)_k
        u = v + d      d_k = max(a_k - (Mv)_k, 0) / M_kk,  where d'Md <= (sum_k d_k sqrt(M_kk))^2

    The first is exact to rounding at a solution, the second does not mind a small a_k.
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
        longer = quadratic + 2 * d @ Mv + (d @ np.sqrt(diagonal)) ** 2
    stretched = t**2 * quadratic if np.isfinite(t) else np.inf
    dual = -min(stretched, longer) if np.isfinite(longer) else -stretched
    return Certificate.of(primal, dual, iterations, tol=1e-8)
