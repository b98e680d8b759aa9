"""The compiled leaves: everything that runs once for each pair of samples.

A leaf gets a *tile*: what a few hundred samples on the left and a thousand on the right need for
all base kernels (inner products from BLAS, norms, values of kernels without a compiled formula). It
walks the tile in short pieces of rows and keeps the values of all kernels for one piece in a small
scratch array ``B`` of shape (kernels, columns), which stays in the first-level cache while it is
filled and reduced. Kernels arrive as integer codes and numbers, never as functions, so that Numba's
disk cache is hit in every process.

The value of exp(-t) is stored as expm1(-t): the kernel minus one. Centering is blind to a constant,
and the digits of a wide Gaussian survive.
"""

import numpy as np

from learnkernels.jit import compiled
from learnkernels.kernels.base import Code

__all__ = ["combine", "fill", "half_distances", "l1_distances", "multiply", "scratch", "sum_pairs"]

# Only value-preserving freedom (fused multiply-add) where rounding is controlled by hand; sums may
# be reordered, so that the compiler can use vector registers.
EXACT = {"contract", "nsz"}
SUMS = {"contract", "nsz", "reassoc"}

EXP_SQUARED_DISTANCE = int(Code.EXP_SQUARED_DISTANCE)
EXP_L1_DISTANCE = int(Code.EXP_L1_DISTANCE)
POLYNOMIAL = int(Code.POLYNOMIAL)
SQUARE_OF_EARLIER = int(Code.SQUARE_OF_EARLIER)

# A squared distance below this part of two norms has lost digits as a difference of them.
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


@compiled(inline="always", fastmath=EXACT)
def expm1_negative(x):
    """exp(x) - 1 for x <= 0 to two units in the last place, without branches or library calls.

    x = k ln2 + r, and exp(x) - 1 = 2^k (exp(r) - 1) + (2^k - 1).
    """
    x = max(x, -700.0)
    rounded = x * PER_LN2 + ROUNDER
    k = rounded - ROUNDER
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    q = C13
    q = q * r + C12
    q = q * r + C11
    q = q * r + C10
    q = q * r + C9
    q = q * r + C8
    q = q * r + C7
    q = q * r + C6
    q = q * r + C5
    q = q * r + C4
    q = q * r + C3
    q = q * r + C2
    exponent = np.float64(rounded).view(np.int64) + 1023
    two_k = np.int64(exponent << 52).view(np.float64)
    return two_k * (r + r * r * q) + (two_k - 1.0)


@compiled()
def power(base, degree):
    """Whole power of base, by repeated multiplication: exact in its last digits, unlike pow."""
    value = base
    for _ in range(int(degree) - 1):
        value *= base
    return value


def scratch(kernels):
    """A piece's worth of zeros for that many kernels: short enough for the first-level cache."""
    return np.zeros((kernels, 256 if kernels <= 20 else (128 if kernels <= 40 else 64)))


@compiled(fastmath=EXACT)
def fill(codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra, i, start, columns, B):
    """Values of all kernels of a tile for row i and some columns.

    Parameters
    ----------
    codes : int64 array of shape (p,)
        `Code` of each compiled kernel.
    params : float64 array of shape (p, 3)
        Its numbers.
    earlier : int64 array of shape (p,)
        For SQUARE_OF_EARLIER, the kernel that is squared (its position is lower).
    dot : float64 array of shape (rows, columns)
        Inner products of the shifted samples.
    sq_i, sq_j : float64 arrays of shape (rows,) and (columns,)
        Squared norms of the shifted samples.
    raw_i, raw_j : float64 arrays of shape (rows,) and (columns,)
        What turns a shifted inner product into the raw one: ``dot + raw_i + raw_j``.
    l1 : float64 array of shape (rows, columns)
        L1 distances; of shape (0, 0) if no kernel wants them, as is `dot`.
    extra : float64 array of shape (n_extra, rows, columns)
        Values of the kernels without a compiled formula.
    i, start, columns : int
        Row, first column and number of columns of the piece.
    B : float64 array of shape (at least p + n_extra, at least columns)
        Written.
    """
    stop = start + columns
    for k in range(codes.shape[0]):
        b = B[k]
        if codes[k] == SQUARE_OF_EARLIER:
            source = B[earlier[k]]
            for j in range(columns):
                b[j] = source[j] * (source[j] + 2.0)
        elif codes[k] == EXP_L1_DISTANCE:
            distances = l1[i, start:stop]
            for j in range(columns):
                b[j] = distances[j]
        elif codes[k] == EXP_SQUARED_DISTANCE:
            products, squares, own = dot[i, start:stop], sq_j[start:stop], sq_i[i]
            for j in range(columns):
                b[j] = max(own + squares[j] - 2.0 * products[j], 0.0)
        else:
            products, raws = dot[i, start:stop], raw_j[start:stop]
            slope, own, constant = params[k, 0], raw_i[i], params[k, 1]
            if codes[k] == POLYNOMIAL:
                for j in range(columns):
                    b[j] = power(slope * (products[j] + own + raws[j]) + constant, params[k, 2])
            else:
                for j in range(columns):
                    b[j] = products[j] + slope * (own + raws[j])
        if codes[k] == EXP_SQUARED_DISTANCE or codes[k] == EXP_L1_DISTANCE:
            gamma = params[k, 0]
            for j in range(columns):
                b[j] = expm1_negative(-gamma * b[j])
    for e in range(extra.shape[0]):
        b, given = B[codes.shape[0] + e], extra[e, i, start:stop]
        for j in range(columns):
            b[j] = given[j]


@compiled(fastmath=SUMS)
def half_distances(A, B, sq_i, sq_j, dot):
    """Minus half the squared distances in place of the inner products of rows of A and B.

    Those much smaller than the samples' own norms are summed over features, not cancelled.
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
def l1_distances(A, B, out):
    """out[i, j] = sum_f |A[i, f] - B[f, j]|: rows of A against columns of B (features first)."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            out[i, j] = 0.0
        for f in range(A.shape[1]):
            for j in range(B.shape[1]):
                out[i, j] += abs(A[i, f] - B[f, j])


@compiled(fastmath=SUMS)
def add_products(B, columns, S):
    """S[k, l] += sum_j B[k, j] B[l, j] for l <= k, four by four; B has a multiple of 4 rows."""
    for k in range(0, B.shape[0], 4):
        for m in range(0, k + 4, 4):
            s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
            s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
            p0, p1, p2, p3 = B[k], B[k + 1], B[k + 2], B[k + 3]
            q0, q1, q2, q3 = B[m], B[m + 1], B[m + 2], B[m + 3]
            for j in range(columns):
                x0, x1, x2, x3 = p0[j], p1[j], p2[j], p3[j]
                y0, y1, y2, y3 = q0[j], q1[j], q2[j], q3[j]
                s00 += x0 * y0
                s01 += x0 * y1
                s02 += x0 * y2
                s03 += x0 * y3
                s10 += x1 * y0
                s11 += x1 * y1
                s12 += x1 * y2
                s13 += x1 * y3
                s20 += x2 * y0
                s21 += x2 * y1
                s22 += x2 * y2
                s23 += x2 * y3
                s30 += x3 * y0
                s31 += x3 * y1
                s32 += x3 * y2
                s33 += x3 * y3
            S[k, m] += s00
            S[k, m + 1] += s01
            S[k, m + 2] += s02
            S[k, m + 3] += s03
            S[k + 1, m] += s10
            S[k + 1, m + 1] += s11
            S[k + 1, m + 2] += s12
            S[k + 1, m + 3] += s13
            S[k + 2, m] += s20
            S[k + 2, m + 1] += s21
            S[k + 2, m + 2] += s22
            S[k + 2, m + 3] += s23
            S[k + 3, m] += s30
            S[k + 3, m + 1] += s31
            S[k + 3, m + 2] += s32
            S[k + 3, m + 3] += s33


@compiled(fastmath=SUMS)
def sum_pairs(
    codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra, Y_i, Y_j,
    offsets, weighted, root_i, root_j, B, S, row_sums, column_sums, first,
):  # fmt: skip
    """Add one tile to the sums over pairs.

    With g = value - offset for each kernel, and the target kernel YY' as one more:
    ``S[k, l] += sum_ij w_i w_j g_k g_l`` for l <= k, ``row_sums[k, i] += sum_j w_j g_k`` and
    ``column_sums[k, first + j] += sum_i w_i g_k``.

    Parameters
    ----------
    codes ... extra
        The tile, as in `fill`.
    Y_i, Y_j : float64 arrays of shape (rows, targets) and (targets, columns)
        Targets of the samples.
    offsets : float64 array of shape (p + n_extra + 1,)
        A constant for each kernel, to which centering is blind.
    weighted : bool
        False if all weights are one, which saves work.
    root_i, root_j : float64 arrays of shape (rows,) and (columns,)
        Square roots of the weights of the samples, positive.
    B : float64 array from `scratch` for P kernels, P a multiple of 4, at least p + n_extra + 2
        Its last row is a kernel of ones, whose products with the others are the row sums.
    S : float64 array of shape (P, P)
        Its last row is scratch.
    row_sums, column_sums : float64 arrays of shape (P, rows) and (P, at least first + columns)
    """
    P, width = B.shape
    n_used = offsets.shape[0]
    target, ones = B[n_used - 1], B[P - 1]
    for j in range(width):
        ones[j] = 1.0
    for start in range(0, root_j.shape[0], width):
        columns = min(width, root_j.shape[0] - start)
        roots = root_j[start : start + columns]
        for i in range(root_i.shape[0]):
            fill(
                codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra,
                i, start, columns, B,
            )  # fmt: skip
            for j in range(columns):
                target[j] = 0.0
            for t in range(Y_i.shape[1]):
                y, right = Y_i[i, t], Y_j[t, start : start + columns]
                for j in range(columns):
                    target[j] += y * right[j]
            w = root_i[i] * root_i[i]
            for k in range(n_used):
                b, offset = B[k], offsets[k]
                sums = column_sums[k, first + start : first + start + columns]
                if offset != 0.0:
                    for j in range(columns):
                        b[j] -= offset
                for j in range(columns):
                    sums[j] += w * b[j]
                if weighted:
                    for j in range(columns):
                        b[j] *= root_i[i] * roots[j]
            if weighted:
                for j in range(columns):
                    ones[j] = roots[j] / root_i[i]
            for k in range(P):
                S[P - 1, k] = 0.0
            add_products(B, columns, S)
            for k in range(P):
                row_sums[k, i] += S[P - 1, k]


@compiled(fastmath=SUMS)
def combine(
    codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra,
    factors, u_i, u_j, B, out, i0, j0,
):  # fmt: skip
    """out[i0 + i, j0 + j] = sum_k factors[k] value_k(i, j) - u_i[i] - u_j[j] for one tile."""
    width = B.shape[1]
    for start in range(0, u_j.shape[0], width):
        columns = min(width, u_j.shape[0] - start)
        u = u_j[start : start + columns]
        for i in range(u_i.shape[0]):
            fill(
                codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra,
                i, start, columns, B,
            )  # fmt: skip
            total, own = out[i0 + i, j0 + start : j0 + start + columns], u_i[i]
            for j in range(columns):
                total[j] = -own - u[j]
            for k in range(factors.shape[0]):
                b, factor = B[k], factors[k]
                for j in range(columns):
                    total[j] += factor * b[j]


@compiled(fastmath=SUMS)
def multiply(codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra, vectors, B, out):
    """out[k, i, t] += sum_j value_k(i, j) vectors[t, j] for one tile."""
    kernels, width = B.shape
    for start in range(0, vectors.shape[1], width):
        columns = min(width, vectors.shape[1] - start)
        for i in range(out.shape[1]):
            fill(
                codes, params, earlier, dot, sq_i, sq_j, raw_i, raw_j, l1, extra,
                i, start, columns, B,
            )  # fmt: skip
            for k in range(kernels):
                b = B[k]
                for t in range(vectors.shape[0]):
                    vector, total = vectors[t, start : start + columns], 0.0
                    for j in range(columns):
                        total += b[j] * vector[j]
                    out[k, i, t] += total
