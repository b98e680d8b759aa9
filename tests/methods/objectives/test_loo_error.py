"""The leave-one-out error of ridge and its gradient."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.objectives import LeaveOneOutError
from tests.methods.problems import KERNELS, counts, problem_of, targets_of

CASES = {
    "tiles": lk.gaussians([0.02, 0.3, 2.0]),
    "factors": lk.per_feature(),
    "tiles and factors": [lk.per_feature(), lk.gaussians([0.1]), lk.laplacians([0.3])],
}


def error_of(kernels, X, Y, landmarks=None, **options):
    """Return the leave-one-out error of all samples."""
    problem = problem_of(kernels, X, Y, "regression", **options)
    return LeaveOneOutError(problem.kernels, problem.Y, np.arange(len(X)), landmarks)


def trained_without(K, Y, w, left_out, intercept):
    """Return ridge's prediction, with alpha = 1, for a sample that it was trained without."""
    kept = np.delete(np.arange(len(K)), left_out)
    n = len(kept)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K[np.ix_(kept, kept)] + np.diag(1 / w[kept])
    system[:n, n] = system[n, :n] = 1.0
    right = np.vstack([Y[kept], np.zeros(Y.shape[1])])
    if not intercept:
        system[n, :n] = system[:n, n] = 0.0
        system[n, n] = 1.0
    solved = np.linalg.solve(system, right)
    return K[left_out, kept] @ solved[:n] + solved[n]


def brute_force(K, Y, w, intercept, counted):
    """Return the weighted mean squared error of the samples `counted`, with one fit for each."""
    squares = [w[i] * (Y[i] - trained_without(K, Y, w, i, intercept)) ** 2 for i in counted]
    return np.sum(squares) / (w[counted].sum() * Y.shape[1])


def weights_of(n, weighted):
    return np.random.default_rng(5).uniform(0.2, 3.0, n) if weighted else np.ones(n)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("scale", [0.1, 30.0])
def test_leave_one_out_error_equals_error_of_one_fit_for_each_sample(
    scale, center, weighted, outputs
):
    X, Y = targets_of(20, outputs)
    w = weights_of(20, weighted)
    objective = error_of(KERNELS, X, Y + 2.0, center=center, sample_weight=w)
    mu = scale * np.array([1.0, 0.5, 0.0, 0.2, 2.0])
    point = objective.evaluate(mu)
    expected = brute_force(objective.kernels.gram(mu), Y + 2.0, w, center, np.arange(20))
    assert np.isclose(point.value, expected, rtol=1e-9)
    assert np.isclose(point.errors.mean(), point.value)


def test_error_of_some_samples_uses_only_these(rng):
    X, Y = targets_of(30, 1)
    problem = problem_of(KERNELS, X, Y, "regression")
    chosen = np.sort(rng.permutation(30)[:20])
    mu = np.arange(1.0, 6.0)
    point = LeaveOneOutError(problem.kernels, Y[chosen], chosen).evaluate(mu)
    K = problem.kernels.gram(mu)[np.ix_(chosen, chosen)]
    assert np.isclose(point.value, brute_force(K, Y[chosen], np.ones(20), True, np.arange(20)))
    assert len(point.errors) == 20


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_error_in_span_of_landmarks_equals_one_fit_for_each_other_sample(center, weighted):
    X, Y = targets_of(20, 2)
    w, landmarks = weights_of(20, weighted), np.array([1, 4, 5, 11, 17])
    objective = error_of(KERNELS, X, Y, landmarks, center=center, sample_weight=w)
    mu = np.array([1.0, 0.5, 3.0, 0.2, 2.0])
    K = objective.kernels.gram(mu)
    if center:  # functions in the span of differences of landmarks, and the intercept
        K = K - K[:, landmarks].mean(axis=1, keepdims=True)
        K = K - K[landmarks].mean(axis=0)
    inner = np.linalg.pinv(K[np.ix_(landmarks, landmarks)], rcond=1e-10, hermitian=True)
    K = K[:, landmarks] @ inner @ K[landmarks]
    others = np.delete(np.arange(20), landmarks)
    point = objective.evaluate(mu)
    assert np.isclose(point.value, brute_force(K, Y, w, center, others), rtol=1e-8)
    assert len(point.errors) == len(others)


@pytest.mark.parametrize("span", ["all samples", "landmarks"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_gradient_equals_finite_differences(case, center, weighted, span):
    X = counts(n=40, q=4)
    Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3]])
    landmarks = np.arange(0, 40, 3) if span == "landmarks" else None
    w = weights_of(40, weighted)
    objective = error_of(CASES[case], X, Y, landmarks, center=center, sample_weight=w)
    p = objective.kernels.n_kernels
    mu, h = np.random.default_rng(2).uniform(0.2, 2.0, p), 1e-5
    expected = [
        (objective.evaluate(mu + h * unit).value - objective.evaluate(mu - h * unit).value)
        / (2 * h)
        for unit in np.eye(p)
    ]
    found = objective.evaluate(mu).gradient
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_error_of_the_only_sample_outside_the_landmarks_equals_the_dense_error():
    X, Y = targets_of(25, 1)
    problem = problem_of(lk.gaussians([0.3, 1.0]), X, Y, "regression")
    dense = LeaveOneOutError(problem.kernels, Y, np.arange(25)).evaluate(np.ones(2))
    most = LeaveOneOutError(problem.kernels, Y, np.arange(25), np.arange(24)).evaluate(np.ones(2))
    # A sample that is left out adds no direction to the span of the others.
    assert np.isclose(most.errors[0], dense.errors[24], rtol=1e-9)


def test_indefinite_kernels_have_no_error():
    X, Y = targets_of(20, 1)
    problem = problem_of(lk.gaussians([0.3, 1.0]), X, Y, "regression")
    objective = LeaveOneOutError(problem.kernels, Y, np.arange(20))
    assert objective.evaluate(np.array([1.0, -1e4])) is None
