"""Weights bounded by tail sums."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods import METHODS
from tests.methods.problems import (
    KERNELS,
    classes_of,
    counts,
    grams,
    labels,
    learn,
    problem_of,
    svm_optimum,
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
