"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.kernels.base import Code, CodedKernel
from learnkernels.kernels.sparse_dots import sparse_dots

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear(CodedKernel):
    """The linear kernel, ``k(x, z) = x'z``.

    Examples
    --------
    >>> from learnkernels.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    code = Code.DOT

    @property
    def name(self):
        return "linear"

    @property
    def params(self):
        return (0.0, 0.0, 0.0)

    def __call__(self, X, Z=None):
        return dots(X, X if Z is None else Z)

    def diagonal(self, X):
        return squared_norms(X)


def require_columns(X, Z) -> None:
    """Raise where two sets of samples differ in their columns, which compiled code counts on."""
    if X.shape[1] != Z.shape[1]:
        raise InputError(f"found samples of {X.shape[1]} columns where {Z.shape[1]} are expected.")


def dots(X, Z):
    """X Z' as a dense array, for dense or sparse rows."""
    if sparse.issparse(X) and sparse.issparse(Z):
        require_columns(X, Z)
        return sparse_dots(X, Z)
    if sparse.issparse(X) or sparse.issparse(Z):
        return np.asarray(X @ Z.T)
    return np.asarray(X, dtype=float) @ np.asarray(Z, dtype=float).T


def squared_norms(X):
    """|x|^2 for every row, dense or sparse, shape (n_samples,)."""
    if sparse.issparse(X):
        return np.asarray(sparse.csr_array(X).power(2).sum(axis=1)).ravel()
    X = np.asarray(X, dtype=float)
    return np.einsum("ij,ij->i", X, X)
