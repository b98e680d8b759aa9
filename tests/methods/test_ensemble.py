"""Combination of out-of-fold predictions."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

import learnkernels as lk

KERNELS = [0.02, 0.3, 4.0]


def test_ensemble_weights_fit_out_of_fold_predictions(curve):
    X, y = curve
    predictions = np.empty((len(y), 3))
    splitter = KFold(5, shuffle=True, random_state=0)
    method = lk.methods.Ensemble(cv=splitter)
    for train, test in splitter.split(X):
        for k, gamma in enumerate(KERNELS):
            alone = lk.KernelRegressor(
                lk.gaussians([gamma]), normalize=None, alpha=0.1, method="alignf"
            )
            predictions[test, k] = alone.fit(X[train], y[train]).predict(X[test])
    kernels = lk.gaussians(KERNELS)
    model = lk.KernelRegressor(kernels, method, normalize=None, alpha=0.1).fit(X, y)
    centered = predictions - predictions.mean(axis=0)
    v, *_ = np.linalg.lstsq(centered, y - y.mean(), rcond=None)
    if (v >= 0).all():
        assert np.allclose(model.weights_, v, rtol=1e-6)
    residual = y - y.mean() - centered @ model.weights_
    assert np.isclose(model.certificate_.primal, np.mean(residual**2))
    combined = sum(
        w
        * lk.KernelRegressor(lk.gaussians([g]), normalize=None, alpha=0.1, method="alignf")
        .fit(X, y)
        .predict(X)
        for w, g in zip(model.weights_, KERNELS, strict=True)
    )
    offset = y.mean() - predictions.mean(axis=0) @ model.weights_
    assert np.allclose(model.predict(X), combined + offset)
    shifted = lk.KernelRegressor(kernels, method, normalize=None, alpha=0.1).fit(X, y + 1000)
    assert np.allclose(shifted.predict(X), model.predict(X) + 1000)


def test_ensemble_classifies_with_a_list_of_C(classes):
    X, y = classes
    model = lk.KernelClassifier(lk.gaussians(KERNELS), "ensemble", C=[1.0, 10.0]).fit(X, y)
    assert model.score(X, y) > 0.8 and (model.weights_ >= 0).all()


def test_ensemble_of_constant_target_without_centering_trains_one_machine_per_kernel(rng):
    X, y = rng.standard_normal((40, 3)), np.ones(40)
    kernels = lk.gaussians([0.1, 1.0])
    with pytest.warns(lk.UndefinedAlignmentWarning):
        model = lk.KernelRegressor(kernels, "ensemble", center=False, alpha=1.0).fit(X, y)
    alone = [
        lk.KernelRegressor(lk.gaussians([gamma]), "unif", center=False, alpha=1.0)
        for gamma in (0.1, 1.0)
    ]
    with pytest.warns(lk.UndefinedAlignmentWarning):
        predictions = [one.fit(X, y).predict(X) for one in alone]
    assert np.allclose(model.predict(X), np.mean(predictions, axis=0))
