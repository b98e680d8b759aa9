"""Partial Cholesky decomposition of a positive semi-definite matrix with random pivots.

    A ~ F F',   F of shape (n, rank),   A given by its diagonal and by some of its columns

A pivot is drawn with a probability proportional to the diagonal of A - F F'. Many candidates are
drawn at once from the current diagonal, so that columns come in blocks, and a candidate is accepted
with the probability that its entry has kept after the candidates before it (Epperly, Tropp and
Webber 2024): the accepted pivots have the distribution of pivots that are drawn one by one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

# Candidates that are drawn at once, as a part of the rank, and at least so many.
PART, LEAST = 0.1, 16
# A diagonal below this part of the largest entry of A is rounding.
SMALLEST = 1e-12


def pivoted_cholesky(
    diagonal: np.ndarray,
    columns: Callable[[np.ndarray], np.ndarray],
    rank: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the factor and the pivots.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        Diagonal of A.
    columns : callable
        ``columns(index)``: columns of A, shape (n, len(index)), which may be overwritten.
    rank : int
        Number of pivots; fewer if nothing but rounding is left.
    random : Generator

    Returns
    -------
    F : ndarray of shape (n, rank), by columns
    pivots : ndarray of shape (rank,)
    """
    n = len(diagonal)
    least = SMALLEST * max(float(diagonal.max(initial=0.0)), np.finfo(float).tiny)
    left = np.where(diagonal > least, diagonal, 0.0)
    F, pivots = np.empty((n, rank), order="F"), np.empty(0, dtype=int)
    block = min(max(LEAST, int(PART * rank)), n)
    while len(pivots) < rank and left.any():
        k = len(pivots)
        drawn = random.choice(n, block, p=left / left.sum())
        candidates = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        G = columns(candidates)
        G -= F[:, :k] @ F[candidates, :k].T
        kept = accepted(G[candidates], left[candidates], least, random)[: rank - k]
        chosen = candidates[kept]
        lower = np.linalg.cholesky(G[np.ix_(chosen, kept)])
        new = solve_triangular(lower, G[:, kept].T, lower=True, check_finite=False).T
        F[:, k : k + len(kept)] = new
        pivots = np.append(pivots, chosen)
        left -= np.einsum("ij,ij->i", new, new)
        left[left <= least] = 0.0
        left[pivots] = 0.0
    return F[:, : len(pivots)], pivots


def accepted(
    A: np.ndarray, left: np.ndarray, least: float, random: np.random.Generator
) -> np.ndarray:
    """Return which candidates are accepted, at least the first.

    Parameters
    ----------
    A : ndarray of shape (n_candidates, n_candidates)
        The matrix that is left, at the candidates.
    left : ndarray of shape (n_candidates,)
        The diagonal that they were drawn from.
    least : float
        A smaller diagonal is rounding.
    random : Generator
    """
    A, kept = A.copy(), []
    for i, chance in enumerate(random.random(len(A))):
        if i == 0 or A[i, i] > max(chance * left[i], least):
            kept.append(i)
            column = A[i:, i] / np.sqrt(A[i, i])
            A[i:, i:] -= np.outer(column, column)
    return np.array(kept)
