"""Partial Cholesky decomposition with random pivots."""

from __future__ import annotations

import numpy as np
import pytest

from learnkernels.solvers import pivoted_cholesky


def decomposed(A, rank, seed=0):
    random = np.random.default_rng(seed)
    return pivoted_cholesky(np.diag(A).copy(), lambda index: A[:, index].copy(), rank, random)


def gaussian(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("rank", [1, 7, 40])
def test_factor_equals_the_projection_on_the_columns_of_the_pivots(rank, rng):
    A = gaussian(rng.standard_normal((60, 3)), 0.3)
    F, pivots = decomposed(A, rank)
    assert F.shape == (60, rank) and len(np.unique(pivots)) == rank
    C = A[:, pivots]
    expected = C @ np.linalg.pinv(A[np.ix_(pivots, pivots)], rcond=1e-14) @ C.T
    assert np.allclose(F @ F.T, expected, atol=1e-7)
    assert np.allclose(F @ F.T[:, pivots], C, atol=1e-7)
    assert np.linalg.eigvalsh(A - F @ F.T).min() > -1e-8


def test_all_pivots_give_the_whole_matrix(rng):
    A = gaussian(rng.standard_normal((30, 2)), 5.0)
    F, pivots = decomposed(A, 30)
    assert np.allclose(F @ F.T, A, atol=1e-8)
    assert len(pivots) <= 30


def test_rank_of_the_matrix_ends_the_decomposition(rng):
    B = rng.standard_normal((50, 4))
    F, pivots = decomposed(B @ B.T, 20)
    assert F.shape == (50, 4) and len(pivots) == 4
    assert np.allclose(F @ F.T, B @ B.T)


def test_zero_matrix_has_no_pivots():
    F, pivots = decomposed(np.zeros((5, 5)), 3)
    assert F.shape == (5, 0) and len(pivots) == 0


def test_pivots_have_the_distribution_of_pivots_that_are_drawn_one_by_one():
    # With p = (4, 2, 2) / 8 and A diagonal, the second pivot has the probabilities of the rest.
    A = np.diag([4.0, 2.0, 2.0])
    seconds = [tuple(decomposed(A, 2, seed)[1]) for seed in range(2000)]
    first = np.mean([one[0] == 0 for one in seconds])
    again = np.mean([one[1] == 0 for one in seconds if one[0] == 1])
    assert first == pytest.approx(1 / 2, abs=0.05)
    assert again == pytest.approx(2 / 3, abs=0.08)


def test_correlated_pivots_have_the_distribution_of_pivots_that_are_drawn_one_by_one():
    A = np.array([[4.0, 4.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 2.0]])
    pairs = [tuple(decomposed(A, 2, seed)[1]) for seed in range(2000)]
    seconds = [second for first, second in pairs if first == 0]
    # After pivot 0, the diagonal that is left is (0, 5 - 4^2 / 4, 2).
    assert np.mean(np.equal(seconds, 1)) == pytest.approx(1 / 3, abs=0.05)


def test_few_pivots_find_samples_far_from_all_others(rng):
    X = np.vstack([rng.standard_normal((200, 2)) * 0.1, [[10.0, 0.0], [0.0, 10.0], [10.0, 10.0]]])
    _, pivots = decomposed(gaussian(X, 0.5), 8)
    assert {200, 201, 202} <= set(pivots.tolist())
