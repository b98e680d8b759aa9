"""Estimators where no Gram matrix fits: the same solution, or an approximation, said plainly."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import learnkernels as lk

LITTLE = 1e5  # bytes: the Gram matrix of 120 samples takes 115,200


@pytest.fixture
def wave(rng):
    X = rng.standard_normal((300, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.mark.parametrize("alpha", [0.1, [0.01, 0.1, 1.0]])
def test_little_memory_does_not_change_predictions(alpha, wave, caplog):
    X, y = wave
    dense = lk.KernelRegressor(alpha=alpha).fit(X[:200], y[:200])
    with caplog.at_level(logging.INFO, "learnkernels"):
        free = lk.KernelRegressor(alpha=alpha, max_memory=LITTLE).fit(X[:200], y[:200])
    assert (dense.solver_, free.solver_) == ("dense", "conjugate gradients")
    assert "conjugate gradients (the Gram matrix would take" in caplog.text
    assert free.alpha_ == dense.alpha_
    assert np.allclose(free.predict(X[200:]), dense.predict(X[200:]), atol=1e-6)
    assert max(one.gap for one in free.machine_certificates_) <= 1e-6


def test_components_are_close_to_all_samples(wave):
    X, y = wave
    dense = lk.KernelRegressor(alpha=[0.01, 0.1, 1.0]).fit(X[:200], y[:200])
    few = lk.KernelRegressor(alpha=[0.01, 0.1, 1.0], n_components=120).fit(X[:200], y[:200])
    assert few.solver_ == "landmarks"
    assert few.alpha_ == dense.alpha_
    assert few.score(X[200:], y[200:]) > dense.score(X[200:], y[200:]) - 0.1
    kept = sum(part.coef.shape[0] for part in few._predictor.parts[0].parts)
    assert kept == 120  # prediction needs the components only
    same = lk.KernelRegressor(n_components=500).fit(X[:200], y[:200])
    assert same.solver_ == "dense"  # all samples are no approximation
    other = lk.KernelRegressor(n_components=120, random_state=1).fit(X[:200], y[:200])
    assert not np.array_equal(other.predict(X[200:]), few.predict(X[200:]))


def test_classes_without_the_gram_are_ridge_and_it_is_said(classes):
    X, y = classes
    model = lk.KernelClassifier(C=[1.0, 10.0], max_memory=LITTLE)
    with pytest.warns(lk.MemoryWarning, match="the SVM needs it; ridge on the labels -1 and 1"):
        model.fit(X, y)
    assert (model.machine_, model.solver_) == ("ridge", "conjugate gradients")
    same = lk.KernelClassifier(C=model.C_, machine="ridge").fit(X, y)
    assert np.allclose(model.decision_function(X), same.decision_function(X), atol=1e-6)
    few = lk.KernelClassifier(C=[1.0, 10.0], n_components=60).fit(X, y)
    assert (few.machine_, few.solver_) == ("ridge", "landmarks")
    assert few.score(X, y) > 0.8


def test_what_needs_the_gram_is_refused_with_a_way_out(classes, wave):
    X, y = classes
    with pytest.raises(lk.InputError, match=r"use machine=.ridge. or n_components"):
        lk.KernelClassifier(machine="svm", max_memory=LITTLE).fit(X, y)
    with pytest.raises(lk.InputError, match="does not take n_components"):
        lk.KernelClassifier(machine="svm", n_components=20).fit(X, y)
    with pytest.raises(lk.InputError, match=r"l1-krr.*use a method by alignment"):
        lk.KernelRegressor(method="l1-krr", max_memory=LITTLE).fit(*wave)
    for wrong in ({"max_memory": -1}, {"max_memory": "much"}, {"n_components": 0}):
        with pytest.raises(lk.InputError, match=next(iter(wrong))):
            lk.KernelRegressor(**wrong).fit(*wave)


def test_factors_need_no_gram_whatever_the_budget(wave):
    X, y = wave
    model = lk.KernelRegressor(lk.per_feature(), alpha=[0.1, 1.0], max_memory=LITTLE).fit(X, y)
    assert model.solver_ == "factors"


def test_data_may_lie_in_a_file(wave, tmp_path):
    X, y = wave
    path = tmp_path / "X.dat"
    stored = np.memmap(path, dtype=float, mode="w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    mapped = np.memmap(path, dtype=float, mode="r", shape=X.shape)
    model = lk.KernelRegressor(n_components=50).fit(mapped, y)
    plain = lk.KernelRegressor(n_components=50).fit(X, y)
    assert np.array_equal(model.predict(mapped), plain.predict(X))


def test_models_of_components_are_saved_small(wave, tmp_path):
    X, y = wave
    X, y = np.tile(X, (5, 1)) + 1e-3, np.tile(y, 5)
    sizes = []
    for options in ({"n_components": 30}, {}):
        model = lk.KernelRegressor(**options).fit(X, y)
        lk.save(model, tmp_path / "model.skops")
        sizes.append((tmp_path / "model.skops").stat().st_size)
        assert np.array_equal(lk.load(tmp_path / "model.skops").predict(X), model.predict(X))
    assert sizes[0] < sizes[1] / 3
