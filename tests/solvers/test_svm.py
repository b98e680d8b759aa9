"""Support vector machines: optimality, duality gap, agreement with libsvm, paths of C."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from learnkernels.progress import showing
from learnkernels.solvers import SVMSolution, hinge_loss, solve_svm, svm, svm_path


def problem(rng, n, noise=0.5):
    X = rng.standard_normal((n, 3))
    y = np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), y


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.floats(-3, 3))
@settings(max_examples=60, deadline=None)
def test_solution_is_feasible_and_optimal(seed, n, log_C):
    rng = np.random.default_rng(seed)
    K, y = problem(rng, n)
    C = 10.0**log_C * rng.uniform(0.5, 2.0, n)
    solution, certificate = solve_svm(K, y, C)
    coef = solution.beta * y
    assert (coef >= 0).all() and (coef <= C).all()
    assert abs(solution.beta.sum()) <= 1e-8 * C.sum()
    assert np.allclose(solution.gradient, K @ solution.beta - y, atol=1e-7 * C.max() + 1e-9)
    assert solution.violation <= 1e-3
    assert certificate.gap <= 1e-2


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_agrees_with_libsvm(C, rng):
    K, y = problem(rng, 150)
    solution, _ = solve_svm(K, y, np.full(150, C))
    svc = SVC(kernel="precomputed", C=C, tol=1e-8).fit(K, y)
    # libsvm keeps kernel values in single precision, so its own error grows with C.
    ours = K @ solution.beta + solution.intercept
    assert np.allclose(ours, svc.decision_function(K), atol=1e-5 * max(C, 1.0))


def regression_problem(rng, n):
    X = rng.standard_normal((n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(n)
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), (y - y.mean()) / y.std()


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.floats(-3, 3), st.floats(0.0, 2.0))
@example(0, 2, 0.0, 0.9999)  # the loss of no coefficients is smaller than the tolerance
@settings(max_examples=60, deadline=None)
def test_regression_satisfies_optimality_conditions(seed, n, log_C, epsilon):
    rng = np.random.default_rng(seed)
    K, y = regression_problem(rng, n)
    C = 10.0**log_C * rng.uniform(0.5, 2.0, n)
    solution, certificate = solve_svm(K, y, C, epsilon=epsilon)
    beta, residuals = solution.beta, y - K @ solution.beta - solution.intercept
    assert (np.abs(beta) <= C).all() and abs(beta.sum()) <= 1e-8 * C.sum()
    assert solution.violation <= 1e-3 and certificate.gap <= 1e-2
    assert certificate.criterion == "SVR objective"
    inside = (beta != 0) & (np.abs(beta) < C)
    assert (np.abs(residuals[beta == 0]) <= epsilon + 1e-3).all()
    assert np.allclose(residuals[inside], epsilon * np.sign(beta[inside]), atol=1e-3)
    assert (residuals[beta == C] >= epsilon - 1e-3).all()
    assert (residuals[beta == -C] <= -epsilon + 1e-3).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_regression_agrees_with_libsvm(C, epsilon, rng):
    K, y = regression_problem(rng, 150)
    solution, _ = solve_svm(K, y, np.full(150, C), epsilon=epsilon)
    svr = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-8).fit(K, y)
    ours = K @ solution.beta + solution.intercept
    assert np.allclose(ours, svr.predict(K), atol=1e-4)
    theirs = np.zeros(150)
    theirs[svr.support_] = svr.dual_coef_[0]
    dual = y @ theirs - epsilon * np.abs(theirs).sum() - theirs @ K @ theirs / 2
    assert np.isclose(solution.bound, dual, rtol=1e-4)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_regression_path_has_the_solution_of_each_C(epsilon, rng):
    K, y = regression_problem(rng, 120)
    w, values = rng.uniform(0.5, 2.0, 120), [10.0, 0.3, 3.0]
    path = svm_path(K, y, w, values, epsilon=epsilon)
    for C, (found, certificate) in zip(values, path, strict=True):
        alone, _ = solve_svm(K, y, C * w, epsilon=epsilon)
        assert np.allclose(K @ found.beta, K @ alone.beta, atol=1e-6)
        assert certificate.status == "optimal"


def test_regression_with_a_wide_tube_predicts_the_middle():
    y = np.array([-1.0, 0.0, 0.5, 2.0])
    solution, certificate = solve_svm(np.eye(4), y, np.ones(4), epsilon=2.0)
    assert not solution.beta.any() and solution.intercept == 0.5 and certificate.gap == 0.0


def test_polishing_reaches_full_precision(rng):
    K, y = problem(rng, 200)
    exact, certificate = solve_svm(K, y, np.full(200, 5.0))
    rough, _ = solve_svm(K, y, np.full(200, 5.0), exact=False)
    assert exact.violation <= 1e-8 < rough.violation
    assert certificate.gap <= 1e-8


def test_repeated_samples_equal_a_larger_C(rng):
    K, y = problem(rng, 40)
    twice = np.repeat(np.arange(40), 2)
    once, _ = solve_svm(K, y, np.full(40, 2.0))
    doubled, _ = solve_svm(np.ascontiguousarray(K[np.ix_(twice, twice)]), y[twice], np.ones(80))
    folded = doubled.beta.reshape(40, 2).sum(axis=1)
    assert np.allclose(K @ folded + doubled.intercept, K @ once.beta + once.intercept, atol=1e-8)


def test_start_at_the_solution_takes_no_step(rng):
    K, y = problem(rng, 100)
    first, _ = solve_svm(K, y, np.ones(100), exact=False)
    again, _ = solve_svm(K, y, np.ones(100), start=first.beta, exact=False)
    assert again.iterations == 0


@pytest.mark.parametrize("epsilon", [None, 0.2])
@pytest.mark.parametrize("C", [0.2, 20.0])
def test_best_multiple_of_a_start_has_the_smallest_objective_in_the_box(C, epsilon, rng):
    K, y = problem(rng, 60)
    first, _ = solve_svm(K, y, np.full(60, 0.1), epsilon=epsilon)
    beta, dual = first.beta, svm.Dual.of(y, np.full(60, C), epsilon)
    most = C / np.abs(beta).max()
    multiples = most * np.linspace(0, 1, 2001)
    linear = y @ beta - (epsilon or 0.0) * np.abs(beta).sum()
    objectives = multiples**2 * (beta @ K @ beta) / 2 - multiples * linear
    expected = multiples[np.argmin(objectives)]
    assert dual.best_multiple(beta, K @ beta) == pytest.approx(expected, abs=most / 1000)


def test_larger_C_takes_no_step_if_no_coefficient_is_at_its_bound(rng):
    K, y = problem(rng, 100, noise=0.0)
    first, second = svm_path(K, y, np.ones(100), [1e3, 1e5])
    assert np.abs(first[0].beta).max() < 1e3 and second[0].iterations == 0


@pytest.mark.parametrize("epsilon", [None, 0.2])
@pytest.mark.parametrize("C", [1.0, 1e3])  # the gradient is of single precision for the first
def test_matrix_of_single_precision_has_the_outputs_of_double_precision(C, epsilon, rng):
    K, y = problem(rng, 100)
    exact, _ = solve_svm(K, y, np.full(100, C), epsilon=epsilon)
    options = {"epsilon": epsilon, "exact": False}
    found, _ = solve_svm(K.astype(np.float32), y, np.full(100, C), **options)
    rounding = np.finfo(np.float32).eps * np.abs(found.beta).sum()
    outputs, expected = (K @ one.beta + one.intercept for one in (found, exact))
    assert np.allclose(outputs, expected, rtol=2e-3, atol=2e-3 + rounding)
    assert np.allclose(found.gradient, K @ found.beta - y, atol=rounding + 1e-5)


@pytest.mark.parametrize("epsilon", [None, 0.2])
def test_samples_of_weight_zero_are_left_out(epsilon, rng):
    K, y = problem(rng, 100)
    C = np.where(np.arange(100) < 20, 0.0, 2.0)
    whole, _ = solve_svm(K, y, C, epsilon=epsilon)
    part, _ = solve_svm(np.ascontiguousarray(K[20:, 20:]), y[20:], C[20:], epsilon=epsilon)
    outputs = K[:, 20:] @ part.beta + part.intercept
    assert not whole.beta[:20].any()
    assert np.allclose(K @ whole.beta + whole.intercept, outputs, atol=1e-6)


def test_zero_kernel_predicts_the_majority():
    y = np.array([1.0, 1.0, 1.0, -1.0])
    solution, _ = solve_svm(np.zeros((4, 4)), y, np.ones(4))
    assert solution.intercept > 0


def test_dual_value_of_any_feasible_point_is_a_lower_bound(rng):
    K, y = problem(rng, 50)
    C = np.ones(50)
    best, _ = solve_svm(K, y, C)
    beta = 0.1 * (y / np.where(y > 0, (y > 0).sum(), (y < 0).sum()))
    other = SVMSolution.of(svm.Dual.of(y, C, None), beta, K @ beta - y, 0)
    assert other.bound <= best.bound + 1e-9 and other.value >= best.value - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_hinge_loss_is_lowest_over_intercepts(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    y = rng.choice([-1.0, 1.0], n)
    outputs = rng.integers(-3, 4, n).astype(float) if seed % 2 else rng.standard_normal(n)
    C = rng.uniform(0, 2, n)

    def loss(b):
        return C @ np.maximum(0.0, 1 - y * (outputs + b))

    # A piecewise linear function is lowest where its slope changes.
    assert np.isclose(hinge_loss(y, C, outputs), min(map(loss, y - outputs)))
    assert hinge_loss(y, C, outputs) <= min(map(loss, rng.uniform(-9, 9, 200))) + 1e-12


def test_chunks_of_steps_do_not_change_the_solution(rng, monkeypatch):
    K, y = problem(rng, 100)
    whole, _ = solve_svm(K, y, np.full(100, 50.0), exact=False)
    monkeypatch.setattr(svm, "CHUNK", 7)
    parts, certificate = solve_svm(K, y, np.full(100, 50.0), exact=False)
    assert np.array_equal(whole.beta, parts.beta) and whole.iterations == parts.iterations
    assert len(certificate.gaps) > whole.iterations // 7


def test_interrupt_between_chunks_ends_the_solve(rng, monkeypatch):
    K, y = problem(rng, 100)
    monkeypatch.setattr(svm, "CHUNK", 5)

    def interrupt(text):
        if "iteration 10" in text:
            raise KeyboardInterrupt

    monkeypatch.setattr("learnkernels.solvers.loop.report", interrupt)
    with showing(True), pytest.raises(KeyboardInterrupt):
        solve_svm(K, y, np.full(100, 50.0))


def test_path_has_the_solution_of_each_C_in_the_given_order(rng):
    K, y = problem(rng, 80)
    w, values = rng.uniform(0.5, 2.0, 80), [10.0, 0.1, 1.0]
    for C, (found, certificate) in zip(values, svm_path(K, y, w, values), strict=True):
        alone, _ = solve_svm(K, y, C * w)
        assert np.isclose(found.value, alone.value, rtol=1e-8)
        assert certificate.status == "optimal"


def test_path_warns_if_not_converged(rng, monkeypatch):
    K, y = problem(rng, 80)
    monkeypatch.setattr(svm, "steps", lambda *arguments: 0)
    with pytest.warns(ConvergenceWarning, match="SVM with C=5 did not converge"):
        svm_path(K, y, np.ones(80), [5.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("least", [1e-310, 1e-60, 1e-40])
def test_path_from_a_tiny_C_reaches_the_solution_of_a_single_solve(dtype, least, rng):
    A = rng.standard_normal((40, 3))
    K, y = (A @ A.T + np.eye(40)).astype(dtype), np.where(rng.random(40) < 0.5, 1.0, -1.0)
    (_, (solution, certificate)) = svm_path(K, y, np.ones(40), [least, 1.0], exact=False)
    alone, _ = solve_svm(K, y, np.ones(40), exact=False)
    assert certificate.status == "optimal" and solution.violation < 2e-3
    assert solution.value == pytest.approx(alone.value, rel=1e-3)


def test_integer_matrix_is_solved_as_floats():
    x, y = np.array([-2, -1, 1, 2]), np.array([-1.0, -1.0, 1.0, 1.0])
    solution, _ = solve_svm(np.outer(x, x), y, np.full(4, 10.0))
    assert solution.beta == pytest.approx([0, -0.5, 0.5, 0])
