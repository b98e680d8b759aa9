"""Weights of either sign."""

import numpy as np

import learnkernels as lk
from tests.methods.problems import learn, problem_of


def test_align_linear_is_at_least_as_aligned_as_alignf(problem, statistics):
    free, _ = learn(lk.methods.AlignLinear(), problem)
    bound, _ = learn(lk.methods.AlignF(), problem)
    assert statistics.alignment(free) >= statistics.alignment(bound) - 1e-12
    direction = np.linalg.solve(statistics.M, statistics.a)
    assert np.allclose(free, direction / direction.sum(), rtol=1e-5)


def test_align_linear_with_repeated_kernels_is_finite(classes):
    problem = problem_of(lk.gaussians([0.1, 0.1, 1.0]), *classes)
    mu, _ = learn(lk.methods.AlignLinear(), problem)
    assert np.isfinite(mu).all() and np.isclose(mu[0], mu[1])
