"""Minimise a smooth convex function of the weights over a convex set, and prove it.

The loop that the one-stage methods share. A *task* evaluates the function at given weights: its
value, gradient and second derivatives, and a lower bound of the minimum that holds whatever the
weights. Each step minimises the quadratic model over the set and searches the line to there; the
loop ends when value and best lower bound agree to the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnkernels.progress import Say, gap_reached, silent
from learnkernels.solvers.certificate import Certificate
from learnkernels.telling import warn

__all__ = ["Point", "Task", "minimise", "search", "warn_if_open"]


@dataclass(frozen=True)
class Point:
    """A function at some weights.

    Attributes
    ----------
    mu : ndarray of shape (p,)
    value : float
        An upper bound of the function at mu.
    estimate : float
        The function at mu, as well as it is known: what steps are judged by.
    bound : float
        A lower bound of the function's minimum over the set.
    gradient : ndarray of shape (p,)
    state : object
        What the task wants back to start the next evaluation from.
    """

    mu: np.ndarray
    value: float
    estimate: float
    bound: float
    gradient: np.ndarray
    state: Any


class Task(Protocol):
    """A function to minimise."""

    def evaluate(self, mu: np.ndarray, last: Point | None) -> Point:
        """The function at mu; `last` is a point nearby."""

    def curvature(self, point: Point) -> np.ndarray | None:
        """Second derivatives at an evaluated point, shape (p, p), in a new array.

        None where they would cost more than they save: then steps go to the safe target.
        """

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimum over the set of the quadratic model at a point."""

    def safe_target(self, point: Point) -> np.ndarray:
        """A point of the set towards which the function falls, if it falls anywhere."""

    def sharpen(self) -> bool:
        """Make evaluations more accurate; False if they are exact already."""


def minimise(
    task: Task,
    mu: np.ndarray,
    tol: float,
    max_iter: int,
    last: Point | None = None,
    say: Say = silent,
) -> tuple[Point, Certificate]:
    """Newton steps with a line search from mu, until the gap is at most tol.

    Parameters
    ----------
    task : Task
        The function.
    mu : ndarray of shape (p,)
        Where to start.
    tol : float
        Relative gap.
    max_iter : int
        Most steps.
    last : Point or None
        A point nearby, to start the first evaluation from.
    say : callable
        Told the gap before every step.
    """
    point = task.evaluate(mu, last)
    bound = point.bound
    iterations, step = 0, 1.0
    gaps = [relative(point.value, bound)]
    while iterations < max_iter and gaps[-1] > tol:
        say(gap_reached(gaps[-1], iterations))
        following = None
        # While most of the gap is the inner solve's own, a step would be judged by noise.
        if point.value - point.estimate < 0.5 * (point.value - bound):
            iterations += 1
            H = task.curvature(point)
            if H is not None:
                # A trace of the identity keeps the model bounded where the function is flat.
                H.flat[:: len(mu) + 1] += 1e-10 * max(np.trace(H) / len(mu), np.finfo(float).tiny)
                direction = task.model_minimum(point, H) - point.mu
                following = search(task, point, direction, min(1.0, 2 * step))
                if following is not None and (size := direction @ direction) > 0:
                    # Where the model held for part of the way only, ask for little more next time.
                    step = float((following.mu - point.mu) @ direction / size)
            if following is None:
                following = search(task, point, task.safe_target(point) - point.mu)
        if following is None:
            if not task.sharpen():
                break
            following = task.evaluate(point.mu, point)
        point, bound = following, max(bound, following.bound)
        gaps.append(relative(point.value, bound))
    return point, Certificate.of(point.value, bound, iterations, tol, gaps)


def search(task: Task, point: Point, direction: np.ndarray, first: float = 1.0) -> Point | None:
    """A point on the line with a lower value, or None where rounding or noise hides any."""
    slope = point.gradient @ direction
    noise = 1e-14 * abs(point.estimate)
    step = first
    while -slope * step > noise:
        trial = task.evaluate(point.mu + step * direction, point)
        if trial.estimate <= point.estimate + 1e-4 * step * slope:
            return trial
        # The minimum of the parabola through both values and the first slope.
        bend = trial.estimate - point.estimate - step * slope
        step *= float(np.clip(-slope * step / (2 * bend), 0.1, 0.5))
        noise = max(noise, 1e-3 * (trial.value - trial.estimate))
    return None


def relative(value: float, bound: float) -> float:
    size = max(abs(value), abs(bound))
    return (value - bound) / size if size > 0 else 0.0


def warn_if_open(certificate: Certificate, tol: float, method) -> None:
    """Warn, with the gap, if a method's solution is not proved to the tolerance."""
    if certificate.gap <= tol and certificate.status != "not converged":
        return
    used_up = certificate.iterations >= method.max_iter
    advice = "raise max_iter or tol" if used_up else "rounding allows no further step: raise tol"
    warn(
        f"{method.name} ended with a relative gap of {certificate.gap:.1e} after "
        f"{certificate.iterations} iterations (tol={tol:g}); {advice}.",
        ConvergenceWarning,
        stacklevel=2,
    )
