"""Minimise over a simplex of many weights, most of which are zero at the minimum.

Newton's method runs on a working set of kernels. Its minimum gives a lower bound of the minimum
over *all* weights, and the gradient of the others: kernels that lower the objective enter the
working set, those of weight zero leave it, until value and bound agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from learnkernels.progress import within
from learnkernels.solvers.loop import Certificate, Iterate, iterate
from learnkernels.solvers.newton import Objective, Point, minimise

# Kernels in the first working set; up to twice as many are minimised over without one.
FIRST = 100


class SparseObjective(Objective, Protocol):
    """A function of many weights that can be restricted to some of them."""

    def restricted(self, mask: np.ndarray) -> Objective:
        """Return the function of the weights in the mask, with all others zero."""

    def bound_over_all(self, point: Point) -> tuple[float, np.ndarray]:
        """Return a lower bound over all weights, and minus their gradient, shape (p,).

        The point is one of a restriction.
        """


@dataclass(frozen=True)
class Restriction(Iterate):
    """The minimum over a working set, and the working set of the next step.

    Attributes
    ----------
    mu : ndarray of shape (p,)
        Weights at the minimum.
    point : Point
        The minimum as a point of the restricted objective.
    chosen : ndarray of bool of shape (p,)
        The next working set.
    complete : bool
        Whether no kernel outside the working set lowers the objective.
    """

    mu: np.ndarray
    point: Point
    chosen: np.ndarray
    complete: bool = False


def minimise_sparse(
    objective: SparseObjective,
    n_weights: int,
    radius: float,
    *,
    tol: float,
    max_iter: int,
    criterion: str = "",
) -> tuple[np.ndarray, Certificate]:
    """Minimise over ``mu >= 0, sum(mu) <= radius``; return the weights and their certificate."""
    uniform = np.full(n_weights, radius / n_weights)
    if n_weights <= 2 * FIRST:
        point, certificate = minimise(
            objective, uniform, tol=tol, max_iter=max_iter, criterion=criterion
        )
        return point.mu, certificate

    def step(now: Restriction) -> Restriction | None:
        if now.complete:
            return None
        chosen = now.chosen
        first = now.mu[chosen] * (radius / now.mu[chosen].sum())
        # Early working sets need no smaller gap than the bound over all weights allows.
        enough = max(tol / 3, 0.1 * now.gap)
        left = max(max_iter - now.iterations, 1)
        with within(f"{int(chosen.sum())} of {n_weights} kernels"):
            point, inner = minimise(
                objective.restricted(chosen), first, tol=enough, max_iter=left, near=now.point
            )
        mu = np.zeros(n_weights)
        mu[chosen] = point.mu
        bound, v = objective.bound_over_all(point)
        entering = np.flatnonzero(~chosen & (v > v[chosen].max()))
        complete = enough <= tol / 3 and len(entering) == 0
        following = mu > 0
        most = max(FIRST, int(following.sum()))
        following[entering[np.argsort(-v[entering])[:most]]] = True
        return Restriction(
            mu, point, following, complete,
            value=point.value, bound=bound, iterations=inner.iterations,
        )  # fmt: skip

    def start() -> Restriction:
        point = objective.evaluate(uniform, None)
        chosen = np.zeros(n_weights, dtype=bool)
        chosen[np.argsort(point.gradient)[:FIRST]] = True
        return Restriction(uniform, point, chosen, value=point.value, bound=point.bound)

    end, certificate = iterate(start(), step, tol=tol, max_iter=max_iter, criterion=criterion)
    return end.mu, certificate
