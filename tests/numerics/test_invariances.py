"""Invariance to order, repetition, units and precision of the input."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import learnkernels as lk
from learnkernels.methods import METHODS

GAMMAS = (0.02, 0.3, 2.0)
TIGHT = {"tol": 1e-6}
REGRESSION = {
    "unif": lk.methods.Uniform(),
    "align": lk.methods.Align(),
    "alignf": lk.methods.AlignF(),
    "l1-krr": lk.methods.L1Ridge(**TIGHT),
    "l2-krr": lk.methods.L2Ridge(**TIGHT),
}
CLASSES = {
    "unif": lk.methods.Uniform(),
    "align": lk.methods.Align(),
    "alignf": lk.methods.AlignF(),
    "l1-svm": lk.methods.L1SVM(**TIGHT),
    "conv": lk.methods.Conv(**TIGHT),
}
BY_TAILS = {"conv": lk.methods.Conv(**TIGHT), "dc": lk.methods.DC(tol=1e-5)}
# The combined kernel of these methods is unique, so two equal kernels share one weight.
BY_COMBINATION = ("alignf", "l1-krr", "l1-svm", "conv")
BOTH = [("regression", name) for name in REGRESSION] + [("classes", name) for name in CLASSES]
over_methods = pytest.mark.parametrize(("task", "name"), BOTH)


def data(task: str, n: int = 40, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(n)
    return X, (y if task == "regression" else np.where(y > 0, 1, -1))


def model(task: str, name: str, kernels=None, strength: float = 1.0, **more):
    """Return an estimator; strength is alpha, or 1 / C."""
    kernels = lk.gaussians(GAMMAS) if kernels is None else kernels
    if task == "regression":
        return lk.KernelRegressor(kernels, REGRESSION[name], alpha=strength, **more)
    return lk.KernelClassifier(kernels, CLASSES[name], C=1 / strength, **more)


def outputs(fitted, X):
    return fitted.predict(X) if hasattr(fitted, "alpha_") else fitted.decision_function(X)


def same(found, expected, tolerance):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@over_methods
@given(seed=st.integers(0, 1000))
@settings(max_examples=3, deadline=None)
def test_permuted_samples_permute_the_output(task, name, seed):
    X, y = data(task, seed=seed)
    order = np.random.default_rng(seed).permutation(len(y))
    first, second = model(task, name).fit(X, y), model(task, name).fit(X[order], y[order])
    assert same(second.weights_, first.weights_, 1e-3)
    assert same(outputs(second, X[order]), outputs(first, X)[order], 1e-3)


@over_methods
def test_permuted_kernels_permute_the_weights(task, name):
    X, y = data(task)
    order = [2, 0, 1]
    first = model(task, name).fit(X, y)
    second = model(task, name, lk.gaussians([GAMMAS[k] for k in order])).fit(X, y)
    assert same(second.weights_, first.weights_[order], 1e-3)
    assert same(outputs(second, X), outputs(first, X), 1e-3)


@over_methods
def test_duplicated_samples_equal_halved_regularisation(task, name):
    # The loss doubles, so alpha must double, or C halve. Tail sums double with n, which halves the
    # kernel that conv learns, so C stays the same.
    X, y = data(task)
    once = model(task, name).fit(X, y)
    factor = 1.0 if name == "conv" else 2.0
    twice = model(task, name, strength=factor).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert same((2.0 if name == "conv" else 1.0) * twice.weights_, once.weights_, 1e-3)
    assert same(outputs(twice, X), outputs(once, X), 2e-3)


@over_methods
def test_sample_weight_two_equals_repeated_sample(task, name):
    X, y = data(task)
    w = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    weighted = model(task, name).fit(X, y, sample_weight=w)
    repeated = model(task, name).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert same(weighted.weights_, repeated.weights_, 2e-3)
    assert same(outputs(weighted, X), outputs(repeated, X), 2e-3)


@pytest.mark.parametrize("name", BY_TAILS)
@pytest.mark.parametrize("kernels", [lk.gaussians(GAMMAS), lk.low_rank([[0, 1], [1, 2]])])
def test_tail_sums_with_sample_weight_two_equal_repeated_samples(name, kernels):
    X, y = data("classes")
    w = np.where(X[:, 0] > 0, 2, 1)
    weighted = lk.KernelClassifier(kernels, BY_TAILS[name], C=1.0).fit(X, y, sample_weight=w)
    repeated = lk.KernelClassifier(kernels, BY_TAILS[name], C=1.0)
    repeated.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert same(weighted.tail_sums_, repeated.tail_sums_, 1e-3)
    assert same(weighted.weights_, repeated.weights_, 1e-3)


@over_methods
def test_two_equal_kernels_share_the_weight_of_one(task, name):
    X, y = data(task)
    one = model(task, name).fit(X, y)
    two = model(task, name, lk.gaussians([GAMMAS[0], *GAMMAS])).fit(X, y)
    joined = np.array([two.weights_[:2].sum(), *two.weights_[2:]])
    if name in BY_COMBINATION:
        assert same(joined, one.weights_, 2e-3)
        assert same(outputs(two, X), outputs(one, X), 2e-3)
    else:  # kernels are weighted independently
        assert two.weights_[0] == pytest.approx(two.weights_[1], rel=1e-6)


@over_methods
@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_scale_of_a_kernel_does_not_change_the_model(task, name, factor):
    X, y = data(task)
    grams = np.stack([k(X) for k in map(lk.kernels.Gaussian, GAMMAS)], axis=-1)
    first = model(task, name, "precomputed").fit(grams, y)
    scaled = grams * [1.0, factor, 1.0]
    second = model(task, name, "precomputed").fit(scaled, y)
    assert same(second.weights_, first.weights_, 1e-3)
    assert same(outputs(second, scaled), outputs(first, grams), 1e-3)


@pytest.mark.parametrize("name", [*REGRESSION, "ensemble", "single", "align-linear"])
@pytest.mark.parametrize("factor", [1e-60, 1e-9, 1e60])
def test_scale_of_y_only_scales_predictions(name, factor):
    X, y = data("regression")
    method = REGRESSION.get(name, name)
    kernels = lk.gaussians(GAMMAS)
    first = lk.KernelRegressor(kernels, method, alpha=10.0).fit(X, y)
    second = lk.KernelRegressor(kernels, method, alpha=10.0).fit(X, factor * y)
    assert same(second.weights_, first.weights_, 1e-5)
    assert same(second.predict(X), factor * first.predict(X), 1e-5)


ALL = [(task, name) for name in METHODS for task in METHODS[name]().tasks]


def outputs_of(task, name, X, y, new, weights=None, **options):
    """Return the outputs at new samples of a fit with kernels whose widths depend on the data.

    The default kernels, or Gaussians for methods that are not the default. Regularisation is fixed
    where the method does not learn it.
    """
    learned = METHODS[name]().learns_alpha
    options = {"kernels": None if learned else lk.gaussians()} | options
    if name == "align-linear":  # negative weights need a strong regularisation
        options |= {"machine": "ridge"}
    if task == "regression":
        strength = "auto" if learned else 10.0
        fitted = lk.KernelRegressor(method=name, **{"alpha": strength} | options)
    else:
        strength = 0.01 if name == "align-linear" else 1.0
        fitted = lk.KernelClassifier(
            method=name, **{"C": "auto" if learned else strength} | options
        )
    return outputs(fitted.fit(X, y, weights), new)


@cache
def expected_of(task, name):
    """Return the outputs of the case, which several tests compare with."""
    return outputs_of(task, name, *case_of(task))


def case_of(task):
    """Return training samples, targets and new samples."""
    X, y = data("classes" if task == "classification" else task, 50)
    return X, y, np.random.default_rng(7).standard_normal((20, 3))


@pytest.fixture(params=ALL, ids=lambda case: f"{case[1]}-{case[0]}")
def case(request):
    """Return task, method, training samples, targets and new samples."""
    return *request.param, *case_of(request.param[0])


def test_order_of_rows_changes_no_bit_of_the_predictions(case):
    task, name, X, y, new = case
    order = np.random.default_rng(1).permutation(len(y))
    found = outputs_of(task, name, X[order], y[order], new)
    assert np.array_equal(found, expected_of(task, name))


def test_repeated_rows_and_weights_give_the_same_bits(case):
    task, name, X, y, new = case
    rng = np.random.default_rng(2)
    w = rng.integers(0, 4, len(y))
    repeated = rng.permutation(np.repeat(np.arange(len(y)), w))
    found = outputs_of(task, name, X[repeated], y[repeated], new)
    assert np.array_equal(found, outputs_of(task, name, X, y, new, w))


def test_unit_of_X_does_not_change_predictions(case):
    task, name, X, y, new = case
    found = outputs_of(task, name, 1000 * X, y, 1000 * new)
    assert same(found, expected_of(task, name), 1e-4)


@pytest.mark.parametrize("name", [name for task, name in ALL if task == "regression"])
def test_unit_of_y_only_scales_predictions(name):
    X, y, new = case_of("regression")
    found = outputs_of("regression", name, X, 1000 * y, new)
    assert same(found, 1000 * expected_of("regression", name), 1e-6)


@pytest.mark.parametrize("family", [lk.gaussians(), lk.laplacians(), lk.table()])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_order_and_unit_do_not_change_fits_that_choose_the_regularisation(family, task):
    X, y = data("classes" if task == "classification" else task, 50)
    order = np.random.default_rng(1).permutation(len(y))
    chosen = {"kernels": family} | ({"alpha": "auto"} if task == "regression" else {"C": "auto"})
    expected = outputs_of(task, "alignf", X, y, X, **chosen)
    found = outputs_of(task, "alignf", 1000 * X[order], y[order], 1000 * X, **chosen)
    assert same(found, expected, 1e-6)


@pytest.mark.parametrize("sparse_matrix", [False, True])
def test_order_of_many_rows_does_not_change_landmarks_and_widths(sparse_matrix):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1300, 3)) * (rng.random((1300, 3)) < 0.6)  # many equal rows
    y, order = X[:, 0] - X[:, 1] ** 2, rng.permutation(1300)
    first, second = (
        lk.KernelRegressor(lk.gaussians(), "alignf", alpha=1.0, n_components=40).fit(
            sparse.csr_array(X[rows]) if sparse_matrix else X[rows], y[rows]
        )
        for rows in (np.arange(1300), order)
    )
    assert list(first.kernel_names_) == list(second.kernel_names_)
    assert np.array_equal(first.predict(X[:50]), second.predict(X[:50]))


def test_order_of_rows_of_a_table_does_not_change_predictions():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.standard_normal(40), "text": rng.choice(["ab", "cd"], 40)})
    y, order = np.arange(40) % 2, rng.permutation(40)
    kernels = [lk.on("size", lk.gaussians()), lk.on("text", lk.ngrams(1, analyzer="char"))]
    first, second = (
        lk.KernelClassifier(kernels, "single", C=1.0).fit(table.iloc[rows], y[rows])
        for rows in (np.arange(40), order)
    )
    assert np.array_equal(first.decision_function(table), second.decision_function(table))


def test_equal_rows_with_different_targets_stay_separate_where_errors_are_held_out():
    X = np.tile([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (20, 1))
    y = (np.arange(60) % 3 == 0) != (np.arange(60) % 7 == 0)  # mostly the first row
    model = lk.KernelClassifier(lk.gaussians([1.0]), "single", C=[1.0, 10.0]).fit(X, y)
    majority = [np.mean(y[np.arange(60) % 3 == row]) > 0.5 for row in range(3)]
    assert model.predict(X[:3]).tolist() == majority


@over_methods
def test_single_precision_input_equals_the_same_values_in_double(task, name):
    X, y = data(task)
    X = X.astype(np.float32)
    first, second = model(task, name).fit(X, y), model(task, name).fit(X.astype(float), y)
    assert np.array_equal(first.weights_, second.weights_)
    assert np.array_equal(outputs(first, X), outputs(second, X.astype(float)))
