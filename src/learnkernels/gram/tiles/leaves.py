"""Compiled functions that run once for each pair of samples.

They read a `Tile`: everything that a few hundred row samples and a thousand column samples need for
all base kernels (inner products from BLAS, norms, values of kernels without a compiled formula). A
tile is processed in short pieces of rows. The values of all kernels on one piece are kept in a
scratch array ``B`` of shape (n_kernels, columns) that stays in the first-level cache while it is
filled and reduced. Kernels arrive as integer codes and numbers, never as functions, so that Numba's
disk cache is hit in every process.

The value of exp(-t) is stored as expm1(-t), the kernel minus one. Centering removes the constant,
and no digits of a wide Gaussian are lost.

``B`` may be of single precision: kernels with unit diagonal are then evaluated with its seven
digits, about twice as fast. Distances are always computed in double precision.
"""

from typing import NamedTuple

import numpy as np

from learnkernels.jit import compiled
from learnkernels.kernels.base import Code

# EXACT allows fused multiply-add only, where rounding is controlled by hand. SUMS lets the compiler
# reorder sums so that it can use vector registers.
EXACT = {"contract", "nsz"}
SUMS = {"contract", "nsz", "reassoc"}

EXP_SQUARED_DISTANCE = int(Code.EXP_SQUARED_DISTANCE)
EXP_L1_DISTANCE = int(Code.EXP_L1_DISTANCE)
POLYNOMIAL = int(Code.POLYNOMIAL)
SQUARE_OF_EARLIER = int(Code.SQUARE_OF_EARLIER)

# A squared distance below this part of the two squared norms has lost digits as their difference.
CLOSE = 1e-2

# ln 2 in two parts, the first with trailing zeros, so that k * LN2_HIGH is exact.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
PER_LN2 = 1.4426950408889634
# Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the float.
ROUNDER = 6755399441055744.0
# Taylor coefficients 1/2! ... 1/13! of (expm1(r) - r) / r^2, enough for |r| <= ln(2) / 2.
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = (
    1 / float(np.prod(np.arange(1.0, m + 1))) for m in range(2, 14)
)
# The same in single precision: 1.5 * 2^23 leaves the integer in the low bits.
SINGLE_LN2_HIGH, SINGLE_LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
SINGLE_PER_LN2, SINGLE_ROUNDER = np.float32(PER_LN2), np.float32(12582912.0)
SINGLE_LEAST, ONE = np.float32(-80.0), np.float32(1.0)
S2, S3, S4, S5, S6, S7 = (np.float32(c) for c in (C2, C3, C4, C5, C6, C7))


class Tile(NamedTuple):
    """Two sets of samples as the compiled functions read them.

    Attributes
    ----------
    codes : int64 array of shape (p,)
        `Code` of each compiled kernel.
    params : float64 array of shape (p, 3)
        Its parameters; for SQUARE_OF_EARLIER, the number of squarings.
    earlier : int64 array of shape (p,)
        For SQUARE_OF_EARLIER, the kernel that is squared (its position is lower).
    dot : float64 array of shape (rows, columns)
        Inner products of the shifted samples; of shape (0, 0) if no kernel reads them.
    sq_i, sq_j : float64 arrays of shape (rows,) and (columns,)
        Squared norms of the shifted samples.
    raw_i, raw_j : float64 arrays of shape (rows,) and (columns,)
        Terms that turn a shifted inner product into the raw one: ``dot + raw_i + raw_j``.
    l1 : float64 array of shape (rows, columns)
        L1 distances; of shape (0, 0) if no kernel reads them.
    extra : float64 array of shape (n_extra, rows, columns)
        Values of the kernels without a compiled formula.
    """

    codes: np.ndarray
    params: np.ndarray
    earlier: np.ndarray
    dot: np.ndarray
    sq_i: np.ndarray
    sq_j: np.ndarray
    raw_i: np.ndarray
    raw_j: np.ndarray
    l1: np.ndarray
    extra: np.ndarray


@compiled(inline="always", fastmath=EXACT)
def expm1_negative(x: float) -> float:
    """Return exp(x) - 1 for x <= 0 to two units in the last place, without library calls.

    x = k ln2 + r, and exp(x) - 1 = 2^k (exp(r) - 1) + (2^k - 1).
    """
    x = max(x, -700.0)
    rounded = x * PER_LN2 + ROUNDER
    k = rounded - ROUNDER
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    # Four short chains of multiply-add instead of a long one, in which each waits for the last.
    square = r * r
    fourth = square * square
    low = (C3 * r + C2) + square * (C5 * r + C4)
    middle = (C7 * r + C6) + square * (C9 * r + C8)
    high = (C11 * r + C10) + square * (C13 * r + C12)
    q = low + fourth * (middle + fourth * high)
    exponent = np.float64(rounded).view(np.int64) + 1023
    two_k = np.int64(exponent << 52).view(np.float64)
    return two_k * (r + square * q) + (two_k - 1.0)


@compiled(inline="always", fastmath=EXACT)
def expm1_single(x: np.float32) -> np.float32:
    """Return exp(x) - 1 for x <= 0 in single precision, as `expm1_negative` does in double."""
    x = max(x, SINGLE_LEAST)
    rounded = x * SINGLE_PER_LN2 + SINGLE_ROUNDER
    k = rounded - SINGLE_ROUNDER
    r = (x - k * SINGLE_LN2_HIGH) - k * SINGLE_LN2_LOW
    q = ((((S7 * r + S6) * r + S5) * r + S4) * r + S3) * r + S2
    exponent = np.int32(np.float32(rounded).view(np.int32) + np.int32(127))
    two_k = np.int32(exponent << np.int32(23)).view(np.float32)
    return two_k * (r + r * r * q) + (two_k - ONE)


@compiled()
def power(base: float, degree: float) -> float:
    """Return base to a whole power by multiplication, which is more exact than pow."""
    value = base
    for _ in range(int(degree) - 1):
        value *= base
    return value


@compiled(fastmath=EXACT)
def fill(tile: Tile, i: int, start: int, columns: int, B: np.ndarray) -> None:
    """Write the values of all kernels of a tile for row i and some columns.

    Parameters
    ----------
    tile : Tile
    i, start, columns : int
        Row, first column and number of columns of the piece.
    B : float64 or float32 array of shape (at least p + n_extra, at least columns)
        Written.
    """
    codes, params, dot, l1 = tile.codes, tile.params, tile.dot, tile.l1
    stop, two = start + columns, B.dtype.type(2.0)
    for k in range(codes.shape[0]):
        b = B[k]
        if codes[k] == SQUARE_OF_EARLIER:
            source, times = B[tile.earlier[k]], int(params[k, 0])
            if times == 1:
                for j in range(columns):
                    b[j] = source[j] * (source[j] + two)
            else:  # one loop for every two squarings: values stay in registers
                for j in range(columns):
                    h = source[j] * (source[j] + two)
                    b[j] = h * (h + two)
            for _ in range(times - 2):
                for j in range(columns):
                    b[j] = b[j] * (b[j] + two)
        elif codes[k] == EXP_L1_DISTANCE:
            distances = l1[i, start:stop]
            for j in range(columns):
                b[j] = distances[j]
        elif codes[k] == EXP_SQUARED_DISTANCE:
            products, squares, own = dot[i, start:stop], tile.sq_j[start:stop], tile.sq_i[i]
            for j in range(columns):
                b[j] = max(own + squares[j] - 2.0 * products[j], 0.0)
        else:
            products, raws = dot[i, start:stop], tile.raw_j[start:stop]
            slope, own, constant = params[k, 0], tile.raw_i[i], params[k, 1]
            if codes[k] == POLYNOMIAL:
                for j in range(columns):
                    b[j] = power(slope * (products[j] + own + raws[j]) + constant, params[k, 2])
            else:
                for j in range(columns):
                    b[j] = products[j] + slope * (own + raws[j])
        if codes[k] == EXP_SQUARED_DISTANCE or codes[k] == EXP_L1_DISTANCE:
            gamma = B.dtype.type(params[k, 0])
            if B.itemsize == 4:
                for j in range(columns):
                    b[j] = expm1_single(np.float32(-gamma * b[j]))
            else:
                for j in range(columns):
                    b[j] = expm1_negative(-gamma * b[j])
    for e in range(tile.extra.shape[0]):
        b, given = B[codes.shape[0] + e], tile.extra[e, i, start:stop]
        for j in range(columns):
            b[j] = given[j]


@compiled(fastmath=SUMS)
def half_distances(
    A: np.ndarray, B: np.ndarray, sq_i: np.ndarray, sq_j: np.ndarray, dot: np.ndarray
) -> None:
    """Replace the inner products of rows of A and B by minus half their squared distances.

    Distances much smaller than the norms are summed over features, because the difference of the
    norms has lost their digits.
    """
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            norms = sq_i[i] + sq_j[j]
            distance = norms - 2.0 * dot[i, j]
            if distance < CLOSE * norms:
                distance = 0.0
                for f in range(A.shape[1]):
                    distance += (A[i, f] - B[j, f]) ** 2
            dot[i, j] = -0.5 * distance


@compiled(fastmath=SUMS)
def add_products(B: np.ndarray, columns: int, S: np.ndarray) -> None:
    """Add sum_j B[k, j] B[l, j] to S[k, l] for l <= k, in blocks of three rows of B.

    Nine sums and six operands fit the sixteen vector registers; with blocks of four rows they do
    not, and the sums take twice as long.
    """
    for k in range(0, B.shape[0], 3):
        p0, p1, p2 = B[k], B[k + 1], B[k + 2]
        for m in range(0, k + 3, 3):
            s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
            q0, q1, q2 = B[m], B[m + 1], B[m + 2]
            for j in range(columns):
                x0, x1, x2 = p0[j], p1[j], p2[j]
                y0, y1, y2 = q0[j], q1[j], q2[j]
                s00 += x0 * y0
                s01 += x0 * y1
                s02 += x0 * y2
                s10 += x1 * y0
                s11 += x1 * y1
                s12 += x1 * y2
                s20 += x2 * y0
                s21 += x2 * y1
                s22 += x2 * y2
            S[k, m] += s00
            S[k, m + 1] += s01
            S[k, m + 2] += s02
            S[k + 1, m] += s10
            S[k + 1, m + 1] += s11
            S[k + 1, m + 2] += s12
            S[k + 2, m] += s20
            S[k + 2, m + 1] += s21
            S[k + 2, m + 2] += s22
