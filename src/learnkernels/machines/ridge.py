"""Kernel ridge regression.

    min_f  sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2,   coef = (K + alpha W^-1)^-1 y

With a centered Gram and centered y this is ridge with an unpenalised intercept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, eigh

from learnkernels.errors import InputError
from learnkernels.machines.base import Machine, Problem, Trained
from learnkernels.machines.iterative import iterative_ridge
from learnkernels.machines.landmarks import landmark_ridge
from learnkernels.machines.regularised import not_definite, regularised_dense, regularised_root

__all__ = ["Ridge", "leave_one_out"]


class Ridge(Machine):
    """Kernel ridge regression; the regularisation is alpha."""

    takes_factors = True
    takes_products = True

    def path(self, problem, values):
        """One Cholesky factorisation for one value, one eigendecomposition for several.

        Where the Gram is not held: conjugate gradients for each, or the span of landmarks.
        """
        if problem.landmarks is not None:
            return landmark_ridge(problem, values)[1]
        if problem.kernel is not None:
            return iterative_ridge(problem, values)
        if len(values) > 1:
            return leave_one_out(problem, values)[1]
        alpha = float(values[0])
        root = np.sqrt(problem.weights)
        targets = root[:, None] * (problem.Y - problem.means)
        if problem.R is not None:
            system = regularised_root(root[:, None] * problem.R, alpha)
        else:
            system = regularised_dense(scaled(problem.K, root), alpha)
        if system is None:
            raise not_definite(alpha)
        coef = problem.coef(system.solve(targets))
        return [Trained(coef, problem.means, (), alpha, system.inside(targets))]


def scaled(K, root):
    """W^1/2 K W^1/2 in place; nothing to do for equal weights."""
    if not (root == 1).all():
        K *= root[:, None]
        K *= root
    return K


def leave_one_out(problem: Problem, values: Sequence[float]) -> tuple[np.ndarray, list[Trained]]:
    """Exact leave-one-out errors for each alpha, from one eigendecomposition, and the predictors.

    The residual of sample i when it is left out is ``(y_i - f(x_i)) / (1 - H_ii)`` with the hat
    matrix H of the fit to all samples, intercept included. The kernel is held fixed.

    Returns
    -------
    errors : ndarray of shape (n_values,)
        Weighted mean squared left-out residual over samples and outputs.
    trained : list of Trained
        The predictor for each value.
    """
    if problem.landmarks is not None:
        return landmark_ridge(problem, values, left_out=True)
    if problem.R is not None:
        return leave_one_out_thin(problem, values)
    w = problem.weights
    root = np.sqrt(w)
    targets = root[:, None] * (problem.Y - problem.means)
    K = scaled(problem.K, root)
    # A centered K has the eigenvalue 0 for u ~ w^1/2, the direction of the intercept. Rounding
    # would make it a tiny number beside a tiny alpha: give it a known size and take it out again.
    u = root / np.linalg.norm(root)
    known = float(np.trace(K)) / len(K) if problem.center else 0.0
    if problem.center:
        K += known * np.outer(u, u)
    eigenvalues, Q = decomposed(K)
    projected = Q.T @ targets
    if eigenvalues[0] + max(values) <= 0:
        raise not_definite(max(values))
    errors, trained = [], []
    for alpha in values:
        if eigenvalues[0] + alpha <= 0:  # no solution for this alpha: never chosen
            errors.append(np.inf)
            trained.append(Trained(np.zeros_like(targets), problem.means, (), float(alpha)))
            continue
        shrink = alpha / (eigenvalues + alpha)  # of I - H without intercept, on eigenvectors
        residuals = Q @ (shrink[:, None] * projected)  # w^1/2 (y - f)
        leverage_left = (Q**2) @ shrink
        if problem.center:
            leverage_left -= alpha / (known + alpha) * u**2
        left_out = residuals / np.maximum(leverage_left, np.finfo(float).tiny)[:, None]
        errors.append(float(np.sum(left_out**2) / (w.sum() * targets.shape[1])))
        coef = root[:, None] * residuals / alpha
        trained.append(Trained(coef, problem.means, (), float(alpha)))
    return np.array(errors), trained


def leave_one_out_thin(problem: Problem, values: Sequence[float]):
    """The same from a factor R of K = R R', at the price of its rank."""
    w = problem.weights
    root = np.sqrt(w)
    targets = root[:, None] * (problem.Y - problem.means)
    R = root[:, None] * problem.R
    eigenvalues, V = decomposed(R.T @ R)
    kept = eigenvalues > 1e-13 * max(eigenvalues.max(initial=0.0), np.finfo(float).tiny)
    eigenvalues = eigenvalues[kept]
    U = R @ (V[:, kept] / np.sqrt(eigenvalues))  # (n, rank), orthonormal
    projected = U.T @ targets
    known = 1.0 - root**2 / w.sum() if problem.center else np.ones(len(w))
    errors, trained = [], []
    for alpha in values:
        fitted = eigenvalues / (eigenvalues + alpha)  # of H on its eigenvectors
        residuals = targets - U @ (fitted[:, None] * projected)
        leverage_left = known - U**2 @ fitted
        left_out = residuals / np.maximum(leverage_left, np.finfo(float).tiny)[:, None]
        errors.append(float(np.sum(left_out**2) / (w.sum() * targets.shape[1])))
        coef = root[:, None] * residuals / alpha
        trained.append(Trained(coef, problem.means, (), float(alpha)))
    return np.array(errors), trained


def decomposed(K):
    """Eigenvalues in ascending order and eigenvectors, in place of K."""
    try:
        return eigh(K, overwrite_a=True, check_finite=False, driver="evd")
    except LinAlgError as error:
        raise InputError(f"the learned Gram has no eigendecomposition: {error}.") from error
