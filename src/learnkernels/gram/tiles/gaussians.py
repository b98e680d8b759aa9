"""Weighted sums of Gaussians on a tile, in one pass over squared distances.

A combination of Gaussians whose widths differ by powers of two needs one exponential for each
pair: with h_0 = exp(-gamma D) - 1,

    sum_s factors_s (exp(-2^s gamma D) - 1) = sum_s factors_s h_s,   h_{s+1} = h_s (h_s + 2)

The general function `combine` of `passes` stores the values of every kernel before it adds them.
Here the values of a row of a tile are added as soon as they are known. Distances have the
precision of the output: with single precision the matrix product costs half as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram.tiles.compiled import CompiledGroup, CompiledSamples
from learnkernels.gram.tiles.leaves import SUMS, expm1_negative, expm1_single
from learnkernels.jit import compiled
from learnkernels.kernels import Code

# No NaN can occur: samples are finite.
FAST = {"contract", "nsz", "nnan"}
# Samples of a tile: its inner products stay in the second-level cache.
TILE = 256
# Squares that one loop over columns computes, in registers.
SQUARES = 3


@dataclass(frozen=True)
class GaussianSum:
    """Gaussians as repeated squares of a few exponentials.

    Attributes
    ----------
    gammas : ndarray of shape (n_exponentials,)
    factors : ndarray of shape (n_exponentials, 1 + n_squares)
        Factor of the Gaussian with ``2**s`` times the gamma of an exponential; n_squares is a
        multiple of `SQUARES`, and factors of Gaussians that are not in the sum are zero.
    """

    gammas: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, kernels: Any, factors: np.ndarray) -> GaussianSum | None:
        """Return the sum of some kernels times factors; None if they are not all Gaussians.

        Parameters
        ----------
        kernels : TileKernels
        factors : ndarray of shape (n_kernels,)
        """
        group = kernels.groups[0]
        if (
            len(kernels.groups) > 1
            or not isinstance(group, CompiledGroup)
            or any(kernel.code != Code.EXP_SQUARED_DISTANCE for kernel in group.kernels)
            or group.far
            or kernels.left_scale is not None
            or sparse.issparse(kernels.left[0].A)
            or sparse.issparse(kernels.right[0].A)
        ):
            return None
        chain, squarings = np.zeros((2, len(factors)), dtype=int)
        gammas: list[float] = []
        for k, code in enumerate(group.codes):
            if code == Code.SQUARE_OF_EARLIER:
                chain[k] = chain[group.earlier[k]]
                squarings[k] = squarings[group.earlier[k]] + int(group.params[k, 0])
            else:
                chain[k] = len(gammas)
                gammas.append(group.params[k, 0])
        by_chain = np.zeros((len(gammas), 1 - SQUARES * (-squarings.max() // SQUARES)))
        np.add.at(by_chain, (chain, squarings), factors)
        return cls(np.array(gammas), by_chain)

    def add(
        self,
        left: CompiledSamples,
        right: CompiledSamples,
        u_i: np.ndarray,
        u_j: np.ndarray,
        out: np.ndarray,
        at: np.ndarray,
        j0: int,
    ) -> None:
        """Add the sum minus ``u_i + u_j`` to ``out[at, j0:]``, as `combine` of `passes` does.

        Parameters
        ----------
        left, right : CompiledSamples
            Samples of the rows and of the columns.
        u_i, u_j : ndarray of shape (n_rows,) and (n_columns,)
        out : float64 or float32 array
        at : ndarray of shape (n_rows,)
            Position in `out` of each row.
        j0 : int
            Position of the first column in `out`.
        """
        same = left is right
        A, s_i, u_i = (x.astype(out.dtype, copy=False) for x in (left.A, left.squared, u_i))
        B, s_j, u_j = (x.astype(out.dtype, copy=False) for x in (right.A, right.squared, u_j))
        for i in range(0, len(A), TILE):
            rows = slice(i, i + TILE)
            for j in range(0, len(B), TILE):
                columns = slice(j, j + TILE)
                dot = A[rows] @ B[columns].T
                if same and i == j:
                    np.fill_diagonal(dot, s_i[rows])  # the distance to itself is zero
                add_gaussians(
                    dot, s_i[rows], s_j[columns], self.gammas, self.factors, u_i[rows],
                    u_j[columns], out, at[rows], j0 + j,
                )  # fmt: skip

    def add_products(
        self,
        left: CompiledSamples,
        right: CompiledSamples,
        coef: np.ndarray,
        out: np.ndarray,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        """Add the sum of Gaussians times some vectors to out.

        Parameters
        ----------
        left, right : CompiledSamples
            Samples of the rows, at most some hundred, and of the columns.
        coef : ndarray of shape (n_outputs, n_columns)
        out : ndarray of shape (n_rows, n_outputs)
        dtype : type, default=numpy.float64
            Precision of the Gaussians and of the sums over a tile.
        """
        A, s_i = left.A.astype(dtype, copy=False), left.squared.astype(dtype, copy=False)
        for j in range(0, len(right.squared), TILE):
            near = right.take(slice(j, j + TILE))
            B, s_j = near.A.astype(dtype, copy=False), near.squared.astype(dtype, copy=False)
            multiply_gaussians(
                A @ B.T, s_i, s_j, self.gammas, self.factors,
                coef[:, j : j + TILE].astype(dtype), out,
            )  # fmt: skip

    def symmetric_products(
        self, samples: CompiledSamples, coef: np.ndarray, rows: slice
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return products of the pairs (i, j) with i in these rows, and j in them or behind them.

        Parameters
        ----------
        samples : CompiledSamples
        coef : ndarray of shape (n_outputs, n_samples)
        rows : slice

        Returns
        -------
        own : ndarray of shape (n_rows, n_outputs)
            Sums over j, for these rows.
        behind : ndarray of shape (n_outputs, n_samples - rows.stop)
            Sums over i, for the samples behind these rows.
        """
        left = samples.take(rows)
        own = np.zeros((len(left), len(coef)))
        behind = np.zeros((len(coef), len(samples) - rows.stop))
        dot = left.A @ left.A.T
        np.fill_diagonal(dot, left.squared)  # the distance to itself is zero
        multiply_gaussians(
            dot, left.squared, left.squared, self.gammas, self.factors, coef[:, rows], own
        )
        for j in range(rows.stop, len(samples), TILE):
            columns, at = slice(j, j + TILE), j - rows.stop
            right = samples.take(columns)
            multiply_both_ways(
                left.A @ right.A.T, left.squared, right.squared, self.gammas, self.factors,
                coef[:, rows], coef[:, columns], own, behind[:, at : at + TILE],
            )  # fmt: skip
        return own, behind


@compiled(fastmath=FAST)
def sum_of_gaussians(
    products: np.ndarray, own: float, squares: np.ndarray, gammas: np.ndarray,
    factors: np.ndarray, h: np.ndarray, total: np.ndarray,
) -> None:  # fmt: skip
    """Write a sum of Gaussians of one row at some columns.

    Parameters
    ----------
    products : float64 or float32 array of shape (columns,)
        Inner products of the samples.
    own : float
        Squared norm of the sample of the row.
    squares : array of shape (columns,)
        Squared norms of the samples of the columns.
    gammas, factors
        As in `GaussianSum`.
    h : array of shape (at least columns,)
        Scratch.
    total : array of shape (at least columns,)
        Written.
    """
    columns, number = products.shape[0], total.dtype.type
    zero, two = number(0.0), number(2.0)
    for j in range(columns):
        total[j] = zero
    for c in range(gammas.shape[0]):
        gamma, factor = number(-gammas[c]), number(factors[c, 0])
        for j in range(columns):
            h[j] = min(gamma * (own + squares[j] - two * products[j]), zero)
        if total.itemsize == 4:
            for j in range(columns):
                value = expm1_single(h[j])
                h[j] = value
                total[j] += factor * value
        else:
            for j in range(columns):
                value = expm1_negative(h[j])
                h[j] = value
                total[j] += factor * value
        for s in range(1, factors.shape[1], SQUARES):
            f0, f1, f2 = number(factors[c, s]), number(factors[c, s + 1]), number(factors[c, s + 2])
            for j in range(columns):
                h0 = h[j] * (h[j] + two)
                h1 = h0 * (h0 + two)
                h2 = h1 * (h1 + two)
                h[j] = h2
                total[j] += f0 * h0 + f1 * h1 + f2 * h2


@compiled(fastmath=FAST)
def add_gaussians(
    dot: np.ndarray, sq_i: np.ndarray, sq_j: np.ndarray, gammas: np.ndarray, factors: np.ndarray,
    u_i: np.ndarray, u_j: np.ndarray, out: np.ndarray, at: np.ndarray, j0: int,
) -> None:  # fmt: skip
    """Add a sum of Gaussians minus u_i[i] + u_j[j] to out[at[i], j0 + j].

    Parameters
    ----------
    dot : float64 or float32 array of shape (rows, columns)
        Inner products of the samples.
    sq_i, sq_j : arrays of shape (rows,) and (columns,)
        Squared norms.
    gammas, factors
        As in `GaussianSum`.
    u_i, u_j : arrays of shape (rows,) and (columns,)
    out, at, j0
        As in `GaussianSum.add`.
    """
    rows, columns = dot.shape
    h, total = np.empty(columns, out.dtype), np.empty(columns, out.dtype)
    for i in range(rows):
        sum_of_gaussians(dot[i], sq_i[i], sq_j, gammas, factors, h, total)
        row, own = out[at[i], j0 : j0 + columns], u_i[i]
        for j in range(columns):
            row[j] += total[j] - (own + u_j[j])


@compiled(fastmath=SUMS)
def multiply_gaussians(
    dot: np.ndarray, sq_i: np.ndarray, sq_j: np.ndarray, gammas: np.ndarray, factors: np.ndarray,
    coef: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Add sum_j (sum of Gaussians)_ij coef[t, j] to out[i, t]; see `add_gaussians`."""
    rows, columns = dot.shape
    h, total = np.empty(columns, dot.dtype), np.empty(columns, dot.dtype)
    for i in range(rows):
        sum_of_gaussians(dot[i], sq_i[i], sq_j, gammas, factors, h, total)
        for t in range(coef.shape[0]):
            vector, added = coef[t], dot.dtype.type(0.0)
            for j in range(columns):
                added += total[j] * vector[j]
            out[i, t] += added


@compiled(fastmath=SUMS)
def multiply_both_ways(
    dot: np.ndarray, sq_i: np.ndarray, sq_j: np.ndarray, gammas: np.ndarray, factors: np.ndarray,
    coef_i: np.ndarray, coef_j: np.ndarray, out_i: np.ndarray, out_j: np.ndarray,
) -> None:  # fmt: skip
    """Add the products of `multiply_gaussians` to out_i[i, t], those of columns to out_j[t, j]."""
    rows, columns = dot.shape
    h, total = np.empty(columns, dot.dtype), np.empty(columns, dot.dtype)
    for i in range(rows):
        sum_of_gaussians(dot[i], sq_i[i], sq_j, gammas, factors, h, total)
        for t in range(coef_i.shape[0]):
            vector, behind, own, added = coef_j[t], out_j[t], coef_i[t, i], 0.0
            for j in range(columns):
                added += total[j] * vector[j]
                behind[j] += own * total[j]
            out_i[i, t] += added
