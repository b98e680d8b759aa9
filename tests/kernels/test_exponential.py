"""Gaussian and Laplacian families: widths around the median distance."""

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.kernels import Gaussian, Laplacian, resolve
from learnkernels.kernels.exponential import median_distance


def test_gaussians_are_powers_of_two_times_the_inverse_median_distance(rng):
    X = 3 * rng.standard_normal((60, 4))
    inverse = 1 / median_distance(X, None, Gaussian)
    gammas = [kernel.gamma for kernel in resolve(lk.gaussians(), X)]
    assert np.array_equal(gammas, inverse * 2.0 ** np.arange(-5, 5))


@pytest.mark.parametrize("family", [lk.gaussians, lk.laplacians])
@pytest.mark.parametrize("unit", [2.0, 1000.0])
def test_widths_scale_with_the_data(family, unit, rng):
    X = rng.standard_normal((40, 3))
    small = [kernel.gamma for kernel in resolve(family(), X)]
    large = [kernel.gamma for kernel in resolve(family(), unit * X)]
    factor = unit**2 if family is lk.gaussians else unit
    assert np.allclose(np.array(small) / np.array(large), factor, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Gaussian, Laplacian])
def test_median_with_weights_equals_median_with_repeated_samples(kernel, rng):
    X, w = rng.standard_normal((12, 2)), np.arange(12) % 3
    repeated = median_distance(np.repeat(X, w, axis=0), None, kernel)
    assert np.isclose(median_distance(X, w.astype(float), kernel), repeated)


def test_sparse_and_dense_data_give_equal_kernels(rng):
    X = rng.standard_normal((30, 4)) * (rng.random((30, 4)) < 0.5)
    kernels = ["gaussians", "laplacians", "linear"]
    assert resolve(kernels, X) == resolve(kernels, sparse.csr_array(X))


@pytest.mark.parametrize("kernel", [Gaussian, Laplacian])
def test_median_of_identical_samples_is_one(kernel):
    assert median_distance(np.ones((4, 2)), None, kernel) == 1.0


def test_rounding_errors_of_squared_distances_do_not_enter_the_median(rng):
    X = 1e6 + rng.standard_normal((3, 50))
    pairs = np.repeat(X, 20, axis=0)  # most distances are zero
    expected = np.median(Gaussian.distances(X - X[0])[np.triu_indices(3, 1)])
    assert np.isclose(median_distance(pairs, None, Gaussian), expected, rtol=1e-6)


@pytest.mark.parametrize(("scale", "message"), [(1e-200, "too close"), (1e200, "too far apart")])
def test_distances_that_underflow_or_overflow_raise_input_error(scale, message, rng):
    with pytest.raises(lk.InputError, match=message):
        resolve(lk.gaussians(), scale * rng.standard_normal((10, 2)))


@pytest.mark.parametrize("make", [lk.gaussians, lk.laplacians, lk.polynomials])
def test_empty_list_and_text_raise_input_error(make):
    with pytest.raises(lk.InputError, match="empty"):
        make([])
    with pytest.raises(lk.InputError, match="must be a finite number"):
        make(["wide"])


def test_gammas_may_be_any_iterable_or_a_number():
    assert lk.gaussians(2.0**k for k in range(3)).gammas == (1.0, 2.0, 4.0)
    assert lk.gaussians(0.5).gammas == (0.5,)


def test_names_show_powers_of_two():
    assert Gaussian(0.25).name == "gaussian(2^-2)"
    assert Gaussian(0.3).name == "gaussian(0.3)"
    assert Laplacian(4.0).name == "laplacian(2^2)"
