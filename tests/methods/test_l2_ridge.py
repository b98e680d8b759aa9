"""Weights in a ball for ridge."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from tests.methods.problems import (
    KERNELS,
    grams,
    learn,
    problem_of,
    ridge_optimum,
    ridge_targets,
    targets_of,
)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("mu0", [0.0, [0.3, 0.0, 0.1, 0.0, 1.0]])
def test_l2_ridge_reaches_the_optimum(mu0, alpha, outputs):
    problem = problem_of(KERNELS, *targets_of(35, outputs), "regression", alpha)
    method = lk.methods.L2Ridge(radius=0.8, mu0=mu0, tol=1e-8, max_iter=2000)
    mu, certificate = learn(method, problem)
    base = np.broadcast_to(mu0, 5)
    expected = ridge_optimum(problem, grams(problem)[1], lambda v: base @ v + 0.8 * cp.norm(v, 2))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)
    # Theorem of 2009: mu - mu0 = radius v / |v|, v_k = c'K_k c.
    K = problem.kernels.gram(mu)
    coef = np.linalg.solve(K + alpha * np.eye(35), ridge_targets(problem))
    v = problem.kernels.forms(coef)
    assert np.allclose(mu - base, 0.8 * v / np.linalg.norm(v), atol=1e-4)


@pytest.mark.parametrize("eta", [0.0, 0.2, 0.9])
def test_interpolation_parameter_changes_the_iterations_but_not_the_weights(eta):
    problem = problem_of(KERNELS, *targets_of(35, 1), "regression", 0.05)
    mu, certificate = learn(lk.methods.L2Ridge(eta=eta, tol=1e-8), problem)
    halfway, other = learn(lk.methods.L2Ridge(tol=1e-8), problem)
    assert np.allclose(mu, halfway, atol=1e-4)
    assert certificate.history != other.history


@pytest.mark.parametrize("eta", [-0.1, 1.0, "half"])
def test_interpolation_parameter_outside_its_range_raises(eta):
    problem = problem_of(KERNELS, *targets_of(20, 1), "regression", 1.0)
    with pytest.raises(lk.InputError, match="eta"):
        learn(lk.methods.L2Ridge(eta=eta), problem)
