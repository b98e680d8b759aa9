"""Families look at the data, and only where they must."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF

import learnkernels as lk
from learnkernels.kernels import Custom, Gaussian, GaussianProcess, Linear, Metric, resolve
from learnkernels.kernels.families import median_distance, squared_distances


def test_default_is_ten_gaussians_and_linear(rng):
    kernels = resolve(None, rng.standard_normal((50, 3)))
    assert len(kernels) == 11
    assert isinstance(kernels[-1], Linear)


def test_gaussians_are_powers_of_two_around_the_median_distance(rng):
    X = 3 * rng.standard_normal((60, 4))
    D = squared_distances(X)
    gammas = [kernel.gamma for kernel in resolve(lk.gaussians(), X)]
    assert np.allclose(np.log2(gammas) % 1, 0)
    assert np.allclose(np.diff(np.log2(gammas)), 1)
    assert gammas[0] < 1 / np.median(D[D > 0]) < gammas[-1]


@pytest.mark.parametrize("family", [lk.gaussians, lk.laplacians])
def test_grid_follows_the_scale_of_the_data(family, rng):
    X = rng.standard_normal((40, 3))
    factor = 4 if family is lk.gaussians else 2
    small = [kernel.gamma for kernel in resolve(family(), X)]
    large = [kernel.gamma for kernel in resolve(family(), 2 * X)]
    assert np.allclose(np.array(small) / np.array(large), factor)


def test_median_counts_a_sample_as_often_as_its_weight_says(rng):
    X, w = rng.standard_normal((12, 2)), np.arange(12) % 3
    repeated = median_distance(np.repeat(X, w, axis=0), None, squared_distances)
    assert np.isclose(median_distance(X, w.astype(float), squared_distances), repeated)


def test_sparse_and_dense_data_give_the_same_grid(rng):
    X = rng.standard_normal((30, 4)) * (rng.random((30, 4)) < 0.5)
    assert resolve(None, X) == resolve(None, sparse.csr_array(X))


def test_polynomials_scale_by_the_number_of_features(rng):
    (kernel,) = resolve(lk.polynomials([3]), np.zeros((5, 8)))
    assert (kernel.degree, kernel.gamma) == (3, 1 / 8)


def test_every_kind_of_entry_is_understood(rng):
    def overlap(X, Z):
        return np.minimum(X[:, None], Z[None]).sum(axis=2)

    X = rng.random((5, 2))
    entries = ["linear", "chi2", Gaussian(1.0), lk.polynomials([2]), RBF(1.0), overlap]
    kinds = [type(kernel) for kernel in resolve(entries, X)]
    assert kinds[:3] == [Linear, Metric, Gaussian]
    assert kinds[4:] == [GaussianProcess, Custom]


@pytest.mark.parametrize(
    ("kernels", "says"),
    [
        ([], "empty list"),
        ("gausians", "unknown"),
        ([3.0], "of type float"),
        (["linear", "precomputed"], "alone"),
    ],
)
def test_entries_that_mean_nothing_are_refused(kernels, says):
    with pytest.raises(lk.InputError, match=says):
        resolve(kernels, np.zeros((3, 2)))


@pytest.mark.parametrize("make", [lk.gaussians, lk.laplacians, lk.polynomials])
def test_families_refuse_empty_lists_and_text(make):
    with pytest.raises(lk.InputError, match="empty"):
        make([])
    with pytest.raises(lk.InputError, match="must be a finite number"):
        make(["wide"])


def test_identical_samples_have_a_median_too():
    assert median_distance(np.ones((4, 2)), None, squared_distances) == 1.0


def test_any_iterable_will_do():
    assert lk.gaussians(2.0**k for k in range(3)).gammas == (1.0, 2.0, 4.0)
    assert lk.gaussians(0.5).gammas == (0.5,)
