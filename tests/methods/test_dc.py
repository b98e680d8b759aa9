"""Bounded tail sum of the learned kernel."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import tail_sum
from learnkernels.methods.objectives import SVMObjective
from tests.methods.problems import classes_of, grams, learn, problem_of, svm_optimum


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
