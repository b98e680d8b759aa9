"""The learned kernel: its Gram matrix and products, for training and new samples."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.execution import Threads, memory
from learnkernels.gram import learned
from learnkernels.gram.tiles import passes
from tests import dense
from tests.gram.test_centered import MIXED
from tests.methods.problems import problem_of


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["trace", "frobenius", "cosine", None])
def test_gram_of_training_and_new_samples_equals_its_definition(center, normalize, rng):
    X, Z = rng.standard_normal((60, 3)) + 1, rng.standard_normal((9, 3)) + 1
    y = rng.standard_normal(60)
    learner = lk.KernelLearner(MIXED, "align", center=center, normalize=normalize)
    train = learner.fit_transform(X, y)
    new = learner.transform(Z)

    expected, expected_new = np.zeros((60, 60)), np.zeros((9, 60))
    for weight, kernel in zip(learner.weights_, MIXED, strict=True):
        K, L = kernel(X), kernel(Z, X)
        if normalize == "cosine":
            root = np.sqrt(kernel.diagonal(X))
            K, L = K / np.outer(root, root), L / np.outer(np.sqrt(kernel.diagonal(Z)), root)
        C = dense.centered(K)
        if center:
            L = L - K.mean(axis=0) - L.mean(axis=1, keepdims=True) + K.mean()
        if normalize == "trace":
            scale = np.trace(C if center else K) / 60
        else:
            scale = np.linalg.norm(C) if normalize == "frobenius" else 1.0
        expected += weight * (C if center else K) / scale
        expected_new += weight * L / scale
    assert np.allclose(train, expected, atol=1e-10)
    assert np.allclose(new, expected_new, atol=1e-10)


def test_centered_gram_has_zero_means_and_unit_mean_diagonal(classes):
    K = lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf").fit_transform(*classes)
    assert np.allclose(K.mean(axis=0), 0)
    assert np.isclose(np.trace(K) / len(K), 1.0)


def test_gram_beyond_free_memory_raises_input_error_before_allocation(monkeypatch):
    monkeypatch.setattr(learned, "SMALL", 100)
    monkeypatch.setattr(memory, "available_memory", lambda: 1e4)
    with pytest.raises(lk.InputError, match="115 kB and 10 kB are free"):
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
            np.arange(120.0)[:, None], np.arange(120.0)
        )


def test_products_of_no_new_samples_have_no_rows(classes):
    X, y = classes
    kernel = lk.KernelLearner("linear", method="alignf").fit(X, y)._kernel
    products = kernel.products(X[:0], np.zeros((120, 1)), lk.Threads())
    assert products.shape == (0, 1)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("n_vectors", [1, 4])
def test_products_that_read_each_pair_once_equal_those_with_the_gram_matrix(
    n_vectors, center, rng, monkeypatch
):
    monkeypatch.setattr(passes, "ROWS", 8)
    monkeypatch.setattr(passes, "COLUMNS", 12)
    X = rng.standard_normal((51, 3))
    kernels = problem_of(MIXED, X, X[:, 0], "regression", center=center).kernels
    kernel = kernels.kernel(np.linspace(1, 2, kernels.n_kernels))
    coef = rng.standard_normal((51, n_vectors))
    coef -= coef.mean(axis=0)
    expected = kernel.gram(Threads(1)) @ coef
    found = kernel.times(coef, Threads(1))
    assert np.allclose(found, expected, atol=1e-10 * np.abs(expected).max())
    assert np.array_equal(found, kernel.times(coef, Threads(3)))
