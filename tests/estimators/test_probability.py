"""Probabilities of classes: calibration, agreement with predictions, and where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import learnkernels as lk
from learnkernels.estimators import classifier
from learnkernels.estimators.outputs.probability import fit_temperature, log_probabilities

SETTINGS = {
    "default": {},
    "folds choose C": {"method": "alignf"},
    "one C": {"method": "alignf", "C": 1.0},
    "alignment": {"method": "unif", "machine": "alignment"},
    "landmarks": {"n_components": 40},
    "factors": {"kernels": lk.per_feature(), "method": "unif", "machine": "ridge", "C": 1.0},
    "ensemble": {"kernels": lk.gaussians([0.1, 1.0]), "method": "ensemble", "C": [0.1, 1.0]},
}


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("name", SETTINGS)
def test_probabilities_sum_to_one_and_agree_with_predictions(name, load):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = lk.KernelClassifier(**SETTINGS[name]).fit(X[::3], y[::3])
    P = model.predict_proba(X[1::3])
    assert P.shape == (len(X[1::3]), len(model.classes_))
    assert np.allclose(P.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X[1::3]))
    assert np.allclose(np.exp(model.predict_log_proba(X[1::3])), P)
    frequencies = np.bincount(y[::3]) / len(y[::3])
    chance = log_loss(y[1::3], np.tile(frequencies, (len(P), 1)))
    assert log_loss(y[1::3], P) < 0.6 * chance


@pytest.mark.filterwarnings("ignore::learnkernels.NeverPredictedWarning")
def test_probabilities_of_noise_are_the_frequencies(rng):
    X, y = rng.standard_normal((400, 4)), rng.random(400) < 0.5
    P = lk.KernelClassifier().fit(X[:200], y[:200]).predict_proba(X[200:])
    assert log_loss(y[200:], P) < np.log(2) + 0.03


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_temperature_has_the_smallest_log_loss(n_outputs, rng):
    codes = rng.integers(max(n_outputs, 2), size=3000)
    outputs = rng.standard_normal((3000, n_outputs))
    outputs += np.where(codes[:, None] == np.arange(n_outputs) + (n_outputs == 1), 1.0, -1.0)
    w = rng.uniform(0.5, 2.0, 3000)
    outputs[:5] = np.nan  # not left out
    best = fit_temperature(outputs, codes, w)

    def loss(T):
        return -(w[5:] @ log_probabilities(outputs[5:], T)[np.arange(2995), codes[5:]])

    assert loss(best) <= min(loss(0.95 * best), loss(1.05 * best))
    assert fit_temperature(outputs[:5], codes[:5], w[:5]) is None


def test_few_samples_that_are_all_correct_do_not_make_a_model_certain():
    codes = np.repeat([0, 1], 10)
    outputs = np.where(codes == 1, 1.0, -1.0)[:, None]
    T = fit_temperature(outputs, codes, np.ones(20))
    assert np.isclose(np.exp(log_probabilities(outputs, T)).max(), 11 / 12, atol=1e-3)


def test_left_out_outputs_are_those_of_refits(rng, monkeypatch):
    X = np.sort(rng.standard_normal((25, 2)), axis=0)  # the order in which samples are trained
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(25) > 0, 1, 0)
    w = rng.uniform(0.5, 2.0, 25)
    kernels = lk.gaussians([0.5])
    held = []
    monkeypatch.setattr(
        classifier, "fit_temperature", lambda h, *a: held.append(h) or fit_temperature(h, *a)
    )
    lk.KernelClassifier(kernels, "unif", C=0.7, machine="ridge", normalize=None).fit(X, y, w)
    for i in (0, 7, 24):
        rest = np.delete(np.arange(25), i)
        again = lk.KernelClassifier(kernels, "unif", C=0.7, machine="ridge", normalize=None)
        again.fit(X[rest], y[rest], w[rest])
        assert np.isclose(held[0][i, 0], again.decision_function(X[i : i + 1])[0], atol=1e-9)


def test_probabilities_without_left_out_samples_raise(rng):
    X = rng.standard_normal((300, 3))
    y = (X[:, 0] > 0).astype(int)
    model = lk.KernelClassifier(
        lk.gaussians([0.5]), "unif", C=1.0, machine="ridge", max_memory=5e4
    ).fit(X, y)
    assert model.solver_ == "conjugate gradients"
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(X)
    assert "several values of C" in str(caught.value.__cause__)


@pytest.mark.filterwarnings("ignore::learnkernels.ConstantKernelWarning")
def test_log_loss_is_below_that_of_a_calibrated_svc_on_real_tables(genuine):
    lower = []
    for name in ("banana", "contraceptive", "segment", "vehicle"):
        table = genuine(f"tables/classification_{name}").sample(800, random_state=0, replace=True)
        table = table.drop_duplicates()
        y, X = table.pop("target").astype(str).to_numpy(), table.to_numpy(dtype=float)
        half = len(y) // 2
        model = lk.KernelClassifier().fit(X[:half], y[:half])
        svc = CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), ensemble=False)
        svc.fit(X[:half], y[:half])
        ours, theirs = (log_loss(y[half:], m.predict_proba(X[half:])) for m in (model, svc))
        lower.append(ours < theirs)
    assert np.mean(lower) >= 0.75
