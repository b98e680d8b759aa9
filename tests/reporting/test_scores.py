"""Cross-validated errors, and intervals of weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

import learnkernels as lk
from learnkernels.inspection.stability import shares
from learnkernels.reporting.scores import CONSTANT, cross_validated_errors, difference


def test_errors_equal_those_of_cross_val_score(classes):
    X, y = classes
    model = lk.KernelClassifier(C=[0.1, 1.0], kernels=["gaussians", "linear"], method="alignf").fit(
        X, y
    )
    found = cross_validated_errors(model, X, y, cv=4, random_state=3)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    for name, method in (("learned", "alignf"), ("uniform weights", "unif")):  # both sum to one
        plain = cross_val_score(
            lk.KernelClassifier(method=method, C=[0.1, 1.0], kernels=["gaussians", "linear"]),
            X,
            y,
            cv=folds,
        )
        assert found["results"][name]["errors"] == pytest.approx(1 - plain)
    results = found["results"]
    against = results["uniform weights"]
    assert against["difference"] == pytest.approx(
        results["learned"]["mean"] - against["mean"], abs=1e-3
    )
    assert against["low"] <= against["difference"] <= against["high"]
    rarer = min(np.mean(y == "no"), np.mean(y == "yes"))
    assert results[CONSTANT]["mean"] == pytest.approx(rarer, abs=0.02)


def test_baselines_of_svr_choose_among_its_values_of_C(curve):
    X, y = curve
    svr = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "unif", machine="svr", C=[0.1, 1.0])
    found = cross_validated_errors(svr.fit(X, y), X, y, cv=3, random_state=0)["results"]
    assert found["uniform weights"]["errors"] == pytest.approx(found["learned"]["errors"])


@pytest.mark.parametrize("regression", [True, False])
def test_interval_of_the_difference_has_only_possible_values(regression, rng):
    losses, others = rng.random(6) ** 9, rng.random(6) ** 9  # few samples of very unequal losses
    if not regression:
        losses, others = np.eye(6)[0], np.eye(6)[1]
    found = difference(losses, others, None, regression)
    base = 1.0 if regression else others.mean()  # RMSE is relative to that of the baseline
    assert -base <= found["low"] <= found["difference"] <= found["high"]
    expected = losses.mean() - others.mean()
    if regression:
        expected = np.sqrt(losses.mean() / others.mean()) - 1
    assert found["difference"] == pytest.approx(expected)


def test_details_of_classes_agree_with_scikit_learn(rng):
    from sklearn.metrics import confusion_matrix, log_loss, precision_score, roc_auc_score
    from sklearn.model_selection import cross_val_predict

    X = rng.standard_normal((120, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.5 * rng.standard_normal(120), [-1, 0.5])]
    w = rng.integers(1, 4, 120).astype(float)
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), "unif", C=1.0)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    p = cross_val_predict(
        model, X, y, cv=folds, method="predict_proba", params={"sample_weight": w}
    )
    found = cross_validated_errors(model.fit(X, y, w), X, y, 4, 0, w)["details"]
    predicted = model.classes_[p.argmax(axis=1)]
    assert found["confusion"] == confusion_matrix(y, predicted).tolist()
    precision = precision_score(y, predicted, average=None)
    assert [one["precision"] for one in found["classes"]] == pytest.approx(precision)
    area = roc_auc_score(y, p, multi_class="ovr", average="macro", sample_weight=w)
    assert found["scores"]["AUC"] == pytest.approx(area)
    assert found["scores"]["log loss"] == pytest.approx(log_loss(y, p, sample_weight=w))
    assert sum(one["samples"] for one in found["calibration"]) == 120


def test_details_of_a_regression_agree_with_scikit_learn(curve):
    from sklearn.metrics import r2_score
    from sklearn.model_selection import KFold, cross_val_predict

    X, y = curve
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "unif", alpha=1.0).fit(X, y)
    found = cross_validated_errors(model, X, y, 4, 0)["details"]
    predicted = cross_val_predict(model, X, y, cv=KFold(4, shuffle=True, random_state=0))
    assert found["scores"]["R²"] == pytest.approx(r2_score(y, predicted))
    assert np.array(found["residuals"])[:, 1] == pytest.approx(y - predicted, abs=1e-3)


@pytest.mark.parametrize("method", ["align", "alignf"])
def test_intervals_cover_weights_of_large_sample(method, rng):
    """Nominal coverage is 90 %, for signal and noise kernels; weights at zero need a tolerance."""
    kernels = lk.per_feature()
    weight = np.array([3.0, 2.0, 1.0, 0.0, 0.0, 0.0])

    def sample(n):
        X = rng.standard_normal((n, 6))
        return X, X @ weight + 2 * rng.standard_normal(n)

    X, y = sample(20_000)
    truth = shares(lk.KernelRegressor(kernels, method, alpha=1.0).fit(X, y).weights_)
    inside = np.zeros(6)
    for _ in range(20):
        X, y = sample(120)
        model = lk.KernelRegressor(kernels, method, alpha=1.0).fit(X, y)
        found = lk.report(model, X, y, cv=0, draws=30).summary["kernels"]
        by_name = {one["name"]: one for one in found}
        ends = [(by_name[f"x[{k}]"]["low"], by_name[f"x[{k}]"]["high"]) for k in range(6)]
        inside += [
            low - 1e-3 <= t <= high + 1e-3 for (low, high), t in zip(ends, truth, strict=True)
        ]
    assert inside.min() >= 14 and inside.mean() >= 17


def test_signal_kernels_have_weights_above_noise(many):
    model, X, y = many
    found = lk.report(model, X, y, cv=0, draws=10).summary["kernels"]
    signal, noise = found[:5], found[100]
    assert {one["name"] for one in signal} == {f"x[{k}]" for k in range(5)}
    assert min(one["low"] for one in signal) > noise["share"]
    assert all(one["low"] <= one["share"] <= one["high"] for one in found)
