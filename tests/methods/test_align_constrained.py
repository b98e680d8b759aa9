"""The smallest loss among weights of high alignment."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from tests.methods.problems import (
    KERNELS,
    classes_of,
    grams,
    learn,
    problem_of,
    ridge_targets,
    solved,
    targets_of,
)


def highest(problem):
    """Return the alignment of alignf."""
    mu, _ = learn(lk.methods.AlignF(), problem)
    return problem.kernels.statistics.alignment(mu)


def support(statistics, omega, radius, bound):
    """Return constraints under which a variable bounds max_mu v'mu, and v.

    The dual of max v'mu over mu >= 0, |mu| <= radius, a'mu >= omega sqrt(mu'M mu):
    radius |(v + t a - omega L z)_+|, |z| <= t, with M = LL'.
    """
    a, M = statistics.a / statistics.target_norm, statistics.M
    L = np.linalg.cholesky(M + 1e-12 * np.trace(M) * np.eye(len(a)))
    v, z, t = cp.Variable(len(a)), cp.Variable(len(a)), cp.Variable(nonneg=True)
    raised = cp.pos(v + t * a - omega * L @ z)
    return v, [radius * cp.norm(raised, 2) <= bound, cp.norm(z, 2) <= t]


@pytest.mark.parametrize("share", [0.0, 0.8, 0.97, 0.999])
def test_squared_loss_reaches_the_optimum_of_the_constrained_problem(share):
    problem = problem_of(KERNELS, *targets_of(30, 1), "regression", 0.3)
    method = lk.methods.AlignConstrained(share, radius=0.7, tol=1e-6)
    mu, certificate = learn(method, problem)
    statistics = problem.kernels.statistics
    omega = share * highest(problem)
    assert statistics.alignment(mu) >= omega - 1e-8
    assert (mu >= 0).all() and np.linalg.norm(mu) <= 0.7 + 1e-9
    assert certificate.gap <= 1e-6
    Y, factors = ridge_targets(problem), grams(problem)[1]
    c, bound = cp.Variable(Y.shape), cp.Variable()
    v, covered = support(statistics, omega, 0.7, bound)
    forms = [cp.sum_squares(L.T @ c) <= v[k] for k, L in enumerate(factors)]
    value = 2 * cp.sum(cp.multiply(Y, c)) - 0.3 * cp.sum_squares(c) - bound
    expected = solved(cp.Problem(cp.Maximize(value), forms + covered))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.97])
def test_hinge_loss_reaches_the_optimum_of_the_constrained_problem(share):
    problem = problem_of(KERNELS, *classes_of(30, 2), value=5.0)
    mu, certificate = learn(lk.methods.AlignConstrained(share, loss="hinge", tol=1e-5), problem)
    statistics = problem.kernels.statistics
    omega = share * highest(problem)
    assert statistics.alignment(mu) >= omega - 1e-8 and certificate.gap <= 1e-5
    Y, factors = problem.Y, grams(problem)[1]
    beta, bound = cp.Variable(Y.shape), cp.Variable()
    q, covered = support(statistics, omega, 1.0, bound)
    forms = [cp.sum_squares(L.T @ beta) / 2 <= q[k] for k, L in enumerate(factors)]
    box = [cp.multiply(Y, beta) >= 0, cp.multiply(Y, beta) <= 5.0, cp.sum(beta, axis=0) == 0]
    value = cp.sum(cp.multiply(Y, beta)) - bound
    expected = solved(cp.Problem(cp.Maximize(value), forms + box + covered))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)


def test_no_constraint_gives_l2_ridge_and_the_tightest_gives_alignf():
    problem = problem_of(KERNELS, *targets_of(40, 2), "regression", 1.0)
    free, _ = learn(lk.methods.AlignConstrained(0.0, tol=1e-8), problem)
    ball, _ = learn(lk.methods.L2Ridge(tol=1e-8), problem)
    assert np.allclose(free, ball, atol=1e-3)
    tight, _ = learn(lk.methods.AlignConstrained(0.9999), problem)
    alignf, _ = learn(lk.methods.AlignF(), problem)
    assert np.allclose(tight / tight.sum(), alignf, atol=0.05)


@pytest.mark.parametrize("share", [1.0, -0.1, "high"])
def test_share_outside_its_range_raises(share):
    problem = problem_of(KERNELS, *targets_of(20, 1), "regression", 1.0)
    with pytest.raises(lk.InputError, match="min_alignment"):
        learn(lk.methods.AlignConstrained(share), problem)
