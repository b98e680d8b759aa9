"""Stability bounds: by hand, and against samples that are replaced one by one."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import theory


def test_bounds_match_hand_computation():
    assert theory.ridge_stability(50, 2.0, 3.0, 0.2, smallest_eigenvalue=2.0) == 1.0
    # kappa = 2 * 8, lambda_0 = 1: |h| <= 3 * 4 / 2 = 6
    assert theory.largest_residual(16.0, 3.0, 1.0) == 9.0
    assert theory.largest_residual(16.0, 3.0, 1.0, intercept=True) == 12.0
    # 8 * 3 / 1 * (1 + 2) * (2 * 2 / 40 + 0.4) = 36
    settings = {"radius": 2.0, "change": 0.4}
    assert np.isclose(theory.two_stage_stability(40, 8.0, 3.0, 1.0, **settings), 36.0)
    # 2 * 12 * (1 + 16) / 40 + 8 * 3 * (1 + 2) * 0.4
    found = theory.two_stage_stability(40, 8.0, 3.0, 1.0, intercept=True, **settings)
    assert np.isclose(found, 10.2 + 28.8)
    assert theory.learned_ridge_stability(100, 4.0, 3.0, 2.0) == pytest.approx(6 * 4 * 3 / 200)
    found = theory.learned_ridge_stability(100, 4.0, 3.0, 2.0, intercept=True)
    assert found == pytest.approx(2 * 3 * (1 + 6) / 100)
    # 0.5 + 0.01 + (2 + 9) * sqrt(log(1 / delta) / 200) with log(1 / delta) = 2
    delta = np.exp(-2.0)
    found = theory.learned_ridge_generalization(0.5, 0.01, 100, 3.0, delta)
    assert np.isclose(found, 0.51 + 11 * 0.1)
    # B = 1 + 1 / 2, stability 1.5 * 2 / 100, beta = 2 * 1.5 * 0.03 = 0.09
    found = theory.two_stage_generalization(0.5, 100, 1.0, 1.0, 1.0, delta, change=0.0)
    assert np.isclose(found, 0.5 + 0.09 + (18 + 2.25) * 0.1)
    # W = 10, d^2 = 2 * 0.5 * 100 * 10 * 2 * 0.1
    found = theory.svm_stability(100, 4.0, 0.5, change=0.01)
    assert np.isclose(found, 4 + 2 * np.sqrt(200) + 2)


def test_stability_covers_the_sample_that_theorem_16_of_2012_does_not():
    """Kernel xz on [-1, 1], 999 samples at sqrt(1/999) with y = 1; (0, 1) becomes (1, -1)."""
    x, y = np.full(1000, np.sqrt(1 / 999)), np.ones(1000)
    x[-1] = 0.0
    other_x, other_y = np.append(x[:-1], 1.0), np.append(y[:-1], -1.0)
    # h(1) = sum x y / (sum x^2 + alpha) for one feature, with alpha = 1
    moved = abs(x @ y / (x @ x + 1) - other_x @ other_y / (other_x @ other_x + 1))
    assert moved == pytest.approx(5.60, abs=0.01)
    printed = 2 * 1.0 * 1.0 / (0.001 * 1000)
    assert printed < moved <= theory.two_stage_stability(1000, 1.0, 1.0, 0.001, change=0.0)


def test_stability_covers_new_points_where_kernels_differ():
    """Theorem 16 of 2012 bounds the change of the kernel on the training samples only.

    Two kernels that are equal on them can differ at a new sample.
    """
    m, alpha = 10, 1.0
    on_samples = {"first": np.ones(m), "second": np.ones(m)}
    at_new = {"first": 1.0, "second": -1.0}
    h = {
        name: at_new[name] * z @ np.linalg.solve(np.outer(z, z) + alpha * np.eye(m), np.ones(m))
        for name, z in on_samples.items()
    }
    moved = abs(h["first"] - h["second"])
    assert moved > 1.8  # |K_mu' - K_mu| = 0 on the samples
    assert moved <= theory.two_stage_stability(m, 1.0, 1.0, alpha / m, change=2.0)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_bounds_do_not_depend_on_the_unit_of_the_kernel(scale):
    """Kernels and alpha times a number is the same learner."""
    one, same = (
        (
            theory.two_stage_stability(50, s, 2.0, 0.1 * s, change=0.3),
            theory.two_stage_stability(50, s, 2.0, 0.1 * s, change=0.3, intercept=True),
            theory.two_stage_generalization(0.2, 50, s, 2.0, 0.1 * s, 0.1, change=0.3),
            theory.learned_ridge_stability(50, s, 2.0, 0.1 * s),
            theory.ridge_stability(50, s, 2.0, 0.1 * s),
            theory.svm_stability(50, s, 0.1 / s, change=0.3),
        )
        for s in (1.0, scale)
    )
    assert one == pytest.approx(same)


def test_bounds_scale_with_weights_and_targets():
    one = theory.two_stage_stability(50, 1.0, 2.0, 0.1, radius=1.0, change=0.3)
    other = theory.two_stage_stability(50, 5.0, 2.0, 0.1, radius=0.2, change=0.06)
    assert one == pytest.approx(other)
    for function in (theory.two_stage_stability, theory.largest_residual):
        arguments = (50,) if function is theory.two_stage_stability else ()
        assert function(*arguments, 1.0, 6.0, 0.1) == pytest.approx(
            3 * function(*arguments, 1.0, 2.0, 0.1)
        )


def test_proposition_3_of_2009_as_printed_depends_on_the_unit_of_the_kernel():
    def printed(kappa, lambda_0, M=1.0, Lambda=1.0, p=4, m=1000):
        C_0 = 2 * kappa * M + 4 * Lambda * M * np.sqrt(kappa) * (kappa / lambda_0 + 1)
        C_1 = 16 * Lambda**2 * M * kappa**1.5 / lambda_0
        return 2 * M * (C_0 + C_1 * np.sqrt(p)) / (lambda_0 * m)

    assert printed(1e8, 1e8) < 0.1 * printed(1.0, 1.0)


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
    for i in range(n):
        other_X, other_y = X.copy(), y.copy()
        other_X[i], other_y[i] = rng.uniform(-1, 1, 2), rng.uniform(-1, 1)
        other_mu, again = learned(other_X, other_y)
        change = np.abs(other_mu - mu).sum()
        bound = theory.two_stage_stability(n, 1.0, 1.7, alpha / n, change=float(change))
        assert np.abs(again - h).max() <= bound


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.ridge_stability(10, 1.0, 1.0, 0.0), "regularization=0.0"),
        (lambda: theory.two_stage_stability(10, 1.0, 1.0, 1.0, radius=-1.0), "radius=-1.0"),
        (lambda: theory.learned_ridge_stability(0, 1.0, 1.0, 1.0), "n_samples=0"),
        (lambda: theory.learned_ridge_generalization(0.1, 0.1, 10, 1.0, 0.0), "delta=0.0"),
        (lambda: theory.largest_residual(1.0, 1.0, 1.0, intercept="no"), "intercept='no'"),
        (lambda: theory.svm_stability(10, 1.0, 0.0), "C=0.0"),
    ],
)
def test_invalid_argument_raises_input_error(call, message):
    with pytest.raises(lk.InputError, match=message):
        call()
