"""Ridge in the span of landmarks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import Landmarks
from learnkernels.machines import Ridge, TrainingProblem
from learnkernels.machines.landmark_ridge import LandmarkRidge, chosen_landmarks
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
