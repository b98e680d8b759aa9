"""Triangles and symmetric matrices are converted into each other."""

from __future__ import annotations

import numpy as np
import pytest

from learnkernels.gram.triangles import BLOCK, from_triangle, from_upper, to_triangle


@pytest.mark.parametrize("n", [1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_upper_triangle_defines_the_symmetric_matrix(n, rng):
    upper = rng.standard_normal((n, n))
    expected = np.triu(upper) + np.triu(upper, 1).T
    assert np.array_equal(from_upper(upper), expected)
    assert np.array_equal(from_triangle(upper[np.triu_indices(n)], n), expected)


def test_entries_off_the_diagonal_count_twice(rng):
    S = rng.standard_normal((7, 7))
    symmetric, K = from_upper(S), from_upper(rng.standard_normal((7, 7)))
    assert np.isclose(K[np.triu_indices(7)] @ to_triangle(S), np.sum(K * symmetric))
