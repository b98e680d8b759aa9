"""Sets of non-negative weights: where a linear function is largest on them, and how large.

That is what a dual bound needs of a set, and where a conditional-gradient step leads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

__all__ = ["Ball", "LpBall", "Orthant", "Simplex", "WeightSet"]


class WeightSet(ABC):
    """A convex set of non-negative vectors."""

    @abstractmethod
    def peak(self, v: np.ndarray) -> np.ndarray:
        """A point of the set where v'mu is largest, for v >= 0."""

    def support(self, v: np.ndarray) -> float:
        """Largest v'mu over the set, for v >= 0."""
        return float(v @ self.peak(v))


class Orthant(WeightSet):
    """mu >= 0: nothing bounds a linear function on it."""

    def peak(self, v):
        return np.where(v > 0, np.inf, 0.0)


@dataclass(frozen=True)
class Simplex(WeightSet):
    """mu >= 0, sum(mu) <= radius."""

    radius: float = 1.0

    def peak(self, v):
        mu = np.zeros(len(v))
        mu[np.argmax(v)] = self.radius
        return mu


@dataclass(frozen=True)
class LpBall(WeightSet):
    """mu >= 0, |mu|_p <= radius, for p > 1."""

    p: float
    radius: float = 1.0

    def peak(self, v):
        if not v.any():
            return np.zeros(len(v))
        # Hoelder: equality at mu_k ~ v_k^(1/(p-1)); relative to the largest, so nothing overflows.
        mu = (v / v.max()) ** (1 / (self.p - 1))
        return self.radius * mu / np.linalg.norm(mu, self.p)


@dataclass(frozen=True)
class Ball(WeightSet):
    """mu >= 0, |mu - mu0|_2 <= radius, for mu0 >= 0."""

    mu0: np.ndarray
    radius: float = 1.0

    def peak(self, v):
        norm = np.linalg.norm(v)
        return self.mu0 + self.radius * v / norm if norm > 0 else self.mu0.copy()
