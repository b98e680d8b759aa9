"""The non-negative quadratic program for more kernels than a matrix of all pairs has room for.

    min_v  v'Mv - 2 v'a,   v >= 0,   M positive semi-definite with non-negative entries

M is known by its diagonal, its blocks and its products. A working set W starts with the entries of
largest a_k / sqrt(M_kk); the problem is solved on W with a dense block; one product with M then
gives the gradient of all entries, and the most violated ones join, as many as W holds. On W,
conjugate gradients run on the positive entries, and a step that would leave the orthant is bent
along its walls as far as the value falls (Moré and Toraldo 1991); entries at zero are released when
their part of the violation outweighs the rest (Dostál and Schöberl 2005).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dsymv

from learnkernels.solvers.certificate import Certificate
from learnkernels.solvers.nonnegative_qp import active_set, qp_certificate

__all__ = ["Products", "working_set_qp"]

ROUND = 500  # products with a block before the gradient is taken anew
MOST_ROUNDS = 200
POLISHED = 2000  # entries for which a Cholesky factor is cheap beside the products
EPS = np.finfo(float).eps


class Products(Protocol):
    """A symmetric positive semi-definite matrix M of shape (p, p), never formed."""

    @property
    def diagonal(self) -> np.ndarray:
        """M_kk, shape (p,)."""

    def block(self, index: np.ndarray) -> np.ndarray:
        """M restricted to s entries, shape (s, s): a new array that the caller may change."""

    def times(self, v: np.ndarray) -> np.ndarray:
        """M v, shape (p,)."""


def working_set_qp(
    products: Products,
    a: np.ndarray,
    *,
    tol: float = 1e-10,
    max_products: int = 5000,
    first: int = 500,
) -> tuple[np.ndarray, Certificate]:
    """Minimise v'Mv - 2v'a over v >= 0, with no matrix larger than the working set's.

    Parameters
    ----------
    products : Products
        M, by its diagonal, blocks and products. It may be singular, and a is in its range. A zero
        diagonal entry fixes v_k = 0.
    a : ndarray of shape (p,)
        Linear term.
    tol : float, default=1e-10
        Violation of the optimality conditions at which to stop, as `kkt_residual` defines it.
    max_products : int, default=5000
        Most products with a block.
    first : int, default=500
        Entries in the first working set.

    Returns
    -------
    v : ndarray of shape (p,)
        The minimiser (one of them, if M is singular).
    certificate : Certificate
        Primal and dual value and the relative gap; not optimal if the violation is above 1e-8.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import working_set_qp
    >>> class Dense:
    ...     def __init__(self, M):
    ...         self.M, self.diagonal, self.times = M, np.diag(M), M.__matmul__
    ...
    ...     def block(self, index):
    ...         return self.M[np.ix_(index, index)]
    >>> M = Dense(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> v, certificate = working_set_qp(M, np.array([1.0, 0.2]))
    >>> v
    array([0.5, 0. ])
    """
    diagonal = products.diagonal
    alive = diagonal > 0
    root = np.sqrt(np.where(alive, diagonal, 1.0))
    # Unit diagonal: entries of M are then correlations, and one tolerance fits all.
    b = a / root
    scale = float(np.abs(b).max(initial=0.0))
    u, Mv = np.zeros(len(b)), np.zeros(len(b))  # u = root v
    gradient = np.where(alive, -b, np.inf)
    W, Q, settled, spent = np.zeros(0, dtype=int), np.zeros((0, 0)), False, 0
    for _ in range(MOST_ROUNDS):
        if violation(u, gradient) <= tol * scale or spent >= max_products:
            break
        new, worst = most_violated(gradient, W, max(len(W), first), tol * scale)
        if len(new):
            W, Q = np.concatenate([W, new]), np.zeros((0, 0))  # the old block makes room
            Q = correlations(products, W, root)
        elif settled:
            break  # what is left is rounding
        aim, most = max(0.1 * worst, 0.5 * tol * scale), min(ROUND, max_products - spent)
        x, steps = solve_block(Q, b[W], u[W], aim, most)
        settled = worst <= tol * scale and np.array_equal(x, u[W])
        spent += steps
        u[W] = x
        Mv = products.times(u / root)
        gradient = np.where(alive, Mv / root - b, np.inf)
    v = u / root
    certificate = qp_certificate(diagonal, Mv, a, v, spent)
    if violation(u, gradient) > 1e-8 * scale:
        certificate = replace(certificate, status="not converged")
    return v, certificate


def violation(u, gradient) -> float:
    return float(np.abs(np.minimum(u, gradient)).max(initial=0.0))


def most_violated(gradient, W, most: int, smallest: float) -> tuple[np.ndarray, float]:
    """The entries outside W of most negative gradient, if it is worth it, and the worst of it."""
    outside = gradient.copy()
    outside[W] = np.inf
    worst = max(-float(outside.min()), 0.0)
    if worst <= smallest:
        return W[:0], worst
    new = np.argsort(outside, kind="stable")[:most]
    # As a block is dear, those come along that are as near to a violation as the worst is past it.
    return new[outside[new] < worst], worst


def correlations(products: Products, W: np.ndarray, root: np.ndarray) -> np.ndarray:
    """The block of W with unit diagonal, shape (s, s)."""
    Q = np.ascontiguousarray(products.block(W), dtype=float)
    Q /= root[W]
    Q /= root[W][:, None]
    return Q


def solve_block(Q, b, x, aim: float, most: int) -> tuple[np.ndarray, int]:
    """The minimiser on W from x, and the products spent: to the aim, or as far as they suffice."""
    x, spent = conjugate_gradients(Q, b, x, aim, most)
    gradient = symmetric(Q, x) - b
    rest = violation(x, gradient)
    near = np.flatnonzero((x > 0) | (gradient < 10 * rest))
    if rest <= 2 * aim or len(near) > POLISHED:
        return x, spent
    # Too ill-conditioned: the exact minimiser over what is, or may become, positive.
    exact = np.zeros(len(x))
    exact[near], _ = active_set(Q[np.ix_(near, near)], b[near], x[near])
    better = violation(exact, symmetric(Q, exact) - b) < rest
    return exact if better else x, spent


def conjugate_gradients(
    Q: np.ndarray, b: np.ndarray, x: np.ndarray, aim: float, most: int
) -> tuple[np.ndarray, int]:
    """Minimise x'Qx - 2x'b over x >= 0, from x, until the violation is at most aim.

    Returns the solution and the number of products with Q, at most `most` and a few.
    """
    gradient = symmetric(Q, x) - b
    direction = np.where(x > 0, gradient, 0.0)
    spent = 1
    while violation(x, gradient) > aim and spent < most:
        part, zero = np.minimum(x, gradient), x == 0
        release = np.linalg.norm(part[zero]) > 3 * np.linalg.norm(part[~zero])
        if release:
            direction = np.where(zero, part, 0.0)
        product = symmetric(Q, direction)
        spent += 1
        curvature = direction @ product
        with np.errstate(over="ignore"):
            room = np.divide(x, direction, out=np.full(len(x), np.inf), where=direction > 0)
        wall = room.min()
        curved = curvature > EPS * (direction @ direction)
        step = gradient @ direction / curvature if curved else wall
        if not np.isfinite(step):
            break  # no curvature and no wall: Q has negative entries
        if step >= wall:
            corner = np.where(room <= wall, 0.0, np.maximum(x - wall * direction, 0.0))
            at_corner = gradient - wall * product
            x, gradient, tried = bend(Q, b, x, direction, step, wall, corner, at_corner)
            direction = np.where(x > 0, gradient, 0.0)
            spent += tried
            continue
        x, gradient = np.maximum(x - step * direction, 0.0), gradient - step * product
        steepest = np.where(x > 0, gradient, 0.0)
        turn = 0.0 if release else steepest @ product / curvature
        direction = steepest - turn * direction
    return x, spent


def bend(Q, b, x, direction, step, wall, corner, at_corner):
    """A point on the path max(x - t direction, 0) of no higher value than its first corner.

    Shorter and shorter steps are tried, down to the corner at t = wall. Returns the point, its
    gradient and the number of products.
    """
    value = corner @ (at_corner - b)
    tried = 0
    while step > wall:
        bent = np.maximum(x - step * direction, 0.0)
        gradient = symmetric(Q, bent) - b
        tried += 1
        if bent @ (gradient - b) <= value:
            return bent, gradient, tried
        step = max(step / 2**tried, wall)
    return corner, at_corner, tried


def symmetric(Q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Q x, from one triangle of Q: half as much to read."""
    return dsymv(1.0, Q.T, x)
