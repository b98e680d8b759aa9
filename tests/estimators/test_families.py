"""Choice of the default family by held-out error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.estimators import families
from learnkernels.estimators.families import (
    MAX_COLUMNS,
    MIN_NARROW_SAMPLES,
    choose_family,
    narrower_kernels,
)
from learnkernels.execution import Threads
from learnkernels.kernels import resolve
from learnkernels.kernels.table import GAUSSIANS


def two_of_ten(n=240, seed=0):
    """Return ten columns, and a target that depends on a direction of the first two."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 10))
    return X, 2 * np.sin(X[:, 0] + X[:, 1])


@pytest.fixture(autouse=True)
def small_tables(monkeypatch):
    """Choose the family for small tables too."""
    for task, rule in families.RULES.items():
        monkeypatch.setitem(families.RULES, task, replace(rule, min_samples=200))


def choose(X, y):
    """Return the chosen family and the candidates."""
    choice = choose_family(X, y[:, None], np.ones(len(y)), "regression", Threads(1))
    return choice.kernels, choice.candidates


def chosen(rows):
    """Return the name of the chosen family."""
    (name,) = (one.name for one in rows if one.chosen)
    return name


def test_metric_is_chosen_if_it_clearly_lowers_the_held_out_error():
    X, y = two_of_ten()
    model = lk.KernelRegressor().fit(X, y)
    plain, metric = (one for one in model.selection_ if one.question == "kernels")
    assert model.selection_.chosen["kernels"] == metric
    assert metric.error < plain.error and metric.reason.startswith("lower by more than")
    assert len(model.kernel_names_) == 28
    new, target = two_of_ten(200, seed=1)
    assert model.score(new, target) > lk.KernelRegressor(lk.table()).fit(X, y).score(new, target)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_labels_choose_the_table_family_with_the_error_of_guessing(seed):
    """The metric is learned on other samples than those that compare, so it looks no better."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((240, 10))
    y = rng.permutation(np.repeat([-1.0, 1.0], 120))
    family, rows = choose(X, y)
    assert chosen(rows) == "table" and family == lk.table()
    assert all(0.95 < one.error < 1.05 for one in rows)


def test_samples_that_learn_the_metric_do_not_count_in_the_errors(monkeypatch):
    seen = []
    resolved, prepared = families.resolve, families.prepare
    monkeypatch.setattr(
        families, "resolve", lambda f, X, *a, **k: seen.append(X) or resolved(f, X, *a, **k)
    )
    monkeypatch.setattr(
        families, "prepare", lambda k, X, *a, **o: seen.append(X) or prepared(k, X, *a, **o)
    )
    choose(*two_of_ten())
    learned, compared = ({tuple(row) for row in X} for X in (seen[0], seen[-1]))
    assert len(learned) == len(compared) == 120 and not learned & compared


@pytest.mark.parametrize(
    "case", ["few samples", "many columns", "few rows of one column", "sparse"]
)
def test_default_family_is_kept_without_comparison_for(case):
    X, y = two_of_ten()
    X = {
        "few samples": X[:199],
        "many columns": np.hstack([X] * (MAX_COLUMNS // 10 + 1)),
        "few rows of one column": X[: MIN_NARROW_SAMPLES - 1, :1],
        "sparse": sparse.csr_array(X),
    }[case]
    family, rows = choose(X, y[: X.shape[0]])
    assert family == lk.table() and rows == ()


def waves(n=400, seed=0):
    """Return two columns, and a target that changes over short distances."""
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.sin(30 * X[:, 0]) * np.cos(30 * X[:, 1])


@pytest.mark.parametrize("subsample", [None, 100])
def test_array_of_numbers_and_text_is_encoded_as_a_table(subsample, rng):
    X = rng.standard_normal((300, 3)).astype(object)
    y = X[:, 0].astype(float)
    X[:, 1] = np.where(y > 0, "high", "low")
    n_components = None if subsample is None else 20
    model = lk.KernelRegressor(n_components=n_components, subsample=subsample).fit(X, y)
    assert model.score(X, y) > 0.9


def test_narrower_kernels_are_chosen_for_a_target_of_short_waves():
    X, y = waves()
    model = lk.KernelRegressor().fit(X, y)
    plain, narrow = (one for one in model.selection_ if one.question == "widths")
    assert model.selection_.chosen["widths"] == narrow and narrow.error < plain.error / 2
    assert narrow.reason == "lower by more than two standard errors and 5 %"
    assert len(model.kernel_names_) == 17
    new, target = waves(200, seed=1)
    assert model.score(new, target) > lk.KernelRegressor(lk.table()).fit(X, y).score(new, target)


def test_constant_columns_do_not_change_the_narrower_kernels():
    X, y = waves(150)
    constant = np.column_stack([X, np.full((150, 2), 3.0)])
    (_, rows), (_, same) = choose(X, y), choose(constant, y)
    assert [one.error for one in same] == pytest.approx([one.error for one in rows])


def test_table_is_used_if_the_compared_samples_are_all_equal():
    X = np.zeros((3000, 1))
    X[:4, 0] = range(4)
    family, rows = choose(X, np.random.default_rng(0).standard_normal(3000))
    assert family == lk.table() and rows == ()


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_narrower_kernels_are_not_used_for_a_noisy_linear_target(columns):
    rng = np.random.default_rng(columns)
    X = rng.standard_normal((120, columns))
    family, rows = choose(X, X.sum(axis=1) + 0.7 * rng.standard_normal(120))
    assert chosen(rows) == "table" and family == lk.table()
    assert rows[0].reason == (
        "simpler; the other is not lower by more than two standard errors and 5 %"
    )


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_narrowest_kernel_separates_neighbours_among_a_thousand_samples(columns):
    """Gamma is n^(2/d) times the inverse median squared distance, up to a factor of four."""
    X = np.random.default_rng(0).random((500, columns))
    known = resolve(lk.table(), X, np.ones(500))
    gaussians, *_ = narrower_kernels(known, columns)
    inverse = known[0].kernel.gamma / GAUSSIANS[0]
    assert 1000 ** (2 / columns) / 4 < max(gaussians.gammas) / inverse <= 1000 ** (2 / columns)


def test_choice_is_made_only_for_default_kernels_with_auto():
    X, y = two_of_ten()
    for options in ({"kernels": lk.table()}, {"method": "loo"}):
        model = lk.KernelRegressor(**options).fit(X, y)
        assert "kernels" not in model.selection_.chosen and len(model.weights_) == 14
    assert not hasattr(lk.KernelRegressor(method="unif").fit(X, y), "selection_")


def test_second_fit_forgets_the_family_of_the_first():
    X, y = two_of_ten()
    model = lk.KernelRegressor().fit(X[:200], y[:200])
    assert len(model.weights_) == 28
    model.fit(X[:50], y[:50])
    assert len(model.weights_) == 14 and "kernels" not in model.selection_.chosen
    model.set_params(method="unif").fit(X, y)
    assert len(model.weights_) == 14 and not hasattr(model, "selection_")


def test_guarantees_use_the_chosen_family():
    X, y = two_of_ten(200)
    model = lk.KernelRegressor().fit(X, y)
    entries = {entry.name: entry for entry in model.guarantees(X, y).entries}
    assert np.isclose(entries["alignment"].value, model.alignment_, rtol=1e-6)


def test_constant_target_uses_table_with_a_warning():
    X, _ = two_of_ten()
    with pytest.warns(lk.UndefinedAlignmentWarning):
        model = lk.KernelRegressor().fit(X, np.full(240, 3.0))
    assert np.allclose(model.predict(X), 3.0)


def test_classes_learn_scales_of_columns():
    X, y = two_of_ten()
    Y = np.where(y > 0, 1.0, -1.0)[:, None]
    choice = choose_family(X, Y, np.ones(240), "classification", Threads(1))
    assert chosen(choice.candidates) == "table + learned metric"
    assert not choice.kernels[1].full and len(choice.start) == 2 * len(choice.kernels[1].start)
