"""A weighted combination of kernels that are evaluated by tiles: Gram matrices and functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram.tiles import passes
from learnkernels.gram.tiles.gaussians import GaussianSum
from learnkernels.gram.tiles.group import Tiled
from learnkernels.gram.tiles.passes import COLUMNS, ranges, row_ranges


@dataclass(frozen=True)
class CombinedTiles:
    """A weighted combination of tile kernels.

    Attributes
    ----------
    kernels : TileKernels
        The base kernels whose weight is not zero, on the training samples.
    used : ndarray of bool
        Which of all tile kernels these are.
    factors : ndarray of shape (n_used,)
        Weight divided by scale.
    means : ndarray of shape (n_samples,)
        Row means of the uncentered combination, up to a constant; zero without centering.
    constant : float
        Constant that is added to the values on tiles.
    """

    kernels: Tiled
    used: np.ndarray
    factors: np.ndarray
    means: np.ndarray
    constant: float

    kind = "tiles"
    rank = np.inf  # no factor of the Gram matrix is known
    fast_products = False

    @property
    def bounded(self) -> bool:
        """Whether values on tiles are at most one, so that they have seven digits in float32."""
        return bool((self.kernels.units == 1).all())

    @property
    def fast_single(self) -> bool:
        """Whether single precision is much faster: true of Gaussians."""
        return self.gaussians is not None

    def add_gram(self, K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of the training samples to K, which is symmetric."""
        task = partial(self.add_rows, K)
        rows = row_ranges(len(self.factors), (0, len(K)))
        for _ in backend.map(task, rows, "learned Gram matrix", local=True):
            pass

    def add_rows(self, K: np.ndarray, rows: slice) -> None:
        """Add some rows of the Gram matrix from the diagonal on, and the same columns."""
        u, at = self.means - self.constant / 2, np.arange(rows.start, rows.stop)
        for columns in (rows, *ranges((0, len(K)), COLUMNS, rows.stop)):
            self.add_tile(self.kernels, rows, columns, u[rows], u[columns], K, at, columns.start)
            K[columns, rows] = K[rows, columns].T

    @property
    def gaussians(self) -> GaussianSum | None:
        """The combination as a sum of Gaussians; None if it has other kernels.

        Not a `cached_property`: that of Python 3.11 has a lock which a forked process may inherit.
        """
        if "_gaussians" not in self.__dict__:
            self.__dict__["_gaussians"] = GaussianSum.of(self.kernels, self.factors)
        found: GaussianSum | None = self.__dict__["_gaussians"]
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed from the fields."""
        return {name: value for name, value in vars(self).items() if name != "_gaussians"}

    def add_tile(
        self, kernels: Any, rows: slice, columns: slice, u_i: np.ndarray, u_j: np.ndarray,
        out: np.ndarray, at: np.ndarray, j0: int,
    ) -> None:  # fmt: skip
        """Add the combination minus ``u_i + u_j`` on a tile to ``out[at, j0:]``; see `combine`."""
        if self.gaussians is None:
            passes.combine(kernels.tile(rows, columns), self.factors, u_i, u_j, out, at, j0)
            return
        left, right = kernels.left[0], kernels.right[0]
        near = left.take(rows)
        same = left is right and rows == columns
        self.gaussians.add(near, near if same else right.take(columns), u_i, u_j, out, at, j0)

    def prepared(self, X: Any) -> Tiled:
        """Return new samples as rows."""
        return self.kernels.against(X)

    def kept(self, rows: Tiled) -> Tiled:
        """Return the kernels of this combination on samples that all base kernels are known on."""
        return rows.keep(self.used)

    def diagonal(self, rows: Tiled) -> np.ndarray:
        """Return K(x, x) of new samples, up to twice their row means, shape (n_new,)."""
        return np.asarray(self.factors @ rows.diagonal() + self.constant)

    def add_cross(self, rows: Tiled, K: np.ndarray, backend: Backend) -> None:
        """Add the Gram matrix of new and training samples, up to row means, to K."""
        task = partial(self.add_values, rows.facing(self.kernels), K, 0)
        for _ in backend.map(
            task, row_ranges(len(self.factors), (0, len(K))), "learned Gram matrix", local=True
        ):
            pass

    def add_values(self, kernels: Tiled, out: np.ndarray, first: int, rows: slice) -> None:
        """Add values of some rows at all columns, up to row means, to out from row `first` on."""
        u_i, u_j = np.zeros(rows.stop - rows.start), self.means - self.constant
        at = np.arange(rows.start - first, rows.stop - first)
        for columns in ranges((0, kernels.shape[1]), COLUMNS):
            self.add_tile(kernels, rows, columns, u_i, u_j[columns], out, at, columns.start)

    def add_near(self, near: CombinedTiles, rows: slice, out: np.ndarray) -> None:
        """Add values of some training samples at the samples of `near`, up to row means."""
        near.add_values(self.kernels.facing(near.kernels), out, rows.start, rows)

    def add_at(self, some: CombinedTiles, samples: slice, out: np.ndarray, at: np.ndarray) -> None:
        """Add rows of the Gram matrix, of the samples `some`, at some columns to out[at]."""
        kernels, u = some.kernels.facing(self.kernels), some.means - self.constant
        rows = slice(0, len(at))
        for columns in ranges((0, samples.stop), COLUMNS, samples.start):
            self.add_tile(kernels, rows, columns, u, self.means[columns], out, at, columns.start)

    def products(
        self, rows: Tiled, coef: np.ndarray, backend: Backend, single: bool = False
    ) -> np.ndarray:
        """Return ``K(new, training) @ coef`` by tiles, without the Gram matrix.

        Parameters
        ----------
        rows : TileKernels
            New samples, of the kernels of this combination.
        coef : ndarray of shape (n_samples, n_outputs)
            With centering its columns sum to zero, so that the mean of a new row drops out.
        single : bool, default=False
            Whether Gaussians are evaluated in single precision.
        """
        kernels, coef = rows.facing(self.kernels), np.ascontiguousarray(coef)
        task = partial(self.product_of_rows, kernels, coef, np.float32 if single else np.float64)
        parts = row_ranges(len(self.factors), (0, rows.shape[0]))
        found = list(backend.map(task, parts, "prediction"))
        total = np.concatenate(found) if found else np.empty((0, coef.shape[1]))
        # Centering and constants add the same to every product.
        return total + (self.constant - self.means) @ coef

    def product_of_rows(
        self, kernels: Any, coef: np.ndarray, dtype: type[np.floating[Any]], rows: slice
    ) -> np.ndarray:
        """Return the product of some rows with coef, without the terms of centering."""
        out = np.zeros((rows.stop - rows.start, coef.shape[1]))
        if self.gaussians is not None:
            left, right = kernels.left[0].take(rows), kernels.right[0]
            self.gaussians.add_products(left, right, np.ascontiguousarray(coef.T), out, dtype)
            return out
        u_i, at = np.zeros(len(out)), np.arange(len(out))
        for columns in ranges((0, kernels.shape[1]), COLUMNS):
            values = np.zeros((len(out), columns.stop - columns.start))
            u_j = np.zeros(values.shape[1])
            self.add_tile(kernels, rows, columns, u_i, u_j, values, at, 0)
            with np.errstate(invalid="ignore", over="ignore"):  # predictions are checked
                out += values @ coef[columns]
        return out

    def times(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``K coef`` on the training samples. Rows of zeros in coef cost nothing."""
        used = np.flatnonzero(coef.any(axis=1))
        if len(used) == len(coef):
            return self.symmetric_products(np.ascontiguousarray(coef.T), backend)
        return self.take(used).products(self.kernels, coef[used], backend)

    def times_at(
        self, index: np.ndarray, coef: np.ndarray, backend: Backend, single: bool
    ) -> np.ndarray:
        """Return some rows of ``K coef``; see `LearnedKernel.times_at`."""
        used = np.flatnonzero(coef.any(axis=1))
        near, found = self.take(used), np.zeros((len(index), coef.shape[1]))
        if self.gaussians is None or single or not np.isin(used, index).all():
            rows = self.kernels.take(index)
            return near.products(rows, coef[used], backend, single)
        # Every pair of samples with coefficients is evaluated once.
        own = np.isin(index, used)
        rows = self.kernels.take(index[~own])
        found[~own] = near.products(rows, coef[used], backend)
        order = np.searchsorted(used, index[own])
        found[own] = near.symmetric_products(np.ascontiguousarray(coef[used].T), backend)[order]
        return found

    def symmetric_products(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``K coef`` on the training samples, shape (n_samples, n_outputs).

        Parameters
        ----------
        coef : ndarray of shape (n_outputs, n_samples)
        backend : Backend
        """
        rows = row_ranges(len(self.factors), (0, coef.shape[1]))
        total = backend.fold(SymmetricProducts(self, coef), rows, "kernel products")["products"]
        # Centering and constants: u_i of the rows is left out, as coefficients sum to zero.
        return np.asarray(total.T + (self.constant - self.means) @ coef.T)

    def take(self, index: np.ndarray) -> CombinedTiles:
        """Return the combination on some of the training samples, as rows and columns."""
        return replace(self, kernels=self.kernels.take(index), means=self.means[index])

    def as_columns(self, index: np.ndarray) -> CombinedTiles:
        """Return the combination for new samples against copies of some training samples."""
        taken = self.take(index)
        return replace(taken, kernels=taken.kernels.as_columns())

    def keep(self, mask: np.ndarray) -> CombinedTiles:
        """Return the terms of some of the kernels, with the means and the constant of all."""
        used = self.used.copy()
        used[used] = mask
        return replace(self, kernels=self.kernels.keep(mask), used=used, factors=self.factors[mask])

    def reweighted(
        self, mu: np.ndarray, w: np.ndarray, center: bool, backend: Backend
    ) -> CombinedTiles | None:
        """Return the combination with every factor multiplied; None if all become zero.

        Parameters
        ----------
        mu : ndarray of shape (n_kernels,)
            Multipliers of all kernels of the user's list.
        w : ndarray of shape (n_samples,)
            Sample weights, for the means.
        center : bool
        backend : Backend
        """
        own = mu[self.kernels.index]
        if not own.any():
            return None
        kept = self.keep(own != 0)
        bare = replace(
            kept, factors=kept.factors * own[own != 0], means=np.zeros(len(w)), constant=0.0
        )
        if not center:
            return replace(bare, constant=float(bare.factors @ bare.kernels.units))
        means = bare.times(w[:, None] / w.sum(), backend)[:, 0]
        return replace(bare, means=means, constant=float(w @ means / w.sum()))

    def function(self, coef: np.ndarray, primal: np.ndarray | None) -> TileFunction:
        """Return x -> K(x, training samples) coef, with the samples whose coefficient is not 0."""
        support = np.flatnonzero((coef != 0).any(axis=1))
        kernels = self.kernels.take(support).as_columns()
        combined = replace(self, kernels=kernels, means=self.means[support])
        return TileFunction(combined, coef[support])


@dataclass(frozen=True)
class SymmetricProducts:
    """``K coef`` on the training samples, without the terms of centering; each pair is read once.

    Attributes
    ----------
    combined : CombinedTiles
    coef : ndarray of shape (n_vectors, n_samples)
    """

    combined: CombinedTiles
    coef: np.ndarray

    def part(self, rows: slice) -> tuple[int, np.ndarray]:
        """Return the first row, and the sums over pairs of these rows with those from it on."""
        kernels: Any = self.combined.kernels
        if self.combined.gaussians is not None:
            samples = kernels.left[0]
            own, others = self.combined.gaussians.symmetric_products(samples, self.coef, rows)
            return rows.start, np.hstack([own.T, others])
        coef = self.coef[:, rows.start :]
        height = slice(0, rows.stop - rows.start)
        out, nothing = np.zeros(coef.shape), np.zeros((len(coef), height.stop))
        for columns in (rows, *ranges((0, self.coef.shape[1]), COLUMNS, rows.stop)):
            behind = slice(columns.start - rows.start, columns.stop - rows.start)
            transposed = nothing if columns is rows else out[:, behind]
            passes.multiply_both(
                kernels.tile(rows, columns), self.combined.factors, coef[:, height],
                coef[:, behind], out[:, height], transposed,
            )  # fmt: skip
        return rows.start, out

    def work(self, rows: slice) -> float:
        """Return the number of pairs."""
        return float((rows.stop - rows.start) * (self.coef.shape[1] - rows.start))

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no rows."""
        return {"products": np.zeros(self.coef.shape)}

    def add(self, total: dict[str, np.ndarray], part: tuple[int, np.ndarray]) -> None:
        """Add the sums of some rows in place."""
        first, values = part
        total["products"][:, first:] += values


@dataclass(frozen=True)
class TileFunction:
    """The function x -> K(x, support) coef.

    Attributes
    ----------
    combined : CombinedTiles
        On the support.
    coef : ndarray of shape (n_support, n_outputs)
    """

    combined: CombinedTiles
    coef: np.ndarray

    def outputs(self, X: Any, backend: Backend) -> np.ndarray:
        """Return values for new samples, shape (n_new, n_outputs)."""
        return self.combined.products(self.combined.kernels.against(X), self.coef, backend)

    def restricted(self, kernels: np.ndarray) -> TileFunction | None:
        """Return the terms of some base kernels, up to a constant; None if it has none of them."""
        mask = np.isin(self.combined.kernels.index, kernels)
        return replace(self, combined=self.combined.keep(mask)) if mask.any() else None
