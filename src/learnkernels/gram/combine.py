"""The learned kernel itself: its Gram matrix, and products with it that never hold it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram import leaves
from learnkernels.gram.backends import Backend
from learnkernels.gram.bank import Bank, available_memory
from learnkernels.gram.statistics import Statistics
from learnkernels.gram.tiles import Grid

__all__ = ["LearnedKernel"]


@dataclass(frozen=True)
class LearnedKernel:
    """``K_mu = sum_k mu_k K_k`` of the centered (unless told otherwise) and scaled base kernels.

    Attributes
    ----------
    bank : Bank
        The base kernels with a weight other than zero, on the training samples.
    used : ndarray of bool of shape (n_kernels,)
        Which of the user's kernels these are.
    factors : ndarray of shape (n_used,)
        Weight divided by scale, for each of them.
    means : ndarray of shape (n_samples,)
        Row means of the uncentered combination, up to a constant; zero without centering.
    weights : ndarray of shape (n_samples,)
        Weights of the samples in the mean of a new row.
    constant : float
        What the combination exceeds the values on tiles by, apart from the means.
    center : bool
        Whether the Gram is centered.
    """

    bank: Bank
    used: np.ndarray
    factors: np.ndarray
    means: np.ndarray
    weights: np.ndarray
    constant: float
    center: bool

    @classmethod
    def of(cls, bank: Bank, mu: np.ndarray, statistics: Statistics, center: bool) -> LearnedKernel:
        """The combination with weights mu of the kernels scaled as in `statistics`."""
        used = mu != 0
        factors = mu[used] / statistics.scales[used]
        w = statistics.weights
        if center:
            means = factors @ statistics.means[used]
            constant = float(w @ means / w.sum())
        else:
            means = np.zeros(bank.n_rows)
            constant = float(factors @ bank.units[used])
        return cls(bank.keep(used), used, factors, means, w, constant, center)

    @property
    def n_samples(self) -> int:
        return self.bank.n_columns

    def gram(self, backend: Backend) -> np.ndarray:
        """Gram matrix of the training samples, shape (n_samples, n_samples)."""
        n = self.n_samples
        require_memory(8 * n * n, f"the Gram matrix of {n} samples")
        K = np.empty((n, n))
        grid = grid_of(self.bank)
        task = partial(self._write_rows, grid, K)
        for _ in backend.map(task, grid.row_ranges(), "learned Gram"):
            pass
        return K

    def cross_gram(self, X, backend: Backend) -> np.ndarray:
        """Gram matrix of new samples against the training samples, shape (n_new, n_samples)."""
        bank = self.bank.against(X)
        require_memory(8 * bank.n_rows * bank.n_columns, f"a Gram matrix of {bank.n_rows} rows")
        K = np.empty((bank.n_rows, bank.n_columns))
        grid = grid_of(bank)
        task = partial(self._write_new_rows, bank, grid, K)
        for _ in backend.map(task, grid.row_ranges(), "learned Gram"):
            pass
        if self.center:
            # A new row is centered with the training means and its own mean over them.
            w = self.weights
            K -= (K @ w / w.sum())[:, None]
        return K

    def products(self, X, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """``K(X, training) @ coef`` by tiles: no Gram matrix is held.

        Parameters
        ----------
        X : array
            New samples.
        coef : ndarray of shape (n_samples, n_outputs)
            With centering, its columns sum to zero: the mean of a new row then drops out.
        """
        bank = self.bank.against(X)
        return self._streamed(bank, coef, backend) + self.offset(coef)

    def products_of(self, rows: Bank, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """The same for samples that a bank of all base kernels holds already."""
        bank = rows.keep(self.used).facing(self.bank)
        return self._streamed(bank, coef, backend) + self.offset(coef)

    def offset(self, coef: np.ndarray) -> np.ndarray:
        """What centering and constants add to every product with coef, shape (n_outputs,)."""
        return (self.constant - self.means) @ coef

    def only(self, index: np.ndarray) -> LearnedKernel:
        """The kernel against some of the training samples: all that a sparse machine needs."""
        return replace(
            self,
            bank=self.bank.take(index).columns_only(),
            means=self.means[index],
            weights=self.weights[index],
        )

    def _streamed(self, bank: Bank, coef, backend) -> np.ndarray:
        grid = grid_of(bank)
        task = partial(self._products_of_rows, bank, grid, np.ascontiguousarray(coef))
        parts = list(backend.map(task, grid.row_ranges(), "prediction"))
        return np.concatenate(parts) if parts else np.empty((0, coef.shape[1]))

    def _write(self, bank: Bank, rows: slice, columns: slice, u_i, u_j, out, i0, j0) -> None:
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

    def _write_new_rows(self, bank: Bank, grid: Grid, K: np.ndarray, rows: slice) -> None:
        u_i, u_j = np.zeros(bank.n_rows), self.means - self.constant
        for columns in grid.column_ranges():
            self._write(bank, rows, columns, u_i, u_j, K, rows.start, columns.start)

    def _products_of_rows(self, bank: Bank, grid: Grid, coef, rows: slice) -> np.ndarray:
        out = np.zeros((rows.stop - rows.start, coef.shape[1]))
        u_i, u_j = np.zeros(bank.n_rows), np.zeros(bank.n_columns)
        for columns in grid.column_ranges():
            tile = np.empty((rows.stop - rows.start, columns.stop - columns.start))
            self._write(bank, rows, columns, u_i, u_j, tile, 0, 0)
            with np.errstate(invalid="ignore", over="ignore"):  # the outputs are checked
                out += tile @ coef[columns]
        return out


def grid_of(bank: Bank) -> Grid:
    return Grid(bank.n_kernels, (0, bank.n_rows), (0, bank.n_columns))


def require_memory(n_bytes: float, what: str) -> None:
    """Raise before an allocation that this machine has no room for."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{what} would take {n_bytes / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; "
            "train on fewer samples."
        )
