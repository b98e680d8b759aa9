"""The learned kernel: its Gram matrix, and products with it that do not form it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnkernels.execution import Backend, require_memory

# Samples up to which a Gram matrix is allocated without asking for the free memory.
SMALL = 2000


class Function(Protocol):
    """A function of the space of a kernel, ready to be evaluated."""

    def outputs(self, X: Any, backend: Backend) -> np.ndarray:
        """Return values for new samples, shape (n_new, n_outputs)."""

    def restricted(self, kernels: np.ndarray) -> Function | None:
        """Return the terms of some base kernels, up to a constant; None if it has none of them.

        Parameters
        ----------
        kernels : ndarray of int
            Positions in the user's list.
        """


@dataclass(frozen=True)
class LearnedKernel:
    """``K_mu = sum_k mu_k K_k`` of the scaled base kernels, centered unless `center` is False.

    Attributes
    ----------
    parts : tuple of CombinedTiles, CombinedPairs or CombinedFactors
        Their sum is the kernel; empty if all weights are zero.
    weights : ndarray of shape (n_samples,)
        Sample weights, for the mean of a new row.
    center : bool
        Whether the Gram matrix is centered.
    """

    parts: tuple[Any, ...]
    weights: np.ndarray
    center: bool

    @property
    def rank(self) -> float:
        """Columns of a factor of the Gram matrix; infinity if none is known."""
        return sum(part.rank for part in self.parts)

    @property
    def fast_products(self) -> bool:
        """Whether `times` costs much less than `gram`."""
        return bool(self.parts) and all(part.fast_products for part in self.parts)

    @property
    def bounded(self) -> bool:
        """Whether values before centering are so small that float32 holds seven digits of them."""
        return all(part.bounded for part in self.parts)

    @property
    def fast_single(self) -> bool:
        """Whether values of single precision cost much less than those of double precision."""
        return bool(self.parts) and all(part.fast_single for part in self.parts)

    def root(self) -> np.ndarray:
        """Return R with K = R R', of shape (n_samples, rank), for non-negative weights."""
        roots = [part.root() for part in self.parts]
        return np.hstack([np.zeros((len(self.weights), 0)), *roots])

    def gram(
        self, backend: Backend, dtype: type[np.floating[Any]] = np.float64,
        out: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Return the Gram matrix of the training samples, shape (n_samples, n_samples).

        Parameters
        ----------
        backend : Backend
        dtype : type, default=numpy.float64
            Precision, if a matrix is allocated.
        out : ndarray of zeros or None
            Array to write to; None allocates one.
        """
        n = len(self.weights)
        if out is None:
            if n > SMALL:
                size = np.dtype(dtype).itemsize * n * n
                require_memory(size, f"the Gram matrix of {n} samples")
            out = np.zeros((n, n), dtype)
        for part in self.parts:
            part.add_gram(out, backend)
        return out

    def cross_gram(self, X: Any, backend: Backend) -> np.ndarray:
        """Return the Gram matrix of new samples against the training samples."""
        return self.cross_of([part.prepared(X) for part in self.parts], backend)[0]

    def cross_of(self, rows: list[Any], backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        """Return the Gram matrix of prepared samples, and the row means that centering removed."""
        n_new = rows[0].shape[0] if hasattr(rows[0], "shape") else len(rows[0][0])
        require_memory(8 * n_new * len(self.weights), f"a Gram matrix of {n_new} rows")
        K, means = np.zeros((n_new, len(self.weights))), np.zeros(n_new)
        for part, new in zip(self.parts, rows, strict=True):
            part.add_cross(new, K, backend)
        if self.center:
            # A new row is centered with the training means and its own mean over them.
            w = self.weights
            means = K @ w / w.sum()
            K -= means[:, None]
        return K, means

    def cross_and_diagonal(self, X: Any, backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        """Return `cross_gram` and K(x, x) of the new samples, shape (n_new,).

        If the kernel is against some of the samples that it was centered with (`as_columns`), a
        number g(x) is missing in each row of the Gram matrix, and 2 g(x) in the diagonal.
        """
        rows = [part.prepared(X) for part in self.parts]
        K, means = self.cross_of(rows, backend)
        diagonals = [part.diagonal(new) for part, new in zip(self.parts, rows, strict=True)]
        return K, np.sum(diagonals, axis=0) - 2 * means

    def products(self, X: Any, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``K(X, training) @ coef`` without the Gram matrix.

        Parameters
        ----------
        X : array
            New samples.
        coef : ndarray of shape (n_samples, n_outputs)
            With centering its columns sum to zero, so that the mean of a new row drops out.
        """
        found = [part.products(part.prepared(X), coef, backend) for part in self.parts]
        return np.sum(found, axis=0)

    def products_of(
        self, coef: np.ndarray, rows: Any, backend: Backend, single: bool = False
    ) -> np.ndarray:
        """Return the same for samples on which `BaseKernels` are known.

        `single` is as in `times_at`.
        """
        base = {part.kind: part for part in rows.parts}
        found = [
            part.products(part.kept(base[part.kind]), coef, backend, single) for part in self.parts
        ]
        return np.sum(found, axis=0)

    def times(self, coef: np.ndarray, backend: Backend) -> np.ndarray:
        """Return ``K coef`` on the training samples; with centering, columns of coef sum to 0."""
        return np.sum([part.times(coef, backend) for part in self.parts], axis=0)

    def times_at(
        self, index: np.ndarray, coef: np.ndarray, backend: Backend, single: bool = False
    ) -> np.ndarray:
        """Return some rows of ``K coef``, as `times` does.

        Parameters
        ----------
        index : ndarray of shape (n_rows,)
            Different training samples.
        coef : ndarray of shape (n_samples, n_outputs)
        backend : Backend
        single : bool, default=False
            Whether single precision is enough; Gaussians are then evaluated twice as fast.

        Returns
        -------
        ndarray of shape (n_rows, n_outputs)
        """
        return np.sum([part.times_at(index, coef, backend, single) for part in self.parts], axis=0)

    def rounded(self) -> LearnedKernel:
        """Return a kernel with fast products in single precision, for twice as fast ones."""
        parts = tuple(part.rounded() for part in self.parts)
        return LearnedKernel(parts, self.weights, self.center)

    def take(self, index: np.ndarray) -> LearnedKernel:
        """Return the kernel on some of the training samples, centered with the means of all."""
        parts = tuple(part.take(index) for part in self.parts)
        return LearnedKernel(parts, self.weights[index], self.center)

    def as_columns(self, index: np.ndarray) -> LearnedKernel:
        """Return the kernel for new samples against copies of some training samples."""
        parts = tuple(part.as_columns(index) for part in self.parts)
        return LearnedKernel(parts, self.weights[index], self.center)

    def reweighted(self, mu: np.ndarray, backend: Backend) -> LearnedKernel:
        """Return the kernel with the weight of every base kernel multiplied.

        Parameters
        ----------
        mu : ndarray of shape (n_kernels,)
            Multipliers; a base kernel of multiplier zero is left out.
        backend : Backend
        """
        found = [part.reweighted(mu, self.weights, self.center, backend) for part in self.parts]
        parts = tuple(part for part in found if part is not None)
        return LearnedKernel(parts, self.weights, self.center)

    def values_near(self, near: LearnedKernel, rows: slice) -> np.ndarray:
        """Return values of some training samples at those of `near` (from `as_columns`).

        Returns
        -------
        ndarray of shape (n_rows, n_near)
            Columns of the Gram matrix of the training samples.
        """
        values = np.zeros((rows.stop - rows.start, len(near.weights)))
        for part, other in zip(self.parts, near.parts, strict=True):
            part.add_near(other, rows, values)
            values -= part.means[rows, None]
        return values

    def write_rows(
        self, some: LearnedKernel, samples: slice, out: np.ndarray, at: np.ndarray
    ) -> None:
        """Write rows of the Gram matrix at some columns into ``out[at, samples]``.

        Parameters
        ----------
        some : LearnedKernel
            This kernel on the samples of the rows (`take`).
        samples : slice
            The columns.
        out : ndarray of shape (n_slots, n_samples)
        at : ndarray of shape (n_rows,)
            Position in `out` of each row.
        """
        out[at, samples] = 0.0
        for part, other in zip(self.parts, some.parts, strict=True):
            part.add_at(other, samples, out, at)

    def functions(self, coef: np.ndarray, primal: np.ndarray | None = None) -> tuple[Function, ...]:
        """Return functions whose sum is x -> K(x, training samples) coef.

        Parameters
        ----------
        coef : ndarray of shape (n_samples, n_outputs)
        primal : ndarray of shape (rank, n_outputs) or None
            ``R'coef`` of the `root` R, if it is known.
        """
        return tuple(part.function(coef, primal) for part in self.parts)


@dataclass(frozen=True)
class GramMatrix:
    """A Gram matrix that is known already, in the role of a `LearnedKernel`.

    Attributes
    ----------
    K : ndarray of shape (n_samples, n_samples)
        May be overwritten by the machine.
    """

    K: np.ndarray

    rank = np.inf
    fast_products = False
    fast_single = False

    def gram(self, backend: Backend, dtype: type[np.floating[Any]] = np.float64) -> np.ndarray:
        """Return the matrix, in a precision that is at least the given one."""
        return self.K


def recentered(K: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return a Gram matrix centered with the weighted means of its own samples."""
    means = K @ w / w.sum()
    return np.asarray(K - means - means[:, None] + means @ w / w.sum())


def weighted(K: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Compute ``W^1/2 K W^1/2`` in place of K: its spectrum is that of K with repeated samples."""
    if not (w == 1).all():
        root = np.sqrt(w)
        K *= root[:, None]
        K *= root
    return K
