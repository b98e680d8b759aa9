"""Ridge with a kernel whose products with vectors are fast: conjugate gradients, no preconditioner.

    (W^1/2 K W^1/2 + alpha I) u = W^1/2 (y - mean),   coef = W^1/2 u

Several alpha are solved together, at the price of the smallest one (`shifted_conjugate_gradients`).
They are compared by held-out errors, which do not need many digits: single precision is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram import LearnedKernel
from learnkernels.machines.base import Strategy, Trained, TrainingProblem
from learnkernels.machines.conjugate_gradient_ridge import one_alpha, products
from learnkernels.solvers import conjugate_gradients, shifted_conjugate_gradients

# Samples up to which the Gram matrix is faster than products with it.
DENSE_SAMPLES = 1000
# Relative residuals and iterations for one alpha, and for several that are compared. An alpha so
# small that it needs more iterations is compared at the last one, which regularises it further.
TOLERANCE, MAX_ITER = 1e-8, 2000
PATH_TOLERANCE, PATH_ITER = 1e-3, 500


class ProductRidge(Strategy):
    """Solve with fast products of the kernel with vectors."""

    name = "conjugate gradients"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Return a predictor for each alpha: to `TOLERANCE` for one, `PATH_TOLERANCE` for more."""
        root = np.sqrt(problem.weights)[:, None]
        targets = root * (problem.Y - problem.means)
        if len(values) == 1:
            return [
                one_alpha(
                    problem, root, targets, unchanged, float(values[0]), TOLERANCE, MAX_ITER, ""
                )
            ]
        smallest = min(values)
        rounded = replace(problem, kernel=problem.kernel.rounded())
        U, _ = shifted_conjugate_gradients(
            products(rounded, root.astype(np.float32), smallest), targets.astype(np.float32),
            np.array(values) - smallest, PATH_TOLERANCE, PATH_ITER,
        )  # fmt: skip
        return [Trained(problem.coef(u.astype(float)), problem.means) for u in U]


def unchanged(V: np.ndarray) -> np.ndarray:
    """Return the argument: no preconditioner."""
    return V


@dataclass(frozen=True)
class ProductSystem:
    """``W^1/2 K W^1/2 + alpha I``, solved by conjugate gradients.

    Attributes
    ----------
    problem : TrainingProblem
    alpha : float
    """

    problem: TrainingProblem
    alpha: float

    @classmethod
    def of(
        cls, kernel: LearnedKernel, weights: np.ndarray, alpha: float, backend: Backend
    ) -> ProductSystem:
        """Return the system of a kernel."""
        Y = np.zeros((len(weights), 1))
        return cls(TrainingProblem(kernel, Y, weights, kernel.center, backend), alpha)

    def solve(self, v: np.ndarray) -> np.ndarray:
        """Return ``(W^1/2 K W^1/2 + alpha I)^-1 v`` for v of shape (n_samples, n_vectors)."""
        A = products(self.problem, np.sqrt(self.problem.weights)[:, None], self.alpha)
        return conjugate_gradients(A, v, unchanged, TOLERANCE, MAX_ITER)[0]
