"""The family of polynomial kernels."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.kernels import Polynomial, resolve


def test_default_gamma_is_the_inverse_number_of_features():
    (kernel,) = resolve(lk.polynomials([3]), np.zeros((5, 8)))
    assert (kernel.degree, kernel.gamma) == (3, 1 / 8)


def test_one_kernel_for_each_degree():
    kernels = resolve(lk.polynomials([1, 2], gamma=0.5, coef0=0.0), np.zeros((5, 8)))
    assert kernels == [Polynomial(1, 0.5, 0.0), Polynomial(2, 0.5, 0.0)]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degrees": None}, "degrees is None"),
        ({"gamma": "wide"}, "gamma='wide'"),
        ({"coef0": None}, "coef0=None"),
    ],
)
def test_invalid_parameters_raise_input_error(parameters, message):
    with pytest.raises(lk.InputError, match=message):
        lk.polynomials(**parameters)
