"""Choice among weight methods by held-out error."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.leave_one_out import best_alpha, part_of
from tests.methods.problems import problem_of, targets_of

NAMES = ["unif", "align", "alignf", "single", "loo", "average of loo and unif"]


def chosen(model):
    """Return the name of the chosen weights."""
    return model.selection_.chosen["weights"].name


def errors(model):
    """Return the held-out error of each candidate for the weights."""
    return {one.name: one.error for one in model.selection_ if one.question == "weights"}


def test_one_good_view_among_noise_views_gets_the_weight(rng):
    X = rng.standard_normal((150, 10))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2
    views = [lk.on(slice(2 * k, 2 * k + 2), lk.gaussians([0.1, 1.0])) for k in range(5)]
    model = lk.KernelRegressor(views).fit(X[:100], y[:100])
    assert list(errors(model)) == NAMES and chosen(model) == "loo"
    first, *others = model.view_weights_.values()
    assert first > 0.99 and max(others) < 0.01
    uniform = lk.KernelRegressor(views, "unif").fit(X[:100], y[:100])
    assert model.score(X[100:], y[100:]) > 0.9 > uniform.score(X[100:], y[100:])


def test_linear_target_of_few_rows_has_the_error_of_the_linear_kernel(rng):
    X = rng.standard_normal((400, 8))
    y = X @ rng.standard_normal(8)
    y = y / y.std() + 0.1 * rng.standard_normal(400)
    auto = lk.KernelRegressor().fit(X[:100], y[:100])
    linear = lk.KernelRegressor("linear", "unif").fit(X[:100], y[:100])
    rmse = [np.sqrt(np.mean((m.predict(X[100:]) - y[100:]) ** 2)) for m in (auto, linear)]
    assert rmse[0] <= 1.1 * rmse[1] < 0.13


def test_equal_kernels_choose_the_average_without_a_clear_gain():
    X, y = targets_of(60, 1)
    model = lk.KernelRegressor(lk.gaussians([0.5, 0.5, 0.5])).fit(X, y[:, 0])
    alone = lk.KernelRegressor(lk.gaussians([0.5])).fit(X, y[:, 0])
    assert chosen(model) == "average of loo and unif"
    assert model.certificate_.status == "average of learned and uniform weights"
    assert "gap" not in str(model.certificate_)
    assert np.isclose(model.weights_.sum(), 1.0) and (model.weights_ > 0).all()
    # The average takes alpha from a grid.
    assert np.allclose(model.predict(X), alone.predict(X), atol=1e-6)


def test_candidates_have_the_leave_one_out_error_of_their_weights(rng):
    X, y = targets_of(60, 1)
    kernels = lk.gaussians([0.02, 0.3, 4.0])
    problem = problem_of(kernels, X, y, "regression")
    found = lk.methods.Auto().learn(problem)
    few = part_of(problem, np.arange(60))
    for one in found.selection:
        if one.name in ("unif", "align", "alignf"):
            weights = lk.methods.METHODS[one.name]().learn(problem).weights
            scale = best_alpha(few, weights)[0]
            assert np.isclose(one.error, few.point(weights / scale).value)
    assert sum(one.chosen for one in found.selection) == 1
    lowest = min(one.error for one in found.selection)
    assert {one.name: one.error for one in found.selection}["loo"] == lowest


@pytest.mark.parametrize("method", ["auto", "loo"])
def test_held_out_error_of_random_labels_equals_guessing(method):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 6))
    y = rng.permutation(np.repeat([0, 1], 150))
    model = lk.KernelClassifier(method=method).fit(X[:200], y[:200])
    found = [one for one in model.selection_ if one.chosen]
    assert all(0.9 < one.error < 1.1 for one in found)  # labels are -1 and 1
    assert 0.35 < model.score(X[200:], y[200:]) < 0.65


def test_random_labels_of_many_columns_do_not_leak():
    """The mean of the other labels tells the one left out, unless the intercept is refitted."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 200))
    y = np.repeat([-1.0, 1.0], 20)
    model = lk.KernelRegressor(lk.gaussians()).fit(X, y)
    assert min(errors(model).values()) > 0.9


def test_explicit_C_is_used_with_the_chosen_weights(classes):
    X, y = classes
    learned = lk.KernelClassifier(lk.gaussians()).fit(X, y)
    fixed = lk.KernelClassifier(lk.gaussians(), C=0.05).fit(X, y)
    listed = lk.KernelClassifier(lk.gaussians(), C=[0.05, 5.0]).fit(X, y)
    assert fixed.C_ == 0.05 and listed.C_ in (0.05, 5.0) and len(listed.C_scores_) == 2
    assert np.array_equal(fixed.weights_, learned.weights_)
    assert learned.machine_ == fixed.machine_ == "ridge"
    assert not np.allclose(fixed.decision_function(X), learned.decision_function(X), atol=1e-3)


def test_same_call_gives_the_same_selection_and_another_seed_other_samples():
    X, y = targets_of(600, 1)
    kernels = lk.gaussians([0.02, 0.3])
    first, second, other = (
        lk.KernelRegressor(kernels, lk.methods.Auto(random_state=seed)).fit(X, y)
        for seed in (0, 0, 1)
    )
    assert first.selection_ == second.selection_
    assert errors(first) != errors(other)
