"""Conjugate gradients with a preconditioner, for several right-hand sides at once.

    A x = b,   A symmetric and positive definite, known by its products with vectors

All right-hand sides share the products, which is what costs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learnkernels.progress import Say, silent

__all__ = ["conjugate_gradients"]

Product = Callable[[np.ndarray], np.ndarray]


def conjugate_gradients(
    A: Product,
    B: np.ndarray,
    precondition: Product,
    tol: float,
    max_iter: int,
    say: Say = silent,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Solve until every residual is small.

    Parameters
    ----------
    A : callable
        ``A(V)`` for V of shape (n, t).
    B : ndarray of shape (n, t)
    precondition : callable
        ``P^-1 V`` of an approximation P of A.
    tol : float
        Size of a residual, relative to its right-hand side.
    max_iter : int
        Most products with A.
    say : callable
        Told the largest residual before every step.

    Returns
    -------
    X : ndarray of shape (n, t)
    AX : ndarray of shape (n, t)
        Its product with A, as the iteration knows it.
    iterations : int
    """
    X, residual = np.zeros_like(B), B.copy()
    size = np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
    Z = precondition(residual)
    P, inner = Z.copy(), np.einsum("it,it->t", residual, Z)
    for iteration in range(max_iter):
        left = float((np.linalg.norm(residual, axis=0) / size).max())
        say(f"residual {left:.1e}, step {iteration}")
        if left <= tol:
            return X, B - residual, iteration
        AP = A(P)
        curved = np.einsum("it,it->t", P, AP)
        step = np.divide(inner, curved, out=np.zeros_like(inner), where=curved > 0)
        X += step * P
        residual -= step * AP
        Z = precondition(residual)
        before, inner = inner, np.einsum("it,it->t", residual, Z)
        P = Z + np.divide(inner, before, out=np.zeros_like(inner), where=before > 0) * P
    return X, B - residual, max_iter
