"""Gradients of functions of kernels with a formula."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.fitting import gradient_products
from learnkernels.execution import Threads
from learnkernels.gram import gradients
from learnkernels.kernels import Gaussian, Laplacian, Linear, resolve


@pytest.mark.parametrize(
    "kernels", [[Gaussian(0.3)], [Laplacian(0.2)], [Linear()],
                [Gaussian(0.1), Laplacian(0.5), Linear(), Gaussian(2.0)]],
    ids=["gaussian", "laplacian", "linear", "all"],
)  # fmt: skip
def test_gradients_equal_finite_differences(kernels, rng):
    Z, points = rng.standard_normal((30, 4)), rng.standard_normal((7, 4))
    c, a = rng.standard_normal((30, 2)), rng.uniform(0.5, 2.0, len(kernels))

    def f(X):
        return sum(factor * kernel(X, Z) @ c for factor, kernel in zip(a, kernels, strict=True))

    found, h = gradients(kernels, a, points, Z, c), 1e-6
    for d, unit in enumerate(np.eye(4)):
        expected = (f(points + h * unit) - f(points - h * unit)) / (2 * h)
        assert np.allclose(found[:, d], expected, rtol=1e-6, atol=1e-6)


def test_gradient_at_a_sample_has_no_term_of_its_own_laplacian(rng):
    """The derivative does not exist there; zero is the mean of both sides."""
    Z, c = rng.standard_normal((5, 3)), rng.standard_normal((5, 1))
    found = gradients([Laplacian(0.5)], np.ones(1), Z, Z, c)
    c[0] = 100.0
    assert np.allclose(found[0], gradients([Laplacian(0.5)], np.ones(1), Z, Z, c)[0])


def test_kernels_without_gradient_raise_input_error(rng):
    X = rng.standard_normal((5, 2))
    with pytest.raises(lk.InputError, match="polynomial"):
        gradients(resolve(lk.polynomials([2]), X), np.ones(1), X, X, np.ones((5, 1)))


@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_products_are_those_of_the_fitted_predictor(weighted, rng):
    X = rng.standard_normal((50, 3))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    w = rng.uniform(0.5, 2.0, 50) if weighted else np.ones(50)
    kernels = resolve(lk.gaussians([0.1, 1.0]) + lk.laplacians([0.3]) + lk.linear(), X)
    found = gradient_products(kernels, X, Y, w, None, task="regression", backend=Threads(1))
    method = lk.methods.LeaveOneOut(400, tol=1e-3)
    model = lk.KernelRegressor(kernels, method).fit(X, Y, w)
    h = 1e-6
    g = np.stack(
        [(model.predict(X + h * u) - model.predict(X - h * u)) / (2 * h) for u in np.eye(3)], axis=1
    )
    # Laplacians have a corner at every sample: differences from both sides cancel there.
    expected = np.einsum("jdt,jet,j->de", g, g, w) / w.sum()
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
