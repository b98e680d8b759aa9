"""The outer loop of every iterative solver, and the certificate that it ends with.

A solver supplies a start and a step. The loop counts iterations, keeps the best lower bound,
records values and gaps, reports progress and decides when to stop. Compiled code returns to it
after every step, so that an interrupt gets through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from learnkernels.progress import DISPLAY, report

# Statuses of problems that are not convex: a gradient step changes no weight by much, or the steps
# ended for another reason, or the weights are an average with uniform ones.
STATIONARY = "stationary"
NOT_STATIONARY = "not shown to be stationary"
AVERAGE = "average of learned and uniform weights"


@dataclass(frozen=True)
class Certificate:
    """Quality of a solution, computed from the solution itself.

    Attributes
    ----------
    primal : float
        Objective at the solution.
    dual : float
        Bound that no feasible point can pass: for a minimisation, a lower bound.
    gap : float
        ``|primal - dual|`` relative to the larger of their absolute values.
    iterations : int
        Iterations of the solver; 0 for a closed form.
    status : str
        ``"closed form"``, ``"optimal"``, ``"not converged"``, ``"stationary"``, ``"not shown to be
        stationary"``, or a status of the method's own.
    history : tuple of float, default=()
        Objective before each step and at the end.
    gaps : tuple of float, default=()
        Relative gap before each step and at the end.
    violation : float, default=0.0
        Amount by which the constraint is exceeded.
    last_step : float, default=0.0
        Relative size of the last step, where there is no bound to stop on.
    criterion : str, default=""
        Objective for which the solution is optimal, such as ``"alignment"``.
    is_local : bool, default=False
        Whether the problem is not convex: there is no useful bound, and the gap is the largest
        change of a weight by a gradient step, as a part of all weight.

    Examples
    --------
    >>> from learnkernels.solvers import Certificate
    >>> print(Certificate.of(primal=-1.0, dual=-1.0, iterations=3, tol=1e-8))
    optimal: relative gap 0.0e+00 after 3 iterations (primal -1, dual -1)
    """

    primal: float
    dual: float
    gap: float
    iterations: int
    status: str
    history: tuple[float, ...] = ()
    gaps: tuple[float, ...] = ()
    violation: float = 0.0
    last_step: float = 0.0
    criterion: str = ""
    is_local: bool = False

    @classmethod
    def of(
        cls, primal: float, dual: float, iterations: int, tol: float, criterion: str = ""
    ) -> Certificate:
        """Certify an iterative solution: optimal if the relative gap is at most tol."""
        size = max(abs(primal), abs(dual))
        gap = 0.0 if size == 0 else abs(primal - dual) / size
        status = "optimal" if gap <= tol else "not converged"
        gap = float(gap) if np.isfinite(gap) else np.inf
        return cls(float(primal), float(dual), gap, iterations, status, criterion=criterion)

    @classmethod
    def closed_form(cls, value: float, criterion: str = "") -> Certificate:
        """Certify the value of a formula."""
        return cls(float(value), float(value), 0.0, 0, "closed form", criterion=criterion)

    def __str__(self) -> str:
        criterion = f" for {self.criterion}" if self.criterion else ""
        steps = f"{self.iterations} iteration{'s' if self.iterations != 1 else ''}"
        if self.status == AVERAGE:
            return f"{self.status}{criterion} {self.primal:.6g}: {steps}"
        if self.is_local:
            return (
                f"{self.status}{criterion} {self.primal:.6g}, {self.history[0]:.6g} at the start: "
                f"{steps}, a gradient step changes no weight by more than {self.gap:.1e} of their "
                "sum"
            )
        return (
            f"{self.status}{criterion}: relative gap {self.gap:.1e} after {steps} "
            f"(primal {self.primal:.6g}, dual {self.dual:.6g})"
        )


@dataclass(frozen=True, kw_only=True)
class Iterate:
    """A point of an iteration that minimises; solvers add what their steps need.

    Attributes
    ----------
    value : float
        Objective at the point.
    bound : float, default=-inf
        Lower bound of the minimum. A step receives the best one found so far.
    iterations : int, default=1
        Iterations between the last point and this one. A step receives their sum.
    """

    value: float
    bound: float = -np.inf
    iterations: int = 1

    @property
    def gap(self) -> float:
        """Relative duality gap; solvers without a bound return another measure of convergence."""
        if np.isinf(self.bound):
            return np.inf
        size = max(abs(self.value), abs(self.bound))
        return 0.0 if size == 0 else (self.value - self.bound) / size


AnyIterate = TypeVar("AnyIterate", bound=Iterate)


def iterate(
    start: AnyIterate,
    step: Callable[[AnyIterate], AnyIterate | None],
    *,
    tol: float,
    max_iter: int,
    criterion: str = "",
    converged: Callable[[AnyIterate], bool] | None = None,
    measure: str = "gap",
) -> tuple[AnyIterate, Certificate]:
    """Take steps until the iteration has converged.

    Parameters
    ----------
    start : Iterate
        First point.
    step : callable
        ``step(point)`` returns the next point, or None if no step makes progress.
    tol : float
        Gap at which to stop.
    max_iter : int
        Largest number of iterations.
    criterion : str, default=""
        Objective for which the certificate holds.
    converged : callable or None, default=None
        ``converged(point)`` decides when to stop, instead of the gap.
    measure : str, default="gap"
        Name of the gap in progress reports.

    Returns
    -------
    point : Iterate
        Last point, with the best bound and the number of iterations.
    certificate : Certificate
        Optimal if the gap is at most `tol`.

    Examples
    --------
    >>> from learnkernels.solvers import Iterate, iterate
    >>> def halve(point):
    ...     return Iterate(value=point.value / 2, bound=0.0)
    >>> point, certificate = iterate(Iterate(value=8.0, bound=-8.0), halve, tol=0.0, max_iter=3)
    >>> point.value, point.iterations, certificate.status
    (1.0, 3, 'not converged')
    """
    now = replace(start, iterations=0)
    del start  # its arrays may be large
    values, gaps = [float(now.value)], [float(now.gap)]
    while now.iterations < max_iter:
        if converged(now) if converged is not None else not gaps[-1] > tol:
            break
        if now.iterations and DISPLAY.get() is not None:
            report(f"{measure} {gaps[-1]:.1e}, iteration {now.iterations}")
        following = step(now)
        if following is None:
            break
        now = replace(
            following,
            bound=max(now.bound, following.bound),
            iterations=now.iterations + following.iterations,
        )
        values.append(float(now.value))
        gaps.append(float(now.gap))
    gap = abs(gaps[-1]) if np.isfinite(gaps[-1]) else np.inf
    status = "optimal" if gap <= tol else "not converged"
    return now, Certificate(
        values[-1], float(now.bound), gap, now.iterations, status, tuple(values), tuple(gaps),
        criterion=criterion,
    )  # fmt: skip
