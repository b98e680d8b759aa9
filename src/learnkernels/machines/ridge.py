"""Kernel ridge regression, and its dense strategy.

    min_f  sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2,   coef = (K + alpha W^-1)^-1 y

With a centered Gram matrix and centered y this is ridge with an unpenalised intercept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

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
from learnkernels.machines.landmark_ridge import LandmarkRidge, require_nonnegative
from learnkernels.machines.leave_one_out import left_out_outputs, squared_errors
from learnkernels.machines.product_ridge import DENSE_SAMPLES, ProductRidge, ProductSystem
from learnkernels.solvers import invert_lower

# Gram matrices held at once: for a Cholesky factor in place one; for an eigendecomposition the
# matrix, its eigenvectors and work space of twice its size.
ONE_VALUE, SEVERAL_VALUES = 1, 4
# Up to this many values of alpha, Cholesky factors and inverses take less time than one
# eigendecomposition.
FEW_VALUES = 5
# Columns of a factor up to which sparse columns are made dense.
MAX_COLUMNS = 2000


class DenseRidge(Strategy):
    """Solve with the Gram matrix: Cholesky for few alphas, an eigendecomposition for more."""

    name = "dense"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        if len(values) > 1:
            return [one.trained() for one in self.path(problem, values)]
        (alpha,) = values
        kept = problem.kept(DenseRidge).get(alpha)
        if kept is not None:
            return [kept if problem.left_out else replace(kept, left_out=None)]
        K = weighted(problem.kernel.gram(problem.backend), problem.weights)
        system = DenseSystem.of(K, alpha)
        if system is None:
            raise not_definite(alpha)
        targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
        coef = problem.coef(system.solve(targets))
        left_out = left_out_outputs(problem, system, coef) if problem.left_out else None
        return [Trained(coef, problem.means, left_out=left_out)]

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        """Return exact errors; the best predictor is kept if it is as precise as that of `train`.

        This is the case if it was solved by Cholesky.
        """
        errors: list[float] = []
        for one in self.path(problem, values):
            error = one.error()
            if not errors or error < min(errors):
                best = one
            errors.append(error)
        if best.by_cholesky:
            problem.kept(DenseRidge)[best.alpha] = best.trained()
        return np.array(errors)

    def left_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        """Return outputs for samples that are left out, each alone, for each alpha.

        Returns
        -------
        ndarray of shape (n_values, n_samples, n_outputs)
            NaN for samples that are not left out.
        """
        kept = problem.kept(DenseRidge)
        if all(alpha in kept for alpha in values):
            return np.array([kept[alpha].left_out for alpha in values])
        return np.array([one.left_out() for one in self.path(problem, values)])

    def path(self, problem: TrainingProblem, values: Sequence[float]) -> Iterator[Solution]:
        """Yield the solution for each alpha; raise if there is none for any of them."""
        matrix, some = LiftedGram.of(problem), False
        few = len(values) <= FEW_VALUES
        for one in (by_cholesky if few else by_eigenvectors)(problem, matrix, values):
            some = some or one.residuals is not None
            yield one
        if not some:
            raise not_definite(max(values))


@dataclass(frozen=True)
class Solution:
    """Ridge for one alpha, and samples that are left out, each alone.

    The residual of sample i when it is left out is ``(y_i - f(x_i)) / (1 - H_ii)`` with the hat
    matrix H of the fit to all samples, intercept included. The kernel is held fixed.

    Attributes
    ----------
    problem : TrainingProblem
    alpha : float
    residuals : ndarray of shape (n_samples, n_outputs) or None
        ``w^1/2 (y - f)``; None if there is no solution, which is never chosen.
    complement : ndarray of shape (n_samples,)
        ``1 - H_ii``
    by_cholesky : bool
        For a tiny alpha, this is more precise than an eigendecomposition.
    """

    problem: TrainingProblem
    alpha: float
    residuals: np.ndarray | None
    complement: np.ndarray
    by_cholesky: bool = False

    def error(self) -> float:
        """Return the leave-one-out error."""
        if self.residuals is None:
            return np.inf
        return squared_errors(self.residuals, self.complement, self.problem.weights)

    def left_out(self) -> np.ndarray:
        """Return outputs for samples that are left out, shape (n_samples, n_outputs)."""
        if self.residuals is None:
            return np.full_like(self.problem.Y, np.nan)
        least = np.maximum(self.complement, np.finfo(float).tiny)
        scale = least * np.sqrt(self.problem.weights)
        return np.asarray(self.problem.Y - self.residuals / scale[:, None])

    def trained(self) -> Trained:
        """Return the predictor."""
        means = self.problem.means
        if self.residuals is None:
            return Trained(np.zeros_like(self.problem.Y), means, left_out=self.left_out())
        coef = self.problem.coef(self.residuals / self.alpha)
        return Trained(coef, means, left_out=self.left_out())


class LiftedGram(NamedTuple):
    """The matrix of ridge, with a known eigenvalue for the direction of the intercept.

    A centered matrix has the eigenvalue 0 for ``u ~ w^1/2``. Rounding errors of it
    would matter if alpha is tiny, so it is replaced by `known`.

    Attributes
    ----------
    K : ndarray of shape (n_samples, n_samples)
        ``W^1/2 K W^1/2 + known u u'``
    u : ndarray of shape (n_samples,)
        Of norm 1; zero without centering.
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
        u, known = np.zeros(len(K)), 0.0
        if problem.center:
            root = np.sqrt(problem.weights)
            u = root / np.linalg.norm(root)
            known = float(np.trace(K)) / len(K)
            # K is symmetric: its transpose is the column-major array that BLAS overwrites.
            K = dger(known, u, u, a=K.T, overwrite_a=1).T
        return cls(K, u, known)

    def lifted(self, alpha: float) -> np.ndarray:
        """Return what the direction adds to the diagonal of the inverse of ``K + alpha I``."""
        return np.asarray(self.u**2 / (self.known + alpha))


def by_eigenvectors(
    problem: TrainingProblem, matrix: LiftedGram, values: Sequence[float]
) -> Iterator[Solution]:
    """Yield the solution for each alpha by one eigendecomposition, which overwrites the matrix."""
    targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
    eigenvalues, Q = decomposed(matrix.K)
    projected, squares = Q.T @ targets, Q**2
    for alpha in values:
        if eigenvalues[0] + alpha <= 0:
            yield Solution(problem, alpha, None, np.empty(0))
            continue
        shrink = alpha / (eigenvalues + alpha)  # of I - H without intercept, on eigenvectors
        complement = squares @ shrink - alpha * matrix.lifted(alpha)
        yield Solution(problem, alpha, Q @ (shrink[:, None] * projected), complement)


def by_cholesky(
    problem: TrainingProblem, matrix: LiftedGram, values: Sequence[float]
) -> Iterator[Solution]:
    """Yield the solution for each alpha by a Cholesky decomposition for each of them.

    For few values this is faster than an eigendecomposition. With B and G as in the module
    `leave_one_out`, residuals are ``alpha B^-1 w^1/2 (y - mean)``, and ``1 - H_ii = alpha G_ii``.
    From the first B on that is not positive definite, eigenvectors are used.
    """
    targets = np.sqrt(problem.weights)[:, None] * (problem.Y - problem.means)
    work = np.empty_like(matrix.K)
    for i, alpha in enumerate(values):
        np.copyto(work, matrix.K)
        system = DenseSystem.of(work, alpha)
        if system is None:
            del work
            yield from by_eigenvectors(problem, matrix, values[i:])
            return
        residuals = alpha * system.solve(targets)
        G = system.inverse_diagonal(np.arange(len(targets)), overwrite=True)
        G -= matrix.lifted(alpha)
        yield Solution(problem, alpha, residuals, alpha * G, by_cholesky=True)


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
    """Return whether fast products with a kernel of n samples replace its Gram matrix."""
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
                require_nonnegative(problem)
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
    """Return whether a dense factor of the Gram matrix is cheaper than the matrix itself."""
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

    def inverse_diagonal(self, samples: np.ndarray, overwrite: bool = False) -> np.ndarray:
        """Return entries of the diagonal of ``(S + alpha I)^-1``, shape (n_chosen,).

        With `overwrite`, the factor may be lost.
        """
        n = len(self.factor)
        if len(samples) == n:
            # (L L')^-1 = L^-T L^-1: its diagonal has the squared norms of the columns of L^-1.
            inverse = self.factor if overwrite else self.factor.copy(order="F")
            invert_lower(inverse)
            return np.array([column[i:] @ column[i:] for i, column in enumerate(inverse.T)])
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
