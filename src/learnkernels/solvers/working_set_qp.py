"""The non-negative quadratic program for so many kernels that M is not formed.

    min_v  v'Mv - 2 v'a,   v >= 0,   M positive semi-definite with non-negative entries

M is given by its diagonal, its blocks and its products. A working set W starts with the entries of
largest a_k / sqrt(M_kk); the problem is solved on W with a dense block; one product with M then
gives the gradient of all entries, and the most violated ones enter, as many as W holds. On W,
conjugate gradients run on the positive entries, and a step that would leave the orthant is
projected onto it (Moré and Toraldo 1991); entries at zero are released when their part of the
violation outweighs the rest (Dostál and Schöberl 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dsymv

from learnkernels.solvers.loop import Certificate, Iterate, iterate
from learnkernels.solvers.nonnegative_qp import active_set, qp_certificate

BLOCK_PRODUCTS = 500  # products with a block before the gradient is recomputed
MAX_BLOCKS = 200  # working sets
POLISHED = 2000  # entries for which a Cholesky factor is cheap beside the products
EPS = np.finfo(float).eps


class MatrixProducts(Protocol):
    """A symmetric positive semi-definite matrix M of shape (p, p), never formed."""

    @property
    def diagonal(self) -> np.ndarray:
        """Return M_kk, shape (p,)."""

    def block(self, index: np.ndarray) -> np.ndarray:
        """Compute M restricted to s entries, a new array of shape (s, s)."""

    def times(self, v: np.ndarray) -> np.ndarray:
        """Compute M v, shape (p,)."""


@dataclass(frozen=True)
class WorkingSet(Iterate):
    """The solution on a working set; `value` is the violation over all entries.

    Attributes
    ----------
    u : ndarray of shape (p,)
        Solution in the scaled problem, ``sqrt(M_kk) v_k``.
    Mv : ndarray of shape (p,)
    gradient : ndarray of shape (p,)
        Of the scaled problem; infinite where M_kk = 0.
    W : ndarray of shape (s,)
        The working set.
    blocks : int
        Working sets so far.
    settled : bool
        Whether the last solve changed nothing.
    """

    u: np.ndarray
    Mv: np.ndarray
    gradient: np.ndarray
    W: np.ndarray
    blocks: int = 0
    settled: bool = False

    @property
    def gap(self) -> float:
        """Largest violation of the optimality conditions."""
        return self.value


@dataclass(frozen=True)
class OrthantPoint(Iterate):
    """A point of the projected conjugate gradients; `value` is its violation."""

    x: np.ndarray  # (s,)
    gradient: np.ndarray  # (s,)
    direction: np.ndarray  # (s,)

    @property
    def gap(self) -> float:
        """Largest violation of the optimality conditions."""
        return self.value


def working_set_qp(
    products: MatrixProducts,
    a: np.ndarray,
    *,
    tol: float = 1e-10,
    max_products: int = 5000,
    first: int = 500,
) -> tuple[np.ndarray, Certificate]:
    """Minimise v'Mv - 2v'a over v >= 0, with no matrix larger than the working set's.

    Parameters
    ----------
    products : MatrixProducts
        M, given by its diagonal, blocks and products. It may be singular, and a is in its range.
        A zero diagonal entry fixes v_k = 0.
    a : ndarray of shape (p,)
        Linear term.
    tol : float, default=1e-10
        Violation of the optimality conditions at which to stop, as `kkt_residual` defines it.
    max_products : int, default=5000
        Largest number of products with a block.
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
    Q = np.zeros((0, 0))  # block of the working set, with unit diagonal

    def step(now: WorkingSet) -> WorkingSet | None:
        nonlocal Q
        W, left = now.W, max_products - now.iterations
        new, worst = most_violated(now.gradient, W, max(len(W), first), tol * scale)
        if now.blocks == MAX_BLOCKS or (now.settled and not len(new)):
            return None  # the rest is rounding
        if len(new):
            W = np.concatenate([W, new])
            Q = np.zeros((0, 0))  # free the memory of the last block
            Q = np.ascontiguousarray(products.block(W), dtype=float)
            Q /= root[W]
            Q /= root[W][:, None]
        aim = max(0.1 * worst, 0.5 * tol * scale)
        x, spent = solve_block(Q, b[W], now.u[W], aim, min(BLOCK_PRODUCTS, left))
        settled = worst <= tol * scale and np.array_equal(x, now.u[W])
        u = now.u.copy()
        u[W] = x
        Mv = products.times(u / root)
        gradient = np.where(alive, Mv / root - b, np.inf)
        return WorkingSet(
            u, Mv, gradient, W, now.blocks + 1, settled,
            value=violation(u, gradient), iterations=spent,
        )  # fmt: skip

    zero, gradient = np.zeros(len(b)), np.where(alive, -b, np.inf)
    nothing = np.zeros(0, dtype=int)
    start = WorkingSet(zero, zero, gradient, nothing, value=violation(zero, gradient))
    end, _ = iterate(start, step, tol=tol * scale, max_iter=max_products, measure="violation")
    v = end.u / root
    certificate = qp_certificate(diagonal, end.Mv, a, v, end.iterations)
    if end.value > 1e-8 * scale:
        certificate = replace(certificate, status="not converged")
    return v, certificate


def violation(u: np.ndarray, gradient: np.ndarray) -> float:
    """Return the largest violation of u >= 0, gradient >= 0, u gradient = 0."""
    return float(np.abs(np.minimum(u, gradient)).max(initial=0.0))


def most_violated(
    gradient: np.ndarray, W: np.ndarray, most: int, smallest: float
) -> tuple[np.ndarray, float]:
    """Return the entries outside W of most negative gradient, and the largest violation there.

    No entries if the largest violation is at most `smallest`.
    """
    outside = gradient.copy()
    outside[W] = np.inf
    worst = max(-float(outside.min()), 0.0)
    if worst <= smallest:
        return W[:0], worst
    new = np.argsort(outside, kind="stable")[:most]
    # Blocks are expensive, so also add entries whose gradient is below the worst violation.
    return new[outside[new] < worst], worst


def solve_block(
    Q: np.ndarray, b: np.ndarray, x: np.ndarray, aim: float, most: int
) -> tuple[np.ndarray, int]:
    """Minimise on W from x; return the minimiser and the number of products."""
    x, spent = projected_conjugate_gradients(Q, b, x, aim, most)
    gradient = dsymv(1.0, Q.T, x) - b
    rest = violation(x, gradient)
    near = np.flatnonzero((x > 0) | (gradient < 10 * rest))
    if rest <= 2 * aim or len(near) > POLISHED:
        return x, spent
    # Too ill-conditioned: the exact minimiser over the entries that may be positive.
    exact = np.zeros(len(x))
    exact[near], _ = active_set(Q[np.ix_(near, near)], b[near], x[near])
    better = violation(exact, dsymv(1.0, Q.T, exact) - b) < rest
    return exact if better else x, spent


def projected_conjugate_gradients(
    Q: np.ndarray, b: np.ndarray, x: np.ndarray, aim: float, most: int
) -> tuple[np.ndarray, int]:
    """Minimise x'Qx - 2x'b over x >= 0, from x, until the violation is at most aim.

    Return the solution and the number of products with Q, at most `most` and a few. Products read
    one triangle of Q.
    """

    def step(now: OrthantPoint) -> OrthantPoint | None:
        x, gradient, direction = now.x, now.gradient, now.direction
        part, zero = np.minimum(x, gradient), x == 0
        release = np.linalg.norm(part[zero]) > 3 * np.linalg.norm(part[~zero])
        if release:
            direction = np.where(zero, part, 0.0)
        product = dsymv(1.0, Q.T, direction)
        curvature = direction @ product
        with np.errstate(over="ignore"):
            lengths = np.divide(x, direction, out=np.full(len(x), np.inf), where=direction > 0)
        boundary = lengths.min()
        curved = curvature > EPS * (direction @ direction)
        length = gradient @ direction / curvature if curved else boundary
        if not np.isfinite(length):
            return None  # no curvature and no boundary: Q has negative entries
        if length >= boundary:
            corner = np.maximum(x - boundary * direction, 0.0)
            corner[lengths <= boundary] = 0.0
            x, gradient, tried = projected_step(
                Q, b, x, direction, length, boundary, corner, gradient - boundary * product
            )
            return point(x, gradient, np.where(x > 0, gradient, 0.0), 1 + tried)
        x, gradient = np.maximum(x - length * direction, 0.0), gradient - length * product
        steepest = np.where(x > 0, gradient, 0.0)
        turn = 0.0 if release else steepest @ product / curvature
        return point(x, gradient, steepest - turn * direction, 1)

    def point(
        x: np.ndarray, gradient: np.ndarray, direction: np.ndarray, products: int
    ) -> OrthantPoint:
        value = violation(x, gradient)
        return OrthantPoint(x, gradient, direction, value=value, iterations=products)

    gradient = dsymv(1.0, Q.T, x) - b
    start = point(x, gradient, np.where(x > 0, gradient, 0.0), 0)
    end, _ = iterate(start, step, tol=aim, max_iter=most - 1, measure="violation")
    return end.x, 1 + end.iterations


def projected_step(
    Q: np.ndarray,
    b: np.ndarray,
    x: np.ndarray,
    direction: np.ndarray,
    length: float,
    boundary: float,
    corner: np.ndarray,
    corner_gradient: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return a point on the path max(x - t direction, 0) of no higher value than its first corner.

    Shorter and shorter steps are tried, down to the corner at t = boundary. Return the point, its
    gradient and the number of products.
    """
    value = corner @ (corner_gradient - b)
    tried = 0
    while length > boundary:
        projected = np.maximum(x - length * direction, 0.0)
        gradient = dsymv(1.0, Q.T, projected) - b
        tried += 1
        if projected @ (gradient - b) <= value:
            return projected, gradient, tried
        length = max(length / 2**tried, boundary)
    return corner, corner_gradient, tried
