"""Values, tables and claims."""

import numpy as np

from learnkernels.reproductions.experiment import ResultTable, Value, within_two_deviations


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
