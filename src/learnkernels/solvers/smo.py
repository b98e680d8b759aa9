"""The dual of the soft-margin SVM with intercept, by sequential minimal optimisation.

With beta = coef * y the dual is

    min_beta  1/2 beta'K beta - y'beta,   sum(beta) = 0,   lower <= beta <= upper

where the box is [0, C_i] for y_i = 1 and [-C_i, 0] for y_i = -1. Each step moves two entries: i,
the most violating one, and j, the partner that promises the largest decrease by second-order
information (Fan, Chen and Lin 2005). A solve may start from the last solution. At the end `polish`
solves the optimality conditions of the entries inside the box as a linear system, which turns the
approximate solution into the exact one whenever the right entries are at their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from learnkernels.jit import compiled
from learnkernels.solvers.certificate import Certificate

__all__ = ["SVMSolution", "hinge_loss", "solve_svm", "svm_gap"]

# No NaN can occur: the data is finite, and barred entries carry a huge number, not infinity.
FAST = {"contract", "nsz", "reassoc", "nnan", "arcp"}
HUGE = 1e300
LEAST = np.int64(-(2**63))
BLOCK = 128
# Up to this many entries inside the box, the linear system is cheap beside the steps.
POLISHED = 1000


@dataclass(frozen=True)
class SVMSolution:
    """A solution of the dual.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Signed coefficients; the decision is ``K beta + intercept``.
    intercept : float
    gradient : ndarray of shape (n_samples,)
        ``K beta - y``.
    iterations : int
    violation : float
        Largest violation of the optimality conditions, in units of the margin.
    certificate : Certificate
        Primal and dual value.
    """

    beta: np.ndarray
    intercept: float
    gradient: np.ndarray
    iterations: int
    violation: float
    certificate: Certificate


def solve_svm(
    K: np.ndarray,
    y: np.ndarray,
    C: np.ndarray,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    start: np.ndarray | None = None,
    exact: bool = True,
) -> SVMSolution:
    """Solve the SVM dual for a dense Gram matrix.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Positive semi-definite, C-contiguous.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1.
    C : ndarray of shape (n_samples,)
        Upper bound of each coefficient's size.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the steps end.
    max_iter : int or None, default=None
        Most steps; None is a million, or a hundred for each sample.
    start : ndarray of shape (n_samples,) or None
        A feasible beta to start from.
    exact : bool, default=True
        Whether to polish the solution.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import solve_svm
    >>> x, y = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> solution = solve_svm(np.outer(x, x), y, np.full(4, 10.0))
    >>> solution.beta
    array([ 0. , -0.5,  0.5,  0. ])
    """
    n = len(y)
    max_iter = max(1_000_000, 100 * n) if max_iter is None else max_iter
    lower, upper = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    beta = np.zeros(n) if start is None else np.clip(start, lower, upper)
    gradient = (K @ beta if start is not None else np.zeros(n)) - y
    iterations = smo(K, lower, upper, beta, gradient, tol, max_iter)
    for _ in range(5 if exact else 0):
        if iterations >= max_iter or polish(K, lower, upper, beta, gradient):
            break
        # A wrong entry was at its bound: look closer, then try again.
        tol /= 10
        iterations += smo(K, lower, upper, beta, gradient, tol, max_iter)
    violation, intercept = optimality(lower, upper, beta, gradient)
    certificate = svm_gap(y, C, beta, gradient, intercept, iterations)
    if violation > 1.01 * max(tol, 1e-3):
        certificate = replace(certificate, status="not converged")
    return SVMSolution(beta, intercept, gradient, iterations, violation, certificate)


def smo(K, lower, upper, beta, gradient, tol, max_iter):
    """Step until the violation is below tol. Changes beta and gradient; returns the steps."""
    diagonal = np.ascontiguousarray(np.diagonal(K))
    no_more, no_less = np.where(beta < upper, 0.0, HUGE), np.where(beta > lower, 0.0, HUGE)
    return steps(K, diagonal, lower, upper, beta, gradient, no_more, no_less, tol, max_iter)


@compiled(fastmath=FAST)
def steps(K, diagonal, lower, upper, beta, gradient, no_more, no_less, tol, max_iter):
    """The steps of `smo`; no_more and no_less bar entries that cannot grow or shrink."""
    i, k = step_and_select(gradient, K[0], K[0], 0.0, no_more, no_less)
    for iteration in range(max_iter):
        # i most wants to grow, k most wants to shrink; barred ones make the difference -HUGE.
        highest = -gradient[i] - no_more[i]
        if highest - (no_less[k] - gradient[k]) < tol:
            return iteration
        j = partner(gradient, K[i], diagonal, highest, no_less, diagonal[i])
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], 1e-12)
        step = (gradient[j] - gradient[i]) / curvature
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min(step, room_i, room_j)
        beta[i] = upper[i] if step == room_i else beta[i] + step
        beta[j] = lower[j] if step == room_j else beta[j] - step
        for t in (i, j):
            no_more[t] = 0.0 if beta[t] < upper[t] else HUGE
            no_less[t] = 0.0 if beta[t] > lower[t] else HUGE
        i, k = step_and_select(gradient, K[i], K[j], step, no_more, no_less)
    return max_iter


# Extremes are taken of integers that are ordered like the floats, because compilers vectorise the
# maximum of integers but not that of floats; their positions are then found inside one block.
# Slices tell the compiler that no index is negative.


@compiled(fastmath=FAST, inline="always")
def ordered(x):
    """An integer that is larger for larger x."""
    bits = np.float64(x).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))


@compiled(fastmath=FAST)
def step_and_select(gradient, K_i, K_j, step, no_more, no_less):
    """gradient += step (K_i - K_j), then the entries that most want to grow and to shrink."""
    n = gradient.shape[0]
    highest = lowest = LEAST
    at_highest = at_lowest = 0
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        g, to, fro = gradient[block], K_i[block], K_j[block]
        bar_up, bar_down = no_more[block], no_less[block]
        top = bottom = LEAST
        for t in range(g.shape[0]):
            value = g[t] + step * (to[t] - fro[t])
            g[t] = value
            top = max(top, ordered(-value - bar_up[t]))
            bottom = max(bottom, ordered(value - bar_down[t]))
        if top > highest:
            highest, at_highest = top, start
        if bottom > lowest:
            lowest, at_lowest = bottom, start
    i = k = 0
    for t in range(at_highest, min(at_highest + BLOCK, n)):
        if ordered(-gradient[t] - no_more[t]) == highest:
            i = t
            break
    for t in range(at_lowest, min(at_lowest + BLOCK, n)):
        if ordered(gradient[t] - no_less[t]) == lowest:
            k = t
            break
    return i, k


@compiled(fastmath=FAST)
def partner(gradient, K_i, diagonal, highest, no_less, K_ii):
    """The entry whose step with i decreases the objective most: b^2 / a is largest."""
    n = gradient.shape[0]
    most, best = np.int64(-1), 0
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        g, row, own, barred = gradient[block], K_i[block], diagonal[block], no_less[block]
        top = np.int64(-1)
        for t in range(g.shape[0]):
            top = max(top, gain(g[t], row[t], own[t], highest, barred[t], K_ii))
        if top > most:
            most, best = top, start
    for t in range(best, min(best + BLOCK, n)):
        if gain(gradient[t], K_i[t], diagonal[t], highest, no_less[t], K_ii) == most:
            return t
    return best


@compiled(fastmath=FAST, inline="always")
def gain(g, K_it, K_tt, highest, barred, K_ii):
    """b^2 / a as an integer of the same order (it is not negative, so its bits will do)."""
    b = max(highest + g - barred, 0.0)
    a = max(K_ii + K_tt - 2.0 * K_it, 1e-12)
    return np.float64(b * b / a).view(np.int64)


def polish(K, lower, upper, beta, gradient) -> bool:
    """Solve the conditions of the entries strictly inside the box; True if that is the solution.

    For these, K_FF d + b = -gradient_F and sum(d) = -sum(beta). A tiny ridge, taken out again by
    refinement, carries repeated samples.
    """
    F = np.flatnonzero((beta > lower) & (beta < upper))
    if len(F) == 0 or len(F) > POLISHED:
        return True
    K_FF = K[np.ix_(F, F)]
    ridge = 1e-12 * max(np.trace(K_FF) / len(F), np.finfo(float).tiny)
    factor = cho_factor_or_none(K_FF + ridge * np.eye(len(F)))
    if factor is None:
        return True
    ones = cho_solve(factor, np.ones(len(F)), check_finite=False)
    d, b = np.zeros(len(F)), 0.0
    for _ in range(4):
        rest = -gradient[F] - K_FF @ d - b
        change = cho_solve(factor, rest, check_finite=False)
        shift = (change.sum() + beta.sum() + d.sum()) / ones.sum()
        d, b = d + change - shift * ones, b + shift
    polished = beta[F] + d
    if not ((polished > lower[F]) & (polished < upper[F])).all():
        return False
    moved = gradient + d @ K[F]
    candidate = beta.copy()
    candidate[F] = polished
    before, _ = optimality(lower, upper, beta, gradient)
    after, _ = optimality(lower, upper, candidate, moved)
    if after > before:
        return False
    beta[:], gradient[:] = candidate, moved
    return after <= 1e-8 * max(1.0, np.abs(gradient).max())


def cho_factor_or_none(A):
    try:
        return cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None


def optimality(lower, upper, beta, gradient) -> tuple[float, float]:
    """Largest violation of the conditions, and the intercept in the middle of what they allow."""
    highest = np.max(-gradient, where=beta < upper, initial=-HUGE)
    lowest = np.min(-gradient, where=beta > lower, initial=HUGE)
    if highest == -HUGE or lowest == HUGE:  # all coefficients at one end: one side is open
        return 0.0, float(lowest if highest == -HUGE else highest)
    return max(float(highest - lowest), 0.0), float(highest + lowest) / 2


def hinge_loss(y, C, outputs) -> float:
    """Of the best intercept: the loss of sample i bends by C_i where outputs_i + b = y_i."""
    bends = np.argsort(y - outputs)
    passed = np.cumsum(C[bends])
    lowest = min(int(np.searchsorted(passed, C[y > 0].sum())), len(y) - 1)
    intercept = (y - outputs)[bends[lowest]]
    return float(C @ np.maximum(0.0, 1 - y * (outputs + intercept)))


def svm_gap(y, C, beta, gradient, intercept: float, iterations: int = 0) -> Certificate:
    """Primal and dual value of the SVM at beta, from the gradient ``K beta - y``."""
    K_beta = gradient + y
    quadratic = beta @ K_beta / 2
    hinge = np.maximum(0.0, 1 - y * (K_beta + intercept))
    return Certificate.of(quadratic + C @ hinge, y @ beta - quadratic, iterations, tol=1e-2)
