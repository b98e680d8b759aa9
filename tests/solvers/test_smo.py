"""The SVM dual: its conditions, its gap, and agreement with libsvm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from learnkernels.solvers import solve_svm, svm_gap


def problem(rng, n, noise=0.5):
    X = rng.standard_normal((n, 3))
    y = np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), y


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.floats(-3, 3))
@settings(max_examples=60, deadline=None)
def test_solution_is_feasible_optimal_and_proved(seed, n, log_C):
    rng = np.random.default_rng(seed)
    K, y = problem(rng, n)
    C = 10.0**log_C * rng.uniform(0.5, 2.0, n)
    solution = solve_svm(K, y, C)
    coef = solution.beta * y
    assert (coef >= 0).all() and (coef <= C).all()
    assert abs(solution.beta.sum()) <= 1e-8 * C.sum()
    assert np.allclose(solution.gradient, K @ solution.beta - y, atol=1e-7 * C.max() + 1e-9)
    assert solution.violation <= 1e-3
    assert solution.certificate.gap <= 1e-2


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_agrees_with_libsvm(C, rng):
    K, y = problem(rng, 150)
    solution = solve_svm(K, y, np.full(150, C))
    svc = SVC(kernel="precomputed", C=C, tol=1e-8).fit(K, y)
    # libsvm keeps kernel values in single precision, so its own error grows with C.
    ours = K @ solution.beta + solution.intercept
    assert np.allclose(ours, svc.decision_function(K), atol=1e-5 * max(C, 1.0))


def test_polishing_reaches_full_precision(rng):
    K, y = problem(rng, 200)
    exact = solve_svm(K, y, np.full(200, 5.0))
    rough = solve_svm(K, y, np.full(200, 5.0), exact=False)
    assert exact.violation <= 1e-8 < rough.violation
    assert exact.certificate.gap <= 1e-8


def test_repeated_samples_are_the_same_as_a_larger_bound(rng):
    K, y = problem(rng, 40)
    twice = np.repeat(np.arange(40), 2)
    once = solve_svm(K, y, np.full(40, 2.0))
    doubled = solve_svm(np.ascontiguousarray(K[np.ix_(twice, twice)]), y[twice], np.ones(80))
    folded = doubled.beta.reshape(40, 2).sum(axis=1)
    assert np.allclose(K @ folded + doubled.intercept, K @ once.beta + once.intercept, atol=1e-8)


def test_starting_at_the_solution_takes_no_step(rng):
    K, y = problem(rng, 100)
    first = solve_svm(K, y, np.ones(100), exact=False)
    again = solve_svm(K, y, np.ones(100), start=first.beta, exact=False)
    assert again.iterations == 0


def test_a_zero_kernel_predicts_the_majority():
    y = np.array([1.0, 1.0, 1.0, -1.0])
    solution = solve_svm(np.zeros((4, 4)), y, np.ones(4))
    assert solution.intercept > 0


def test_gap_of_an_arbitrary_point_is_a_true_bound(rng):
    K, y = problem(rng, 50)
    C = np.ones(50)
    best = solve_svm(K, y, C).certificate
    beta = 0.1 * (y / np.where(y > 0, (y > 0).sum(), (y < 0).sum()))
    other = svm_gap(y, C, beta, K @ beta - y, 0.0)
    assert other.dual <= best.dual + 1e-9 and other.primal >= best.primal - 1e-9
