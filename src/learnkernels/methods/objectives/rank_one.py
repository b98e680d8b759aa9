"""Sparse weights of kernels of rank one, by the interior-point method."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.gram import CenteredKernels
from learnkernels.gram.factors.factor import Factor
from learnkernels.gram.factors.kernels import CenteredFactors
from learnkernels.methods.objectives.loss import Loss
from learnkernels.methods.objectives.ridge_objective import RidgeObjective
from learnkernels.methods.objectives.svm_objective import SVMObjective
from learnkernels.solvers import (
    Certificate,
    InteriorSolution,
    RankOneKernels,
    SparseObjective,
    hinge_loss,
    interior_weights,
    minimise_sparse,
)

# Parts of the tolerance to which the program is solved, and the SVM that certifies its value.
SHARPER, INNER = 0.01, 0.1
# Samples beyond which a Gram matrix is not formed if there are fewer kernels of rank one.
TALL = 4000
# Kernels up to which the general method is tried where the interior-point method fails.
MAX_GENERAL = 2000


@dataclass(frozen=True)
class RankOneColumns:
    """Kernels of rank one, K_k = x_k x_k', as the matrix X = [x_1 ... x_p].

    Attributes
    ----------
    kernels : CenteredKernels
    factors : tuple of Factor
        The columns before scaling.
    index : tuple of ndarray
        Kernel of each column.
    """

    kernels: CenteredKernels
    factors: tuple[Factor, ...]
    index: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, kernels: CenteredKernels) -> RankOneColumns | None:
        """Return the columns x_k of centered kernels; None if one is not of rank one."""
        (first, *rest) = kernels.parts
        if rest or not isinstance(first, CenteredFactors) or first.n_columns != kernels.n_kernels:
            return None
        factors = first.factors(kernels.center)
        return cls(kernels, factors, tuple(first.index[f.owner] for f in factors))

    def gram(self, d: np.ndarray) -> np.ndarray:
        """Return X diag(d) X', shape (n_samples, n_samples)."""
        return self.kernels.gram(d)

    def times(self, u: np.ndarray) -> np.ndarray:
        """Return X u, shape (n_samples,)."""
        u = np.sqrt(self.kernels.factors) * u
        parts = zip(self.factors, self.index, strict=True)
        return np.sum([factor.times(u[index]) for factor, index in parts], axis=0)

    def transposed_times(self, c: np.ndarray) -> np.ndarray:
        """Return X'c, shape (n_kernels,)."""
        out = np.empty(self.kernels.n_kernels)
        for factor, index in zip(self.factors, self.index, strict=True):
            out[index] = factor.transposed_times(c)
        return np.sqrt(self.kernels.factors) * out


def rank_one_weights(
    loss: Loss, radius: float, *, tol: float, max_iter: int
) -> tuple[np.ndarray, Certificate] | None:
    """Compute the weights of bounded sum; None if the interior-point method does not apply.

    It applies to kernels of rank one, one output and, for ridge, samples that are not many more
    than the kernels: then an n x n matrix would cost more than one of the kernels.
    """
    (n, outputs), p = loss.Y.shape, loss.kernels.n_kernels
    thin = isinstance(loss, RidgeObjective) and n > TALL and 2 * p < n
    columns = RankOneColumns.of(loss.kernels) if outputs == 1 and not thin else None
    if columns is None:
        return None
    if isinstance(loss, SVMObjective):
        return rank_one_svm_weights(loss, columns, tol=tol, max_iter=max_iter)
    if isinstance(loss, RidgeObjective):
        return rank_one_ridge_weights(loss, columns, radius, tol=tol, max_iter=max_iter)
    return None


def rank_one_svm_weights(
    objective: SVMObjective, kernels: RankOneKernels, *, tol: float, max_iter: int
) -> tuple[np.ndarray, Certificate]:
    """Compute the weights of sum one for one output, and their certificate."""
    y, C = objective.Y[:, 0], objective.C
    box = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    end = interior_weights(
        kernels, y, np.zeros(len(y)), box, 1.0, tol=SHARPER * tol, max_iter=max_iter
    )
    beta = np.clip(end.c, *box)[:, None]
    bound = objective.lower_bound(beta, kernels.transposed_times(beta[:, 0]) ** 2)
    # The primal point of the path certifies the weights, unless rounding ended it early. Weights
    # that converge to zero are set to zero, as many as the tolerance allows: few at a large C.
    for given in end.denser():
        used = given.mu > 0
        norm = float((given.w[used] ** 2 / given.mu[used]).sum())
        value = hinge_loss(y, C, kernels.times(given.w)) + norm / 2
        found = certified(end, value, bound, tol, "SVM objective")
        if found.gap <= tol:
            return given.mu, found
    mu = end.sparse().mu
    point = objective.evaluate_from(mu, beta)
    while point.value - point.estimate > INNER * tol * point.value and objective.sharpen():
        point = objective.evaluate(mu, point)
    found = certified(end, point.value, bound, tol, "SVM objective")
    return best_of_both(objective, mu, found, 1.0, tol, max_iter)


def rank_one_ridge_weights(
    objective: RidgeObjective,
    kernels: RankOneKernels,
    radius: float,
    *,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, Certificate]:
    """Compute the weights of bounded sum for one output, and their certificate."""
    a, y = objective.alpha / objective.root[:, 0] ** 2, objective.Y[:, 0]
    end = interior_weights(kernels, y, a, None, radius, tol=SHARPER * tol, max_iter=max_iter)
    v = kernels.transposed_times(end.c) ** 2
    bound = objective.lagrangian(end.c[:, None], v, objective.allowed.argmax_linear(v))
    mu = end.sparse().mu
    point = objective.evaluate(mu)
    found = certified(end, point.value, max(bound, point.bound), tol, "ridge objective")
    return best_of_both(objective, mu, found, radius, tol, max_iter)


def certified(
    end: InteriorSolution, value: float, bound: float, tol: float, criterion: str
) -> Certificate:
    """Return the certificate of a value, with the iterations of the interior-point method."""
    iterations, gaps = end.certificate.iterations, end.certificate.gaps
    found = Certificate.of(value, min(bound, value), iterations, tol, criterion)
    return replace(found, gaps=gaps)


def best_of_both(
    objective: SparseObjective,
    mu: np.ndarray,
    certificate: Certificate,
    radius: float,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, Certificate]:
    """Return the weights, or those of the general method where it reaches a smaller gap.

    Rounding can end the interior-point method early: a tiny regularisation, kernels of very
    different scales.
    """
    if certificate.gap <= tol or len(mu) > MAX_GENERAL:
        return mu, certificate
    other, found = minimise_sparse(
        objective, len(mu), radius, tol=tol, max_iter=max_iter, criterion=certificate.criterion
    )
    return (other, found) if found.gap < certificate.gap else (mu, certificate)
