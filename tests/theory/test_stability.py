"""Stability bounds: by hand, and against samples that are replaced one by one."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import theory


def test_bounds_match_hand_computation():
    assert theory.ridge_stability(50, 2.0, 3.0, 0.2, smallest_eigenvalue=2.0) == 1.0
    # 2 * 2 * 1 * 3 / (0.5 * 40) * (1 + 4 / (2 * 0.5)) = 0.6 * 5
    assert np.isclose(theory.two_stage_stability(40, 1.0, 3.0, 0.5, radius=2.0), 3.0)
    # C_0 = 8 * 3 + 4 * 3 * 2 * (4 / 2 + 1) = 96; C_1 = 16 * 3 * 8 / 2 = 192
    found = theory.learned_ridge_stability(1000, 9, 4.0, 3.0, 2.0)
    assert np.isclose(found, 6 * (96 + 3 * 192) / 2000)
    # 0.5 + 0.02 + (4 + 9) * sqrt(log(1 / delta) / 200) with log(1 / delta) = 2
    delta = np.exp(-2.0)
    found = theory.learned_ridge_generalization(0.5, 0.01, 100, 3.0, delta)
    assert np.isclose(found, 0.5 + 0.02 + 13 * 0.1)
    # M_1 = 2 (1 + 1) = 4, beta = 4 * 0.04, largest loss 4
    found = theory.two_stage_generalization(0.5, 100, 1.0, 1.0, 1.0, delta, change=2.0)
    assert np.isclose(found, 0.5 + 2 * 0.16 + (400 * 0.16 + 4) * 0.1)


def ridge(K, rows, y, alpha):
    return rows @ np.linalg.solve(K + alpha * np.eye(len(K)), y)


@pytest.mark.parametrize("alpha", [1.0, 10.0])
def test_ridge_satisfies_stability_bound_in_200_replacements(alpha, rng):
    n = 40
    X, new = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, (50, 2))
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    kernel = lk.kernels.Gaussian(1.0)
    h = ridge(kernel(X), kernel(new, X), y, alpha)
    moved = largest = 0.0
    for change in range(200):
        i = change % n
        other_X, other_y = X.copy(), y.copy()
        other_X[i], other_y[i] = rng.uniform(-1, 1, 2), rng.uniform(-1.5, 1.5)
        again = ridge(kernel(other_X), kernel(new, other_X), other_y, alpha)
        moved = max(moved, float(np.abs(again - h).max()))
        # M of the theorem: residuals at the two points that differ, with the first hypothesis
        at = np.vstack([X[i], other_X[i]])
        both = ridge(kernel(X), kernel(at, X), y, alpha)
        largest = max(largest, float(np.abs(both - [y[i], other_y[i]]).max()))
    bound = theory.ridge_stability(n, 1.0, largest, alpha / n)
    assert 0 < moved <= bound


def test_two_stage_ridge_satisfies_stability_bound(rng):
    n, alpha = 40, 20.0
    X, new = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, (30, 2))
    y = np.clip(np.sin(3 * X[:, 0]) + 0.3 * rng.standard_normal(n), -1, 1)
    y -= y.mean()
    gammas = [0.3, 1.0, 3.0]

    def learned(X, y):
        statistics = lk.alignment_statistics(
            lk.gaussians(gammas), X, y, normalize=None, task="regression"
        )
        v, _ = lk.solvers.nonnegative_qp(statistics.M, statistics.a)
        mu = v / v.sum()
        grams = [lk.kernels.Gaussian(gamma) for gamma in gammas]
        K = sum(w * kernel(X) for w, kernel in zip(mu, grams, strict=True))
        rows = sum(w * kernel(new, X) for w, kernel in zip(mu, grams, strict=True))
        return mu, ridge(K, rows, y, alpha)

    mu, h = learned(X, y)
    norms = [np.linalg.norm(lk.kernels.Gaussian(gamma)(X), 2) for gamma in gammas]
    for i in range(n):
        other_X, other_y = X.copy(), y.copy()
        other_X[i], other_y[i] = rng.uniform(-1, 1, 2), rng.uniform(-1, 1)
        other_mu, again = learned(other_X, other_y)
        change = np.abs(other_mu - mu).sum() * max(norms)
        bound = theory.two_stage_stability(n, 1.0, 1.7, alpha / n, change=float(change))
        assert np.abs(again - h).max() <= bound


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.ridge_stability(10, 1.0, 1.0, 0.0), "regularization=0.0"),
        (lambda: theory.two_stage_stability(10, 1.0, 1.0, 1.0, radius=-1.0), "radius=-1.0"),
        (lambda: theory.learned_ridge_stability(10, 0, 1.0, 1.0, 1.0), "n_kernels=0"),
        (lambda: theory.learned_ridge_generalization(0.1, 0.1, 10, 1.0, 0.0), "delta=0.0"),
    ],
)
def test_invalid_argument_raises_input_error(call, message):
    with pytest.raises(lk.InputError, match=message):
        call()
