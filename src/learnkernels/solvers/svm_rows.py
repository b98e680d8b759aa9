"""The SVM with some rows of the Gram matrix at a time, if the matrix does not fit into memory.

A working set Q has the entries that violate the optimality conditions most, and half of the last
working set. SMO solves the dual of the entries in Q with K_QQ in double precision, and

    gradient += K_Q' (change of beta_Q),   shape (n_samples,)

where K_Q are the rows of Q. Every working set contains the two entries that violate most, so every
one lowers the objective until the conditions of the whole dual hold up to the tolerance.

*Shrinking*: late in a solve, most entries are at a bound and far from a violation. When rows no
longer fit into the memory, the dual of the other entries is solved with their rows and columns of
the matrix only. Then the gradient of all entries is brought up to date, and the conditions of all
of them are checked.

Rows may be of single precision. When the conditions hold, the gradient of the support vectors, and
of all entries that are not far from a violation, is computed in double precision, and SMO goes on
if the conditions are violated. "Far" is a multiple of the largest rounding error that was found.
The other entries are zero and have no loss, so they change neither objective. Rounding of the rows
and shrinking so change the path to the solution, but not the solution and its certificate. If this
does not converge after a few times, rows of double precision are used.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from learnkernels.jit import compiled
from learnkernels.progress import DISPLAY, report
from learnkernels.solvers.svm import CHUNK, HUGE, Dual, take_steps

# Entries of a working set.
WORKING = 512
# Rows that must be kept: two working sets.
LEAST_ROWS = 1024
# SMO stops on a working set at this part of the violation of the whole dual.
INNER = 0.1
# Largest number of SMO steps on a working set, for each of its entries.
INNER_STEPS = 100
# The dual is shrunk if at most this part of its entries remains.
SHRUNK = 0.5
# Entries at a bound remain if they violate the conditions, or are closer to a violation than this
# part of the largest violation.
MARGIN = 0.25
# Tolerance of the shrunk dual, as a part of that of the whole dual, because of rounding errors.
PART_TOL = 0.9
# The gradient of a zero entry is computed in double precision if the entry is closer to a violation
# than NEAR, or than ERRORS times the largest rounding error.
NEAR, ERRORS = 0.02, 10.0
# Rows of double precision are used if the conditions still do not hold when the gradient has been
# computed this many times: coefficients are so large that rounding of the rows matters.
REFRESHES = 3


class Rows(Protocol):
    """Rows of a Gram matrix, evaluated when they are needed; some are kept.

    Attributes
    ----------
    values : ndarray of shape (n_slots, n_samples)
        The rows that are kept.
    evicted : bool
        Whether rows had to be evicted.
    complete : bool
        Whether `values` is the whole matrix.
    """

    values: np.ndarray
    evicted: bool
    complete: bool

    def add(self, index: np.ndarray, d: np.ndarray, out: np.ndarray) -> None:
        """Add the sum of some rows times d to out, shape (n_samples,)."""

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta`` in double precision."""

    def times_at(self, index: np.ndarray, beta: np.ndarray, single: bool = False) -> np.ndarray:
        """Return some entries of ``K beta``, in double precision unless `single` is true."""

    def gram(self, index: np.ndarray) -> np.ndarray:
        """Return the rows and columns of some samples in double precision."""

    def take(self, index: np.ndarray) -> Rows:
        """Return rows of the matrix of some samples; the rows of this object are evicted."""

    def refined(self) -> Rows:
        """Return rows of double precision; the rows of this object may be evicted."""


class RowGram:
    """A Gram matrix for `solve_svm` of which some rows are in memory.

    Parameters
    ----------
    rows : Rows
        May be shared by several problems with the same matrix.
    """

    def __init__(self, rows: Rows):
        self.rows = rows
        self.last = np.zeros(0, dtype=np.intp)  # the last working set, the newest entries last
        self.shrinks = False  # whether rows have been evicted
        self.known: Known | None = None
        self.stale = False  # whether the gradient has been rounded since it was known
        self.refreshes = 0

    def times(self, beta: np.ndarray) -> np.ndarray:
        return self.rows.times(beta)

    def block(self, index: np.ndarray) -> np.ndarray:
        return self.rows.gram(index)

    def combined(self, index: np.ndarray, d: np.ndarray) -> np.ndarray:
        beta = np.zeros(self.rows.values.shape[1])
        beta[index] = d
        return self.times(beta)

    def advance(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float, max_iter: int
    ) -> tuple[int, bool]:
        if self.known is None:
            self.known = Known(beta.copy(), gradient.copy(), np.ones(len(beta), dtype=bool))
        taken = 0
        while taken < max_iter:
            bounds = violations(dual, beta, gradient)
            if sum(bounds.most) < tol and not self.stale:
                return taken, True
            if sum(bounds.most) < tol:
                self.refresh(dual, beta, gradient)
            else:
                taken += self.lower(dual, beta, gradient, bounds, tol)
        return taken, False

    def lower(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, bounds: Violations, tol: float
    ) -> int:
        """Lower the objective, in place; return the number of SMO steps."""
        if self.rows.complete:
            return self.solve_whole(dual, beta, gradient, PART_TOL * tol)
        self.shrinks |= self.rows.evicted
        if self.shrinks:
            near = bounds.near(MARGIN * sum(bounds.most)) | dual.inside(beta)
            if near.mean() <= SHRUNK:
                return self.solve_part(dual, beta, gradient, near, tol)
        return self.solve_working_set(dual, beta, gradient, bounds, tol)

    def solve_whole(self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, tol: float) -> int:
        """Take SMO steps with the whole matrix, in place; return their number."""
        K = self.rows.values
        self.stale |= K.itemsize < gradient.itemsize
        return take_steps(K, dual, beta, gradient, tol, CHUNK)

    def solve_working_set(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, bounds: Violations, tol: float
    ) -> int:
        """Solve the dual of a working set, in place; return the number of SMO steps."""
        Q = self.working_set(bounds.too_small, bounds.too_large)
        K, own, b, g = self.rows.gram(Q), dual.take(Q), beta[Q], gradient[Q]
        inner = max(tol / 2, INNER * sum(bounds.most))
        taken = take_steps(K, own, b, g, inner, INNER_STEPS * len(Q))
        change = b - beta[Q]
        moved = np.flatnonzero(change)
        self.rows.add(Q[moved], change[moved], gradient)
        beta[Q] = b
        self.stale |= self.rows.values.itemsize < gradient.itemsize
        return taken

    def solve_part(
        self, dual: Dual, beta: np.ndarray, gradient: np.ndarray, inside: np.ndarray, tol: float
    ) -> int:
        """Solve the dual of the entries in a mask, in place; return the number of SMO steps."""
        index, outside = np.flatnonzero(inside), np.flatnonzero(~inside)
        part, own = RowGram(self.rows.take(index)), dual.take(index)
        b, g, taken = beta[index], gradient[index], 0
        while taken < INNER_STEPS * len(index):
            bounds = violations(own, b, g)
            if sum(bounds.most) < PART_TOL * tol:
                break
            if DISPLAY.get() is not None:
                report(f"violation {sum(bounds.most):.1e}, {len(index)} entries")
            taken += part.lower(own, b, g, bounds, PART_TOL * tol)
        change = np.zeros(len(beta))
        change[index] = b - beta[index]
        beta[index], gradient[index] = b, g
        gradient[outside] += self.rows.times_at(outside, change, part.stale)
        self.stale |= part.stale
        return taken

    def refresh(self, dual: Dual, beta: np.ndarray, gradient: np.ndarray) -> None:
        """Compute the gradient in double precision, in place, where an error would matter."""
        assert self.known is not None
        done, margin = np.zeros(len(beta), dtype=bool), NEAR
        while True:
            near = violations(dual, beta, gradient).near(margin) | (beta != 0)
            index = np.flatnonzero(near & ~done)
            if len(index) == 0:
                break
            exact = self.gradient_at(index, dual, beta)
            margin = max(margin, ERRORS * np.abs(gradient[index] - exact).max())
            gradient[index], done[index] = exact, True
        self.known, self.stale = Known(beta.copy(), gradient.copy(), done), False
        self.refreshes += 1
        if self.refreshes == REFRESHES:
            self.rows = self.rows.refined()

    def gradient_at(self, index: np.ndarray, dual: Dual, beta: np.ndarray) -> np.ndarray:
        """Return entries of the gradient in double precision, from those known if possible."""
        assert self.known is not None
        old_beta, old_gradient, exact = self.known
        again, first = exact[index], ~exact[index]
        found = np.empty(len(index))
        found[again] = old_gradient[index[again]] + self.rows.times_at(
            index[again], beta - old_beta
        )
        found[first] = self.rows.times_at(index[first], beta) - dual.y[index[first]]
        return found

    def working_set(self, too_small: np.ndarray, too_large: np.ndarray) -> np.ndarray:
        """Return the newest half of the last set, and the entries that violate most."""
        kept = self.last[-WORKING // 2 :]
        few = WORKING // 4
        self.last = np.concatenate(
            [
                kept,
                violating(too_small, -too_large.max(), kept, few),
                violating(too_large, -too_small.max(), kept, few),
            ]
        )
        # An entry may be among both.
        _, first = np.unique(self.last, return_index=True)
        self.last = self.last[np.sort(first)]
        return self.last


class Known(NamedTuple):
    """Coefficients and their gradient in double precision.

    Attributes
    ----------
    beta, gradient : ndarray of shape (n_samples,)
    exact : ndarray of bool of shape (n_samples,)
        Which entries of the gradient are of double precision.
    """

    beta: np.ndarray
    gradient: np.ndarray
    exact: np.ndarray


class Violations(NamedTuple):
    """How far entries are from the optimality conditions.

    Attributes
    ----------
    too_small, too_large : ndarray of shape (n_samples,)
        Minus the slope of the objective if an entry grows, and if it shrinks; -HUGE at a bound.
        Two entries violate the conditions by the sum of theirs, if it is positive.
    most : (float, float)
        Their maxima.
    """

    too_small: np.ndarray
    too_large: np.ndarray
    most: tuple[float, float]

    def near(self, margin: float) -> np.ndarray:
        """Return which entries violate the conditions, or are closer to that than `margin`."""
        above, below = self.most
        return (self.too_small > -below - margin) | (self.too_large > -above - margin)


def violations(dual: Dual, beta: np.ndarray, gradient: np.ndarray) -> Violations:
    """Return the violations of the optimality conditions at some coefficients."""
    too_small, too_large = np.empty(len(beta)), np.empty(len(beta))
    most = write_violations(
        dual.lower, dual.upper, dual.epsilon, beta, gradient, too_small, too_large
    )
    return Violations(too_small, too_large, most)


@compiled()
def write_violations(
    lower: np.ndarray, upper: np.ndarray, epsilon: float, beta: np.ndarray, gradient: np.ndarray,
    too_small: np.ndarray, too_large: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """Write the two arrays of `Violations`, and return their maxima."""
    above = below = -HUGE
    for t in range(beta.shape[0]):
        b, g = beta[t], gradient[t]
        small = -g - (epsilon if b >= 0 else -epsilon) if b < upper[t] else -HUGE
        large = g - (-epsilon if b > 0 else epsilon) if b > lower[t] else -HUGE
        too_small[t], too_large[t] = small, large
        above, below = max(above, small), max(below, large)
    return above, below


def violating(too_far: np.ndarray, bound: float, kept: np.ndarray, count: int) -> np.ndarray:
    """Return the entries with the largest values above a bound that are not kept already."""
    values = too_far.copy()
    values[kept] = -HUGE
    chosen = np.argpartition(-values, min(count, len(values) - 1))[:count]
    return chosen[values[chosen] > bound]
