"""The proof that comes with every learned result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """How good a solution is, computed from the solution itself.

    Attributes
    ----------
    primal : float
        Value of the problem at the solution.
    dual : float
        A bound that no feasible point can pass: for a minimisation, a lower bound.
    gap : float
        ``|primal - dual|`` relative to the larger of their sizes.
    iterations : int
        Steps that the solver took; 0 for a closed form.
    status : str
        ``"closed form"``, ``"optimal"``, ``"not converged"``, or what the method says of itself.
    history : tuple of float, default=()
        Values of the objective on the way, where a method promises that they fall.
    gaps : tuple of float, default=()
        Relative gaps on the way, the first before any step, where a method steps until the gap is
        small.
    violation : float, default=0.0
        By how much the constraint is exceeded.
    last_step : float, default=0.0
        Relative size of the last step, where there is no bound to stop on.

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

    @classmethod
    def of(
        cls, primal: float, dual: float, iterations: int, tol: float, gaps: Sequence[float] = ()
    ) -> Certificate:
        """The certificate of an iterative solution, optimal if the gap is at most tol."""
        size = max(abs(primal), abs(dual))
        gap = 0.0 if size == 0 else abs(primal - dual) / size
        if not np.isfinite(gap):
            gap = np.inf
        status = "optimal" if gap <= tol else "not converged"
        return cls(
            float(primal), float(dual), float(gap), iterations, status, gaps=tuple(map(float, gaps))
        )

    @classmethod
    def closed_form(cls, value: float) -> Certificate:
        """The certificate of a formula."""
        return cls(float(value), float(value), 0.0, 0, "closed form")

    def __str__(self):
        return (
            f"{self.status}: relative gap {self.gap:.1e} after {self.iterations} iterations "
            f"(primal {self.primal:.6g}, dual {self.dual:.6g})"
        )
