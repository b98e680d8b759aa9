"""Kernels of low rank, and approximations of other kernels."""

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.kernels import Gaussian, Laplacian, resolve


def test_each_group_of_columns_has_a_kernel(rng):
    X = rng.standard_normal((12, 5))
    kernels = resolve(lk.low_rank([[0, 3], slice(1, 3)]), X)
    assert np.allclose(kernels[0](X), X[:, [0, 3]] @ X[:, [0, 3]].T)
    assert np.allclose(kernels[1](X), X[:, 1:3] @ X[:, 1:3].T)


def test_nystroem_of_full_rank_equals_the_kernel(rng):
    X, Z = rng.standard_normal((30, 3)), rng.standard_normal((7, 3))
    for family in (lk.gaussians([0.3]), lk.linear(), lk.polynomials([2])):
        (exact,) = resolve(family, X)
        (kernel,) = resolve(lk.low_rank(family, rank=30), X)
        assert np.allclose(kernel(X), exact(X), atol=1e-6)
        assert np.allclose(kernel(Z, X), exact(Z, X), atol=1e-6)


def test_nystroem_error_decreases_with_the_rank(rng):
    X = rng.standard_normal((60, 3))
    exact = Gaussian(0.5)(X)

    def error(rank):
        (kernel,) = resolve(lk.low_rank(lk.gaussians([0.5]), rank=rank), X)
        return np.linalg.norm(kernel(X) - exact)

    errors = [error(rank) for rank in (5, 15, 40)]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize(
    ("family", "kernel"),
    [(lk.gaussians([0.2]), Gaussian(0.2)), (lk.laplacians([0.2]), Laplacian(0.2))],
)
def test_random_features_approximate_the_kernel(family, kernel, rng):
    X = rng.standard_normal((20, 3))
    for given in (X, sparse.csr_array(X)):
        (cheap,) = resolve(lk.low_rank(family, rank=40_000, approximation="random"), given)
        assert np.abs(cheap(given) - kernel(X)).max() < 0.05


def test_nystroem_of_full_rank_equals_the_kernel_of_strings():
    strings = np.array(["ACGTAC", "ACGTTC", "TTGCAA", "TTGCCA", "ACGGAC"], dtype=object)
    (exact,) = resolve(lk.spectrum(2), strings)
    (kernel,) = resolve(lk.low_rank(lk.spectrum(2), rank=5), strings)
    assert np.allclose(kernel(strings), exact(strings), atol=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lk.low_rank("a"), "list of groups of columns"),
        (lambda: lk.low_rank(lk.gaussians()), "with rank= the kernels to approximate"),
        (lambda: lk.low_rank(lk.gaussians(), rank=0), "rank=0"),
        (lambda: lk.low_rank(lk.gaussians(), rank=3, approximation="magic"), "magic"),
        (
            lambda: resolve(lk.low_rank("linear", rank=3, approximation="random"), np.eye(4)),
            "random features exist here for Gaussian and Laplacian",
        ),
    ],
)
def test_invalid_parameters_raise_input_error(make, message):
    with pytest.raises(lk.InputError, match=message):
        make()


def test_disjoint_groups_of_columns_share_a_source(rng):
    kernels = resolve(lk.low_rank([[0, 3], slice(1, 3)]), rng.standard_normal((12, 5)))
    assert kernels[0].source is kernels[1].source
    overlapping = resolve(lk.low_rank([[0, 1], [1, 2]]), rng.standard_normal((12, 5)))
    assert overlapping[0].source is not overlapping[1].source


def test_landmarks_are_samples_with_positive_weight(rng):
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    w = np.r_[np.zeros(10), np.ones(20)]
    family = lk.low_rank(lk.gaussians([1.0]), rank=5)
    weighted = lk.KernelClassifier(family, method="alignf", C=1.0).fit(X, y, w)
    plain = lk.KernelClassifier(family, method="alignf", C=1.0).fit(X[10:], y[10:])
    assert np.allclose(weighted.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("family", [lk.gaussians([0.5]), lk.laplacians([0.5]), lk.linear()])
def test_nystroem_of_sparse_samples_equals_that_of_dense_samples(family, rng):
    X = rng.standard_normal((25, 4)) * (rng.random((25, 4)) < 0.4)
    y = np.arange(25) % 2
    models = [
        lk.KernelClassifier(lk.low_rank(family, rank=8), method="alignf", C=1.0).fit(kind(X), y)
        for kind in (np.asarray, sparse.csr_array)
    ]
    values = [model.decision_function(sparse.csr_array(X)) for model in models[1:]]
    assert np.allclose(models[0].decision_function(X), values[0], atol=1e-6)
