"""Symmetric matrices as their upper triangles, row by row."""

from __future__ import annotations

import numpy as np

from learnkernels.jit import compiled

# Rows and columns of a block that is mirrored at once.
BLOCK = 32


def triangle_size(n: int) -> int:
    """Return the number of entries of the upper triangle of an n x n matrix."""
    return n * (n + 1) // 2


@compiled()
def pack_rows(
    values: np.ndarray, first: int, u: np.ndarray, constants: np.ndarray, n: int, out: np.ndarray
) -> None:
    """Write values_k(i, j) - u_k(i) - u_k(j) + constants_k for j >= i into the triangles.

    Parameters
    ----------
    values : ndarray of shape (n_kernels, n_rows, n - first)
        Rows from `first` on, at the columns from `first` on.
    first : int
    u : ndarray of shape (n_kernels, n)
    constants : ndarray of shape (n_kernels,)
    n : int
    out : ndarray of shape (n_kernels, n (n + 1) / 2)
    """
    for k in range(values.shape[0]):
        for r in range(values.shape[1]):
            i = first + r
            start = i * n - i * (i - 1) // 2 - i  # start + j is the place of (i, j)
            own = u[k, i] - constants[k]
            for j in range(i, n):
                out[k, start + j] = values[k, r, j - first] - own - u[k, j]


@compiled()
def mirror(K: np.ndarray) -> None:
    """Write the upper triangle of K into the lower one, block by block."""
    n = len(K)
    for first in range(0, n, BLOCK):
        for start in range(0, first + 1, BLOCK):
            for i in range(first, min(first + BLOCK, n)):
                for j in range(start, min(start + BLOCK, i)):
                    K[i, j] = K[j, i]


@compiled()
def from_triangle(triangle: np.ndarray, n: int) -> np.ndarray:
    """Return the symmetric matrix of a triangle, shape (n, n)."""
    K = np.empty((n, n))
    at = 0
    for i in range(n):
        for j in range(i, n):
            K[i, j] = triangle[at]
            at += 1
    mirror(K)
    return K


def from_upper(S: np.ndarray) -> np.ndarray:
    """Return the symmetric matrix of the upper triangle of S, shape (n, n)."""
    K = np.array(S, order="C")
    mirror(K)
    return K


@compiled()
def sub_triangles(triangles: np.ndarray, chosen: np.ndarray, n: int) -> np.ndarray:
    """Return the triangles of some rows and columns in ascending order.

    Parameters
    ----------
    triangles : ndarray of shape (n_kernels, n (n + 1) / 2)
    chosen : ndarray of shape (m,)
    n : int

    Returns
    -------
    ndarray of shape (n_kernels, m (m + 1) / 2)
    """
    m = len(chosen)
    out = np.empty((triangles.shape[0], m * (m + 1) // 2))
    for k in range(triangles.shape[0]):
        at = 0
        for a in range(m):
            i = chosen[a]
            start = i * n - i * (i - 1) // 2 - i  # start + j is the place of (i, j)
            for b in range(a, m):
                out[k, at] = triangles[k, start + chosen[b]]
                at += 1
    return out


@compiled()
def to_triangle(S: np.ndarray) -> np.ndarray:
    """Return the upper triangle of S, with entries off the diagonal twice."""
    n = S.shape[0]
    out = np.empty(n * (n + 1) // 2)
    at = 0
    for i in range(n):
        out[at] = S[i, i]
        at += 1
        for j in range(i + 1, n):
            out[at] = 2.0 * S[i, j]
            at += 1
    return out
