"""Quantiles of the columns of a table, against NumPy and against repeated samples."""

import numpy as np
import pytest

from learnkernels.kernels.quantiles import column_medians, column_quantiles


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_medians_are_those_of_numpy(n, rng):
    X = rng.integers(-3, 3, (n, 4)).astype(float)
    before = X.copy()
    assert np.array_equal(column_medians(X), np.median(X, axis=0))
    assert np.array_equal(X, before)


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_quantiles_are_the_lowest_values_with_a_part_of_the_samples(n, rng):
    X, levels = rng.standard_normal((n, 4)), (0.1, 0.5, 0.9)
    expected = np.quantile(X, levels, axis=0, method="inverted_cdf")
    assert np.array_equal(column_quantiles(X, np.full(n, 2.0), levels), expected)


def test_weighted_quantiles_are_those_of_repeated_samples(rng):
    X, w, levels = rng.standard_normal((9, 3)), rng.integers(1, 4, 9), (0.1, 0.5, 0.9)
    repeated = np.repeat(X, w, axis=0)
    expected = column_quantiles(repeated, np.ones(len(repeated)), levels)
    assert np.array_equal(column_quantiles(X, w.astype(float), levels), expected)


@pytest.mark.parametrize("n", [1, 2, 7, 10, 33])
def test_quantiles_with_equal_weights_are_those_of_repeated_rows(n, rng):
    X, levels = rng.integers(0, 9, (n, 4)).astype(float), (0.1, 0.5, 0.9)
    found = column_quantiles(X, np.full(n, 0.7), levels)
    assert (found == column_quantiles(X, np.ones(n), levels)).all()
    # Rows of weight zero lead to the other algorithm, which sorts.
    more = np.vstack([X, rng.standard_normal((3, 4))])
    assert (found == column_quantiles(more, np.repeat([1.0, 0.0], [n, 3]), levels)).all()
