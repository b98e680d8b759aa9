"""Cross-validated errors, and weights on random halves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold, cross_val_score

import learnkernels as lk
from learnkernels.reporting.scores import cross_validated_errors, paired_difference
from learnkernels.reporting.stability import random_half, shares, shares_on_halves


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
    assert against["difference"] == pytest.approx(results["learned"]["mean"] - against["mean"])
    assert against["low"] <= against["difference"] <= against["high"]
    rarer = min(np.mean(y == "no"), np.mean(y == "yes"))
    assert found["dummy"] == pytest.approx(rarer, abs=0.02)


def test_baselines_of_svr_choose_among_its_values_of_C(curve):
    X, y = curve
    svr = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "unif", machine="svr", C=[0.1, 1.0])
    found = cross_validated_errors(svr.fit(X, y), X, y, cv=3, random_state=0)["results"]
    assert found["uniform weights"]["errors"] == pytest.approx(found["learned"]["errors"])


def test_paired_difference_equals_corrected_t_interval(rng):
    errors, others = rng.random(5), rng.random(5)
    mean, low, high = paired_difference(errors, others)
    d = errors - others
    # Nadeau and Bengio: the variance of the mean is (1/k + n_test / n_train) s^2
    spread = np.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1))
    assert mean == pytest.approx(d.mean())
    assert (low, high) == pytest.approx(stats.t.interval(0.9, 4, d.mean(), spread))
    assert paired_difference([0.1, 0.1], [0.2, 0.2]) == pytest.approx((-0.1, -0.1, -0.1))


def test_random_half_contains_half_of_each_class(rng):
    codes = np.repeat([0, 1, 2], [41, 6, 1])
    Y = np.where(codes[:, None] == np.arange(3), 1.0, -1.0)
    half = random_half(Y, "classification", rng)
    assert np.bincount(codes[half]).tolist() == [21, 3, 1]
    assert len(random_half(rng.standard_normal((9, 1)), "regression", rng)) == 5


def test_shares_on_halves_equal_those_of_fits(classes):
    X, y = classes
    kernels = lk.gaussians([0.05, 0.5, 5.0])
    for method in ("alignf", "l1-svm", "l2-krr"):
        model = lk.KernelClassifier(kernels, method, C=2.0).fit(X, y)
        found, unconverged = shares_on_halves(model, X, y, draws=3, random_state=1)
        assert unconverged == 0
        rng = np.random.default_rng(1)
        signs = np.where(y == "yes", 1.0, -1.0)[:, None]
        for drawn in found:
            half = random_half(signs, "classification", rng)
            again = lk.KernelClassifier(kernels, method, C=2.0 * len(y) / len(half))
            expected = shares(again.fit(X[half], y[half]).weights_)
            assert drawn == pytest.approx(expected, abs=2e-3)


def test_means_of_halves_have_variance_of_fresh_samples(rng):
    """The standard deviation of the mean of a half equals that of n new samples."""
    n = 400
    values = rng.standard_normal(n)
    halves = [values[random_half(values[:, None], "regression", rng)].mean() for _ in range(2000)]
    assert np.std(halves) == pytest.approx(values.std() / np.sqrt(n), rel=0.1)


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
    for _ in range(30):
        X, y = sample(120)
        model = lk.KernelRegressor(kernels, method, alpha=1.0).fit(X, y)
        found = lk.report(model, X, y, cv=0, draws=30).summary["kernels"]
        by_name = {one["name"]: one for one in found}
        ends = [(by_name[f"x[{k}]"]["low"], by_name[f"x[{k}]"]["high"]) for k in range(6)]
        inside += [
            low - 1e-3 <= t <= high + 1e-3 for (low, high), t in zip(ends, truth, strict=True)
        ]
    assert inside.min() >= 21 and inside.mean() >= 25


def test_signal_kernels_have_weights_above_noise(many):
    model, X, y = many
    found = lk.report(model, X, y, cv=0, draws=10).summary["kernels"]
    signal, noise = found[:5], found[100]
    assert {one["name"] for one in signal} == {f"x[{k}]" for k in range(5)}
    assert min(one["low"] for one in signal) > noise["share"]
    assert all(one["low"] <= one["share"] <= one["high"] for one in found)
