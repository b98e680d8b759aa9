"""Centered alignment of two matrices, by its definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from learnkernels.checks import as_input_error, require_truth
from learnkernels.errors import InputError


def alignment(K: ArrayLike, L: ArrayLike, centered: bool = True) -> float:
    """Return the alignment of two Gram matrices, ``<K_c, L_c> / (|K_c| |L_c|)``.

    Parameters
    ----------
    K, L : array-like of shape (n_samples, n_samples)
        Symmetric Gram matrices of the same samples.
    centered : bool, default=True
        Whether the matrices are centered first, ``K_c = U K U`` with ``U = I - 11'/n``. Without
        centering this is the older definition, which correlates poorly with accuracy.

    Returns
    -------
    float
        In [0, 1] for positive semi-definite matrices; 0 if a centered matrix is zero.

    Examples
    --------
    >>> import numpy as np
    >>> import learnkernels as lk
    >>> y = np.array([-1.0, 1.0, 1.0, 1.0])
    >>> K = np.outer(y, y) + 1.0
    >>> round(lk.alignment(K, np.outer(y, y)), 3)
    1.0
    >>> round(lk.alignment(K, np.outer(y, y), centered=False), 3)
    0.791
    """
    require_truth("centered", centered)
    with as_input_error("alignment() takes two matrices of numbers: "):
        K, L = (np.array(matrix, dtype=float) for matrix in (K, L))
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape != L.shape:
        raise InputError(
            f"alignment got matrices of shapes {K.shape} and {L.shape}; both must be square and "
            "of the same shape. Pass the Gram matrices of the same samples."
        )
    if not (np.isfinite(K).all() and np.isfinite(L).all()):
        raise InputError(
            "alignment got a matrix with NaN or infinite values; all must be finite. Remove the "
            "samples that have them."
        )
    for matrix in (K, L):  # the scale does not matter, but squares could overflow
        matrix /= max(np.abs(matrix).max(initial=0.0), np.finfo(float).tiny)
    if centered:
        for matrix in (K, L):
            matrix -= matrix.mean(axis=0)
            matrix -= matrix.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(K) * np.linalg.norm(L)
    return float(np.vdot(K, L) / norms) if norms > 0 else 0.0
