"""The machines against scikit-learn and against their definitions."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

import learnkernels as lk
from learnkernels.gram import Threads
from learnkernels.machines import SVM, AlignmentPredictor, Problem, Ridge, leave_one_out
from tests import dense


def problem(rng, n=40, outputs=2, center=True, weights=None):
    X = rng.standard_normal((n, 3))
    K = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    w = np.ones(n) if weights is None else weights
    if center:
        mean = K @ w / w.sum()
        K = K - mean - mean[:, None] + mean @ w / w.sum()
    return Problem(K, rng.standard_normal((n, outputs)), w, center, Threads(1))


@pytest.mark.parametrize("center", [True, False])
def test_ridge_solves_its_equations(center, rng):
    given = problem(rng, center=center)
    K = given.K.copy()
    (trained,) = Ridge().path(given, [0.7])
    targets = given.Y - (given.Y.mean(axis=0) if center else 0)
    assert np.allclose((K + 0.7 * np.eye(40)) @ trained.coef, targets)
    assert np.allclose(trained.intercept, given.Y.mean(axis=0) if center else 0)


def test_ridge_without_centering_is_that_of_scikit_learn(rng):
    given = problem(rng, center=False, weights=rng.uniform(0.5, 2.0, 40))
    K = given.K.copy()
    (trained,) = Ridge().path(given, [0.7])
    expected = KernelRidge(alpha=0.7, kernel="precomputed").fit(K, given.Y, given.weights)
    assert np.allclose(trained.coef, expected.dual_coef_)


@pytest.mark.parametrize("center", [True, False])
def test_leave_one_out_is_leaving_one_out(center, rng):
    """Against refitting without each sample; the kernel is the same function throughout."""
    given = problem(rng, n=25, center=False)
    K, Y = given.K.copy(), given.Y
    if center:
        given = Problem(dense.centered(K), Y, given.weights, True, given.backend)
    values = [1e-9, 0.1, 3.0]
    errors, _ = leave_one_out(given, values)
    for alpha, error in zip(values, errors, strict=True):
        residuals = []
        for i in range(25):
            rest = np.delete(np.arange(25), i)
            k, intercept, row = K[np.ix_(rest, rest)], 0.0, K[i, rest]
            if center:
                intercept = Y[rest].mean(axis=0)
                row = row - row.mean() - k.mean(axis=0) + k.mean()
                k = dense.centered(k)
            coef = np.linalg.solve(k + alpha * np.eye(24), Y[rest] - intercept)
            residuals.append(Y[i] - row @ coef - intercept)
        assert np.isclose(error, np.mean(np.square(residuals)), rtol=1e-4)


def test_leave_one_out_trains_what_ridge_trains(rng):
    given = problem(rng, weights=rng.uniform(0.5, 2.0, 40))
    K = given.K.copy()
    _, path = leave_one_out(given, [0.1, 1.0])
    for trained in path:
        again = Problem(K.copy(), given.Y, given.weights, True, given.backend)
        (expected,) = Ridge().path(again, [trained.regularization])
        assert np.allclose(trained.coef, expected.coef)


def test_ridge_says_so_when_it_has_no_solution(rng):
    given = problem(rng)
    for values in ([1.0], [1.0, 2.0]):
        indefinite = Problem(-5 * given.K, given.Y, given.weights, True, given.backend)
        with pytest.raises(lk.InputError, match="raise alpha"):
            Ridge().path(indefinite, values)


def test_svm_path_in_any_order_is_that_of_single_fits(rng):
    given = problem(rng, n=60, outputs=1)
    signs = Problem(given.K, np.sign(given.Y), given.weights, True, given.backend)
    values = [10.0, 0.1, 1.0]
    path = SVM().path(signs, values)
    for value, trained in zip(values, path, strict=True):
        (alone,) = SVM().path(signs, [value])
        assert trained.regularization == value
        assert np.allclose(given.K @ trained.coef, given.K @ alone.coef, atol=1e-6)


def test_alignment_predictor_correlates_as_the_kernel_aligns(rng):
    """2012, section 4.2: E[y h(x)] = rho(K, yy') for standardised y."""
    given = problem(rng, outputs=1)
    y = given.Y[:, 0]
    (trained,) = AlignmentPredictor().path(given, [1.0])
    h = (given.K @ trained.coef)[:, 0] / y.std()
    z = (y - y.mean()) / y.std()
    assert np.isclose(np.mean(z * h), lk.alignment(given.K, np.outer(z, z)))
    assert np.allclose(trained.intercept, y.mean())


def test_alignment_predictor_needs_centering(rng):
    with pytest.raises(lk.InputError, match="center=True"):
        AlignmentPredictor().path(problem(rng, center=False), [1.0])


def test_alphas_without_a_solution_are_never_chosen(rng):
    given = problem(rng)
    lowest = np.linalg.eigvalsh(given.K - 2 * np.eye(40))[0]
    shifted = Problem(given.K - 2 * np.eye(40), given.Y, given.weights, False, given.backend)
    errors, _ = leave_one_out(shifted, [1.0, -lowest + 1.0])
    assert np.isinf(errors[0]) and np.isfinite(errors[1])
