"""Every kernel with a formula: semi-definite, consistent, equal to scikit-learn."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from learnkernels import InputError
from learnkernels.kernels import (
    Custom,
    Gaussian,
    GaussianProcess,
    Laplacian,
    Linear,
    Metric,
    Polynomial,
    Precomputed,
)

KERNELS = [
    Gaussian(0.3),
    Laplacian(0.2),
    Linear(),
    Polynomial(3, gamma=0.5, coef0=2.0),
    Metric("rbf", {"gamma": 0.3}),
    GaussianProcess(RBF(1.5)),
    Custom(lambda X, Z: X @ Z.T),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_gram_is_symmetric_semidefinite_and_consistent_with_its_diagonal(kernel, rng):
    X = rng.standard_normal((20, 4))
    K = kernel(X)
    assert np.allclose(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.abs(K).max()
    assert np.allclose(kernel.diagonal(X), np.diag(K))
    assert np.allclose(kernel(X[:3], X), K[:3])


def test_formulas_agree_with_scikit_learn(rng):
    X, Z = rng.standard_normal((6, 3)), rng.standard_normal((4, 3))
    assert np.allclose(Gaussian(0.7)(X, Z), rbf_kernel(X, Z, gamma=0.7))
    assert np.allclose(Laplacian(0.7)(X, Z), laplacian_kernel(X, Z, gamma=0.7))
    expected = polynomial_kernel(X, Z, degree=2, gamma=0.7, coef0=3.0)
    assert np.allclose(Polynomial(2, 0.7, 3.0)(X, Z), expected)


def test_white_noise_differs_for_identical_and_equal_samples():
    kernel = GaussianProcess(WhiteKernel(2.0))
    X = np.zeros((3, 1))
    assert np.array_equal(kernel(X), 2 * np.eye(3))
    assert np.array_equal(kernel(X, X), np.zeros((3, 3)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Gaussian(-1.0),
        lambda: Gaussian(float("nan")),
        lambda: Gaussian("wide"),
        lambda: Laplacian(0.0),
        lambda: Polynomial(0),
        lambda: Polynomial(1.5),
        lambda: Polynomial(2, coef0=-1.0),
        lambda: Polynomial(2, gamma=-1.0),
    ],
)
def test_parameters_of_an_indefinite_formula_raise_input_error(make):
    with pytest.raises(InputError, match="must be a"):
        make()


def test_diagonal_of_precomputed_kernel_raises_input_error():
    with pytest.raises(InputError, match="unit diagonal yourself"):
        Precomputed(0).diagonal(np.zeros((2, 5, 1)))


def test_name_of_a_metric_shows_its_options():
    assert Metric("chi2", {"gamma": 2}).name == "chi2(gamma=2)"
