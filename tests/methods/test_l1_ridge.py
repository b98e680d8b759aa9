"""Sparse weights for ridge."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.objectives import rank_one
from tests.methods.problems import (
    KERNELS,
    counts,
    grams,
    learn,
    problem_of,
    ridge_optimum,
    targets_of,
)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("radius", [0.3, 2.0])
def test_l1_ridge_reaches_the_optimum(radius, alpha, outputs):
    problem = problem_of(KERNELS, *targets_of(35, outputs), "regression", alpha)
    mu, certificate = learn(lk.methods.L1Ridge(radius=radius, tol=1e-6), problem)
    expected = ridge_optimum(problem, grams(problem)[1], lambda v: radius * cp.max(v))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)
    assert (mu >= 0).all() and mu.sum() <= radius * (1 + 1e-6)


def test_l1_ridge_without_gram_matrix_reaches_the_same_optimum(monkeypatch):
    X = counts(n=200, q=5)
    y = X[:, 0] + 0.1 * X[:, 1]
    short = lk.KernelRegressor(lk.per_feature(), lk.methods.L1Ridge(tol=1e-6), alpha=1.0).fit(X, y)
    monkeypatch.setattr(rank_one, "TALL", 100)
    tall = lk.KernelRegressor(lk.per_feature(), lk.methods.L1Ridge(tol=1e-6), alpha=1.0).fit(X, y)
    assert np.isclose(short.certificate_.primal, tall.certificate_.primal, rtol=1e-6)
    assert np.allclose(short.weights_, tall.weights_, atol=1e-3)


@pytest.mark.parametrize("alpha", [1e-5, 1e8])
def test_l1_ridge_converges_for_extreme_alpha(alpha):
    X = counts(n=100)
    y = X[:, 0] + 0.3 * np.random.default_rng(0).standard_normal(100)
    model = lk.KernelRegressor(lk.per_feature(), "l1-krr", alpha=alpha).fit(X, y)
    assert model.certificate_.gap <= 1e-4
