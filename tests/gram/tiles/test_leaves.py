"""Compiled functions of tiles against NumPy."""

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


def test_l1_distances_equal_those_of_numpy(rng):
    A, B = rng.standard_normal((7, 4)), rng.standard_normal((5, 4))
    out = np.empty((7, 5))
    leaves.l1_distances(A, np.ascontiguousarray(B.T), out)
    assert np.allclose(out, np.abs(A[:, None] - B[None]).sum(axis=2))


def test_products_equal_those_of_numpy(rng):
    B = rng.standard_normal((12, 37))
    S = np.zeros((12, 12))
    leaves.add_products(B, 37, S)
    assert np.allclose(np.tril(S), np.tril(B @ B.T))
