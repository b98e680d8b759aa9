"""Ridge with a factor R of the Gram matrix K = R R': at the cost of its rank.

    (R R' + alpha I)^-1 v = (v - R (R'R + alpha I)^-1 R'v) / alpha

A kernel of rank q < n costs n q^2 instead of n^3, and no n x n matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri, dtrtrs

from learnkernels.machines.base import (
    Strategy,
    Trained,
    TrainingProblem,
    decomposed,
    not_definite,
)
from learnkernels.machines.leave_one_out import left_out_outputs, some_samples, squared_errors
from learnkernels.machines.posterior import FactorPosterior, LeftOut


@dataclass(frozen=True)
class FactorSystem:
    """A factorised ``R R' + alpha I``.

    Attributes
    ----------
    factor : ndarray of shape (rank, rank)
        Cholesky factor of ``R'R + alpha I``.
    R : ndarray of shape (n_samples, rank)
    alpha : float
    """

    factor: np.ndarray
    R: np.ndarray
    alpha: float

    @classmethod
    def of(cls, R: np.ndarray, alpha: float) -> FactorSystem | None:
        """Factorise; None if the matrix is not positive definite."""
        G = R.T @ R
        G.flat[:: len(G) + 1] += alpha
        factor, failed = dpotrf(G.T, lower=1, overwrite_a=1, clean=0)
        return None if failed else cls(factor, R, alpha)

    def solve(self, v: np.ndarray) -> np.ndarray:
        """Return ``(R R' + alpha I)^-1 v`` for v of shape (n_samples, n_vectors)."""
        primal = self.primal(v)
        c = (v - self.R @ primal) / self.alpha
        # Rounding of v is divided by alpha: the part of c in the span of R is known better.
        return c + self.R @ dpotrs(self.factor, primal - self.R.T @ c, lower=1)[0]

    def inverse_diagonal(self, samples: np.ndarray) -> np.ndarray:
        """Return entries of the diagonal of ``(R R' + alpha I)^-1``, shape (n_chosen,)."""
        half = dtrtrs(self.factor, self.R[samples].T, lower=1)[0]  # (rank, n_chosen)
        return (1 - np.einsum("ij,ij->j", half, half)) / self.alpha

    def primal(self, v: np.ndarray) -> np.ndarray:
        """Return ``R'c`` for the solution c, shape (rank, n_vectors)."""
        return dpotrs(self.factor, self.R.T @ v, lower=1)[0]


class FactorRidge(Strategy):
    """Solve with a factor of the Gram matrix."""

    name = "factors"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        if len(values) > 1:
            return self.path(problem, values)[1]
        (alpha,) = values
        root = np.sqrt(problem.weights)[:, None]
        targets = root * (problem.Y - problem.means)
        system = FactorSystem.of(root * problem.kernel.root(), alpha)
        if system is None:
            raise not_definite(alpha)
        coef = problem.coef(system.solve(targets))
        left_out = left_out_outputs(problem, system, coef) if problem.left_out else None
        posterior = factor_posterior(problem, system, coef) if problem.posterior else None
        primal = system.primal(targets)
        return [Trained(coef, problem.means, primal=primal, left_out=left_out, posterior=posterior)]

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        return self.path(problem, values)[0]

    def path(
        self, problem: TrainingProblem, values: Sequence[float]
    ) -> tuple[np.ndarray, list[Trained]]:
        """Return exact leave-one-out errors and predictors for each alpha."""
        w = problem.weights
        root = np.sqrt(w)[:, None]
        targets = root * (problem.Y - problem.means)
        R = root * problem.kernel.root()
        eigenvalues, V = decomposed(R.T @ R)
        kept = eigenvalues > 1e-13 * max(eigenvalues.max(initial=0.0), np.finfo(float).tiny)
        eigenvalues = eigenvalues[kept]
        U = R @ (V[:, kept] / np.sqrt(eigenvalues))  # (n, rank), orthonormal
        projected = U.T @ targets
        intercept = w / w.sum() if problem.center else np.zeros(len(w))
        errors, trained = [], []
        for alpha in values:
            fitted = eigenvalues / (eigenvalues + alpha)  # of H on its eigenvectors
            residuals = targets - U @ (fitted[:, None] * projected)
            errors.append(squared_errors(residuals, 1 - intercept - U**2 @ fitted, w))
            trained.append(Trained(root * residuals / alpha, problem.means))
        return np.array(errors), trained


def factor_posterior(
    problem: TrainingProblem, system: FactorSystem, coef: np.ndarray
) -> FactorPosterior:
    """Return the posterior of a predictor with coefficients `coef`."""
    w, alpha = problem.weights, system.alpha
    total = float(w.sum()) if problem.center else np.inf
    chosen = some_samples(np.arange(len(w)))
    # u(x) = C^-1 R(x) with the Cholesky factor C
    primal = dtrtri(np.tril(system.factor), lower=1)[0].T  # (rank, rank)
    U = system.R[chosen] @ primal / np.sqrt(w[chosen])[:, None]
    residuals = alpha * coef[chosen] / w[chosen, None]  # y - f
    left_out = LeftOut.of_features(U, w[chosen], residuals, alpha, total)
    functions = problem.kernel.functions(np.empty((0, len(primal))), primal)
    return FactorPosterior(left_out, alpha, total, functions)
