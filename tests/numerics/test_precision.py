"""Agreement with 50-digit arithmetic on some cases of the precision benchmark."""

from __future__ import annotations

import pytest
from benchmarks import precision
from benchmarks.exact import numbers, ridge

ALPHAS = (1e-8, 1e-2)
KINDS = ("ordinary", "an outlier of 1e6", "a mean of 1e8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["gaussian", "linear", "per_feature"])
def test_statistics_and_ridge_agree_with_50_digit_arithmetic(name, kind):
    samples = precision.numeric(precision.KINDS[kind], 12)
    row = precision.one(precision.family(name, samples.X), samples, ALPHAS)
    for what in ("M", "a", "traces"):
        assert row[what][0] < 1e-12
    assert row["ridge 1e-02"][0] < 1e-12
    # The coefficients of a rank-deficient Gram matrix are not more accurate than this.
    assert row["ridge 1e-08"][0] < 1e-16 / 1e-8 * 100


def test_50_digit_ridge_solves_its_linear_system():
    K = numbers([[2.0, 1.0], [1.0, 3.0]])
    y = numbers([1.0, -1.0])
    coef = ridge(K, y, 0.5)
    assert abs(K @ coef + coef / 2 - y).max() < 1e-45
