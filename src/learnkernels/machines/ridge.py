"""Kernel ridge regression.

    min_f  sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2,   coef = (K + alpha W^-1)^-1 y

With a centered Gram and centered y this is ridge with an unpenalised intercept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.errors import InputError
from learnkernels.machines.base import Machine, Problem, Trained

__all__ = ["Ridge", "leave_one_out"]


class Ridge(Machine):
    """Kernel ridge regression; the regularisation is alpha."""

    def path(self, problem, values):
        """One Cholesky factorisation for one value, one eigendecomposition for several."""
        if len(values) > 1:
            return leave_one_out(problem, values)[1]
        root = np.sqrt(problem.weights)
        targets = root[:, None] * (problem.Y - problem.means)
        z = solve(scaled(problem.K, root), targets, values[0])
        return [Trained(root[:, None] * z, problem.means, (), float(values[0]))]


def scaled(K, root):
    """W^1/2 K W^1/2 in place; nothing to do for equal weights."""
    if not (root == 1).all():
        K *= root[:, None]
        K *= root
    return K


def solve(K: np.ndarray, targets: np.ndarray, alpha: float) -> np.ndarray:
    """(K + alpha I)^-1 targets by Cholesky, in place of K."""
    K.flat[:: len(K) + 1] += alpha
    # K is symmetric: its transpose is the column-major array that LAPACK overwrites without a copy.
    factor, failed = dpotrf(K.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise not_definite(alpha)
    solution, _ = dpotrs(factor, targets, lower=1)
    return solution


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


def decomposed(K):
    """Eigenvalues in ascending order and eigenvectors, in place of K."""
    try:
        return eigh(K, overwrite_a=True, check_finite=False, driver="evd")
    except LinAlgError as error:
        raise InputError(f"the learned Gram has no eigendecomposition: {error}.") from error


def not_definite(alpha: float) -> InputError:
    return InputError(
        f"the learned kernel plus alpha={alpha:g} on its diagonal is not positive definite, so "
        "ridge has no solution; raise alpha (or use a method with non-negative weights, if some "
        "are negative)."
    )
