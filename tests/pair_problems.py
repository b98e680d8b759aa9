"""Small problems of pairs of objects, for tests."""

from __future__ import annotations

import numpy as np

import learnkernels as lk

# Kind, left and right objects, part of the pairs that is observed. The grid of the third is so
# sparse that products are computed at the pairs only.
CASES = (
    ("kronecker", 7, 9, 0.6),
    ("kronecker", 7, 9, 1.0),
    ("kronecker", 40, 50, 0.03),
    ("sum", 7, 9, 0.6),
    ("cartesian", 7, 9, 0.6),
    ("symmetric", 8, 8, 0.6),
    ("symmetric", 40, 40, 0.03),
)


def gram(rng, n, width=0.3):
    """Return the Gram matrix of a Gaussian kernel on random objects."""
    Z = rng.standard_normal((n, 3))
    return np.exp(-width * np.sum((Z[:, None] - Z) ** 2, axis=2))


def pair_problem(kind="kronecker", m=7, q=9, observed=0.6, seed=0):
    """Return a family of pairwise kernels, pairs in random order, and a target of two columns."""
    rng = np.random.default_rng(seed)
    left = np.stack([gram(rng, m) for _ in range(3)], axis=-1)
    right = None if kind == "symmetric" else np.stack([gram(rng, q) for _ in range(2)], axis=-1)
    X = np.argwhere(rng.random((m, q)) < observed)
    X = X[rng.permutation(len(X))]
    return lk.pairs(left, right, kind=kind), X, rng.standard_normal((len(X), 2))
