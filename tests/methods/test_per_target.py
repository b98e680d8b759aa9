"""Averages of candidates for every target."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.per_target import (
    MAX_CANDIDATES,
    Decomposed,
    candidate_name,
    candidate_weights,
    n_candidates,
    shares,
)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 6, 7, 30, 31, 500])
def test_candidates_are_distinct_weights_that_sum_to_one(p):
    found = candidate_weights(p, 0)
    assert len(found) == n_candidates(p) <= MAX_CANDIDATES
    assert len(np.unique(found.round(9), axis=0)) == len(found)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[0], 1 / p)
    np.testing.assert_array_equal(found, candidate_weights(p, 0))


def problem(center):
    """Return a Gram matrix of rank 5, centered or not, and two targets."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 5))
    Y = np.column_stack([X[:, 0] + rng.standard_normal(30), rng.standard_normal(30)])
    if center:
        X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    return X @ X.T, Y


@pytest.mark.parametrize("center", [False, True])
def test_errors_and_solutions_are_those_of_the_hat_matrix(center):
    K, Y = problem(center)
    n, alphas = len(K), np.array([0.1, 10.0])
    expected = []
    for alpha in alphas:
        H = K @ np.linalg.inv(K + alpha * np.eye(n)) + center / n
        residuals = Y - H @ Y
        expected.append(np.mean(residuals**2, axis=0) / (1 - np.trace(H) / n) ** 2)
    found = Decomposed.of(K.copy(), Y, alphas, center)
    np.testing.assert_allclose(found.errors, np.min(expected, axis=0))
    np.testing.assert_array_equal(found.alpha, alphas[np.argmin(expected, axis=0)])
    for t in range(2):
        expected = np.linalg.solve(K + found.alpha[t] * np.eye(n), Y[:, [t]])
        np.testing.assert_allclose(found.solution(np.array([t])), expected, atol=1e-9)


def test_indefinite_gram_raises():
    with pytest.raises(lk.errors.InputError, match="not positive definite"):
        Decomposed.of(-np.eye(3), np.ones((3, 1)), np.array([0.5]), False)


def test_shares_are_powers_of_the_errors_without_small_ones():
    errors = np.array([[1.0, 2.0], [1.1, 1.0], [3.0, 1.0]])
    found = shares(errors, 16)
    np.testing.assert_allclose(found.sum(axis=0), 1)
    assert found[1, 0] / found[0, 0] == pytest.approx(1.1**-2)
    assert found[2, 0] / found[0, 0] == pytest.approx(3.0**-2)
    assert shares(errors, 160)[2, 0] == 0


def test_candidates_of_a_constant_target_share_equally():
    np.testing.assert_allclose(shares(np.zeros((4, 1)), 10), 0.25)


def test_name_lists_the_largest_weights():
    names = list("abcdef")
    assert candidate_name(np.array([0.25, 0.75, 0, 0, 0, 0]), names) == "0.75 b + 0.25 a"
    assert candidate_name(np.full(6, 1 / 6), names).endswith("0.17 d + 2 more")
