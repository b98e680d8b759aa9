"""Kernels known by tiles on a training set: centering, combination, products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnkernels.gram import leaves
from learnkernels.gram.backends import Backend
from learnkernels.gram.memory import require_memory
from learnkernels.gram.statistics import Numbers
from learnkernels.gram.tile_bank import TileBank
from learnkernels.gram.tiles import Grid

__all__ = ["TileCombination", "TileFunction", "TileProducts", "TiledKernels"]


@dataclass(frozen=True)
class TiledKernels:
    """The kernels of a `TileBank` on a training set.

    Attributes
    ----------
    bank : TileBank
    means : ndarray of shape (n_kernels, n_samples)
        Mean of each row of the values on tiles: what centering takes off.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    numbers : Numbers
        What alignment reads.
    M : ndarray of shape (n_kernels, n_kernels)
        Inner products of the centered kernels.
    """

    bank: TileBank
    means: np.ndarray
    weights: np.ndarray
    numbers: Numbers
    M: np.ndarray

    @property
    def positions(self) -> np.ndarray:
        return self.bank.positions

    @property
    def n_kernels(self) -> int:
        return self.bank.n_kernels

    def keep(self, mask: np.ndarray) -> TiledKernels:
        """Some of the kernels."""
        return TiledKernels(
            self.bank.keep(mask), self.means[mask], self.weights, self.numbers.keep(mask),
            self.M[np.ix_(mask, mask)],
        )  # fmt: skip

    def combination(self, factors: np.ndarray, center: bool) -> TileCombination:
        """``sum_k factors_k K_k`` of the kernels with a factor."""
        used = factors != 0
        kept = factors[used]
        w = self.weights
        if center:
            means = kept @ self.means[used]
            constant = float(w @ means / w.sum())
        else:
            means = np.zeros(self.bank.n_rows)
            constant = float(kept @ self.bank.units[used])
        return TileCombination(self.bank.keep(used), used, kept, means, constant)

    def gram(self, factors: np.ndarray, backend: Backend) -> np.ndarray:
        """``sum_k factors_k K_k`` of the centered kernels, shape (n_samples, n_samples)."""
        n = len(self.weights)
        require_memory(8 * n * n, f"the Gram matrix of {n} samples")
        K = np.zeros((n, n))
        if factors.any():
            self.combination(factors, True).write(K, backend)
        return K

    def gram_of(self, k: int, backend: Backend) -> np.ndarray:
        """One centered kernel."""
        unit = np.zeros(self.n_kernels)
        unit[k] = 1.0
        return self.gram(unit, backend)

    def products(self, vectors: np.ndarray, center: bool, backend: Backend) -> TileProducts:
        """K_k vectors for every kernel. Rows of zeros in `vectors` cost nothing."""
        used = np.flatnonzero(vectors.any(axis=1))
        if len(used) == 0:
            return TileProducts(np.zeros((self.n_kernels, *vectors.shape)), vectors)
        if not self.bank.compiled:  # picking columns of stored Grams costs more than it saves
            used = np.arange(len(vectors))
        bank = self.bank.facing(self.bank.take(used))
        grid = grid_of(bank)
        task = partial(multiplied_rows, bank, grid, np.ascontiguousarray(vectors[used].T))
        parts = backend.map(task, grid.row_ranges(), "kernel products")
        Z = np.concatenate(list(parts), axis=1)[bank.order]
        sums = vectors.sum(axis=0)  # (n_vectors,)
        if center:
            w = self.weights
            totals = self.means @ w / w.sum()
            Z -= self.means[:, :, None] * sums
            Z -= (self.means @ vectors - np.outer(totals, sums))[:, None, :]
        else:
            Z += self.bank.units[:, None, None] * sums
        return TileProducts(Z, vectors)


def multiplied_rows(bank: TileBank, grid: Grid, vectors, rows: slice) -> np.ndarray:
    """Values of all kernels on some rows times the vectors, in the order of tiles."""
    out = np.zeros((bank.n_kernels, rows.stop - rows.start, len(vectors)))
    B = leaves.scratch(bank.n_kernels)
    for columns in grid.column_ranges():
        part = np.ascontiguousarray(vectors[:, columns])
        leaves.multiply(*bank.tile(rows, columns), part, B, out)
    return out


@dataclass(frozen=True)
class TileProducts:
    """K_k v for every kernel known by tiles.

    Attributes
    ----------
    Z : ndarray of shape (n_kernels, n_samples, n_vectors)
    vectors : ndarray of shape (n_samples, n_vectors)
    """

    Z: np.ndarray
    vectors: np.ndarray

    def forms(self) -> np.ndarray:
        """sum_t v_t'K_k v_t, shape (n_kernels,)."""
        return np.einsum("knt,nt->k", self.Z, self.vectors)

    def of(self, t: int) -> np.ndarray:
        """K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        return self.Z[:, :, t].T


@dataclass(frozen=True)
class TileCombination:
    """A combination of kernels known by tiles.

    Attributes
    ----------
    bank : TileBank
        The base kernels with a weight other than zero, on the training samples.
    used : ndarray of bool
        Which of the kernels these are.
    factors : ndarray of shape (n_used,)
        Weight divided by scale, for each of them.
    means : ndarray of shape (n_samples,)
        Row means of the uncentered combination, up to a constant; zero without centering.
    constant : float
        What the combination exceeds the values on tiles by, apart from the means.
    """

    bank: TileBank
    used: np.ndarray
    factors: np.ndarray
    means: np.ndarray
    constant: float

    def require_sound(self) -> None:
        """Raise ValueError unless the numbers, perhaps of a forged file, fit the kernels."""
        n, p = self.bank.n_columns, self.bank.n_kernels
        if self.means.shape != (n,) or self.factors.shape != (p,):
            raise ValueError("the weights of a combination do not fit its kernels")

    def write(self, K: np.ndarray, backend: Backend) -> None:
        """The Gram matrix of the training samples into K."""
        grid = grid_of(self.bank)
        task = partial(self._write_rows, grid, K)
        for _ in backend.local.map(task, grid.row_ranges(), "learned Gram"):
            pass

    def write_cross(self, rows: TileBank, K: np.ndarray, backend: Backend) -> None:
        """The Gram matrix of new samples against the training samples, up to its row means."""
        bank = rows.facing(self.bank)
        grid = grid_of(bank)
        task = partial(self._write_new_rows, bank, grid, K)
        for _ in backend.local.map(task, grid.row_ranges(), "learned Gram"):
            pass

    def prepared(self, X) -> TileBank:
        """New samples."""
        return self.bank.against(X)

    def products(self, rows: TileBank, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """``K(new, training) @ coef`` by tiles: no Gram matrix is held.

        Parameters
        ----------
        rows : TileBank
            New samples, of the kernels of this combination.
        coef : ndarray of shape (n_samples, n_outputs)
            With centering, its columns sum to zero: the mean of a new row then drops out.
        """
        bank = rows.facing(self.bank)
        grid = grid_of(bank)
        task = partial(self._products_of_rows, bank, grid, np.ascontiguousarray(coef))
        parts = list(backend.map(task, grid.row_ranges(), "prediction"))
        found = np.concatenate(parts) if parts else np.empty((0, coef.shape[1]))
        # What centering and constants add to every product.
        return found + (self.constant - self.means) @ coef

    def only(self, index: np.ndarray) -> TileCombination:
        """The combination against some of the training samples."""
        return replace(self, bank=self.bank.take(index).columns_only(), means=self.means[index])

    def function(self, coef: np.ndarray) -> TileFunction:
        """x -> K(x, training samples) coef, with only the samples that have a coefficient."""
        support = np.flatnonzero((coef != 0).any(axis=1))
        return TileFunction(self.only(support), coef[support])

    def _write(self, bank: TileBank, rows: slice, columns: slice, u_i, u_j, out, i0, j0) -> None:
        """The combination on a tile, minus u_i on rows and u_j on columns, into out."""
        factors = self.factors[np.argsort(bank.order)]
        tile = bank.tile(rows, columns)
        B = leaves.scratch(bank.n_kernels)
        leaves.combine(*tile, factors, u_i[rows], u_j[columns], B, out, i0, j0)

    def _write_rows(self, grid: Grid, K: np.ndarray, rows: slice) -> None:
        u = self.means - self.constant / 2
        for columns in (rows, *grid.column_ranges(rows.stop)):
            self._write(self.bank, rows, columns, u, u, K, rows.start, columns.start)
            K[columns, rows] = K[rows, columns].T

    def _write_new_rows(self, bank: TileBank, grid: Grid, K: np.ndarray, rows: slice) -> None:
        u_i, u_j = np.zeros(bank.n_rows), self.means - self.constant
        for columns in grid.column_ranges():
            self._write(bank, rows, columns, u_i, u_j, K, rows.start, columns.start)

    def _products_of_rows(self, bank: TileBank, grid: Grid, coef, rows: slice) -> np.ndarray:
        out = np.zeros((rows.stop - rows.start, coef.shape[1]))
        u_i, u_j = np.zeros(bank.n_rows), np.zeros(bank.n_columns)
        for columns in grid.column_ranges():
            tile = np.empty((rows.stop - rows.start, columns.stop - columns.start))
            self._write(bank, rows, columns, u_i, u_j, tile, 0, 0)
            with np.errstate(invalid="ignore", over="ignore"):  # the outputs are checked
                out += tile @ coef[columns]
        return out


@dataclass(frozen=True)
class TileFunction:
    """x -> K(x, support) coef: all that prediction needs.

    Attributes
    ----------
    combination : TileCombination
        On the support.
    coef : ndarray of shape (n_support, n_outputs)
    """

    combination: TileCombination
    coef: np.ndarray

    def require_sound(self) -> None:
        """Raise ValueError unless there is a row of coefficients for each sample."""
        if self.coef.ndim != 2 or len(self.coef) != self.combination.bank.n_columns:
            raise ValueError("the coefficients of a function do not fit its samples")

    def outputs(self, X, backend: Backend) -> np.ndarray:
        """Values for new samples, shape (n_new, n_outputs)."""
        return self.combination.products(self.combination.prepared(X), self.coef, backend)


def grid_of(bank: TileBank) -> Grid:
    return Grid(bank.n_kernels, (0, bank.n_rows), (0, bank.n_columns))
