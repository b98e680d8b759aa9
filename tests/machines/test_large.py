"""Ridge without the Gram matrix: conjugate gradients, and the span of landmarks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.errors import InputError
from learnkernels.gram import Landmarks, Threads
from learnkernels.machines import Problem, Ridge, iterative
from learnkernels.machines.iterative import iterative_ridge
from learnkernels.machines.landmarks import landmark_ridge
from learnkernels.solvers import conjugate_gradients
from tests.weights.evidence import evidence_of

BACKEND = Threads(2)


@pytest.fixture(params=["tiled", "factored", "both"])
def problem(request, rng):
    """A function that makes the problem of a learned kernel, its Gram held or not."""
    kernels = {
        "tiled": lk.gaussians([0.05, 0.5]),
        "factored": lk.per_feature(),
        "both": [lk.gaussians([0.3]), lk.per_feature()],
    }[request.param]
    X = rng.standard_normal((70, 4))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])

    def make(center=True, weights=None, **options):
        w = np.ones(70) if weights is None else weights
        evidence = evidence_of(kernels, X, Y, "regression", center=center, sample_weight=w)
        mu = np.linspace(1, 2, evidence.oracle.n_kernels)
        kernel = evidence.oracle.kernel(mu)
        held = Problem(kernel.gram(BACKEND), Y, w, center, BACKEND)
        free = Problem(np.empty((0, 0)), Y, w, center, BACKEND, kernel=kernel, **options)
        return held, free

    return make


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_conjugate_gradients_find_the_dense_solution(problem, center, weighted, rng):
    weights = rng.uniform(0.5, 2.0, 70) if weighted else None
    held, free = problem(center, weights, room=70 * 8 * 40)
    for alpha in (1e-3, 1.0):
        (dense,) = Ridge().path(held_again(held), [alpha])
        (found,) = Ridge().path(free, [alpha])
        assert np.allclose(found.coef, dense.coef, atol=1e-7 * np.abs(dense.coef).max())
        assert found.intercept == pytest.approx(dense.intercept)
        assert all(one.gap <= 1e-6 and one.status == "optimal" for one in found.certificates)


def held_again(problem: Problem) -> Problem:
    """A copy, since machines write on the Gram."""
    return Problem(problem.K.copy(), problem.Y, problem.weights, problem.center, problem.backend)


@pytest.mark.parametrize("center", [True, False])
def test_all_samples_as_landmarks_are_the_dense_solution(problem, center, rng):
    weights = rng.uniform(0.5, 2.0, 70)
    held, free = problem(center, weights, landmarks=np.arange(70))
    K = held.K.copy()
    alphas = [0.1, 10.0]
    dense = Ridge().path(held_again(held), alphas)
    _, found = landmark_ridge(free, alphas)
    for one, other in zip(found, dense, strict=True):
        ours = K @ one.coef + one.intercept
        assert np.allclose(ours, K @ other.coef + other.intercept, atol=1e-5)
        if center:
            assert np.abs(one.coef.sum(axis=0)).max() < 1e-6 * np.abs(one.coef).max()


def test_leave_one_out_errors_of_landmarks_are_those_of_leaving_out(rng):
    """By definition: the predictor in the same span, without each other sample in turn."""
    X = rng.standard_normal((25, 2))
    y = np.sin(X[:, 0])
    evidence = evidence_of(lk.gaussians([0.5]), X, y, "regression")
    kernel = evidence.oracle.kernel(np.ones(1))
    index, alpha = np.array([1, 4, 9, 16, 20]), 0.3
    problem = Problem(
        np.empty((0, 0)), y[:, None], np.ones(25), True, BACKEND, kernel=kernel, landmarks=index
    )
    errors, _ = landmark_ridge(problem, [alpha], left_out=True)
    Psi = Landmarks.of(kernel, index, BACKEND).features(slice(0, 25))
    residuals = []
    for i in np.setdiff1d(np.arange(25), index):
        kept = np.delete(np.arange(25), i)
        A, b = Psi[kept] - Psi[kept].mean(axis=0), y[kept] - y[kept].mean()
        theta = linalg.solve(A.T @ A + alpha * np.eye(A.shape[1]), A.T @ b)
        residuals.append(y[i] - y[kept].mean() - (Psi[i] - Psi[kept].mean(axis=0)) @ theta)
    assert errors[0] == pytest.approx(np.mean(np.square(residuals)), rel=1e-8)


def test_features_span_what_their_samples_span(rng):
    X = rng.standard_normal((40, 3))
    evidence = evidence_of(lk.gaussians([0.3]), X, X[:, 0], "regression")
    kernel = evidence.oracle.kernel(np.ones(1))
    K = kernel.gram(BACKEND)
    index = np.arange(0, 40, 4)
    landmarks = Landmarks.of(kernel, index, BACKEND)
    Psi = landmarks.features(slice(0, 40))
    Psi = Psi - Psi[index].mean(axis=0)
    H = np.eye(10) - 0.1
    expected = H @ K[np.ix_(index, index)] @ H
    assert np.allclose(Psi[index] @ Psi[index].T, expected, atol=1e-8)
    rest = K - (K[:, index] @ H) @ linalg.pinv(expected) @ (K[:, index] @ H).T
    assert np.linalg.eigvalsh(rest).min() > -1e-8  # a projection takes off no more than there is


def test_conjugate_gradients_solve_several_systems_at_once(rng):
    A = rng.standard_normal((30, 30))
    A = A @ A.T + np.eye(30)
    B = rng.standard_normal((30, 3))
    B[:, 1] = 0.0
    X, AX, steps = conjugate_gradients(lambda V: A @ V, B, lambda V: V, 1e-12, 200)
    assert np.allclose(X, np.linalg.solve(A, B)) and np.allclose(AX, B, atol=1e-9)
    _, _, fewer = conjugate_gradients(
        lambda V: A @ V, B, lambda V: np.linalg.solve(A, V), 1e-12, 200
    )
    assert fewer <= 2 < steps


def test_a_solution_that_is_not_found_is_a_warning(problem, monkeypatch):
    monkeypatch.setattr("learnkernels.machines.iterative.MOST_STEPS", 3)
    _, free = problem(room=70 * 8 * 4)
    with pytest.warns(ConvergenceWarning, match="raise alpha, or max_memory"):
        (trained,) = iterative_ridge(free, [1.0])
    assert max(certificate.gap for certificate in trained.certificates) > 1e-9


def test_a_system_that_is_none_to_rounding_is_refused(problem, monkeypatch):
    monkeypatch.setattr(iterative, "system", lambda problem, root, alpha: lambda V: -V)
    _, free = problem(room=70 * 8 * 4)
    with pytest.raises(InputError, match="was not solved by products"):
        iterative_ridge(free, [1.0])


def test_certificates_are_those_of_the_solution(problem):
    """Not of what the iteration believes: computed again from the product with the solution."""
    dense, free = problem(room=70 * 8 * 4)
    for alpha in (1e-2, 1e-9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            (trained,) = iterative_ridge(free, [alpha])
        y, u = dense.Y - dense.means, trained.coef
        Ku = dense.K @ u
        for t, certificate in enumerate(trained.certificates):
            primal = np.sum((y[:, t] - Ku[:, t]) ** 2) + alpha * u[:, t] @ Ku[:, t]
            assert np.isclose(certificate.primal, primal, rtol=1e-5)  # the Gram rounds, too
