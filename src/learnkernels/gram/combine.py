"""The learned kernel itself: its Gram matrix, and products with it that never hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels.gram.backends import Backend
from learnkernels.gram.bank import Bank
from learnkernels.gram.factor_combination import FactorCombination, FactorFunction
from learnkernels.gram.memory import require_memory
from learnkernels.gram.tiled import TileCombination, TileFunction

__all__ = ["LearnedFunction", "LearnedKernel"]


@dataclass(frozen=True)
class LearnedKernel:
    """``K_mu = sum_k mu_k K_k`` of the centered (unless told otherwise) and scaled base kernels.

    Attributes
    ----------
    tiled : TileCombination or None
        The part of the kernels known by tiles.
    factored : FactorCombination or None
        The part of the kernels held by factors.
    weights : ndarray of shape (n_samples,)
        Weights of the samples in the mean of a new row.
    center : bool
        Whether the Gram is centered.
    """

    tiled: TileCombination | None
    factored: FactorCombination | None
    weights: np.ndarray
    center: bool

    @property
    def n_samples(self) -> int:
        return len(self.weights)

    @property
    def rank(self) -> float:
        """Columns of a factor of the Gram; infinity where there is none."""
        if self.tiled is not None:
            return np.inf
        return 0 if self.factored is None else self.factored.rank

    def root(self) -> np.ndarray:
        """R with K = R R', of shape (n_samples, rank), for weights that are not negative."""
        if self.factored is None:
            return np.zeros((self.n_samples, 0))
        return self.factored.root()

    def gram(self, backend: Backend) -> np.ndarray:
        """Gram matrix of the training samples, shape (n_samples, n_samples)."""
        n = self.n_samples
        require_memory(8 * n * n, f"the Gram matrix of {n} samples")
        K = np.empty((n, n))
        if self.tiled is None and self.factored is None:
            K[:] = 0.0
        if self.tiled is not None:
            self.tiled.write(K, backend)
        if self.factored is not None:
            self.factored.write(K, backend, add=self.tiled is not None)
        return K

    def cross_gram(self, X, backend: Backend) -> np.ndarray:
        """Gram matrix of new samples against the training samples, shape (n_new, n_samples)."""
        tiled = None if self.tiled is None else self.tiled.prepared(X)
        factored = None if self.factored is None else self.factored.prepared(X)
        parts = [rows for rows in (tiled, factored) if rows is not None]
        n_new = parts[0].n_rows
        require_memory(8 * n_new * self.n_samples, f"a Gram matrix of {n_new} rows")
        K = np.zeros((n_new, self.n_samples))
        if self.tiled is not None and tiled is not None:
            self.tiled.write_cross(tiled, K, backend)
        if self.factored is not None and factored is not None:
            self.factored.add_cross(factored, K)
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
        found = []
        if self.tiled is not None:
            found.append(self.tiled.products(self.tiled.prepared(X), coef, backend))
        if self.factored is not None:
            found.append(self.factored.products(self.factored.prepared(X), coef))
        return np.sum(found, axis=0)

    def products_of(self, rows: Bank, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """The same for samples that a bank of all base kernels holds already."""
        found = []
        if self.tiled is not None and rows.tiled is not None:
            found.append(self.tiled.products(rows.tiled.keep(self.tiled.used), coef, backend))
        if self.factored is not None and rows.factored is not None:
            found.append(self.factored.products(rows.factored.keep(self.factored.used), coef))
        return np.sum(found, axis=0)

    def times(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """``K coef`` on the training samples by tiles; with centering, columns of coef sum to 0."""
        found = []
        if self.tiled is not None:
            found.append(self.tiled.products(self.tiled.bank, coef, backend))
        if self.factored is not None:
            found.append(self.factored.times(coef))
        return np.sum(found, axis=0)

    def only(self, index: np.ndarray) -> LearnedKernel:
        """The kernel against some of the training samples, which are copied."""
        return LearnedKernel(
            None if self.tiled is None else self.tiled.only(index),
            None if self.factored is None else self.factored.only(index),
            self.weights[index],
            self.center,
        )

    def function(self, coef: np.ndarray, primal: np.ndarray | None = None) -> LearnedFunction:
        """x -> K(x, training samples) coef, with no more than that needs.

        Parameters
        ----------
        coef : ndarray of shape (n_samples, n_outputs)
        primal : ndarray of shape (rank, n_outputs) or None
            ``R'coef`` of the `root` R, where it is known.
        """
        parts: list[TileFunction | FactorFunction] = []
        if self.tiled is not None:
            parts.append(self.tiled.function(coef))
        if self.factored is not None:
            parts.append(self.factored.function(coef, primal))
        return LearnedFunction(tuple(parts))


@dataclass(frozen=True)
class LearnedFunction:
    """A function of the learned kernel's space, ready to be evaluated.

    Attributes
    ----------
    parts : tuple of TileFunction or FactorFunction
        Their sum is the function.
    """

    parts: tuple[TileFunction | FactorFunction, ...]

    def outputs(self, X, backend: Backend) -> np.ndarray:
        """Values for new samples, shape (n_new, n_outputs)."""
        return np.sum([part.outputs(X, backend) for part in self.parts], axis=0)
