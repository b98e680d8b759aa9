"""Weights on random halves: intervals, and views that carry the same information."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.inspection import weight_stability
from learnkernels.inspection.stability import random_half, shares, shares_on_halves


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


@pytest.fixture
def measured_twice(rng):
    """Return four views: the same signal measured twice, another signal, and noise."""
    n = 160
    Z, other, noise = (rng.standard_normal((n, 2)) for _ in range(3))
    X = np.hstack([Z, Z + 0.05 * rng.standard_normal(Z.shape), other, noise])
    y = np.sin(Z).sum(axis=1) + other.sum(axis=1) + 0.3 * rng.standard_normal(n)
    names = ("once", "again", "other", "noise")
    views = [
        lk.on([2 * k, 2 * k + 1], lk.gaussians([0.01, 0.1, 1.0]), name=name)
        for k, name in enumerate(names)
    ]
    return views, X, y


@pytest.mark.parametrize("method", ["alignf", "auto"])
def test_views_measured_twice_are_interchangeable_and_others_are_not(measured_twice, method):
    views, X, y = measured_twice
    model = lk.KernelRegressor(views, method).fit(X, y)
    found = weight_stability(model, X, y, draws=20)
    (pair,) = found.interchangeable
    assert (pair.first, pair.second) == ("once", "again")
    once, again = found.drawn[:, 0], found.drawn[:, 1]
    assert pair.first_heavier == (once > again).sum()
    assert pair.correlation == pytest.approx(np.corrcoef(once, again)[0, 1])
    for text in (repr(found), found._repr_html_()):
        assert "once and again carry the same information" in text
    assert not found.to_frame().stable["noise"]
    summary = lk.report(model, X, y, cv=0, draws=20).summary
    assert [one["alignment"] for one in summary["interchangeable"]] == [pair.alignment]


def test_alignment_of_views_is_that_of_their_combined_kernels(measured_twice):
    views, X, y = measured_twice
    model = lk.KernelRegressor(views, "alignf", alpha=1.0).fit(X, y)
    found = weight_stability(model, X, y, draws=10)
    (pair,) = found.interchangeable
    by_kernel = weight_stability(model, X, y, draws=10, by="kernel")
    mean = dict(zip(by_kernel.names, by_kernel.drawn.mean(axis=0), strict=True))
    n = len(X)
    H = np.eye(n) - 1 / n
    centered = []
    for view in views[:2]:
        kernels = view.members(lk.kernels.base.TrainingData(X))
        grams = [H @ kernel(X) @ H for kernel in kernels]
        weights = [mean[kernel.name] for kernel in kernels]
        centered.append(sum(w * K / np.trace(K) for w, K in zip(weights, grams, strict=True)))
    first, second = centered
    expected = np.sum(first * second) / np.linalg.norm(first) / np.linalg.norm(second)
    assert pair.alignment == pytest.approx(expected)


def test_views_of_equal_weights_are_not_interchangeable(measured_twice):
    views, X, y = measured_twice
    model = lk.KernelRegressor(views, "unif", alpha=1.0).fit(X, y)
    assert weight_stability(model, X, y, draws=5).interchangeable == []


def test_two_different_views_are_not_interchangeable_although_weights_sum_to_one(measured_twice):
    views, X, y = measured_twice
    model = lk.KernelRegressor(views[1:3], "alignf", alpha=1.0).fit(X, y)
    found = weight_stability(model, X, y, draws=10)
    assert np.corrcoef(found.drawn.T)[0, 1] < -0.99
    assert found.interchangeable == []


def test_transformers_and_pipelines_have_stability(measured_twice):
    views, X, y = measured_twice
    alone = weight_stability(lk.KernelLearner(views, "alignf").fit(X, y), X, y, draws=3)
    assert alone.names == ["once", "again", "other", "noise"]
    model = make_pipeline(StandardScaler(), lk.KernelRegressor(views, "alignf", alpha=1.0))
    assert weight_stability(model.fit(X, y), X, y, draws=3).drawn.shape == (3, 4)
    with pytest.raises(lk.InputError, match="draws=1"):
        weight_stability(model, X, y, draws=1)
