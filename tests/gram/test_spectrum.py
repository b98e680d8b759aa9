"""Largest eigenvalues and tail sums."""

import numpy as np
import pytest

from learnkernels.gram import largest_eigenpairs, tail_sum


@pytest.mark.parametrize("theta", [0, 1, 4, 30, 249, 250])
@pytest.mark.parametrize("gamma", [1e-4, 0.05, 1.0, 50.0])
def test_largest_eigenpairs_and_tail_sum_equal_the_dense_decomposition(theta, gamma, rng):
    X = rng.standard_normal((250, 5))
    K = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    exact = np.linalg.eigvalsh(K)
    values, vectors = largest_eigenpairs(K, theta)
    assert np.allclose(values, exact[250 - theta :], rtol=1e-5)
    assert np.allclose(vectors.T @ vectors, np.eye(theta), atol=1e-8)
    assert np.isclose(tail_sum(K, theta), exact[: 250 - theta].sum(), rtol=1e-5, atol=1e-9 * 250)


def test_tail_sum_of_equal_eigenvalues():
    assert np.isclose(tail_sum(np.eye(300), 2), 298.0)


def test_tail_sum_beyond_the_rank_is_zero(rng):
    X = rng.standard_normal((300, 3))
    assert abs(tail_sum(X @ X.T, 3)) < 1e-8
