"""Compiled functions of tiles against NumPy."""

import mpmath
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from learnkernels.gram.tiles import leaves
from learnkernels.jit import load_compiler

load_compiler()  # before another function calls one of them


@njit
def expm1_of_all(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = leaves.expm1_negative(x[i])
    return out


def test_expm1_is_accurate_over_all_magnitudes():
    x = -np.concatenate([[0.0], np.logspace(-300, 3, 20_000)])
    exact = np.expm1(x)
    error = np.abs(expm1_of_all(x) - exact)
    assert (error <= 4e-16 * np.abs(exact)).all()


def test_expm1_is_accurate_to_two_units_in_the_last_place_against_more_digits():
    steps = np.linspace(0.0, 745.0, 3001)
    near_halves = np.log(2) / 2 * np.arange(1, 40, 2)  # the reduced argument is largest
    small = np.logspace(-16, 0, 999)
    x = -np.concatenate([steps, np.nextafter(near_halves, 0), near_halves, small])
    with mpmath.workdps(40):
        exact = [mpmath.expm1(mpmath.mpf(float(value))) for value in x]
        found = expm1_of_all(x)
        units = np.spacing(np.abs(np.array([float(value) for value in exact])))
        errors = [
            abs(float((mpmath.mpf(float(value)) - true) / mpmath.mpf(float(unit))))
            for value, true, unit in zip(found, exact, units, strict=True)
        ]
    assert max(errors) <= 2


def test_expm1_of_zero_subnormal_and_infinite_arguments():
    smallest = np.nextafter(0.0, -1.0)
    x = np.array([0.0, -0.0, smallest, -2.2e-308, -745.0, -746.0, -1.7e308, -np.inf])
    assert expm1_of_all(x).tolist() == [0.0, 0.0, smallest, -2.2e-308, -1.0, -1.0, -1.0, -1.0]


@njit
def expm1_single_of_all(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = leaves.expm1_single(x[i])
    return out


def test_expm1_in_single_precision_has_seven_digits():
    x = -np.concatenate([[0.0], np.logspace(-30, 30, 20_000)]).astype(np.float32)
    exact = np.expm1(x.astype(float))
    error = np.abs(expm1_single_of_all(x) - exact)
    assert (error <= 2.5e-7 * np.abs(exact)).all()


@given(st.floats(min_value=-1e308, max_value=0.0))
def test_expm1_is_finite_and_between_minus_one_and_zero(x):
    (value,) = expm1_of_all(np.array([x]))
    assert -1.0 <= value <= 0.0


def test_products_equal_those_of_numpy(rng):
    B = rng.standard_normal((12, 37))
    S = np.zeros((12, 12))
    leaves.add_products(B, 37, S)
    assert np.allclose(np.tril(S), np.tril(B @ B.T))
