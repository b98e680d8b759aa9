"""Conjugate gradients for systems that differ by multiples of the identity.

    (A + s I) x = b   for several shifts s >= 0

All have the same Krylov spaces, so one product with A for each iteration serves all of them: the
residual of a shifted system is a multiple zeta of that of A x = b (Jegerlehner 1996). There is no
preconditioner, which would change the shifts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.solvers.conjugate_gradients import Product
from learnkernels.solvers.loop import Iterate, iterate


@dataclass(frozen=True)
class ShiftedDescent(Iterate):
    """A point of the recursion; `value` is the largest residual of a system, relative to b."""

    X: np.ndarray  # (n_shifts, n, t), updated in place, as are the directions
    directions: np.ndarray  # (n_shifts, n, t)
    residual: np.ndarray  # (n, t), of A x = b
    P: np.ndarray  # (n, t), direction of A x = b
    inner: np.ndarray  # (t,), residual'residual
    zeta: np.ndarray  # (n_shifts, t)
    last_zeta: np.ndarray  # (n_shifts, t)
    length: np.ndarray  # (t,), of the last step
    ratio: np.ndarray  # (t,), of the last two squared residuals

    @property
    def gap(self) -> float:
        """Largest relative residual."""
        return self.value


def shifted_conjugate_gradients(
    A: Product, B: np.ndarray, shifts: np.ndarray, tol: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Solve for all shifts until every residual is at most tol, or for `max_iter` iterations.

    Parameters
    ----------
    A : callable
        ``A(V)`` for V of shape (n, t), symmetric and positive definite.
    B : ndarray of shape (n, t)
        Right-hand sides.
    shifts : ndarray of shape (n_shifts,)
        Not negative. A solution with a larger shift needs fewer iterations.
    tol : float
        Norm of a residual relative to its right-hand side.
    max_iter : int
        Largest number of iterations, one product with A each.

    Returns
    -------
    X : ndarray of shape (n_shifts, n, t)
    residuals : ndarray of shape (n_shifts,)
        Largest relative residual of each system, from the recursion.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import shifted_conjugate_gradients
    >>> d, shifts = np.arange(1.0, 6.0)[:, None], np.array([0.0, 1.0])
    >>> X, _ = shifted_conjugate_gradients(lambda V: d * V, np.ones((5, 1)), shifts, 1e-12, 9)
    >>> bool(np.allclose(X, 1 / (d + shifts[:, None, None])))
    True
    """
    size = np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
    tiny = np.finfo(float).tiny

    def relative(zeta: np.ndarray, inner: np.ndarray) -> np.ndarray:
        return (zeta * np.sqrt(inner) / size).max(axis=1)  # (n_shifts,)

    def step(now: ShiftedDescent) -> ShiftedDescent | None:
        AP = A(now.P)
        curvature = np.einsum("it,it->t", now.P, AP)
        length = np.divide(now.inner, curvature, out=np.zeros_like(size), where=curvature > 0)
        if not length.any():  # A is not definite, to rounding
            return None
        active = np.flatnonzero(relative(now.zeta, now.inner) > tol)
        last, zeta = now.last_zeta[active], now.zeta[active]
        below = length * now.ratio * (last - zeta)
        below = below + now.length * last * (1 + length * shifts[active, None])
        following = zeta * last * now.length / np.where(below > tiny, below, 1.0)
        change = following / np.maximum(zeta, tiny)
        residual = now.residual
        residual -= length * AP
        inner = np.einsum("it,it->t", residual, residual)
        ratio = np.divide(inner, now.inner, out=np.zeros_like(inner), where=now.inner > 0)
        for v, factor, scale in zip(active, change, following, strict=True):
            now.X[v] += (length * factor) * now.directions[v]
            now.directions[v] *= ratio * factor**2
            now.directions[v] += scale * residual
        all_zeta, all_last = now.zeta.copy(), now.last_zeta.copy()
        all_last[active], all_zeta[active] = zeta, following
        value = float(relative(all_zeta, inner).max())
        return replace(
            now, P=residual + ratio * now.P, inner=inner, zeta=all_zeta, last_zeta=all_last,
            length=np.where(length > 0, length, 1.0), ratio=ratio, value=value, iterations=1,
        )  # fmt: skip

    ones = np.ones((len(shifts), B.shape[1]))
    every = np.broadcast_to(B, (len(shifts), *B.shape))
    inner = np.einsum("it,it->t", B, B)
    start = ShiftedDescent(
        np.zeros(every.shape, B.dtype), every.copy(), B.copy(), B.copy(), inner, ones, ones,
        np.ones_like(size), np.zeros_like(size), value=float(relative(ones, inner).max()),
    )  # fmt: skip
    end, _ = iterate(start, step, tol=tol, max_iter=max_iter, measure="residual")
    return end.X, relative(end.zeta, end.inner)
