"""Interior points for kernels of rank one."""

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

import learnkernels as lk
from learnkernels.methods.objectives import (
    RidgeObjective,
    SVMObjective,
    rank_one_ridge_weights,
    rank_one_svm_weights,
)
from learnkernels.methods.objectives.rank_one import RankOneColumns
from learnkernels.solvers import Simplex, interior_weights
from tests.methods.problems import counts, labels, many, problem_of, ridge_targets


def dense_columns(problem):
    """Return the scaled, centered columns x_k of rank-one kernels, shape (n, p)."""
    kernels = RankOneColumns.of(problem.kernels)
    p = problem.kernels.n_kernels
    return np.column_stack([kernels.times(problem.kernels.unit(k)) for k in range(p)])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_interior_points_reach_the_optimum_of_the_sparse_svm(C):
    X, y = many(n=50, q=150)
    problem = problem_of(lk.per_feature(), X, y, value=C)
    B = dense_columns(problem)
    assert np.allclose(B @ B.T, problem.kernels.gram(np.ones(150)))
    beta, s = cp.Variable(50), cp.Variable()
    box = [cp.multiply(y, beta) >= 0, cp.multiply(y, beta) <= C, cp.sum(beta) == 0]
    value = y @ beta - cp.square(s) / 2
    program = cp.Problem(cp.Maximize(value), [*box, cp.abs(B.T @ beta) <= s])
    expected = program.solve(solver=cp.CLARABEL)
    objective = SVMObjective(problem.kernels, problem.Y, np.full(50, C))
    columns = RankOneColumns.of(problem.kernels)
    mu, certificate = rank_one_svm_weights(objective, columns, tol=1e-5, max_iter=100)
    assert certificate.status == "optimal" and certificate.gap <= 1e-5
    assert np.isclose(certificate.primal, expected, rtol=2e-5)
    assert np.isclose(mu.sum(), 1) and mu.min() == 0  # truly sparse


@pytest.mark.parametrize("alpha", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_interior_points_reach_the_optimum_of_sparse_ridge(alpha, radius):
    X, y = many(n=50, q=150, seed=1)
    w = np.random.default_rng(2).uniform(0.5, 2.0, 50)
    problem = problem_of(lk.per_feature(), X, y, task="regression", value=alpha, sample_weight=w)
    Y = ridge_targets(problem)
    B = dense_columns(problem)
    c, s = cp.Variable(50), cp.Variable()
    value = 2 * Y[:, 0] @ c - alpha * cp.sum(cp.multiply(1 / w, cp.square(c)))
    program = cp.Problem(cp.Maximize(value - radius * cp.square(s)), [cp.abs(B.T @ c) <= s])
    expected = program.solve(solver=cp.CLARABEL)
    objective = RidgeObjective.of(problem, Simplex(radius))
    columns = RankOneColumns.of(problem.kernels)
    mu, certificate = rank_one_ridge_weights(objective, columns, radius, tol=1e-6, max_iter=100)
    assert certificate.status == "optimal"
    assert np.isclose(certificate.primal, expected, rtol=1e-5)
    assert np.isclose(mu.sum(), radius)
    interior = interior_weights(columns, Y[:, 0], alpha / w, None, radius, tol=1e-8)
    assert np.isclose(-2 * interior.certificate.primal, expected, rtol=1e-5)


def test_only_kernels_of_rank_one_are_columns():
    X, y = counts(), labels(counts())
    for kernels in (lk.low_rank([[0, 1], [2]]), [lk.per_feature(), lk.linear()], lk.linear()):
        assert RankOneColumns.of(problem_of(kernels, X, y).kernels) is None
    assert RankOneColumns.of(problem_of(lk.per_feature(), X, y).kernels) is not None


def test_interior_points_keep_small_weights_at_large_C():
    """Few features, many samples, a large C: small weights count."""
    rng = np.random.default_rng(3)
    X = sparse.csr_array(rng.poisson(0.3, (150, 20)).astype(float))
    y = np.where(X[:, [0]].toarray()[:, 0] + rng.standard_normal(150) > 0.5, 1.0, -1.0)
    problem = problem_of(lk.per_feature(), X, y, value=1e4)
    objective = SVMObjective(problem.kernels, problem.Y, np.full(150, 1e4))
    columns = RankOneColumns.of(problem.kernels)
    mu, certificate = rank_one_svm_weights(objective, columns, tol=1e-4, max_iter=100)
    assert certificate.status == "optimal" and np.isclose(mu.sum(), 1) and mu.min() >= 0
    # At these weights no SVM has a smaller value than the certificate's bound.
    alone = SVC(kernel="precomputed", C=1e4, tol=1e-6).fit(problem.kernels.gram(mu), y)
    beta = np.zeros(150)
    beta[alone.support_] = alone.dual_coef_[0]
    value = y @ beta - beta @ problem.kernels.gram(mu) @ beta / 2
    assert certificate.dual <= value * (1 + 1e-6) <= certificate.primal * (1 + 2e-6)
