"""(K + alpha I)^-1 as something that solves: by K itself, or by a factor R of K = R R'.

    (R R' + alpha I)^-1 v = (v - R (R'R + alpha I)^-1 R'v) / alpha

so that a kernel of rank q < n costs n q^2 and not n^3, and no n x n matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from learnkernels.errors import InputError
from learnkernels.gram import Backend, LearnedKernel

# Sparse columns are made dense for this, so there must not be many.
MOST_COLUMNS = 2000

__all__ = ["Regularised", "is_thin", "not_definite", "regularised", "regularised_dense"]


@dataclass(frozen=True)
class Regularised:
    """A factorised ``S + alpha I``.

    Attributes
    ----------
    factor : ndarray
        Cholesky factor of ``S + alpha I``, or of ``R'R + alpha I`` where S = R R' is given by R.
    R : ndarray of shape (n_samples, rank) or None
    alpha : float
    """

    factor: np.ndarray
    R: np.ndarray | None
    alpha: float

    def solve(self, v: np.ndarray) -> np.ndarray:
        """``(S + alpha I)^-1 v``, shape of v (n_samples, n_vectors)."""
        if self.R is None:
            return dpotrs(self.factor, v, lower=1)[0]
        inside = self.inside(v)
        c = (v - self.R @ inside) / self.alpha
        # Rounding of v is divided by alpha: what of c lies in the span of R is known better.
        return c + self.R @ dpotrs(self.factor, inside - self.R.T @ c, lower=1)[0]

    def inside(self, v: np.ndarray) -> np.ndarray | None:
        """``R'c`` for the solution c, shape (rank, n_vectors); None without a factor."""
        return None if self.R is None else dpotrs(self.factor, self.R.T @ v, lower=1)[0]


def is_thin(kernel: LearnedKernel) -> bool:
    """Whether a dense factor of the Gram is cheaper than the Gram."""
    return 2 * kernel.rank < kernel.n_samples and kernel.rank <= MOST_COLUMNS


def regularised(
    kernel: LearnedKernel, root: np.ndarray, alpha: float, backend: Backend
) -> Regularised | None:
    """``W^1/2 K W^1/2 + alpha I`` with ``root = W^1/2`` of shape (n,); None if not definite."""
    if is_thin(kernel):
        return regularised_root(root[:, None] * kernel.root(), alpha)
    K = kernel.gram(backend)
    if not (root == 1).all():
        K *= root[:, None]
        K *= root
    return regularised_dense(K, alpha)


def regularised_dense(K: np.ndarray, alpha: float) -> Regularised | None:
    """``K + alpha I``, in place of K; None if it is not definite."""
    K.flat[:: len(K) + 1] += alpha
    # K is symmetric: its transpose is the column-major array that LAPACK overwrites without a copy.
    factor, failed = dpotrf(K.T, lower=1, overwrite_a=1, clean=0)
    return None if failed else Regularised(factor, None, alpha)


def regularised_root(R: np.ndarray, alpha: float) -> Regularised | None:
    """``R R' + alpha I``."""
    G = R.T @ R
    G.flat[:: len(G) + 1] += alpha
    factor, failed = dpotrf(G.T, lower=1, overwrite_a=1, clean=0)
    return None if failed else Regularised(factor, R, alpha)


def not_definite(alpha: float) -> InputError:
    """What to say where ridge has no solution."""
    return InputError(
        f"the learned kernel plus alpha={alpha:g} on its diagonal is not positive definite, so "
        "ridge has no solution; raise alpha (or use a method with non-negative weights, if some "
        "are negative)."
    )
