"""Ridge by conjugate gradients, without the Gram matrix, against the dense solution."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.errors import InputError
from learnkernels.execution import Threads
from learnkernels.machines import Ridge, TrainingProblem, conjugate_gradient_ridge
from learnkernels.machines.conjugate_gradient_ridge import ConjugateGradientRidge
from tests.machines.problems import KERNELS, learned_problem, trained, training_problem
from tests.methods.problems import problem_of


@pytest.fixture(params=KERNELS)
def kernels(request):
    return KERNELS[request.param]


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_solution_equals_the_dense_one(kernels, center, weighted, rng):
    weights = rng.uniform(0.5, 2.0, 70) if weighted else None
    problem, K = learned_problem(kernels, rng, center, weights, max_memory=70 * 8 * 40)
    for alpha in (1e-3, 1.0):
        dense_problem = training_problem(K.copy(), problem.Y, weights, center)
        (dense,) = trained(Ridge(), dense_problem, [alpha])
        (found,) = ConjugateGradientRidge().train(problem, [alpha])
        assert np.allclose(found.coef, dense.coef, atol=1e-7 * np.abs(dense.coef).max())
        assert found.intercept == pytest.approx(dense.intercept)
        assert all(one.gap <= 1e-6 and one.status == "optimal" for one in found.certificates)


def test_too_few_iterations_raise_convergence_warning(kernels, rng, monkeypatch):
    monkeypatch.setattr(conjugate_gradient_ridge, "MAX_ITER", 2)
    problem, _ = learned_problem(kernels, rng, max_memory=70 * 8 * 4)
    with pytest.warns(ConvergenceWarning, match="raise alpha, or raise max_memory"):
        (found,) = ConjugateGradientRidge().train(problem, [30.0])
    assert max(certificate.gap for certificate in found.certificates) > 1e-9


def test_indefinite_system_raises_input_error(kernels, rng, monkeypatch):
    monkeypatch.setattr(
        conjugate_gradient_ridge, "products", lambda problem, root, alpha: lambda V: -V
    )
    problem, _ = learned_problem(kernels, rng, max_memory=70 * 8 * 4)
    with pytest.raises(InputError, match="did not solve ridge"):
        ConjugateGradientRidge().train(problem, [1.0])


def test_certificates_equal_the_objective_at_the_solution(kernels, rng):
    problem, K = learned_problem(kernels, rng, max_memory=70 * 8 * 4)
    for alpha in (1e-2, 1e-9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            (found,) = ConjugateGradientRidge().train(problem, [alpha])
        y, u = problem.Y - problem.means, found.coef
        Ku = K @ u
        for t, certificate in enumerate(found.certificates):
            primal = np.sum((y[:, t] - Ku[:, t]) ** 2) + alpha * u[:, t] @ Ku[:, t]
            assert np.isclose(certificate.primal, primal, rtol=1e-5)  # the Gram is rounded, too


def test_residual_reaches_the_tolerance(kernels, rng):
    problem, K = learned_problem(kernels, rng, max_memory=70 * 8 * 40)
    (found,) = ConjugateGradientRidge().train(problem, [1e-2])
    y = problem.Y - problem.means
    residuals = y - K @ found.coef - 1e-2 * found.coef
    assert (np.linalg.norm(residuals, axis=0) <= 1e-8 * np.linalg.norm(y, axis=0)).all()


def test_memory_stays_within_max_memory(rng):
    X = rng.standard_normal((4000, 3))
    y = np.sin(X[:, 0])
    kernels = problem_of(lk.gaussians([1.0]), X, y, "regression").kernels
    kernel, limit = kernels.kernel(np.ones(1)), 20e6  # the Gram matrix takes 128 MB
    problem = TrainingProblem(kernel, y[:, None], np.ones(4000), True, Threads(1), max_memory=limit)
    tracemalloc.start()
    (found,) = ConjugateGradientRidge().train(problem, [1.0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.certificates[0].status == "optimal"
    assert peak < limit + 12e6  # tiles
