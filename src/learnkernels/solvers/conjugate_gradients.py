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
    """Solve until every residual is small, or rounding lets none become smaller.

    The iteration updates residuals, which drift from those of its solution. So these are computed
    at the end, and the iteration goes on from there as long as that at least halves them.

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
        Most steps, a product with A each.
    say : callable
        Told the largest residual before every step.

    Returns
    -------
    X : ndarray of shape (n, t)
    AX : ndarray of shape (n, t)
        Its product with A.
    iterations : int
    """
    size = np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
    X, AX = np.zeros_like(B), np.zeros_like(B)
    left, steps = 1.0, 0
    while left > tol and steps < max_iter:
        D, used = descend(A, B - AX, precondition, tol * size, max_iter - steps, say)
        steps += used
        tried, product = X + D, A(X + D)
        now = float((np.linalg.norm(B - product, axis=0) / size).max())
        if not now < left:
            break
        X, AX, before, left = tried, product, left, now
        if left > before / 2:
            break
    return X, AX, steps


def descend(
    A: Product, B: np.ndarray, precondition: Product, least: np.ndarray, max_iter: int, say: Say
) -> tuple[np.ndarray, int]:
    """Steps from zero until every residual is as small as `least`, and their number."""
    X, residual = np.zeros_like(B), B.copy()
    Z = precondition(residual)
    P, inner = Z.copy(), np.einsum("it,it->t", residual, Z)
    for iteration in range(max_iter):
        left = float((np.linalg.norm(residual, axis=0) / least).max())
        say(f"residual {left:.1e} times the tolerance, step {iteration}")
        if left <= 1:
            return X, iteration
        AP = A(P)
        curved = np.einsum("it,it->t", P, AP)
        step = np.divide(inner, curved, out=np.zeros_like(inner), where=curved > 0)
        if not step.any():  # not definite, to rounding
            return X, iteration
        X += step * P
        residual -= step * AP
        Z = precondition(residual)
        before, inner = inner, np.einsum("it,it->t", residual, Z)
        P = Z + np.divide(inner, before, out=np.zeros_like(inner), where=before > 0) * P
    return X, max_iter
