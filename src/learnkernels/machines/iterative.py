"""Kernel ridge regression where the Gram matrix does not fit: conjugate gradients on the full one.

    (W^1/2 K W^1/2 + alpha I) u = W^1/2 (y - mean),   coef = W^1/2 u

Products with K stream over tiles, all base kernels evaluated in one pass over distances. The
preconditioner is the inverse of the same matrix with K replaced by its projection on the span of
some samples, K ~ Psi Psi' (Nystroem):

    (Psi Psi' + alpha I)^-1 v = (v - Psi (Psi'Psi + alpha I)^-1 Psi'v) / alpha

Its solution is that of the dense system, to the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from learnkernels.errors import InputError
from learnkernels.gram import Landmarks
from learnkernels.machines.base import Problem, Trained
from learnkernels.solvers import Certificate, conjugate_gradients
from learnkernels.telling import warn

__all__ = ["iterative_ridge"]

# Residuals, relative to the targets; predictions are about as exact.
TOLERANCE, MOST_STEPS = 1e-9, 500
# A solution that leaves all of the targets is none.
HOPELESS = 1.0
# Samples whose span makes the preconditioner, at most.
MOST_LANDMARKS = 1500


def iterative_ridge(problem: Problem, values) -> list[Trained]:
    """A predictor for each alpha; the features of the preconditioner are computed once."""
    root = np.sqrt(problem.weights)[:, None]
    targets = root * (problem.Y - problem.means)
    Psi = centered_features(problem)
    Psi *= root
    inner = Psi.T @ Psi
    return [one_alpha(problem, root, targets, Psi, inner, float(alpha)) for alpha in values]


def one_alpha(problem: Problem, root, targets, Psi, inner, alpha: float) -> Trained:
    factor = cho_factor(inner + alpha * np.eye(len(inner)), check_finite=False)

    def precondition(V):
        return (V - Psi @ cho_solve(factor, Psi.T @ V, check_finite=False)) / alpha

    A = system(problem, root, alpha)
    u, Au, steps = conjugate_gradients(A, targets, precondition, TOLERANCE, MOST_STEPS, problem.say)
    certificates = tuple(
        ridge_certificate(targets[:, t], u[:, t], Au[:, t], alpha, steps)
        for t in range(targets.shape[1])
    )
    left = np.linalg.norm(targets - Au) / max(np.linalg.norm(targets), np.finfo(float).tiny)
    if left >= HOPELESS:
        raise InputError(
            f"ridge with alpha={alpha:g} was not solved by products with the Gram matrix: a "
            f"residual of {left:.1e} of the targets is left; raise alpha, or max_memory for a "
            "direct solution."
        )
    if left > TOLERANCE:
        warn(
            f"ridge with alpha={alpha:g} ended with a residual of {left:.1e} of the targets after "
            f"{steps} products with the Gram matrix; raise alpha, or max_memory.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Trained(problem.coef(u), problem.means, certificates, alpha)


def system(problem: Problem, root: np.ndarray, alpha: float) -> Callable[[np.ndarray], np.ndarray]:
    """Products with W^1/2 K W^1/2 + alpha I."""
    if problem.kernel is None:
        raise ValueError("conjugate gradients need the kernel itself.")
    kernel = problem.kernel
    along = root / np.linalg.norm(root)

    def A(V):
        coef = root * V
        if problem.center:
            # Rounding adds a little of the direction in which centered coefficients have none.
            coef = coef - root * (along * np.sum(along * V, axis=0))
        return root * kernel.times(coef, problem.backend) + alpha * V

    return A


def centered_features(problem: Problem) -> np.ndarray:
    """Features of all samples in the span of some, with mean zero, shape (n_samples, rank)."""
    if problem.kernel is None:
        raise ValueError("landmarks need the kernel itself.")
    n = len(problem.Y)
    m = max(2, min(MOST_LANDMARKS, landmarks_within(problem.room, n), n))
    some = np.random.default_rng(0).choice(n, m, replace=False)
    landmarks = Landmarks.of(problem.kernel, np.sort(some), problem.backend)
    Psi = np.empty((n, landmarks.T.shape[1]))
    ranges = landmarks.row_ranges()
    # The pass has no name, so that an error in between lets it go, and BLAS with it.
    for rows, part in zip(
        ranges, problem.backend.map(landmarks.features, ranges, "landmarks"), strict=True
    ):
        Psi[rows] = part
    if problem.center:
        Psi -= problem.weights @ Psi / problem.weights.sum()
    return Psi


def landmarks_within(room: float, n: int) -> int:
    """How many landmarks leave room: two of their features of n samples, five of their Grams."""
    # 8 (2 n m + 5 m^2) = room
    return int((np.sqrt(4.0 * n * n + 2.5 * min(room, 1e30)) - 2 * n) / 10)


def ridge_certificate(y, u, Au, alpha: float, steps: int) -> Certificate:
    """Primal value at u, and the dual bound 2 y'u - u'(K + alpha I) u, times alpha."""
    Ku = Au - alpha * u
    primal = float(np.sum((y - Ku) ** 2) + alpha * u @ Ku)
    dual = float(alpha * (2 * y @ u - u @ Au))
    return Certificate.of(primal, min(dual, primal), steps, 1e-6)
