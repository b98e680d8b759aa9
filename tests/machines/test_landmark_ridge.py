"""Ridge in the span of landmarks."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import Landmarks, landmarks
from learnkernels.machines import Ridge, TrainingProblem, landmark_ridge
from learnkernels.machines.landmark_ridge import LandmarkRidge, NormalEquations, chosen_landmarks
from tests.machines.problems import KERNELS, learned_problem, trained, training_problem
from tests.methods.problems import problem_of


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("kernels", KERNELS)
def test_all_samples_as_landmarks_give_the_dense_solution(kernels, center, rng):
    weights = rng.uniform(0.5, 2.0, 70)
    problem, K = learned_problem(KERNELS[kernels], rng, center, weights, n_components=70)
    alphas = [0.1, 10.0]
    dense = trained(Ridge(), training_problem(K.copy(), problem.Y, weights, center), alphas)
    found = LandmarkRidge().train(problem, alphas)
    for one, other in zip(found, dense, strict=True):
        ours = K @ one.coef + one.intercept
        assert np.allclose(ours, K @ other.coef + other.intercept, atol=1e-5)
        if center:
            assert np.abs(one.coef.sum(axis=0)).max() < 1e-6 * np.abs(one.coef).max()


def test_one_landmark_without_variation_predicts_the_mean(rng):
    X, y = rng.standard_normal((12, 2)), rng.standard_normal(12)
    model = lk.KernelRegressor(lk.linear(), "unif", alpha=1.0, n_components=1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean())


@pytest.mark.parametrize(("step", "panel", "streamed"), [(4, 7, 9), (100, 3, 10), (1, 100, 50)])
def test_normal_equations_are_the_same_for_every_division(step, panel, streamed, rng, monkeypatch):
    monkeypatch.setattr(landmark_ridge, "PANEL", panel)
    monkeypatch.setattr(landmark_ridge, "STREAMED", streamed)
    psi, Y, w = rng.standard_normal((50, 16)), rng.standard_normal((50, 2)), rng.uniform(0, 2, 50)
    task = NormalEquations(lambda rows: psi[rows], np.eye(16), Y, w, step, np.zeros(Y.shape[1]))
    sums = Threads(2).fold(task, landmark_ridge.ranges_of(50), "sums")
    assert np.allclose(np.triu(sums["inner"]), np.triu((psi * w[:, None]).T @ psi))
    assert np.allclose(sums["features"], w @ psi)
    assert np.allclose(sums["targets"], psi.T @ (w[:, None] * Y))


def test_leave_one_out_error_equals_refitting_without_each_other_sample(rng):
    X = rng.standard_normal((25, 2))
    y = np.sin(X[:, 0])
    kernel = problem_of(lk.gaussians([0.5]), X, y, "regression").kernels.kernel(np.ones(1))
    problem = TrainingProblem(
        kernel, y[:, None], np.ones(25), True, Threads(2), n_components=5, random_state=0
    )
    index, alpha = chosen_landmarks(problem), 0.3
    strategy = Ridge().strategy(problem)
    assert isinstance(strategy, LandmarkRidge)
    errors = strategy.leave_one_out(problem, [alpha])
    Psi = Landmarks.of(kernel, index, Threads(2)).features(slice(0, 25))
    residuals = []
    for i in np.setdiff1d(np.arange(25), index):
        kept = np.delete(np.arange(25), i)
        A, b = Psi[kept] - Psi[kept].mean(axis=0), y[kept] - y[kept].mean()
        theta = linalg.solve(A.T @ A + alpha * np.eye(A.shape[1]), A.T @ b)
        residuals.append(y[i] - y[kept].mean() - (Psi[i] - Psi[kept].mean(axis=0)) @ theta)
    assert errors[0] == pytest.approx(np.mean(np.square(residuals)), rel=1e-8)


def landmark_problem(rng, n=120, n_components=15, order=None, **options):
    """Return a problem with landmarks, its samples in some order."""
    X = rng.standard_normal((n, 3))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])
    w = rng.uniform(0.5, 2.0, n)
    order = np.arange(n) if order is None else order
    X, Y, w = X[order], Y[order], w[order]
    kernels = problem_of(lk.gaussians([0.1, 1.0]), X, Y, "regression", sample_weight=w).kernels
    kernel = kernels.kernel(np.array([0.4, 0.6]))
    return TrainingProblem(
        kernel, Y, w, True, Threads(2), n_components=n_components, random_state=0, **options
    )


def test_chunks_and_threads_do_not_change_the_solution(rng, monkeypatch):
    problem = landmark_problem(rng)
    whole = LandmarkRidge().decomposed(problem)
    monkeypatch.setattr(landmarks, "ROWS", 7)
    parts = LandmarkRidge().decomposed(problem)
    assert np.allclose(parts.eigenvalues, whole.eigenvalues, rtol=1e-9, atol=1e-9)
    assert np.allclose(parts.errors([0.1, 1.0]), whole.errors([0.1, 1.0]), rtol=1e-8)
    one = LandmarkRidge().decomposed(replace(problem, backend=Threads(1)))
    assert np.array_equal(one.eigenvalues, parts.eigenvalues)


def test_order_of_the_samples_does_not_change_the_solution(monkeypatch):
    order = np.random.default_rng(1).permutation(120)
    chosen = np.arange(0, 120, 9)
    solutions = []
    for index, own in ((chosen, None), (np.sort(np.argsort(order)[chosen]), order)):
        problem = landmark_problem(np.random.default_rng(0), order=own)
        monkeypatch.setattr(landmark_ridge, "chosen_landmarks", lambda _, index=index: index)
        solutions.append(LandmarkRidge().decomposed(problem))
    first, second = solutions
    assert np.allclose(first.eigenvalues, second.eigenvalues, rtol=1e-8, atol=1e-9)
    assert np.allclose(first.errors([0.1, 1.0]), second.errors([0.1, 1.0]), rtol=1e-7)


def test_more_landmarks_lower_the_training_criterion(rng):
    # Landmarks of a smaller number are among those of a larger one.
    problem, alpha = landmark_problem(rng), 0.1
    K, w = problem.kernel.gram(Threads(1)), problem.weights
    values = []
    for m in (3, 10, 30, 60, 119):
        (found,) = LandmarkRidge().train(replace(problem, n_components=m, known={}), [alpha])
        residuals = problem.Y - K @ found.coef - found.intercept
        norms = np.einsum("it,ij,jt->t", found.coef, K, found.coef)
        values.append(w @ residuals**2 + alpha * norms)
    assert (np.diff(values, axis=0) <= 1e-8 * np.abs(values[0])).all()


def test_comparing_alpha_and_training_decompose_once(rng, monkeypatch):
    problem, calls = landmark_problem(rng), []
    decomposed = LandmarkRidge.decomposed

    def counted(self, problem):
        calls.append(problem)
        return decomposed(self, problem)

    monkeypatch.setattr(LandmarkRidge, "decomposed", counted)
    strategy = LandmarkRidge()
    strategy.leave_one_out(problem, [0.1, 1.0])
    strategy.left_out(problem, [0.1, 1.0])
    (found,) = strategy.train(replace(problem, left_out=True), [1.0])
    assert len(calls) == 1
    assert np.array_equal(found.left_out, strategy.left_out(problem, [1.0])[0], equal_nan=True)
    strategy.train(replace(problem, n_components=5), [1.0])
    strategy.train(replace(problem, Y=problem.Y[:, :1]), [1.0])
    assert len(calls) == 3


def test_memory_is_that_of_the_landmarks_and_not_of_all_their_values(rng):
    m, n = 200, 10_000
    problem = replace(landmark_problem(rng, n, m), backend=Threads(1))
    LandmarkRidge().train(landmark_problem(rng, 300, 20), [1.0])  # compile
    tracemalloc.start()
    solution = LandmarkRidge().solve(problem)
    solution.errors([0.1, 1.0])
    solution.trained(0.1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    features = 8 * n * m  # 16 MB
    assert peak < features / 4
