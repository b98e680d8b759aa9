"""The dual of support vector machines with intercept, by sequential minimal optimisation.

    min_beta  1/2 beta'K beta - y'beta + epsilon |beta|_1,   sum(beta) = 0,  lower <= beta <= upper

For classes, epsilon is 0 and the box is [0, C_i] for y_i = 1 and [-C_i, 0] for y_i = -1, with
beta = coef * y. For real targets the box is [-C_i, C_i]. Each step moves two entries: i, the most
violating one, and j, the one that promises the largest decrease by second-order information (Fan,
Chen and Lin 2005). It ends at zero, where the slope of epsilon |beta| changes. A solve may start
from the last solution. At the end `polish` solves the optimality conditions of the entries inside
the box that are not zero as a linear system, which turns the approximate solution into the exact
one whenever the right entries are at their bounds or at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotrf

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.jit import compiled, intrinsic
from learnkernels.solvers.loop import Certificate, Iterate, iterate

# No NaN can occur: the data is finite, and barred entries carry a huge number, not infinity.
FAST = {"contract", "nsz", "reassoc", "nnan", "arcp"}
HUGE = 1e300
# The same for gradients of single precision.
SINGLE_HUGE = 1e30
# Rounding of a step that is allowed, as a part of the tolerance.
STEP_ROUNDING = 0.1
BLOCK = 128
# SMO steps between two looks at the loop: progress and interrupts wait for as long.
CHUNK = 10_000
# Up to this many entries inside the box, the linear system is cheap beside the steps.
POLISHED = 1000
# Solutions that polishing refines before it gives up.
POLISHES = 5
# Relative duality gap of a solution.
GAP = 1e-2


@dataclass(frozen=True)
class Dual:
    """The dual of a support vector machine without its Gram matrix.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        Labels -1 and 1, or real targets.
    lower, upper : ndarray of shape (n_samples,)
        Bounds of the coefficients; zero is one of them, or between them.
    epsilon : float
        Residual without loss.
    """

    y: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float

    @classmethod
    def of(cls, y: np.ndarray, C: np.ndarray, epsilon: float | None) -> Dual:
        """Return the dual for labels if epsilon is None, else that for real targets."""
        if epsilon is not None:
            return cls(y, -C, C, epsilon)
        return cls(y, np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0), 0.0)

    def bars(self, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the gradient lacks to the slope where an entry grows, and where it shrinks.

        ``gradient + no_more`` is the slope of the objective to the right, ``gradient - no_less``
        that to the left; HUGE bars entries at their bounds.
        """
        right, left = np.where(beta >= 0, 1.0, -1.0), np.where(beta > 0, -1.0, 1.0)
        return (
            np.where(beta < self.upper, self.epsilon * right, HUGE),
            np.where(beta > self.lower, self.epsilon * left, HUGE),
        )

    def take(self, index: np.ndarray) -> Dual:
        """Return the bounds of some entries."""
        return Dual(self.y[index], self.lower[index], self.upper[index], self.epsilon)

    def best_multiple(self, beta: np.ndarray, K_beta: np.ndarray) -> float:
        """Return t for which t beta is in the box and has the smallest objective.

        ``t^2 / 2 beta'K beta - t (y'beta - epsilon |beta|_1)``, 0 <= t <= min_i bound_i / beta_i
        """
        used = beta != 0
        bounds = np.where(beta > 0, self.upper, self.lower)[used]
        most = float(np.min(bounds / beta[used]))
        linear, quadratic = self.y @ beta - self.epsilon * np.abs(beta).sum(), beta @ K_beta
        return most if linear >= most * quadratic else max(float(linear / quadratic), 0.0)

    def inside(self, beta: np.ndarray) -> np.ndarray:
        """Return which entries are not zero and not at a bound."""
        return (beta != 0) & (beta > self.lower) & (beta < self.upper)

    def loss(self, outputs: np.ndarray) -> float:
        """Return the hinge loss or the epsilon-insensitive loss, times C."""
        residuals = self.y - outputs
        above = np.maximum(0.0, residuals - self.epsilon)
        below = np.maximum(0.0, -residuals - self.epsilon)
        return float(self.upper @ above - self.lower @ below)


class Gram(Protocol):
    """A positive semi-definite matrix K, as far as the solver needs it."""

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta``."""

    def block(self, index: np.ndarray) -> np.ndarray:
        """Return the rows and columns of some samples."""

    def combined(self, index: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the sum of some rows times d, shape (n_samples,)."""

    def advance(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float, max_iter: int
    ) -> tuple[int, bool]:
        """Take about `max_iter` SMO steps in place, or fewer if the violation falls below `tol`.

        Returns
        -------
        taken : int
            Number of steps.
        converged : bool
            Whether the violation is below `tol`.
        """


@dataclass(frozen=True)
class DenseGram:
    """A matrix in memory.

    Attributes
    ----------
    K : ndarray of shape (n_samples, n_samples)
        C-contiguous.
    """

    K: np.ndarray

    def times(self, beta: np.ndarray) -> np.ndarray:
        return np.asarray(self.K @ beta.astype(self.K.dtype), dtype=float)

    def block(self, index: np.ndarray) -> np.ndarray:
        return self.K[np.ix_(index, index)]

    def combined(self, index: np.ndarray, d: np.ndarray) -> np.ndarray:
        return np.asarray(d @ self.K[index])

    def advance(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float, max_iter: int
    ) -> tuple[int, bool]:
        taken = take_steps(self.K, dual, beta, gradient, tol, max_iter)
        return taken, taken < max_iter


@dataclass(frozen=True)
class SVMSolution(Iterate):
    """Coefficients of the SVM; `value` is the primal objective, `bound` the dual one.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Signed coefficients; the decision is ``K beta + intercept``.
    intercept : float
    gradient : ndarray of shape (n_samples,)
        ``K beta - y``.
    violation : float
        Largest violation of the optimality conditions, in units of y.
    """

    beta: np.ndarray
    intercept: float
    gradient: np.ndarray
    violation: float

    @classmethod
    def of(cls, dual: Dual, beta: np.ndarray, gradient: np.ndarray, iterations: int) -> SVMSolution:
        """Evaluate both objectives and the optimality conditions at feasible coefficients."""
        no_more, no_less = dual.bars(beta)
        highest = np.max(-gradient - no_more, where=no_more < HUGE, initial=-HUGE)
        lowest = np.min(no_less - gradient, where=no_less < HUGE, initial=HUGE)
        # The intercept is in the middle of the allowed ones.
        violation, intercept = max(float(highest - lowest), 0.0), float(highest + lowest) / 2
        if highest == -HUGE or lowest == HUGE:  # all coefficients at one end: one side is open
            violation, intercept = 0.0, float(lowest if highest == -HUGE else highest)
        K_beta = gradient + dual.y
        quadratic = beta @ K_beta / 2
        linear = dual.y @ beta - dual.epsilon * np.abs(beta).sum()
        return cls(
            beta, intercept, gradient, violation,
            value=float(quadratic + dual.loss(K_beta + intercept)),
            bound=float(linear - quadratic), iterations=iterations,
        )  # fmt: skip


def svm_path(
    K: np.ndarray | Gram,
    y: np.ndarray,
    weights: np.ndarray,
    values: Sequence[float],
    *,
    epsilon: float | None = None,
    tol: float = 1e-3,
    exact: bool = True,
) -> list[tuple[SVMSolution, Certificate]]:
    """Solve for several C; each solve starts from a multiple of that of the next smaller C.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples) or Gram
        Positive semi-definite; an array is C-contiguous.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1, or real targets.
    weights : ndarray of shape (n_samples,)
        Sample weights, which multiply C.
    values : sequence of float
        Values of C.
    epsilon, tol, exact
        As in `solve_svm`.

    Returns
    -------
    list of (SVMSolution, Certificate)
        One for each value, in the given order.
    """
    path: dict[int, tuple[SVMSolution, Certificate]] = {}
    start: np.ndarray | None = None
    for i in np.argsort(values).tolist():
        solution, certificate = path[i] = solve_svm(
            K, y, values[i] * weights, epsilon=epsilon, tol=tol, start=start, exact=exact
        )
        start = solution.beta
        if solution.violation > 10 * tol:
            name = "SVM" if epsilon is None else "SVR"
            warn(
                f"the {name} with C={values[i]:g} did not converge: the optimality conditions are "
                f"violated by {solution.violation:.1e} (relative gap {certificate.gap:.1e}). "
                "Scale the data or lower C.",
                ConvergenceWarning,
            )
    return [path[i] for i in range(len(values))]


def solve_svm(
    K: np.ndarray | Gram,
    y: np.ndarray,
    C: np.ndarray,
    *,
    epsilon: float | None = None,
    tol: float = 1e-3,
    max_iter: int | None = None,
    start: np.ndarray | None = None,
    exact: bool = True,
) -> tuple[SVMSolution, Certificate]:
    """Solve the dual of a support vector machine.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples) or Gram
        Positive semi-definite; an array is C-contiguous.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1, or real targets.
    C : ndarray of shape (n_samples,)
        Upper bound of the absolute value of each coefficient.
    epsilon : float or None, default=None
        Residual without loss, for real targets; None is for labels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which SMO stops.
    max_iter : int or None, default=None
        Largest number of SMO steps; None is a million, or a hundred for each sample.
    start : ndarray of shape (n_samples,) or None
        Coefficients in the box whose sum is zero; SMO starts from their best multiple.
    exact : bool, default=True
        Whether to polish the solution.

    Returns
    -------
    solution : SVMSolution
    certificate : Certificate
        Primal and dual value; not converged if the violation is above the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import solve_svm
    >>> x, y = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> solution, certificate = solve_svm(np.outer(x, x), y, np.full(4, 10.0))
    >>> solution.beta
    array([ 0. , -0.5,  0.5,  0. ])
    """
    n = len(y)
    max_iter = max(1_000_000, 100 * n) if max_iter is None else max_iter
    chunk = min(CHUNK, max_iter)
    dual = Dual.of(y, C, epsilon)
    if isinstance(K, np.ndarray):
        gram: Gram = DenseGram(K if K.dtype in (np.float32, np.float64) else K.astype(float))
    else:
        gram = K
    beta = np.zeros(n) if start is None else np.clip(start, dual.lower, dual.upper)
    gradient = -y
    if beta.any():
        beta = beta / np.abs(beta).max()  # products of tiny numbers underflow
        K_beta = gram.times(beta)
        t = dual.best_multiple(beta, K_beta)
        beta, gradient = np.clip(t * beta, dual.lower, dual.upper), t * K_beta - y
    polishes, settled, bound = POLISHES if exact else 0, False, -np.inf

    def step(now: SVMSolution) -> SVMSolution:
        """Run SMO in place; at the tolerance, polish, and lower the tolerance if that fails."""
        nonlocal tol, polishes, settled, bound
        beta, gradient = now.beta, now.gradient
        taken, done = gram.advance(dual, beta, gradient, tol, chunk)
        following = SVMSolution.of(dual, beta, gradient, taken)
        if done and polishes == 0:
            settled = True
        elif done and now.iterations + taken < max_iter:
            polishes -= 1
            following, settled = polish(gram, dual, following)
            # Residuals that exceed epsilon by less than the tolerance may be all of the loss.
            settled = settled and following.value - following.bound <= GAP * following.value
            tol = tol if settled else tol / 10
        bound = following.bound
        return following

    solution, certificate = iterate(
        SVMSolution.of(dual, beta, gradient, 0),
        step,
        tol=GAP,
        max_iter=max_iter,
        criterion=f"{'SVM' if epsilon is None else 'SVR'} objective",
        converged=lambda now: settled,
    )
    if bound < solution.bound and certificate.iterations:
        # Earlier bounds may be of gradients that were rounded; that of the last point is exact.
        solution = replace(solution, bound=bound)
        status = "optimal" if solution.gap <= GAP else "not converged"
        certificate = replace(certificate, dual=bound, gap=abs(solution.gap), status=status)
    if solution.violation > 1.01 * max(tol, 1e-3):
        certificate = replace(certificate, status="not converged")
    return solution, certificate


def take_steps(
    K: np.ndarray, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float, max_iter: int
) -> int:
    """Take SMO steps in place; return their number.

    The gradient is in the precision of K if the rounding of a step, ``eps C``, is far below `tol`.
    """
    rounding = np.finfo(K.dtype).eps * (dual.upper - dual.lower).max()
    number = K.dtype.type if rounding <= STEP_ROUNDING * tol else np.float64
    huge = number(HUGE if number is np.float64 else SINGLE_HUGE)
    rounded = gradient.astype(number, copy=False)
    no_more, no_less = (np.minimum(bars, huge).astype(number) for bars in dual.bars(beta))
    taken = steps(
        K, np.diagonal(K).astype(number), dual.lower, dual.upper, dual.epsilon, beta, rounded,
        no_more, no_less, huge, tol, max_iter,
    )  # fmt: skip
    gradient[:] = rounded
    return int(taken)


@compiled(fastmath=FAST)
def steps(
    K: np.ndarray,
    diagonal: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    epsilon: float,
    beta: np.ndarray,
    gradient: np.ndarray,
    no_more: np.ndarray,
    no_less: np.ndarray,
    huge: float,
    tol: float,
    max_iter: int,
) -> int:
    """Take SMO steps, in place; no_more and no_less are as in `Dual.bars`, with `huge`."""
    number = gradient.dtype.type
    i, k = step_and_select(gradient, K[0], K[0], number(0.0), no_more, no_less)
    for iteration in range(max_iter):
        # i violates most by being too small, k by being too large; barred entries give -huge.
        highest = -gradient[i] - no_more[i]
        if highest - (no_less[k] - gradient[k]) < tol:
            return iteration
        j = partner(gradient, K[i], diagonal, highest, no_less, diagonal[i])
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], 1e-12)
        step = (gradient[j] - no_less[j] + highest) / curvature
        most, least = upper[i] if beta[i] >= 0 else 0.0, lower[j] if beta[j] <= 0 else 0.0
        free_i, free_j = most - beta[i], beta[j] - least
        step = min(step, free_i, free_j)
        beta[i] = most if step == free_i else beta[i] + step
        beta[j] = least if step == free_j else beta[j] - step
        for t in (i, j):
            no_more[t] = (epsilon if beta[t] >= 0 else -epsilon) if beta[t] < upper[t] else huge
            no_less[t] = (-epsilon if beta[t] > 0 else epsilon) if beta[t] > lower[t] else huge
        i, k = step_and_select(gradient, K[i], K[j], number(step), no_more, no_less)
    return max_iter


# Extremes are taken of integers that are ordered like the floats, because compilers vectorise the
# maximum of integers but not that of floats; their positions are then found inside one block.
# Slices show the compiler that no index is negative.


def ordered_in_python(x: Any) -> Any:
    """Return an integer of the width of x that is larger for larger x."""
    integer = np.int32 if x.itemsize == 4 else np.int64
    bits = x.view(integer)
    return bits ^ ((bits >> (8 * x.itemsize - 1)) & np.iinfo(integer).max)


@intrinsic(python=ordered_in_python)
def ordered(typing_context: Any, x: Any) -> Any:
    """Compiled version of `ordered_in_python`: all bits but the sign are flipped if x < 0."""
    from llvmlite import ir
    from numba import types

    integer = types.int32 if x == types.float32 else types.int64

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        width = context.get_value_type(integer)
        bits = builder.bitcast(arguments[0], width)
        sign = builder.ashr(bits, ir.Constant(width, integer.bitwidth - 1))
        return builder.xor(bits, builder.and_(sign, ir.Constant(width, integer.maxval)))

    return integer(x), code


@compiled(fastmath=FAST)
def step_and_select(
    gradient: np.ndarray,
    K_i: np.ndarray,
    K_j: np.ndarray,
    step: float,
    no_more: np.ndarray,
    no_less: np.ndarray,
) -> tuple[int, int]:
    """Compute gradient += step (K_i - K_j), and the entries that are most too small, too large."""
    n = gradient.shape[0]
    least = ordered(gradient.dtype.type(-np.inf))
    highest = lowest = least
    at_highest = at_lowest = 0
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        g, to, fro = gradient[block], K_i[block], K_j[block]
        bar_up, bar_down = no_more[block], no_less[block]
        top = bottom = least
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
def partner(
    gradient: np.ndarray,
    K_i: np.ndarray,
    diagonal: np.ndarray,
    highest: float,
    no_less: np.ndarray,
    K_ii: float,
) -> int:
    """Return the entry whose step with i decreases the objective most: b^2 / a is largest."""
    n, number = gradient.shape[0], gradient.dtype.type
    zero, least = number(0.0), number(1e-12)
    most, best = ordered(number(-1.0)), 0
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        g, row, own, barred = gradient[block], K_i[block], diagonal[block], no_less[block]
        top = ordered(number(-1.0))
        for t in range(g.shape[0]):
            b = max(highest + g[t] - barred[t], zero)
            top = max(top, ordered(b * b / max(K_ii + own[t] - row[t] - row[t], least)))
        if top > most:
            most, best = top, start
    for t in range(best, min(best + BLOCK, n)):
        b = max(highest + gradient[t] - no_less[t], zero)
        if ordered(b * b / max(K_ii + diagonal[t] - K_i[t] - K_i[t], least)) == most:
            return t
    return best


def polish(gram: Gram, dual: Dual, now: SVMSolution) -> tuple[SVMSolution, bool]:
    """Solve the conditions of the entries strictly inside the box that are not zero.

    For these, K_FF d + b = -slope_F and sum(d) = -sum(beta), with the slope of the objective,
    gradient + epsilon sign(beta). A tiny ridge, removed again by
    refinement, makes K_FF definite where samples are repeated.

    Returns
    -------
    solution : SVMSolution
        The given one if polishing does not lower the violation.
    settled : bool
        False if an entry is at the wrong bound, so that SMO must go on.
    """
    F = np.flatnonzero(dual.inside(now.beta))
    if len(F) == 0 or len(F) > POLISHED:
        return now, True
    K_FF = gram.block(F)
    ridge = 1e-12 * max(np.trace(K_FF) / len(F), np.finfo(float).tiny)
    L, failed = dpotrf(K_FF + ridge * np.eye(len(F)), lower=1)
    if failed:
        return now, True
    ones = cho_solve((L, True), np.ones(len(F)), check_finite=False)
    slope = now.gradient[F] + dual.epsilon * np.sign(now.beta[F])
    d, b = np.zeros(len(F)), 0.0
    for _ in range(4):
        change = cho_solve((L, True), -slope - K_FF @ d - b, check_finite=False)
        shift = (change.sum() + now.beta.sum() + d.sum()) / ones.sum()
        d, b = d + change - shift * ones, b + shift
    beta = now.beta.copy()
    beta[F] += d
    if not (dual.inside(beta) & (np.sign(beta) == np.sign(now.beta)))[F].all():
        return now, False
    polished = SVMSolution.of(dual, beta, now.gradient + gram.combined(F, d), now.iterations)
    if polished.violation > now.violation:
        return now, False
    return polished, polished.violation <= 1e-8 * max(1.0, np.abs(polished.gradient).max())


def hinge_loss(y: np.ndarray, C: np.ndarray, outputs: np.ndarray) -> float:
    """Compute sum_i C_i max(0, 1 - y_i (outputs_i + b)) for the best intercept b.

    The loss is piecewise linear in b; the slope of sample i changes by C_i at b = y_i - outputs_i.
    """
    order = np.argsort(y - outputs)
    passed = np.cumsum(C[order])
    lowest = min(int(np.searchsorted(passed, C[y > 0].sum())), len(y) - 1)
    intercept = (y - outputs)[order[lowest]]
    return float(C @ np.maximum(0.0, 1 - y * (outputs + intercept)))
