"""Newton's method with a line search for a smooth convex function of the weights over a convex set.

An *objective* evaluates the function at given weights: value, gradient, second derivatives, and a
lower bound of the minimum that holds for any weights. A step minimises the quadratic model over the
set and searches the line to that minimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from learnkernels.solvers.loop import Certificate, Iterate, iterate


@dataclass(frozen=True)
class Point(Iterate):
    """A function at some weights; `value` is an upper bound of it.

    Attributes
    ----------
    mu : ndarray of shape (p,)
        Weights.
    estimate : float
        Best estimate of the function at mu, which the line search compares.
    gradient : ndarray of shape (p,)
    target : ndarray of shape (p,)
        A point of the set in a direction of descent, if there is one: the minimiser of the linear
        model, as a rule. The line search leads there where Newton's step fails.
    state : object
        Intermediate results that the objective uses in the next evaluation.
    """

    mu: np.ndarray
    estimate: float
    gradient: np.ndarray
    target: np.ndarray
    state: Any


class Objective(Protocol):
    """A function to minimise."""

    def evaluate(self, mu: np.ndarray, near: Point | None) -> Point:
        """Evaluate the function at mu; `near` is a point nearby to start an inner solver from."""

    def curvature(self, point: Point) -> np.ndarray | None:
        """Compute the second derivatives at an evaluated point, shape (p, p), in a new array.

        None where they would cost more than they save: then steps lead to the point's target.
        """

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimise the quadratic model at a point over the set."""

    def sharpen(self) -> bool:
        """Make evaluations more accurate; return False if they are exact already."""


def minimise(
    objective: Objective,
    mu: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    near: Point | None = None,
    criterion: str = "",
) -> tuple[Point, Certificate]:
    """Take Newton steps from mu until the relative gap is at most tol.

    Parameters
    ----------
    objective : Objective
        The function.
    mu : ndarray of shape (p,)
        Start.
    tol : float
        Relative gap at which to stop.
    max_iter : int
        Largest number of iterations.
    near : Point or None, default=None
        A point nearby, to start the first evaluation from.
    criterion : str, default=""
        Name of the objective in the certificate.
    """
    length = 1.0  # of the last Newton step

    def step(point: Point) -> Point | None:
        nonlocal length
        following, iterations = None, 1
        # If the error of an inner solver is most of the gap, the line search would compare noise.
        if point.value - point.estimate >= 0.5 * (point.value - point.bound):
            iterations = 0
        else:
            H = objective.curvature(point)
            if H is not None:
                # Add a small ridge so that the quadratic model is bounded below.
                H.flat[:: len(mu) + 1] += 1e-10 * max(np.trace(H) / len(mu), np.finfo(float).tiny)
                direction = objective.model_minimum(point, H) - point.mu
                following = line_search(objective, point, direction, min(1.0, 2 * length))
                if following is not None and (size := direction @ direction) > 0:
                    # Where a part of the step was accepted, try little more of the next one.
                    length = float((following.mu - point.mu) @ direction / size)
            if following is None:
                following = line_search(objective, point, point.target - point.mu)
        if following is None and objective.sharpen():
            following = objective.evaluate(point.mu, point)
        return None if following is None else replace(following, iterations=iterations)

    return iterate(
        objective.evaluate(mu, near), step, tol=tol, max_iter=max_iter, criterion=criterion
    )


def line_search(
    objective: Objective, point: Point, direction: np.ndarray, first: float = 1.0
) -> Point | None:
    """Return a point on the line with a lower value, or None where rounding or noise hides any."""
    slope = float(point.gradient @ direction)
    noise = 1e-14 * abs(point.estimate)
    step = first
    while -slope * step > noise:
        trial = objective.evaluate(point.mu + step * direction, point)
        if trial.estimate <= point.estimate + 1e-4 * step * slope:
            return trial
        # Minimum of the parabola through both values and the first slope.
        excess = trial.estimate - point.estimate - step * slope
        step *= float(np.clip(-slope * step / (2 * excess), 0.1, 0.5))
        noise = max(noise, 1e-3 * (trial.value - trial.estimate))
    return None
