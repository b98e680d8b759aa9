"""Weights bounded by tail sums."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods import METHODS
from tests.methods.problems import (
    GAUSSIANS,
    KERNELS,
    classes_of,
    counts,
    grams,
    labels,
    learn,
    problem_of,
    ridge_optimum,
    svm_optimum,
    targets_of,
)


@pytest.mark.parametrize("theta", [0, 1, 3])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_conv_is_lp_svm_with_kernels_divided_by_their_tail_sums(theta, p):
    problem = problem_of(lk.gaussians([0.02, 0.2, 1.0]), *classes_of(40, 2), value=50.0)
    K, factors = grams(problem)
    mu, certificate = learn(lk.methods.Conv(theta=theta, p=p, tol=1e-5), problem)
    tails = np.array([np.sort(np.linalg.eigvalsh(matrix))[: 40 - theta].sum() for matrix in K])
    scaled = [L / np.sqrt(t) for L, t in zip(factors, tails, strict=True)]
    assert np.isclose(certificate.primal, svm_optimum(problem, scaled, p), rtol=1e-3)
    assert np.linalg.norm(mu * tails, p) <= 1 + 1e-6


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_conv_minimises_the_squared_loss_in_regression(p, outputs):
    kernels = lk.gaussians([0.02, 0.2, 1.0])
    problem = problem_of(kernels, *targets_of(40, outputs), "regression", 0.01)
    K, factors = grams(problem)
    mu, certificate = learn(lk.methods.Conv(theta=2, p=p, tol=1e-6), problem)
    tails = np.array([np.sort(np.linalg.eigvalsh(matrix))[:38].sum() for matrix in K])
    scaled = [L / np.sqrt(t) for L, t in zip(factors, tails, strict=True)]

    def dual_norm(v):
        return cp.max(v) if p == 1 else cp.norm(v, p / (p - 1))

    assert np.isclose(certificate.primal, ridge_optimum(problem, scaled, dual_norm), rtol=1e-4)
    assert certificate.gap <= 1e-6 and np.linalg.norm(mu * tails, p) <= 1 + 1e-6


@pytest.mark.parametrize("theta", [0, 1])
def test_conv_of_traces_is_l1_ridge_in_regression(theta):
    """Without eigenvalues left out tail sums are traces, all equal to the number of samples."""
    X, Y = targets_of(40, 1)
    conv = lk.KernelRegressor(GAUSSIANS, lk.methods.Conv(theta=theta, tol=1e-8), alpha=0.5 / 40)
    sparse = lk.KernelRegressor(GAUSSIANS, lk.methods.L1Ridge(tol=1e-8), alpha=0.5)
    same = np.allclose(
        40 * conv.fit(X, Y[:, 0]).weights_, sparse.fit(X, Y[:, 0]).weights_, atol=1e-4
    )
    assert same == (theta == 0)


def test_conv_uses_the_interior_point_method_for_rank_one_kernels_in_regression():
    X = counts()
    y = X[:, 0] - X[:, 1]
    model = lk.KernelRegressor(lk.per_feature(), lk.methods.Conv(theta=0), alpha=0.01).fit(X, y)
    assert model.certificate_.gap <= 1e-4
    assert np.isclose((model.weights_ * model.tail_sums_).sum(), 1.0)
    assert model.weights_[2:].sum() < 0.2 * model.weights_[:2].sum()


@pytest.mark.parametrize("name", ["conv", "dc"])
def test_scaling_a_kernel_divides_its_weight(name):
    """Without normalisation; tail sums scale with the kernel, so nothing else changes."""
    X, y = classes_of(50, 2)

    def kernels(c):
        gaussians = lk.kernels.Gaussian(0.1), lk.kernels.Gaussian(1.0)
        return [lambda A, B: gaussians[0](A, B), lambda A, B: c * gaussians[1](A, B)]

    weights = [
        learn(METHODS[name](tol=1e-6), problem_of(kernels(c), X, y, value=50.0, normalize=None))[0]
        for c in (1.0, 7.0)
    ]
    assert np.allclose(weights[0], weights[1] * [1.0, 7.0], rtol=1e-3, atol=1e-6)


def test_conv_error_names_kernel_of_low_rank():
    X, y = classes_of(30, 2)
    with pytest.raises(lk.InputError, match="'linear' has rank at most theta=3"):
        lk.KernelClassifier(KERNELS, lk.methods.Conv(theta=3), C=1.0).fit(X, y)


def test_conv_raises_for_rank_one_kernels():
    X = counts()
    with pytest.raises(lk.InputError, match="theta=0 for kernels of rank one"):
        lk.KernelClassifier(lk.per_feature(), "conv", C=1.0).fit(X, labels(X))
