"""Convex sets of non-negative weights, given by the maximiser of a linear function over them.

A dual bound needs no more of a set, and a conditional-gradient step leads to that maximiser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


class WeightSet(ABC):
    """A convex set of non-negative vectors."""

    @abstractmethod
    def argmax_linear(self, v: np.ndarray) -> np.ndarray:
        """Return a point of the set where v'mu is largest, for v >= 0, shape (p,)."""


@dataclass(frozen=True)
class Simplex(WeightSet):
    """mu >= 0, sum(mu) <= radius."""

    radius: float = 1.0

    def argmax_linear(self, v: np.ndarray) -> np.ndarray:
        """Return the vertex of the largest v_k."""
        mu = np.zeros(len(v))
        mu[np.argmax(v)] = self.radius
        return mu


@dataclass(frozen=True)
class LpBall(WeightSet):
    """mu >= 0, |mu|_p <= radius, for p > 1."""

    p: float
    radius: float = 1.0

    def argmax_linear(self, v: np.ndarray) -> np.ndarray:
        """Return the point of equality in Hoelder's inequality."""
        if not v.any():
            return np.zeros(len(v))
        # mu_k ~ v_k^(1/(p-1)), relative to the largest so that nothing overflows
        mu = (v / v.max()) ** (1 / (self.p - 1))
        return self.radius * mu / np.linalg.norm(mu, self.p)


@dataclass(frozen=True)
class Ball(WeightSet):
    """mu >= 0, |mu - mu0|_2 <= radius, for mu0 >= 0."""

    mu0: np.ndarray
    radius: float = 1.0

    def argmax_linear(self, v: np.ndarray) -> np.ndarray:
        """Return mu0 + radius v / |v|."""
        norm = np.linalg.norm(v)
        return self.mu0 + self.radius * v / norm if norm > 0 else self.mu0.copy()
