"""L1 distances between the rows of dense matrices.

No matrix product gives them, so the loops are written for vector registers. Since

    sum_f |a_f - b_f| = 2 sum_f max(a_f, b_f) - sum_f a_f - sum_f b_f

a term is one maximum and one addition, and three rows of each matrix share their operands. Digits
cancel for rows close to each other, whose distance is summed directly.
"""

from __future__ import annotations

import numpy as np

from learnkernels.jit import compiled
from learnkernels.kernels.row_products import require_columns

# Lets the compiler reorder sums so that it can use vector registers.
SUMS = {"contract", "nsz", "reassoc"}
# A distance below this part of the two L1 norms is summed directly.
CLOSE = 1e-3
# Threes of rows of the first matrix at a time; fewer if these and three rows of the second matrix
# have more bytes than the first-level cache. Bytes of the second that stay in the second-level one.
THREES, FIRST_LEVEL, SECOND_LEVEL = 3, 32_768, 131_072
# Below this number of columns, loops over columns are too short for vector registers.
NARROW = 16


def l1_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return L1 distances between the rows of A and of B, shape (rows of A, rows of B)."""
    require_columns(A, B)
    A, B = np.ascontiguousarray(A, dtype=float), np.ascontiguousarray(B, dtype=float)
    D = np.empty((len(A), len(B)))
    if A.shape[1] < NARROW:
        narrow_distances(A, np.ascontiguousarray(B.T), D)
    else:
        sum_maxima(A, B, 1.0, D)
        from_maxima(A, B, D)
    return D


@compiled(fastmath=SUMS)
def narrow_distances(A: np.ndarray, B: np.ndarray, D: np.ndarray) -> None:
    """Compute D[i, j] = sum_f |A[i, f] - B[f, j]|; B has features in rows."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            D[i, j] = 0.0
        for f in range(A.shape[1]):
            for j in range(B.shape[1]):
                D[i, j] += abs(A[i, f] - B[f, j])


@compiled(fastmath=SUMS)
def sum_three(
    A: np.ndarray, B: np.ndarray, first: int, last: int, j: int, one: float, out: np.ndarray
) -> None:
    """Compute out[i, j] = sum_f max(A[i, f], B[j, f]) for first <= i < last and three columns."""
    q0, q1, q2 = B[j], B[j + 1], B[j + 2]
    for i in range(first, last, 3):
        p0, p1, p2 = A[i], A[i + 1], A[i + 2]
        s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
        for f in range(A.shape[1]):
            x0, x1, x2 = p0[f], p1[f], p2[f]
            y0, y1, y2 = q0[f], q1[f], q2[f]
            s00 += one * max(x0, y0)
            s10 += one * max(x1, y0)
            s20 += one * max(x2, y0)
            s01 += one * max(x0, y1)
            s11 += one * max(x1, y1)
            s21 += one * max(x2, y1)
            s02 += one * max(x0, y2)
            s12 += one * max(x1, y2)
            s22 += one * max(x2, y2)
        out[i, j], out[i, j + 1], out[i, j + 2] = s00, s01, s02
        out[i + 1, j], out[i + 1, j + 1], out[i + 1, j + 2] = s10, s11, s12
        out[i + 2, j], out[i + 2, j + 1], out[i + 2, j + 2] = s20, s21, s22


@compiled(fastmath=SUMS)
def sum_maxima(A: np.ndarray, B: np.ndarray, one: float, out: np.ndarray) -> None:
    """Compute out[i, j] = sum_f max(A[i, f], B[j, f]) for the rows that are in threes.

    Parameters
    ----------
    A, B : float64 arrays of shapes (n, d) and (m, d)
    one : float
        1.0, as an argument: the compiler must not know it. Sums then are fused multiply-adds,
        which many processors compute beside maxima, whereas an addition waits for the same unit.
    out : float64 array of shape (n, m)
        The last n % 3 rows and m % 3 columns are not written.
    """
    n, m = A.shape[0] // 3 * 3, B.shape[0] // 3 * 3
    three = 24 * A.shape[1]  # bytes of three rows
    step = max(3, SECOND_LEVEL // three * 3)
    rows = 3 * max(1, min(THREES, FIRST_LEVEL // three - 1))
    for begin in range(0, m, step):
        end = min(begin + step, m)
        for first in range(0, n, rows):
            for j in range(begin, end, 3):
                sum_three(A, B, first, min(first + rows, n), j, one, out)


@compiled(fastmath=SUMS)
def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return sum_f |a_f - b_f|."""
    total = 0.0
    for f in range(a.shape[0]):
        total += abs(a[f] - b[f])
    return total


@compiled(fastmath=SUMS)
def sum_and_norm(a: np.ndarray) -> tuple[float, float]:
    """Return sum_f a_f and sum_f |a_f|."""
    total = norm = 0.0
    for f in range(a.shape[0]):
        total += a[f]
        norm += abs(a[f])
    return total, norm


@compiled(fastmath=SUMS)
def from_maxima(A: np.ndarray, B: np.ndarray, D: np.ndarray) -> None:
    """Replace the sums of `sum_maxima` by distances, and compute those that it left out."""
    n, m = A.shape[0] // 3 * 3, B.shape[0] // 3 * 3
    sums, norms = np.empty(m), np.empty(m)
    for j in range(m):
        sums[j], norms[j] = sum_and_norm(B[j])
    for i in range(n):
        d, n_close = D[i], 0
        own_sum, own_norm = sum_and_norm(A[i])
        for j in range(m):
            d[j] = 2.0 * d[j] - own_sum - sums[j]
            n_close += d[j] < CLOSE * (own_norm + norms[j])
        if n_close > 0:
            for j in range(m):
                if d[j] < CLOSE * (own_norm + norms[j]):
                    d[j] = distance(A[i], B[j])
        for j in range(m, B.shape[0]):
            d[j] = distance(A[i], B[j])
    for i in range(n, A.shape[0]):
        for j in range(B.shape[0]):
            D[i, j] = distance(A[i], B[j])
