"""Ridge without the Gram matrix: conjugate gradients with products that stream over tiles.

    (W^1/2 K W^1/2 + alpha I) u = W^1/2 (y - mean),   coef = W^1/2 u

All base kernels are evaluated in one pass over distances. The preconditioner is the inverse of the
same matrix with its first term replaced by its projection on the span of some columns, F F', from a
partial Cholesky decomposition with random pivots:

    (F F' + alpha I)^-1 v = (v - F (F'F + alpha I)^-1 F'v) / alpha

The solution is that of the dense system, to the tolerance.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.errors import InputError
from learnkernels.execution import format_bytes
from learnkernels.machines.base import Strategy, Trained, TrainingProblem, gram_bytes
from learnkernels.plurals import count_text
from learnkernels.solvers import Certificate, Product, conjugate_gradients, pivoted_cholesky

# Residuals, relative to the targets; predictions are about as exact.
TOLERANCE, MAX_ITER = 1e-9, 500
# A residual as large as the targets means that nothing was solved.
UNSOLVED = 1.0
# Upper bound on the rank of the preconditioner, and samples of one task.
MAX_RANK, ROWS = 1500, 256

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
        F = factor(problem, root)
        inner = F.T @ F
        return [
            one_alpha(
                problem, root, targets, preconditioner(F, inner, float(alpha)), float(alpha),
                TOLERANCE, MAX_ITER, ", or raise max_memory for a direct solution",
            )
            for alpha in values
        ]  # fmt: skip


def preconditioner(F: np.ndarray, inner: np.ndarray, alpha: float) -> Product:
    """Return the function that multiplies by (F F' + alpha I)^-1; inner is F'F."""
    decomposed = cho_factor(inner + alpha * np.eye(len(inner)), check_finite=False)

    def precondition(V: np.ndarray) -> np.ndarray:
        return (V - F @ cho_solve(decomposed, F.T @ V, check_finite=False)) / alpha

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


def factor(problem: TrainingProblem, root: np.ndarray) -> np.ndarray:
    """Return F with ``F F' ~ W^1/2 K W^1/2``, shape (n_samples, rank)."""
    kernel, n = problem.kernel, len(problem.Y)
    ranges = [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]

    def columns(index: np.ndarray) -> np.ndarray:
        found = np.empty((n, len(index)))
        near = kernel.as_columns(index)
        parts = problem.backend.map(partial(kernel.values_near, near), ranges, "preconditioner")
        for rows, part in zip(ranges, parts, strict=True):
            np.multiply(part, root[rows], out=found[rows])
        found *= root[index, 0]
        return found

    diagonal = np.concatenate(
        [np.diag(kernel.take(np.arange(n)[rows]).gram(problem.backend)) for rows in ranges]
    )
    rank = max(2, min(MAX_RANK, rank_within(problem.max_memory, n), n))
    return pivoted_cholesky(diagonal * root[:, 0] ** 2, columns, rank, np.random.default_rng(0))[0]


def rank_within(max_memory: float, n: int) -> int:
    """Return the rank r that fits: 1.5 arrays (n, r), 3 matrices (r, r)."""
    # 8 (1.5 n r + 3 r^2) = max_memory
    return int((np.sqrt(2.25 * n * n + 1.5 * min(max_memory, 1e30)) - 1.5 * n) / 6)


def ridge_certificate(
    y: np.ndarray, u: np.ndarray, Au: np.ndarray, alpha: float, steps: int
) -> Certificate:
    """Return the primal value at u, and the dual bound 2 y'u - u'(K + alpha I) u, times alpha."""
    Ku = Au - alpha * u
    primal = float(np.sum((y - Ku) ** 2) + alpha * u @ Ku)
    dual = float(alpha * (2 * y @ u - u @ Au))
    return Certificate.of(primal, min(dual, primal), steps, 1e-6)
