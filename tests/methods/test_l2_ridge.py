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
