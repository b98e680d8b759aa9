"""Kernel ridge regression, and its dense strategy.

    min_f  sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2,   coef = (K + alpha W^-1)^-1 y

With a centered Gram and centered y this is ridge with an unpenalised intercept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri, dtrtrs

from learnkernels.errors import InputError
from learnkernels.execution import Backend
from learnkernels.gram import LearnedKernel, weighted
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    decomposed,
    gram_bytes,
    not_definite,
    require_gram_memory,
)
from learnkernels.machines.conjugate_gradient_ridge import ConjugateGradientRidge
from learnkernels.machines.factor_ridge import FactorRidge, FactorSystem
from learnkernels.machines.landmark_ridge import LandmarkRidge
from learnkernels.machines.leave_one_out import left_out_outputs, squared_errors
from learnkernels.machines.product_ridge import DENSE_SAMPLES, ProductRidge, ProductSystem

# Gram matrices held at once: for a Cholesky factor in place one; for an eigendecomposition the
# matrix, its eigenvectors and work space of twice its size.
ONE_VALUE, SEVERAL_VALUES = 1, 4
# Up to this many values of alpha, Cholesky factors and inverses take less time than one
# eigendecomposition.
FEW_VALUES = 5
# Columns of a factor up to which sparse columns are made dense.
MAX_COLUMNS = 2000


class DenseRidge(Strategy):
    """Solve with the Gram matrix: Cholesky for one alpha, an eigendecomposition for several."""

    name = "dense"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        if len(values) > 1:
            return self.path(problem, values)[1]
        (alpha,) = values
        K = weighted(problem.kernel.gram(problem.backend), problem.weights)
        system = DenseSystem.of(K, alpha)
        if system is None:
            raise not_definite(alpha)
        targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
        coef = problem.coef(system.solve(targets))
        left_out = left_out_outputs(problem, system, coef) if problem.left_out else None
        return [Trained(coef, problem.means, left_out=left_out)]

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        matrix = LiftedGram.of(problem)
        found = factorised_errors(problem, matrix, values) if len(values) <= FEW_VALUES else None
        return Decomposition.of(problem, matrix, values).errors(values) if found is None else found

    def left_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        """Return outputs for samples that are left out, each alone, for each alpha.

        Returns
        -------
        ndarray of shape (n_values, n_samples, n_outputs)
            NaN for samples that are not left out.
        """
        return np.array([trained.left_out for trained in self.path(problem, values)[1]])

    def path(
        self, problem: TrainingProblem, values: Sequence[float]
    ) -> tuple[np.ndarray, list[Trained]]:
        """Return exact leave-one-out errors and predictors for each alpha, with their outputs."""
        root = np.sqrt(problem.weights)
        found = Decomposition.of(problem, LiftedGram.of(problem), values)
        errors, trained = [], []
        for alpha in values:
            if not found.is_definite(alpha):
                errors.append(np.inf)
                unknown = np.full_like(problem.Y, np.nan)
                trained.append(Trained(np.zeros_like(problem.Y), problem.means, left_out=unknown))
                continue
            residuals, complement = found.residuals(alpha)
            errors.append(squared_errors(residuals, complement, problem.weights))
            least = np.maximum(complement, np.finfo(float).tiny)
            outputs = problem.Y - residuals / (least * root)[:, None]
            coef = root[:, None] * residuals / alpha
            trained.append(Trained(coef, problem.means, left_out=outputs))
        return np.array(errors), trained


class LiftedGram(NamedTuple):
    """The matrix of ridge, with a known eigenvalue for the direction of the intercept.

    A centered matrix has the eigenvalue 0 for ``u ~ w^1/2``. Rounding errors of it
    would matter if alpha is tiny, so it is replaced by `known`.

    Attributes
    ----------
    K : ndarray of shape (n_samples, n_samples)
        ``W^1/2 K W^1/2 + known u u'``
    u : ndarray of shape (n_samples,)
        Of norm 1.
    known : float
        0 without centering.
    """

    K: np.ndarray
    u: np.ndarray
    known: float

    @classmethod
    def of(cls, problem: TrainingProblem) -> LiftedGram:
        """Compute the matrix."""
        K = weighted(problem.kernel.gram(problem.backend), problem.weights)
        root = np.sqrt(problem.weights)
        u, known = root / np.linalg.norm(root), 0.0
        if problem.center:
            known = float(np.trace(K)) / len(K)
            K += known * np.outer(u, u)
        return cls(K, u, known)


@dataclass(frozen=True)
class Decomposition:
    """The eigendecomposition of a `LiftedGram`, for leave-one-out residuals of several alphas.

    The residual of sample i when it is left out is ``(y_i - f(x_i)) / (1 - H_ii)`` with the
    hat matrix H of the fit to all samples, intercept included. The kernel is held fixed.

    Attributes
    ----------
    problem : TrainingProblem
    eigenvalues : ndarray of shape (n_samples,)
        In ascending order.
    Q, squares : ndarray of shape (n_samples, n_samples)
        Eigenvectors, and the squares of their entries.
    projected : ndarray of shape (n_samples, n_outputs)
        ``Q' w^1/2 (y - mean)``
    lifted : ndarray of shape (n_samples,)
        Squared entries of the intercept's direction.
    known : float
        Its eigenvalue.
    """

    problem: TrainingProblem
    eigenvalues: np.ndarray
    Q: np.ndarray
    squares: np.ndarray
    projected: np.ndarray
    lifted: np.ndarray
    known: float

    @classmethod
    def of(
        cls, problem: TrainingProblem, matrix: LiftedGram, values: Sequence[float]
    ) -> Decomposition:
        """Decompose the matrix, which is overwritten; raise if no alpha has a solution."""
        targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
        eigenvalues, Q = decomposed(matrix.K)
        if eigenvalues[0] + max(values) <= 0:
            raise not_definite(max(values))
        return cls(problem, eigenvalues, Q, Q**2, Q.T @ targets, matrix.u**2, matrix.known)

    def is_definite(self, alpha: float) -> bool:
        """Return whether ridge has a solution for this alpha; otherwise it is never chosen."""
        return bool(self.eigenvalues[0] + alpha > 0)

    def residuals(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return ``w^1/2 (y - f)``, shape (n_samples, n_outputs), and 1 - H_ii."""
        shrink = alpha / (self.eigenvalues + alpha)  # of I - H without intercept, on eigenvectors
        complement = self.squares @ shrink
        if self.problem.center:
            complement -= alpha / (self.known + alpha) * self.lifted
        return self.Q @ (shrink[:, None] * self.projected), complement

    def errors(self, values: Sequence[float]) -> np.ndarray:
        """Return the leave-one-out error for each alpha, infinite without a solution."""
        w = self.problem.weights
        return np.array(
            [
                squared_errors(*self.residuals(alpha), w) if self.is_definite(alpha) else np.inf
                for alpha in values
            ]
        )


def factorised_errors(
    problem: TrainingProblem, matrix: LiftedGram, values: Sequence[float]
) -> np.ndarray | None:
    """Return exact leave-one-out errors by a Cholesky decomposition for each alpha.

    With B as in `leave_one_out`, the residual is ``(B^-1 w^1/2 (y - mean))_i / G_ii``. For few
    values this is faster than an eigendecomposition. Return
    None if a B is not positive definite.
    """
    targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
    errors, everyone = [], np.arange(len(targets))
    for alpha in values:
        system = DenseSystem.of(matrix.K.copy(), alpha)
        if system is None:
            return None
        solution, G = system.solve(targets), system.inverse_diagonal(everyone)
        if problem.center:
            G = G - matrix.u**2 / (matrix.known + alpha)
        errors.append(squared_errors(solution, G, problem.weights))
    return np.array(errors)


def has_closed_form(
    n: int, max_memory: float, n_components: int | None, fast_products: bool = False
) -> bool:
    """Return whether leave-one-out errors of ridge have a closed form within `max_memory`.

    By landmarks, or by an eigendecomposition of the Gram matrix; kernels with fast products avoid
    that of many samples.
    """
    if n_components is not None and n_components < n:
        return True
    products = fast_products and prefers_products(n)
    return gram_bytes(n, SEVERAL_VALUES) <= max_memory and not products


def prefers_products(n: int) -> bool:
    """Return whether products with a kernel of n samples, if they are fast, replace its Gram."""
    return n > DENSE_SAMPLES


class Ridge(Machine):
    """Kernel ridge regression; the regularisation is alpha."""

    name = "ridge"
    takes_alpha = True

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        """Accept any number of samples: a strategy without the Gram matrix exists."""

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> Strategy:
        n = len(problem.Y)
        landmarks = problem.n_components is not None and problem.n_components < n
        count = SEVERAL_VALUES if n_values > 1 else ONE_VALUE
        if problem.signed:
            if landmarks:
                raise InputError(
                    f"n_components={problem.n_components} needs non-negative weights, and some "
                    "learned weights are negative; leave n_components out, or use another method."
                )
            who = "ridge with weights of both signs"
            require_gram_memory(n, count, problem.max_memory, who, "use fewer samples")
            return DenseRidge()
        if is_thin(problem.kernel.rank, n):
            return FactorRidge()
        if landmarks:
            return LandmarkRidge()
        if problem.kernel.fast_products and prefers_products(n):
            return ProductRidge()
        fits = gram_bytes(n, count) <= problem.max_memory
        return DenseRidge() if fits else ConjugateGradientRidge()


def is_thin(rank: float, n: int) -> bool:
    """Return whether a dense factor of the Gram is cheaper than the Gram."""
    return 2 * rank < n and rank <= MAX_COLUMNS


@dataclass(frozen=True)
class DenseSystem:
    """A factorised ``S + alpha I``.

    Attributes
    ----------
    factor : ndarray of shape (n_samples, n_samples)
        Its Cholesky factor.
    """

    factor: np.ndarray

    @classmethod
    def of(cls, S: np.ndarray, alpha: float) -> DenseSystem | None:
        """Factorise ``S + alpha I`` in place of S; None if it is not positive definite."""
        S.flat[:: len(S) + 1] += alpha
        # S is symmetric: its transpose is the column-major array that LAPACK overwrites.
        factor, failed = dpotrf(S.T, lower=1, overwrite_a=1, clean=0)
        return None if failed else cls(factor)

    def solve(self, v: np.ndarray) -> np.ndarray:
        """Return ``(S + alpha I)^-1 v`` for v of shape (n_samples, n_vectors)."""
        return dpotrs(self.factor, v, lower=1)[0]

    def inverse_diagonal(self, samples: np.ndarray) -> np.ndarray:
        """Return entries of the diagonal of ``(S + alpha I)^-1``, shape (n_chosen,)."""
        n = len(self.factor)
        if len(samples) == n:
            # (L L')^-1 = L^-T L^-1: its diagonal has the squared norms of the columns of L^-1.
            columns = dtrtri(self.factor, lower=1)[0].T
            return np.array([column[i:] @ column[i:] for i, column in enumerate(columns)])
        units = np.zeros((n, len(samples)), order="F")
        units[samples, np.arange(len(samples))] = 1.0
        half = dtrtrs(self.factor, units, lower=1, overwrite_b=1)[0]
        return np.einsum("ij,ij->j", half, half)


def ridge_system(
    kernel: LearnedKernel, weights: np.ndarray, alpha: float, backend: Backend
) -> DenseSystem | FactorSystem | ProductSystem | None:
    """Return ``W^1/2 K W^1/2 + alpha I``, ready to be solved; None if it is not definite."""
    if kernel.fast_products and prefers_products(len(weights)):
        return ProductSystem.of(kernel, weights, alpha, backend)
    if is_thin(kernel.rank, len(weights)):
        return FactorSystem.of(np.sqrt(weights)[:, None] * kernel.root(), alpha)
    return DenseSystem.of(weighted(kernel.gram(backend), weights), alpha)
