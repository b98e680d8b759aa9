import numpy as np
import pytest
from benchmarks.ranking import (
    SMALLEST,
    critical_difference,
    friedman_p_value,
    geometric_mean,
    groups,
    mean_ranks,
    ratios,
)
from scipy.stats import friedmanchisquare

ERRORS = {
    "one": {"a": 0.1, "b": 0.2, "c": 0.4},
    "two": {"a": 0.3, "b": 0.3, "c": 0.1},
    "three": {"a": 0.2, "b": 0.5},
}


def test_geometric_mean_of_reciprocal_values_is_one():
    assert geometric_mean([0.5, 2.0, 0.25, 4.0]) == pytest.approx(1)


def test_ratios_divide_by_the_lowest_reference_of_each_table():
    assert ratios(ERRORS, "a", ["b", "c"]) == pytest.approx({"one": 0.5, "two": 3})


def test_ratios_leave_out_tables_without_the_models():
    assert ratios(ERRORS, "c", ["a"]).keys() == {"one", "two"}
    assert ratios(ERRORS, "d", ["a"]) == {}


def test_ratios_are_finite_for_errors_of_zero():
    errors = {"t": {"a": 0.0, "b": 0.0, "c": 0.5}}
    assert ratios(errors, "a", ["b"]) == {"t": 1}
    assert ratios(errors, "c", ["a"]) == pytest.approx({"t": 0.5 / SMALLEST})


def test_mean_ranks_share_ties_and_begin_with_the_best():
    errors = {
        "one": {"a": 0.3, "b": 0.2, "c": 0.1},
        "two": {"a": 0.3, "b": 0.1 + 0.2, "c": 0.1},  # 0.1 + 0.2 != 0.3
    }
    ranks = mean_ranks(errors, ["a", "b", "c"])
    assert ranks == {"c": 1, "b": 2.25, "a": 2.75}
    assert list(ranks) == ["c", "b", "a"]


def test_friedman_p_value_agrees_with_scipy_on_errors():
    values = np.random.default_rng(0).uniform(size=(9, 4))
    errors = {str(i): dict(zip("abcd", row, strict=True)) for i, row in enumerate(values)}
    assert friedman_p_value(errors, "abcd") == pytest.approx(friedmanchisquare(*values.T).pvalue)


@pytest.mark.parametrize(("n_models", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_difference_uses_published_quantiles(n_models, q):
    """Demšar (2006), table 5(a)."""
    expected = q * np.sqrt(n_models * (n_models + 1) / (6 * 24))
    assert critical_difference(n_models, 24) == pytest.approx(expected, rel=5e-4)


def test_groups_are_maximal_and_have_two_models_at_least():
    ranks = {"a": 1.0, "b": 1.8, "c": 2.5, "d": 4.0}
    assert groups(ranks, 1.0) == [["a", "b"], ["b", "c"]]
    assert groups(ranks, 1.6) == [["a", "b", "c"], ["c", "d"]]
    assert groups(ranks, 0.5) == []
    assert groups(ranks, 9.0) == [["a", "b", "c", "d"]]
