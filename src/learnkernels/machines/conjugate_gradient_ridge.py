"""Ridge without the Gram matrix: conjugate gradients with products that stream over tiles.

    (W^1/2 K W^1/2 + alpha I) u = W^1/2 (y - mean),   coef = W^1/2 u

All base kernels are evaluated in one pass over distances. The preconditioner is the inverse of the
same matrix with K replaced by its projection on the span of some samples, K ~ Psi Psi' (Nystroem):

    (Psi Psi' + alpha I)^-1 v = (v - Psi (Psi'Psi + alpha I)^-1 Psi'v) / alpha

The solution is that of the dense system, to the tolerance.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.errors import InputError
from learnkernels.execution import format_bytes
from learnkernels.gram import Landmarks
from learnkernels.machines.base import Strategy, Trained, TrainingProblem, gram_bytes
from learnkernels.plurals import count_text
from learnkernels.solvers import Certificate, Product, conjugate_gradients

# Residuals, relative to the targets; predictions are about as exact.
TOLERANCE, MAX_ITER = 1e-9, 500
# A residual as large as the targets means that nothing was solved.
UNSOLVED = 1.0
# Upper bound on the landmarks of the preconditioner.
MAX_LANDMARKS = 1500

logger = logging.getLogger("learnkernels")


class ConjugateGradientRidge(Strategy):
    """Solve with products of the kernel with vectors."""

    name = "conjugate gradients"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Return a predictor for each alpha; features of the preconditioner are computed once."""
        n = len(problem.Y)
        logger.info(
            "%d samples: conjugate gradients (the Gram matrix would take %s, max_memory is %s).",
            n, format_bytes(gram_bytes(n)), format_bytes(problem.max_memory),
        )  # fmt: skip
        root = np.sqrt(problem.weights)[:, None]
        targets = root * (problem.Y - problem.means)
        Psi = centered_features(problem)
        Psi *= root
        inner = Psi.T @ Psi
        return [
            one_alpha(
                problem, root, targets, preconditioner(Psi, inner, float(alpha)), float(alpha),
                TOLERANCE, MAX_ITER, ", or raise max_memory for a direct solution",
            )
            for alpha in values
        ]  # fmt: skip


def preconditioner(Psi: np.ndarray, inner: np.ndarray, alpha: float) -> Product:
    """Return the function that multiplies by (Psi Psi' + alpha I)^-1; inner is Psi'Psi."""
    factor = cho_factor(inner + alpha * np.eye(len(inner)), check_finite=False)

    def precondition(V: np.ndarray) -> np.ndarray:
        return (V - Psi @ cho_solve(factor, Psi.T @ V, check_finite=False)) / alpha

    return precondition


def one_alpha(
    problem: TrainingProblem, root: np.ndarray, targets: np.ndarray, precondition: Product,
    alpha: float, tol: float, max_iter: int, advice: str,
) -> Trained:  # fmt: skip
    """Solve for one alpha; `advice` ends the message if that fails."""
    A = products(problem, root, alpha)
    u, Au, steps = conjugate_gradients(A, targets, precondition, tol, max_iter)
    certificates = tuple(
        ridge_certificate(targets[:, t], u[:, t], Au[:, t], alpha, steps)
        for t in range(targets.shape[1])
    )
    left = np.linalg.norm(targets - Au) / max(np.linalg.norm(targets), np.finfo(float).tiny)
    if left >= UNSOLVED:
        raise InputError(
            f"conjugate gradients did not solve ridge with alpha={alpha:g}: the relative residual "
            f"is {left:.1e}; raise alpha{advice}."
        )
    if left > tol:
        warn(
            f"ridge with alpha={alpha:g} did not converge in {count_text(steps, 'iteration')} "
            f"(relative residual {left:.1e}); raise alpha{advice}.",
            ConvergenceWarning,
        )
    return Trained(problem.coef(u), problem.means, certificates)


def products(problem: TrainingProblem, root: np.ndarray, alpha: float) -> Product:
    """Return the function that multiplies by W^1/2 K W^1/2 + alpha I."""
    kernel = problem.kernel
    along = root / np.linalg.norm(root)

    def A(V: np.ndarray) -> np.ndarray:
        coef = root * V
        if problem.center:
            # Remove the rounding along the direction in which centered coefficients are zero.
            coef = coef - root * (along * np.sum(along * V, axis=0))
        return root * kernel.times(coef, problem.backend) + alpha * V

    return A


def centered_features(problem: TrainingProblem) -> np.ndarray:
    """Return features of all samples in the span of some, with mean zero, (n_samples, rank)."""
    n = len(problem.Y)
    m = max(2, min(MAX_LANDMARKS, landmarks_within(problem.max_memory, n), n))
    some = np.random.default_rng(0).choice(n, m, replace=False)
    landmarks = Landmarks.of(problem.kernel, np.sort(some), problem.backend)
    Psi = np.empty((n, landmarks.T.shape[1]))
    ranges = landmarks.row_ranges()
    # Do not bind the generator: it must be collected on error so that the BLAS limit is released.
    for rows, part in zip(
        ranges, problem.backend.map(landmarks.features, ranges, "landmarks"), strict=True
    ):
        Psi[rows] = part
    if problem.center:
        Psi -= problem.weights @ Psi / problem.weights.sum()
    return Psi


def landmarks_within(max_memory: float, n: int) -> int:
    """Return the landmarks m that fit: 2 arrays of features (n, m) and 5 Grams (m, m)."""
    # 8 (2 n m + 5 m^2) = max_memory
    return int((np.sqrt(4.0 * n * n + 2.5 * min(max_memory, 1e30)) - 2 * n) / 10)


def ridge_certificate(
    y: np.ndarray, u: np.ndarray, Au: np.ndarray, alpha: float, steps: int
) -> Certificate:
    """Return the primal value at u, and the dual bound 2 y'u - u'(K + alpha I) u, times alpha."""
    Ku = Au - alpha * u
    primal = float(np.sum((y - Ku) ** 2) + alpha * u @ Ku)
    dual = float(alpha * (2 * y @ u - u @ Au))
    return Certificate.of(primal, min(dual, primal), steps, 1e-6)
