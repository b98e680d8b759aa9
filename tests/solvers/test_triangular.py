"""The inverse of a triangular matrix by blocks."""

from __future__ import annotations

import numpy as np
import pytest

from learnkernels.solvers import invert_lower
from learnkernels.solvers.triangular import LEAF


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [0, 1, 5, LEAF, LEAF + 1, 2 * LEAF + 9, 5 * LEAF + 3])
def test_inverse_times_triangle_is_the_identity(n, order, rng):
    L = rng.standard_normal((n, n)) / np.sqrt(n + 1) + 2 * np.eye(n)
    inverse = np.array(L, order=order)
    invert_lower(inverse)
    np.testing.assert_allclose(np.tril(inverse) @ np.tril(L), np.eye(n), atol=1e-12)
    assert np.array_equal(np.triu(inverse, 1), np.triu(L, 1))


def test_rows_of_a_larger_matrix_are_inverted_in_place(rng):
    whole = rng.standard_normal((300, 400)) / 20
    L = whole[:, 50:350]
    L += 2 * np.eye(300)
    expected, others = np.linalg.inv(np.tril(L)), whole[:, 350:].copy()
    invert_lower(L)
    np.testing.assert_allclose(np.tril(L), expected, atol=1e-12)
    assert np.array_equal(whole[:, 350:], others)


def test_inverse_is_as_accurate_as_substitution_if_ill_conditioned(rng):
    S = rng.standard_normal((400, 300))
    L = np.linalg.cholesky(S @ S.T + 1e-8 * np.eye(400))
    inverse = L.copy()
    invert_lower(inverse)
    residual = np.abs(L @ inverse - np.eye(400))
    assert (residual <= 400 * np.finfo(float).eps * (np.abs(L) @ np.abs(inverse))).all()
