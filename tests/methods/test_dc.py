"""Bounded tail sum of the learned kernel."""

import cvxpy as cp
import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import tail_sum
from learnkernels.methods.objectives import RidgeObjective, SVMObjective
from learnkernels.solvers import Simplex
from tests.methods.problems import (
    classes_of,
    grams,
    learn,
    problem_of,
    ridge_optimum,
    svm_optimum,
    targets_of,
)


@pytest.mark.parametrize("theta", [0, 1, 4])
@pytest.mark.parametrize("p", [1.0, 1.5])
def test_dc_is_feasible_monotone_and_no_worse_than_conv(theta, p):
    problem = problem_of(lk.gaussians([0.02, 0.2, 1.0, 4.0]), *classes_of(60, 2), value=100.0)
    K, factors = grams(problem)
    mu, certificate = learn(lk.methods.DC(theta=theta, p=p), problem)
    assert (mu >= 0).all()
    assert certificate.violation <= 1e-6
    assert (np.diff(certificate.history) <= 1e-9).all()
    if p == 1:
        combined = np.einsum("k,kij->ij", mu, K)
        assert tail_sum(combined, theta) <= 1 + 1e-6
        conv, _ = learn(lk.methods.Conv(theta=theta), problem)
        other = np.einsum("k,kij->ij", conv, K)
        rescaled = conv / tail_sum(other, theta)
        unit = problem.kernels.scaled(rescaled)
        objective = SVMObjective(unit, problem.Y, problem.C * problem.sample_weight)
        value = objective.evaluate(np.ones(unit.n_kernels)).value
        assert certificate.primal <= value * (1 + 1e-3)
    if theta == 0:
        # The tail sum is the trace then, and the constraint is linear.
        scaled = [L / np.sqrt(np.trace(M)) for L, M in zip(factors, K, strict=True)]
        assert np.isclose(certificate.primal, svm_optimum(problem, scaled, p), rtol=1e-3)


@pytest.mark.parametrize("theta", [0, 1, 4])
@pytest.mark.parametrize("p", [1.0, 1.5])
def test_dc_in_regression_is_feasible_monotone_and_no_worse_than_conv(theta, p):
    kernels = lk.gaussians([0.02, 0.2, 1.0, 4.0])
    problem = problem_of(kernels, *targets_of(60, 1), "regression", 0.002)
    K, factors = grams(problem)
    mu, certificate = learn(lk.methods.DC(theta=theta, p=p), problem)
    assert certificate.status == "optimal" and certificate.violation <= 1e-6
    assert (np.diff(certificate.history) <= 1e-9 * certificate.primal).all()
    if p == 1:
        assert tail_sum(np.einsum("k,kij->ij", mu, K), theta) <= 1 + 1e-6
        conv, _ = learn(lk.methods.Conv(theta=theta), problem)
        scale = tail_sum(np.einsum("k,kij->ij", conv, K), theta)
        rescaled = RidgeObjective.of(problem, Simplex()).evaluate(conv / scale)
        assert certificate.primal <= rescaled.value * (1 + 1e-4)
    if theta == 0:
        scaled = [L / np.sqrt(np.trace(M)) for L, M in zip(factors, K, strict=True)]
        norm = cp.max if p == 1 else lambda v: cp.norm(v, 3.0)
        assert np.isclose(certificate.primal, ridge_optimum(problem, scaled, norm), rtol=1e-3)
