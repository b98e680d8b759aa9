"""The default family: kernels on standardised columns."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.estimators.families import RULES
from learnkernels.kernels import resolve
from learnkernels.kernels.base import TrainingData
from learnkernels.kernels.table import standardize


def test_none_is_table_with_gaussians_laplacians_and_linear(rng):
    X = rng.standard_normal((30, 4))
    kernels = resolve(None, X)
    names = [kernel.name for kernel in kernels]
    assert names == [kernel.name for kernel in resolve(lk.table(), X)]
    assert [sum(name.startswith(kind) for name in names) for kind in ("gauss", "lapl", "lin")] == [
        7, 6, 1,
    ]  # fmt: skip
    for kernel, same in zip(kernels, resolve("table", X), strict=True):
        assert np.array_equal(kernel(X), same(X))


def test_kernels_do_not_depend_on_units_of_the_columns(rng):
    X = rng.standard_normal((40, 3))
    moved = X * [1e-6, 1.0, 1e6] + [5.0, 0.0, 1e7]
    for kernel, other in zip(resolve(None, X), resolve(None, moved), strict=True):
        assert np.allclose(kernel(X), other(moved), rtol=1e-6, atol=1e-6)


def test_regular_columns_are_centered_at_the_median_with_unit_deviation(rng):
    X = 3.0 + 2.0 * rng.standard_normal((101, 2))
    Z = standardize(TrainingData(X))(X)
    assert np.allclose(np.median(Z, axis=0), 0.0) and np.allclose(Z.std(axis=0), 1.0)


def test_scale_is_robust_against_an_outlier(rng):
    X = rng.standard_normal((200, 2))
    clean = standardize(TrainingData(X))
    X[7, 0] = 1e9
    step = standardize(TrainingData(X))
    assert np.isclose(step.scale[0], clean.scale[0], rtol=0.5)
    assert np.isclose(step.center[0], clean.center[0], atol=0.05)
    assert step.scale[1] == clean.scale[1]


def test_column_with_few_other_values_keeps_them():
    """Deciles are equal: there is no range that could tell outliers."""
    X = np.column_stack([np.arange(50.0) % 7, (np.arange(50) == 3).astype(float)])
    step = standardize(TrainingData(X))
    assert step.columns.tolist() == [0, 1] and step.scale[1] > 0.1


def test_constant_columns_are_ignored_with_a_warning_that_names_them(rng):
    X = rng.standard_normal((30, 4))
    X[:, 1] = 0.1
    X[:, 3] = 1e9
    with pytest.warns(lk.ConstantKernelWarning, match=r"ignored: x\[1\], x\[3\]"):
        kernels = resolve(None, X)
    for kernel, same in zip(kernels, resolve(None, X[:, [0, 2]]), strict=True):
        assert np.allclose(kernel(X), same(X[:, [0, 2]]))
    frame = pd.DataFrame(X, columns=["age", "site", "size", "year"])
    with pytest.warns(lk.ConstantKernelWarning, match="site, year"):
        lk.KernelRegressor(method="unif", alpha=1.0).fit(frame, X[:, 0] ** 2)
    with pytest.warns(lk.ConstantKernelWarning, match="and 8 more"):
        resolve(None, np.hstack([X[:, :1], np.ones((30, 18))]))


def test_fit_warns_about_constant_columns_once(rng, monkeypatch):
    monkeypatch.setitem(RULES, "regression", replace(RULES["regression"], min_samples=200))
    X = np.column_stack([rng.standard_normal((250, 2)), np.ones(250)])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lk.KernelRegressor().fit(X, X[:, 0])
    assert [warning.category for warning in found] == [lk.ConstantKernelWarning]


def test_columns_that_are_all_constant_raise_input_error():
    with pytest.raises(lk.InputError, match="every kernel is constant"):
        lk.KernelRegressor().fit(np.ones((20, 2)), np.arange(20.0))


def test_model_of_an_array_predicts_sparse_samples_alike(rng):
    X = rng.standard_normal((40, 3)) * (rng.random((40, 3)) < 0.7)
    model = lk.KernelRegressor(method="unif", alpha=1.0).fit(X, X[:, 0])
    assert np.array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


def test_sparse_columns_are_not_standardised(rng):
    X = rng.poisson(0.5, (40, 6)).astype(float)
    stored = sparse.csr_array(X)
    *_, linear = kernels = resolve(None, stored)
    assert len(kernels) == 14 and np.allclose(linear(stored), X @ X.T)
    y = X[:, 0] - X[:, 1]
    assert lk.KernelRegressor().fit(stored, y).score(stored, y) > 0.9


def test_sample_weights_equal_repeated_rows(rng):
    X = rng.standard_normal((40, 3)) ** 3
    w = rng.integers(1, 4, 40)
    weighted = standardize(TrainingData(X, w.astype(float)))
    repeated = standardize(TrainingData(np.repeat(X, w, axis=0)))
    assert np.allclose(weighted.center, repeated.center)
    assert np.allclose(weighted.scale, repeated.scale)


def test_rows_of_weight_zero_change_nothing(rng):
    X = rng.standard_normal((40, 3))
    X[:5] = 1e3
    w = (np.arange(40) >= 5).astype(float)
    weighted = standardize(TrainingData(X, w))
    kept = standardize(TrainingData(X[5:]))
    assert np.allclose(weighted.center, kept.center) and np.allclose(weighted.scale, kept.scale)
    X[:, 2] = np.where(w > 0, 1.0, 2.0)
    with pytest.warns(lk.ConstantKernelWarning, match=r"x\[2\]"):
        standardize(TrainingData(X, w))


def test_table_of_a_view_standardises_the_columns_of_the_view(rng):
    X = rng.standard_normal((30, 4)) * [1.0, 50.0, 1.0, 1.0]
    frame = pd.DataFrame(X, columns=list("abcd"))
    on_view = resolve(lk.on(["a", "b"], lk.table()), frame)
    for kernel, same in zip(on_view, resolve(None, X[:, :2]), strict=True):
        assert np.allclose(kernel(frame), same(X[:, :2]))


def test_new_samples_are_standardised_as_the_training_samples(rng):
    X = rng.standard_normal((60, 3)) * [1.0, 100.0, 0.01]
    y = X[:, 0] + X[:, 1] / 100
    model = lk.KernelRegressor(method="unif", alpha=1e-3).fit(X, y)
    assert np.isclose(model.predict(X[:1])[0], model.predict(X)[0])


def test_learned_metric_inside_a_table_with_categories_and_missing_cells(rng):
    X = pd.DataFrame({"a": rng.standard_normal(60), "b": rng.choice(["x", "y"], 60)})
    y = X["a"] + (X["b"] == "x")
    X.loc[3, "a"] = np.nan
    model = lk.KernelRegressor(lk.table([lk.learned_metric()])).fit(X, y)
    assert model.score(X, y) > 0.9
