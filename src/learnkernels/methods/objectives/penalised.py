"""The objective of a machine and a penalty on the weights, as in section 3.4 of the 2012 paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from learnkernels.methods.objectives.loss import Loss, constant_term
from learnkernels.solvers import Point


class Penalty(Protocol):
    """A convex function R of the weights, infinite outside a set of non-negative weights."""

    def value(self, mu: np.ndarray) -> float:
        """Compute R at weights of the set."""

    def gradient(self, mu: np.ndarray) -> np.ndarray:
        """Compute the gradient of R inside the set, shape (p,)."""

    def curvature(self) -> np.ndarray:
        """Compute the second derivatives of R inside the set, shape (p, p)."""

    def conjugate(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """Maximise q'mu - R(mu), and return the maximiser and an upper bound of the maximum."""

    def minimise(self, H: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Minimise mu'H mu / 2 - b'mu over the set, shape (p,)."""


@dataclass
class PenalisedObjective:
    """J(mu) + R(mu); see the module on losses for the lower bound.

    Attributes
    ----------
    loss : Loss
        J, the objective of the machine; its own set of weights is not used.
    penalty : Penalty
        R.
    """

    loss: Loss
    penalty: Penalty

    def evaluate(self, mu: np.ndarray, near: Point | None = None) -> Point:
        """Train the machine at mu."""
        point = self.loss.evaluate(mu, near)
        target, most = self.penalty.conjugate(-point.gradient)
        more = self.penalty.value(mu)
        return replace(
            point,
            value=point.value + more,
            estimate=point.estimate + more,
            gradient=point.gradient + self.penalty.gradient(mu),
            target=target,
            bound=constant_term(point) - most,
        )

    def curvature(self, point: Point) -> np.ndarray | None:
        """Compute the second derivatives of both terms."""
        H = self.loss.curvature(point)
        return None if H is None else H + self.penalty.curvature()

    def model_minimum(self, point: Point, H: np.ndarray) -> np.ndarray:
        """Minimise the quadratic model over the set of the penalty."""
        return self.penalty.minimise(H, H @ point.mu - point.gradient)

    def sharpen(self) -> bool:
        """Make evaluations more accurate; return False if they are exact already."""
        return self.loss.sharpen()
