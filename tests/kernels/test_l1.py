"""L1 distances against NumPy and against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from learnkernels.errors import InputError
from learnkernels.kernels.l1 import CLOSE, NARROW, l1_distances

WIDE = NARROW + 5


@pytest.mark.parametrize("columns", [0, 1, 7, NARROW - 1, NARROW, WIDE, 131, 400, 1400])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 2), (10, 13), (31, 3), (12, 240)])
def test_distances_equal_those_of_scipy_for_all_remainders(shape, columns, rng):
    A, B = rng.standard_normal((shape[0], columns)), rng.standard_normal((shape[1], columns))
    expected = cdist(A, B, "cityblock") if columns else np.zeros(shape)
    assert np.allclose(l1_distances(A, B), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("columns", [4, WIDE, 200])
def test_distance_of_equal_rows_is_exactly_zero(columns, rng):
    A = rng.standard_normal((9, columns)) * 10.0 ** rng.uniform(-100, 100, columns)
    assert (np.diag(l1_distances(A, A)) == 0).all()
    assert (l1_distances(np.zeros((6, columns)), np.zeros((3, columns))) == 0).all()


@pytest.mark.parametrize("size", [1.0, CLOSE, 1e-6, 1e-12])
def test_distances_of_close_rows_have_twelve_digits(size, rng):
    A = rng.standard_normal((6, WIDE)) + 5
    B = A[:3] + size * rng.standard_normal((3, WIDE))
    exact = [
        [float(sum(abs(Fraction(x) - Fraction(y)) for x, y in zip(a, b, strict=True))) for b in B]
        for a in A
    ]
    assert np.allclose(l1_distances(A, B), exact, rtol=1e-12, atol=0)


def test_outliers_that_share_a_large_value_keep_their_small_distance(rng):
    A = rng.standard_normal((6, WIDE))
    A[:, 2] = 1e12
    assert np.allclose(l1_distances(A, A), cdist(A, A, "cityblock"), rtol=1e-12, atol=0)


def test_very_large_and_very_small_values_are_finite(rng):
    A = rng.standard_normal((6, WIDE))
    for scale in (1e150, 1e-300):
        found = l1_distances(scale * A, scale * A) / scale
        assert np.allclose(found, l1_distances(A, A), rtol=1e-9)


def test_rows_in_any_memory_order_give_the_same_distances(rng):
    A, B = rng.standard_normal((9, WIDE)), rng.standard_normal((6, WIDE))
    expected = l1_distances(A, B)
    assert (l1_distances(np.asfortranarray(A), B[:, ::-1][:, ::-1]) == expected).all()


def test_different_numbers_of_columns_raise():
    with pytest.raises(InputError, match="expected 3"):
        l1_distances(np.zeros((2, 2)), np.zeros((2, 3)))
