"""Estimators without memory for a Gram matrix: the same solution, or a stated approximation."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from sklearn.base import clone

import learnkernels as lk
from learnkernels.gram import sampled

SMALL = 1e5  # bytes; the Gram matrix of 120 samples needs 115,200


@pytest.fixture
def wave(rng):
    X = rng.standard_normal((300, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.mark.parametrize("alpha", [0.1, [0.01, 0.1, 1.0]])
def test_conjugate_gradients_predict_the_same_as_dense_solver(alpha, wave, caplog):
    X, y = wave
    dense = lk.KernelRegressor(alpha=alpha, kernels=["gaussians", "linear"], method="alignf").fit(
        X[:200], y[:200]
    )
    with caplog.at_level(logging.INFO, "learnkernels"):
        free = lk.KernelRegressor(
            alpha=alpha, max_memory=SMALL, kernels=["gaussians", "linear"], method="alignf"
        ).fit(X[:200], y[:200])
    assert (dense.solver_, free.solver_) == ("dense", "conjugate gradients")
    assert "conjugate gradients (the Gram matrix would take" in caplog.text
    assert free.alpha_ == dense.alpha_
    assert np.allclose(free.predict(X[200:]), dense.predict(X[200:]), atol=1e-6)
    assert max(one.gap for one in free.machine_certificates_) <= 1e-6


def test_max_memory_can_be_a_size_with_a_unit(wave, tmp_path):
    X, y = wave
    model = lk.KernelRegressor("gaussians", "alignf", alpha=0.1, max_memory="0.1 MB").fit(X, y)
    assert SMALL == 1e5 and model.solver_ == "conjugate gradients"
    lk.save(model, tmp_path / "model.lk")
    assert lk.load(tmp_path / "model.lk").max_memory == "0.1 MB"


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
def test_landmarks_approximate_the_dense_solution(wave):
    X, y = wave
    dense = lk.KernelRegressor(
        alpha=[0.01, 0.1, 1.0], kernels=["gaussians", "linear"], method="alignf"
    ).fit(X[:200], y[:200])
    few = lk.KernelRegressor(
        alpha=[0.01, 0.1, 1.0], n_components=120, kernels=["gaussians", "linear"], method="alignf"
    ).fit(X[:200], y[:200])
    assert few.solver_ == "landmarks"
    assert few.alpha_ == dense.alpha_
    assert few.score(X[200:], y[200:]) > dense.score(X[200:], y[200:]) - 0.1
    (function,) = few._functions
    assert len(function.coef) == 120  # prediction needs the landmarks only
    same = lk.KernelRegressor(
        n_components=500, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(X[:200], y[:200])
    assert same.solver_ == "dense"  # all samples are landmarks
    other = lk.KernelRegressor(
        n_components=120,
        random_state=1,
        kernels=["gaussians", "linear"],
        method="alignf",
        alpha=1.0,
    ).fit(X[:200], y[:200])
    assert not np.array_equal(other.predict(X[200:]), few.predict(X[200:]))


@pytest.mark.parametrize("machine", ["auto", "svm"])
def test_svm_beyond_max_memory_raises_input_error_with_bytes_and_alternatives(machine, classes):
    message = r"120 rows .*120 samples, 115 kB.*max_memory=100 kB; use machine=.ridge.*or raise"
    with pytest.raises(lk.InputError, match=message):
        lk.KernelClassifier(
            machine=machine,
            max_memory=SMALL,
            kernels=["gaussians", "linear"],
            method="alignf",
            C=1.0,
        ).fit(*classes)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_svm_beyond_max_memory_equals_that_with_the_gram_matrix(task, rng):
    n, max_memory = 1500, 8 * 1500 * 1200
    X = rng.standard_normal((n, 3))
    f = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n)
    kernels = [lk.gaussians([0.1, 1.0]), "linear"]
    if task == "classification":
        y = np.digitize(f, [-0.5, 0.5])
        model = lk.KernelClassifier(kernels, "alignf", C=1.0, machine="svm")
    else:
        y = f
        model = lk.KernelRegressor(kernels, "alignf", C=1.0, machine="svr")
    dense = model.fit(X, y)
    rows = clone(model).set_params(max_memory=max_memory).fit(X, y)
    outputs = "decision_function" if task == "classification" else "predict"
    found, expected = getattr(rows, outputs)(X), getattr(dense, outputs)(X)
    assert np.allclose(found, expected, atol=1e-5)
    assert all(one.status == "optimal" for one in rows.machine_certificates_)


def test_ridge_for_classes_beyond_max_memory_equals_the_dense_solution(classes):
    X, y = classes
    model = lk.KernelClassifier(
        C=[1.0, 10.0],
        machine="ridge",
        max_memory=SMALL,
        kernels=["gaussians", "linear"],
        method="alignf",
    ).fit(X, y)
    assert (model.machine_, model.solver_) == ("ridge", "conjugate gradients")
    same = lk.KernelClassifier(
        C=model.C_, machine="ridge", kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, y)
    assert same.solver_ == "dense"
    assert np.allclose(model.decision_function(X), same.decision_function(X), atol=1e-6)


def test_classifier_with_landmarks_compares_values_of_C(classes):
    X, y = classes
    few = lk.KernelClassifier(
        C=[1.0, 10.0], n_components=60, kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, y)
    assert (few.machine_, few.solver_) == ("svm", "landmarks")
    assert few.score(X, y) > 0.8


def test_options_that_need_the_gram_raise_input_error_without_memory(classes, wave):
    with pytest.raises(lk.InputError, match="n_components=20 is for ridge"):
        lk.KernelRegressor(
            machine="svr", n_components=20, kernels=["gaussians", "linear"], method="alignf", C=1.0
        ).fit(*wave)
    with pytest.raises(lk.InputError, match="which machine 'alignment' does not; pass machine"):
        lk.KernelClassifier(machine="alignment", n_components=20, subsample=50).fit(*classes)
    with pytest.raises(lk.InputError, match=r"l1-krr.*use method=.alignf"):
        lk.KernelRegressor(
            method="l1-krr", max_memory=SMALL, kernels=["gaussians", "linear"], alpha=1.0
        ).fit(*wave)
    for wrong in (
        {"max_memory": -1}, {"max_memory": "much"}, {"max_memory": "0GB"}, {"n_components": 0},
    ):  # fmt: skip
        with pytest.raises(lk.InputError, match=next(iter(wrong))):
            lk.KernelRegressor(**wrong).fit(*wave)


def test_factor_kernels_use_factors_at_any_memory_limit(wave):
    X, y = wave
    model = lk.KernelRegressor(
        lk.per_feature(), alpha=[0.1, 1.0], max_memory=SMALL, method="alignf"
    ).fit(X, y)
    assert model.solver_ == "factors"


def test_memory_mapped_data_give_the_same_predictions(wave, tmp_path):
    X, y = wave
    path = tmp_path / "X.dat"
    stored = np.memmap(path, dtype=float, mode="w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    mapped = np.memmap(path, dtype=float, mode="r", shape=X.shape)
    model = lk.KernelRegressor(
        n_components=50, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(mapped, y)
    plain = lk.KernelRegressor(
        n_components=50, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(X, y)
    assert np.array_equal(model.predict(mapped), plain.predict(X))


def test_saved_landmark_model_is_smaller_than_dense_model(wave, tmp_path):
    X, y = wave
    X, y = np.tile(X, (5, 1)), np.tile(y, 5)
    X = X + 1e-3 * np.arange(len(X))[:, None]  # equal samples would be merged
    sizes = []
    for options in ({"n_components": 30}, {}):
        model = lk.KernelRegressor(
            kernels=["gaussians", "linear"], method="alignf", alpha=1.0, **options
        ).fit(X, y)
        lk.save(model, tmp_path / "model.lk")
        sizes.append((tmp_path / "model.lk").stat().st_size)
        assert np.array_equal(lk.load(tmp_path / "model.lk").predict(X), model.predict(X))
    assert sizes[0] < sizes[1] / 3


@pytest.mark.parametrize("classes", [False, True])
def test_default_with_landmarks_takes_statistics_from_some_samples(classes, wave, monkeypatch):
    X, y = wave
    y = np.where(y > 0, "high", "low") if classes else y
    estimator = lk.KernelClassifier if classes else lk.KernelRegressor
    model = estimator(n_components=80).fit(X[:200], y[:200])
    monkeypatch.setattr(sampled, "SAMPLES", 45)
    some = estimator(n_components=80).fit(X[:200], y[:200])
    assert not np.array_equal(some.kernel_alignments_, model.kernel_alignments_)
    assert some.score(X[200:], y[200:]) > model.score(X[200:], y[200:]) - 0.05
    order = np.random.default_rng(0).permutation(200)
    again = estimator(n_components=80).fit(X[order], y[order])
    assert np.array_equal(again.predict(X[200:]), some.predict(X[200:]))


def test_given_method_with_landmarks_takes_statistics_from_all_samples(wave, monkeypatch):
    X, y = wave
    model = lk.KernelRegressor("gaussians", "alignf", alpha=1.0, n_components=80).fit(X, y)
    monkeypatch.setattr(sampled, "SAMPLES", 45)
    again = lk.KernelRegressor("gaussians", "alignf", alpha=1.0, n_components=80).fit(X, y)
    assert np.array_equal(again.weights_, model.weights_)
