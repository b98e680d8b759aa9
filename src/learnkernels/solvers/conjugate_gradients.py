"""Conjugate gradients with a preconditioner, for several right-hand sides at once.

    A x = b,   A symmetric and positive definite, given by its products with vectors

All right-hand sides share the products, which are the expensive part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from learnkernels.solvers.loop import Iterate, iterate

Product = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Approximation(Iterate):
    """An approximate solution; `value` is the largest residual relative to its right-hand side.

    Attributes
    ----------
    X : ndarray of shape (n, t)
    AX : ndarray of shape (n, t)
        Product with A.
    stalled : bool
        Whether the last descent did not halve the residual.
    """

    X: np.ndarray
    AX: np.ndarray
    stalled: bool = False

    @property
    def gap(self) -> float:
        """Largest relative residual."""
        return self.value


@dataclass(frozen=True)
class Descent(Iterate):
    """A point of one run of the recursion; `value` is the residual relative to the tolerance."""

    X: np.ndarray  # (n, t)
    residual: np.ndarray  # (n, t)
    P: np.ndarray  # (n, t) directions
    inner: np.ndarray  # (t,) residual'precondition(residual)

    @property
    def gap(self) -> float:
        """Largest residual relative to its tolerance."""
        return self.value


def conjugate_gradients(
    A: Product, B: np.ndarray, precondition: Product, tol: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Solve until every residual is at most tol, or rounding prevents further progress.

    The residuals of the recursion drift from those of its solution. The latter are therefore
    computed at the end, and the recursion restarts there as long as that at least halves them.

    Parameters
    ----------
    A : callable
        ``A(V)`` for V of shape (n, t).
    B : ndarray of shape (n, t)
        Right-hand sides.
    precondition : callable
        ``P^-1 V`` for an approximation P of A.
    tol : float
        Norm of a residual relative to its right-hand side.
    max_iter : int
        Largest number of iterations, one product with A each.

    Returns
    -------
    X : ndarray of shape (n, t)
    AX : ndarray of shape (n, t)
        Product with A.
    iterations : int
    """
    size = np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)

    def restart(now: Approximation) -> Approximation:
        D, used = descend(A, B - now.AX, precondition, tol * size, max_iter - now.iterations)
        X = now.X + D
        AX = A(X)
        left = float((np.linalg.norm(B - AX, axis=0) / size).max())
        stalled = not left <= now.value / 2
        if not left < now.value:
            X, AX, left = now.X, now.AX, now.value
        return Approximation(X, AX, stalled, value=left, iterations=used)

    end, _ = iterate(
        Approximation(np.zeros_like(B), np.zeros_like(B), value=1.0),
        restart,
        tol=tol,
        max_iter=max_iter,
        converged=lambda now: now.stalled or not now.value > tol,
        measure="residual",
    )
    return end.X, end.AX, end.iterations


def descend(
    A: Product, B: np.ndarray, precondition: Product, tolerance: np.ndarray, max_iter: int
) -> tuple[np.ndarray, int]:
    """Run the recursion from zero until each residual is at most its tolerance, shape (t,)."""

    def step(now: Descent) -> Descent | None:
        AP = A(now.P)
        curvature = np.einsum("it,it->t", now.P, AP)
        length = np.divide(now.inner, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        if not length.any():  # A is not definite, to rounding
            return None
        X, residual = now.X, now.residual  # updated in place: they may be large
        X += length * now.P
        residual -= length * AP
        return point(X, residual, now)

    def point(X: np.ndarray, residual: np.ndarray, last: Descent | None = None) -> Descent:
        Z = precondition(residual)
        inner = np.einsum("it,it->t", residual, Z)
        P = Z.copy()  # a preconditioner may return its argument
        if last is not None:
            P += (
                np.divide(inner, last.inner, out=np.zeros_like(inner), where=last.inner > 0)
                * last.P
            )
        value = float((np.linalg.norm(residual, axis=0) / tolerance).max())
        return Descent(X, residual, P, inner, value=value)

    end, _ = iterate(
        point(np.zeros_like(B), B.copy()), step, tol=1.0, max_iter=max_iter,
        measure="residual relative to tolerance",
    )  # fmt: skip
    return end.X, end.iterations
