"""Centered alignment of two matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnkernels as lk
from tests import dense


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 0.9])
def test_alignment_equals_the_formula_of_2012_figure_1(fraction):
    """A fraction of points at (-1, 0) labelled -1, the others at (1, 0) labelled 1."""
    n = 200
    y = np.where(np.arange(n) < fraction * n, -1.0, 1.0)
    K, L = np.outer(y, y) + 1, np.outer(y, y)
    assert np.isclose(lk.alignment(K, L), 1.0)
    expected = np.sqrt((1 + (1 - 2 * fraction) ** 2) / 2)
    assert np.isclose(lk.alignment(K, L, centered=False), expected)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_alignment_is_in_unit_interval_and_invariant_to_scale_and_constants(seed):
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((12, 3)), rng.standard_normal((12, 5))
    K, L = A @ A.T, B @ B.T
    rho = lk.alignment(K, L)
    assert 0 <= rho <= 1
    assert np.isclose(rho, lk.alignment(7 * K + 3, L))
    assert np.isclose(rho, lk.alignment(L, K))
    assert np.isclose(lk.alignment(K, K), 1.0)


def test_alignment_equals_its_definition(rng):
    A, B = rng.standard_normal((15, 4)) + 2.0, rng.standard_normal((15, 6)) - 1.0
    K, L = A @ A.T, B @ B.T
    Kc, Lc = dense.centered(K), dense.centered(L)
    expected = np.sum(Kc * Lc) / np.linalg.norm(Kc) / np.linalg.norm(Lc)
    assert np.isclose(lk.alignment(K, L), expected)


def test_alignment_of_a_constant_matrix_is_zero():
    assert lk.alignment(np.ones((3, 3)), np.eye(3)) == 0.0


def test_invalid_matrices_raise_input_error():
    with pytest.raises(lk.InputError, match="same shape"):
        lk.alignment(np.eye(3), np.eye(4))
    with pytest.raises(lk.InputError, match="square"):
        lk.alignment(np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(lk.InputError, match="square"):
        lk.alignment(np.ones((3, 3, 3)), np.ones((3, 3, 3)))
    with pytest.raises(lk.InputError, match="NaN"):
        lk.alignment(np.full((2, 2), np.nan), np.eye(2))
    one = np.array([[1.0, np.inf], [np.inf, 1.0]])
    for matrices in ((one, np.eye(2)), (np.eye(2), one)):
        with pytest.raises(lk.InputError, match="infinite"):
            lk.alignment(*matrices)
