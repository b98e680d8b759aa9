"""Minimise over a simplex of many weights, most of which end at zero, and prove it.

The loop of `newton` runs on a working set of kernels. What it finds gives a lower bound of the
minimum over *all* weights and says which kernels are missing; these join, and those without a
weight leave, until value and bound agree.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from learnkernels.progress import Say, silent
from learnkernels.solvers.certificate import Certificate
from learnkernels.solvers.newton import Point, Task, minimise, relative

__all__ = ["SparseTask", "minimise_sparse"]

# Kernels in the first working set; up to twice as many are minimised over without one.
FIRST = 100


class SparseTask(Task, Protocol):
    """A function of many weights that can be restricted to some of them."""

    def restricted(self, mask: np.ndarray) -> Task:
        """The same function where only these weights are free, and all others zero."""

    def seen_by_all(self, point: Point) -> tuple[float, np.ndarray]:
        """From a point of a restriction: a bound of the minimum, and minus the gradient, of all."""


def minimise_sparse(
    task: SparseTask,
    n_weights: int,
    radius: float,
    tol: float,
    max_iter: int,
    say: Say = silent,
) -> tuple[np.ndarray, Certificate]:
    """Weights over ``mu >= 0, sum(mu) <= radius`` that minimise, and their certificate."""
    mu = np.full(n_weights, radius / n_weights)
    if n_weights <= 2 * FIRST:
        point, certificate = minimise(task, mu, tol, max_iter, say=say)
        return point.mu, certificate
    point = task.evaluate(mu, None)
    bound, v = point.bound, -point.gradient
    chosen = np.zeros(n_weights, dtype=bool)
    chosen[np.argsort(-v)[:FIRST]] = True
    mu = radius * chosen / FIRST
    iterations, last = 0, point
    gaps = [relative(point.value, bound)]
    while True:
        part = task.restricted(chosen)
        left = max(max_iter - iterations, 1)
        # Early working sets are not worth more digits than the bound of all has.
        enough = max(tol / 3, 0.1 * relative(last.value, bound))
        point, proof = minimise(part, mu[chosen], enough, left, last, among(say, chosen))
        iterations += proof.iterations
        mu = np.zeros(n_weights)
        mu[chosen] = point.mu
        of_all, v = task.seen_by_all(point)
        bound = max(bound, of_all)
        missing = ~chosen & (v > v[chosen].max())
        gaps.append(relative(point.value, bound))
        done = gaps[-1] <= tol or iterations >= max_iter
        if done or (enough <= tol / 3 and not missing.any()):
            break
        chosen = mu > 0
        entering = np.flatnonzero(missing)
        room = max(FIRST, int(chosen.sum()))
        chosen[entering[np.argsort(-v[entering])[:room]]] = True
        last = point
    return mu, Certificate.of(point.value, bound, iterations, tol, gaps)


def among(say: Say, chosen: np.ndarray) -> Say:
    """Say which part of the kernels is looked at."""
    return lambda text: say(f"{int(chosen.sum())} of {len(chosen)} kernels, {text}")
