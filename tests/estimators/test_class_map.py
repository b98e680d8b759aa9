"""The map of the outputs for several classes: optimality, masked classes, and where it is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

import learnkernels as lk
from learnkernels.estimators.outputs.class_map import SAMPLES_PER_CLASS, STRENGTH, fit_class_map
from learnkernels.estimators.outputs.missing_views import AROUND
from learnkernels.estimators.outputs.probability import fit_temperature, log_probabilities


def between(rng, n):
    """Return samples on a line, with a small class between two large ones."""
    x = rng.uniform(-1, 1, n)
    return np.stack([x, rng.standard_normal(n)], axis=1), np.digitize(x, [-0.1, 0.1])


def some_outputs(rng, n=200):
    codes = rng.integers(3, size=n)
    outputs = np.where(codes[:, None] == np.arange(3), 0.5, -0.5) + rng.standard_normal((n, 3))
    return outputs @ rng.standard_normal((3, 3)), codes, rng.uniform(0.5, 2.0, n)


def test_map_has_the_smallest_penalised_log_loss(rng):
    outputs, codes, w = some_outputs(rng)
    found, T = fit_class_map(outputs, codes, w), fit_temperature(outputs, codes, w)

    def loss(A, b):
        logs = log_probabilities(outputs @ A + b, T)[np.arange(len(codes)), codes]
        return STRENGTH / 2 * (np.sum((A - np.eye(3)) ** 2) + T**2 * b @ b) - w @ logs

    best = loss(found.A, found.b)
    for _ in range(20):
        A, b = 1e-3 * rng.standard_normal((3, 3)), 1e-3 * rng.standard_normal(3)
        assert loss(found.A + A, found.b + b) > best
    assert best < loss(np.eye(3), np.zeros(3))


def test_map_of_permuted_classes_is_permuted(rng):
    outputs, codes, w = some_outputs(rng)
    order = np.array([2, 0, 1])
    first = fit_class_map(outputs, codes, w)
    second = fit_class_map(outputs[:, order], np.argsort(order)[codes], w)
    assert np.allclose(second.A, first.A[np.ix_(order, order)], atol=1e-4)
    assert np.allclose(second.b, first.b[order], atol=1e-4)


def test_samples_that_are_not_left_out_do_not_count(rng):
    outputs, codes, w = some_outputs(rng)
    unknown = np.vstack([np.full((5, 3), np.nan), outputs])
    more = fit_class_map(unknown, np.append(np.zeros(5, dtype=int), codes), np.append(w[:5], w))
    assert np.allclose(more.A, fit_class_map(outputs, codes, w).A)
    assert fit_class_map(unknown[:5], np.zeros(5, dtype=int), w[:5]) is None


def test_no_map_is_fitted_to_few_samples(rng):
    outputs, codes, w = some_outputs(rng, SAMPLES_PER_CLASS * 3)
    assert fit_class_map(outputs, codes, w) is not None
    outputs[0] = np.nan
    assert fit_class_map(outputs, codes, w) is None


def test_class_between_two_others_is_predicted(rng):
    X, y = between(rng, 1000)
    model = lk.KernelClassifier(lk.linear()).fit(X[:400], y[:400])
    with pytest.warns(lk.NeverPredictedWarning):
        ridge = lk.KernelClassifier(lk.linear(), machine="ridge").fit(X[:400], y[:400])
    assert not (ridge.predict(X[400:]) == 1).any()
    assert model.score(X[400:], y[400:]) > 0.95


@pytest.mark.parametrize("options", [{}, {"subsample": 300}])
def test_landmarks_predict_the_class_between_two_others(options, rng):
    X, y = between(rng, 1000)
    model = lk.KernelClassifier(lk.gaussians([0.1]), n_components=20, **options).fit(X, y)
    assert model.machine_ == "svm"
    assert np.mean(model.predict(X) == y) > 0.95


def test_outputs_for_several_classes_with_landmarks_are_those_of_the_svm_mapped():
    X, y = load_iris(return_X_y=True)
    mapped, svm = (
        lk.KernelClassifier(n_components=50, machine=name).fit(X, y) for name in ("auto", "svm")
    )
    Z = np.hstack([svm.decision_function(X), np.ones((len(X), 1))])
    F = mapped.decision_function(X)
    assert mapped.C_ == svm.C_
    assert np.allclose(Z @ np.linalg.lstsq(Z, F, rcond=None)[0], F)
    assert not np.allclose(F, Z[:, :-1])


def test_samples_that_lack_a_view_have_mapped_outputs(rng):
    X, y = between(rng, 400)
    kernels = [lk.on([0], lk.linear()), lk.on([1], lk.linear())]
    model = lk.KernelClassifier(kernels, missing="neutral").fit(X, y)
    X[:, 1] = np.nan
    assert np.mean(model.predict(X) == y) > 0.95


def test_samples_that_lack_views_have_their_own_regularisation(rng):
    # Each training sample has one of two views. Without the other, half of them are equal, and
    # their classes have other frequencies than those of the rest: a small alpha overfits.
    n, d = 60, 90
    y = np.append(np.arange(n // 2) % 3, np.arange(n // 2, 2 * n) % 4 % 3)
    X = np.tile(np.repeat(np.eye(3)[y], d // 3, axis=1), 2)
    X += rng.standard_normal(X.shape)
    X[: n // 2, :d], X[n // 2 :, d:] = np.nan, np.nan
    kernels = [lk.on(slice(0, d), lk.linear()), lk.on(slice(d, 2 * d), lk.linear())]
    model = lk.KernelClassifier(kernels, missing="neutral").fit(X[:n], y[:n])
    model._training_views = replace(model._training_views, values=1e-10 * AROUND)
    assert model.score(X[n:], y[n:]) > 0.9
    assert log_loss(y[n:], model.predict_proba(X[n:])) < 0.3


def test_outputs_are_an_affine_function_of_those_of_ridge():
    X, y = load_iris(return_X_y=True)
    mapped, ridge = (
        lk.KernelClassifier(lk.gaussians(), "loo", machine=name).fit(X, y)
        for name in ("auto", "ridge")
    )
    Z = np.hstack([ridge.decision_function(X), np.ones((len(X), 1))])
    F = mapped.decision_function(X)
    assert mapped.C_ == ridge.C_
    assert np.allclose(Z @ np.linalg.lstsq(Z, F, rcond=None)[0], F)
    assert not np.allclose(F, ridge.decision_function(X))


def test_two_classes_are_not_mapped():
    X, y = load_iris(return_X_y=True)
    mapped, ridge = (
        lk.KernelClassifier(lk.gaussians(), machine=name).fit(X, y > 0)
        for name in ("auto", "ridge")
    )
    assert np.array_equal(mapped.decision_function(X), ridge.decision_function(X))
