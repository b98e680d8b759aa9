"""Ridge regularised by alignment."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from tests.methods.problems import (
    KERNELS,
    grams,
    learn,
    problem_of,
    ridge_targets,
    solved,
    targets_of,
)


@pytest.mark.parametrize("gammas", [(1.0, 1.0, 1.0), (0.0, 0.5, 0.0), (0.01, 0.0, 0.001)])
@pytest.mark.parametrize("outputs", [1, 2])
def test_align_single_reaches_the_optimum(gammas, outputs):
    problem = problem_of(KERNELS, *targets_of(20, outputs), "regression", 0.7)
    mu, certificate = learn(lk.methods.AlignSingle(*gammas, tol=1e-7), problem)
    gamma, gamma1, gamma2 = gammas
    Y = ridge_targets(problem)
    unit = np.sqrt(np.mean(Y**2))  # real targets are divided by their standard deviation
    Y, a = Y / unit, problem.kernels.statistics.a / unit**2
    K, factors = grams(problem)
    Q = gamma2 * problem.kernels.statistics.M + gamma1 * np.eye(5)
    root = np.linalg.cholesky(Q + 1e-12 * np.trace(Q) * np.eye(5))

    def objective(weights):
        A = np.einsum("k,kij->ij", weights, K) + 0.7 * np.eye(20)
        fit = np.vdot(Y, np.linalg.solve(A, Y))
        return fit - gamma * weights @ a + weights @ Q @ weights

    assert np.isclose(certificate.primal, objective(mu), rtol=1e-8)
    # min_mu max_c: exchange, then mu'Q mu - mu'(v + gamma a) over mu >= 0 has its own dual.
    c, v, u = cp.Variable(Y.shape), cp.Variable(5), cp.Variable(5)
    forms = [cp.sum_squares(L.T @ c) <= v[k] for k, L in enumerate(factors)]
    value = 2 * cp.sum(cp.multiply(Y, c)) - 0.7 * cp.sum_squares(c) - cp.sum_squares(root.T @ u)
    covered = [2 * Q @ u >= v + gamma * a]
    expected = solved(cp.Problem(cp.Maximize(value), forms + covered))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)
