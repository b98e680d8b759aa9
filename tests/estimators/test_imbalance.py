"""Class weights, scores that choose the regularisation, and classes that are never predicted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

import learnkernels as lk


def rare(n=200, seed=0):
    """Return two overlapping classes of which one has a tenth of the samples."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 10 == 0).astype(int)
    return rng.standard_normal((n, 2)) + 1.2 * y[:, None], y


@pytest.mark.parametrize("settings", [{}, {"method": "unif", "C": 1.0}])
def test_balanced_classes_equal_the_same_sample_weights(settings):
    X, y = rare()
    balanced = lk.KernelClassifier(class_weight="balanced", **settings).fit(X, y)
    w = np.where(y == 1, len(y) / (2 * y.sum()), len(y) / (2 * (1 - y).sum()))
    weighted = lk.KernelClassifier(**settings).fit(X, y, w)
    given = lk.KernelClassifier(class_weight={0: w[1], 1: w[0]}, **settings).fit(X, y)
    assert np.allclose(balanced.decision_function(X), weighted.decision_function(X))
    assert np.allclose(balanced.decision_function(X), given.decision_function(X))


def test_balanced_classes_raise_the_balanced_accuracy():
    X, y = rare()
    new, labels = rare(400, seed=1)
    plain = lk.KernelClassifier().fit(X, y).predict(new)
    balanced = lk.KernelClassifier(class_weight="balanced").fit(X, y)
    found = balanced_accuracy_score(labels, balanced.predict(new))
    assert found > balanced_accuracy_score(labels, plain) + 0.1
    assert balanced.guarantees(X, y).entries


def test_class_that_is_never_predicted_gives_a_warning(rng):
    X, y = rng.standard_normal((200, 3)), (np.arange(200) % 20 == 0).astype(int)
    with pytest.warns(lk.NeverPredictedWarning, match="class 1 is never predicted"):
        lk.KernelClassifier().fit(X, y)


@pytest.mark.filterwarnings("ignore::learnkernels.NeverPredictedWarning")
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_scores_choose_C(scoring):
    X, y = rare()
    model = lk.KernelClassifier(lk.gaussians(), "unif", scoring=scoring).fit(X, y)
    assert len(model.C_scores_) > 1
    assert np.isfinite(model.C_scores_).all() and np.ptp(model.C_scores_) > 0


@pytest.mark.filterwarnings("ignore::learnkernels.NeverPredictedWarning")
def test_scoring_replaces_the_learned_regularisation():
    X, y = rare()
    kernels = lk.gaussians([0.1, 1.0])
    learned = lk.KernelClassifier(kernels).fit(X, y)
    scored = lk.KernelClassifier(kernels, scoring="roc_auc").fit(X, y)
    assert not hasattr(learned, "C_scores_") and len(scored.C_scores_) > 1


def test_scores_choose_alpha(rng):
    X = rng.standard_normal((120, 3))
    y = X[:, 0] + 0.3 * rng.standard_normal(120)
    model = lk.KernelRegressor(lk.gaussians(), "unif", scoring="neg_mean_absolute_error").fit(X, y)
    grid = lk.KernelRegressor(lk.gaussians(), "unif", scoring="r2").fit(X, y)
    assert model.alpha_scores_.max() < 0 < grid.alpha_scores_.max()
    assert not hasattr(model, "alpha_errors_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_weight": "equal"}, "class_weight='equal'; expected \"balanced\""),
        ({"class_weight": {7: 1.0}}, "class_weight has the label 7"),
        ({"class_weight": {1: -1.0}}, r"class_weight has the weight -1\.0"),
        ({"scoring": "roc_acu"}, "did you mean 'roc_auc'"),
        ({"scoring": 3}, "scoring=3; expected the name"),
    ],
)
def test_invalid_class_weights_and_scores_raise(options, message):
    X, y = rare(60)
    with pytest.raises(lk.InputError, match=message):
        lk.KernelClassifier(lk.gaussians(), **options).fit(X, y)
