"""The test of differences between held-out losses."""

import numpy as np
import pytest
from scipy import stats

from learnkernels.significance import paired_difference, standard_error


def test_interval_is_that_of_the_paired_t_test(rng):
    losses, others = rng.random(200), rng.random(200) + 0.2
    found = paired_difference(losses, others)
    expected = stats.ttest_rel(losses, others).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-2)
    assert found.verdict == "lower" and paired_difference(others, losses).verdict == "higher"


def test_weight_of_two_counts_as_two_samples_in_the_mean_and_constant_weights_cancel(rng):
    losses, others = rng.random(50), rng.random(50)
    w = np.where(np.arange(50) < 10, 2.0, 1.0)
    twice = np.repeat(np.arange(50), w.astype(int))
    found = paired_difference(losses, others, w)
    assert found.mean == pytest.approx(paired_difference(losses[twice], others[twice]).mean)
    assert standard_error(losses, np.full(50, 3.0)) == pytest.approx(standard_error(losses))


def test_differences_that_may_be_rounding_are_unclear():
    losses = np.linspace(1.0, 2.0, 30)
    assert paired_difference(losses, losses).verdict == "unclear"
    assert paired_difference(losses + 1e-9, losses).verdict == "unclear"
    assert paired_difference(losses + 1.0, losses).verdict == "higher"


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_verdict_does_not_depend_on_the_unit_of_the_losses(unit):
    losses = np.linspace(1.0, 2.0, 30)
    assert paired_difference(unit * 1.005 * losses, unit * losses).verdict == "unclear"
    assert paired_difference(unit * 1.05 * losses, unit * losses).verdict == "higher"


@pytest.mark.parametrize("n", [40, 200])
def test_equal_models_differ_significantly_in_few_cross_validations(n, rng):
    """Two ridge models on exchangeable halves of the columns have the same expected error."""
    found = 0
    for _ in range(300):
        X, fold = rng.standard_normal((n, 2, 4)), rng.permutation(n) % 5
        y = X.sum(axis=(1, 2)) + rng.standard_normal(n)
        losses = np.zeros((2, n))
        for k in range(5):
            train, test = fold != k, fold == k
            for i in range(2):
                A = X[train, i]
                w = np.linalg.solve(A.T @ A + np.eye(4), A.T @ y[train])
                losses[i, test] = (X[test, i] @ w - y[test]) ** 2
        found += paired_difference(*losses).verdict != "unclear"
    assert found / 300 <= 0.12
