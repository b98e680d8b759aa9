"""`single` and `ensemble`: honest out-of-fold."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

import learnkernels as lk
from tests.weights.evidence import evidence_of

KERNELS = [0.02, 0.3, 4.0]


def test_single_is_the_kernel_that_cross_validation_prefers(classes):
    X, y = classes
    hits = np.zeros(3)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for k, gamma in enumerate(KERNELS):
            alone = lk.KernelClassifier(lk.gaussians([gamma]), normalize=None, C=5.0)
            hits[k] += np.sum(alone.fit(X[train], y[train]).predict(X[test]) == y[test])
    model = lk.KernelClassifier(lk.gaussians(KERNELS), "single", C=5.0, normalize=None).fit(X, y)
    assert model.weights_[np.argmax(hits)] == 1.0
    assert np.isclose(model.certificate_.primal, 1 - hits.max() / len(y))


def test_ensemble_weights_come_from_predictions_of_unseen_samples(curve):
    X, y = curve
    predictions = np.empty((len(y), 3))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        for k, gamma in enumerate(KERNELS):
            alone = lk.KernelRegressor(lk.gaussians([gamma]), normalize=None, alpha=0.1)
            predictions[test, k] = alone.fit(X[train], y[train]).predict(X[test])
    kernels = lk.gaussians(KERNELS)
    model = lk.KernelRegressor(kernels, "ensemble", normalize=None, alpha=0.1).fit(X, y)
    centered = predictions - predictions.mean(axis=0)
    v, *_ = np.linalg.lstsq(centered, y - y.mean(), rcond=None)
    if (v >= 0).all():
        assert np.allclose(model.weights_, v, rtol=1e-6)
    residual = y - y.mean() - centered @ model.weights_
    assert np.isclose(model.certificate_.primal, np.mean(residual**2))
    combined = sum(
        w * lk.KernelRegressor(lk.gaussians([g]), normalize=None, alpha=0.1).fit(X, y).predict(X)
        for w, g in zip(model.weights_, KERNELS, strict=True)
    )
    offset = y.mean() - predictions.mean(axis=0) @ model.weights_
    assert np.allclose(model.predict(X), combined + offset)
    shifted = lk.KernelRegressor(kernels, "ensemble", normalize=None, alpha=0.1).fit(X, y + 1000)
    assert np.allclose(shifted.predict(X), model.predict(X) + 1000)


def test_ensemble_of_classes_and_lists(classes):
    X, y = classes
    model = lk.KernelClassifier(lk.gaussians(KERNELS), "ensemble", C=[1.0, 10.0]).fit(X, y)
    assert model.score(X, y) > 0.8 and (model.weights_ >= 0).all()


def test_out_of_fold_predictions_do_not_see_their_label(classes):
    """Changing one sample's label must not change its own out-of-fold prediction."""
    from learnkernels.weights.best_single import folds_of, out_of_fold

    X, y = classes
    evidence = evidence_of(lk.gaussians([0.3]), X, y)
    folds = folds_of(lk.methods.BestSingle(), evidence)
    K = evidence.oracle.gram(np.ones(1))
    before = out_of_fold(evidence, K, folds)
    evidence.Y[folds[0][0]] *= -1
    after = out_of_fold(evidence, K, folds)
    assert np.isclose(before[folds[0][0]], after[folds[0][0]])
    assert not np.allclose(before, after)


@pytest.mark.parametrize("method", ["single", "ensemble"])
def test_a_class_of_one_sample_is_a_sentence(method):
    with pytest.raises(lk.InputError, match="only one sample"):
        lk.KernelClassifier(method=method).fit(np.eye(5), [0, 0, 0, 0, 1])
