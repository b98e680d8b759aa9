"""Values, tables and claims."""

import numpy as np
from scipy.stats import ttest_rel

from learnkernels.reproductions.experiment import (
    ResultTable,
    Value,
    interval,
    within_two_deviations,
)


def test_square_table_has_columns_in_row_order():
    value = Value(1.0)
    square = ResultTable("", "", {"a": {"b": value, "c": value}, "b": {"a": value}, "c": {}})
    assert square.columns == ["a", "b", "c"]
    assert ResultTable("", "", {"a": {"y": value, "x": value}}).columns == ["y", "x"]


def test_claim_names_numbers_outside_two_deviations():
    near = Value(0.139, 0.01, 0.13, 0.005)
    far = Value(0.15, 0.01, 0.13, 0.005)
    assert within_two_deviations([ResultTable("", "", {"x": {"y": near}})]).holds
    claim = within_two_deviations([ResultTable("", "", {"x": {"y": near, "z": far}})])
    assert not claim.holds and "x z 0.150" in claim.detail and "x y" not in claim.detail


def test_deviations_match_hand_computation():
    assert np.isclose(Value(0.14, 0.01, 0.13, 0.005).deviations, 2)
    assert Value(0.14).deviations is None and Value(0.14, None, 0.13).deviations is None


def test_interval_matches_the_paired_t_test_and_widens_with_overlap():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, 12))
    expected = ttest_rel(first, second).confidence_interval(0.95)
    found = interval(first - second)
    assert np.allclose([found.low, found.high], expected)
    wide = interval(first - second, overlap=0.25)
    assert np.isclose((wide.high - wide.low) / (found.high - found.low), np.sqrt(1 + 12 * 0.25))


def test_interval_of_a_single_value_is_unbounded():
    found = interval([0.3])
    assert (found.mean, found.low, found.high) == (0.3, -np.inf, np.inf)


def test_interval_covers_the_mean_of_overlapping_splits():
    """Ten halves of one sample: without the overlap most intervals miss the true mean."""
    rng = np.random.default_rng(1)
    covered = {0.0: 0, 1.0: 0}
    for _ in range(200):
        sample = rng.standard_normal(40)
        halves = [rng.permutation(sample)[:20].mean() for _ in range(10)]
        for overlap in covered:
            found = interval(halves, overlap)
            covered[overlap] += found.low <= 0 <= found.high
    assert covered[0.0] < 120 < 180 < covered[1.0]
