"""Standard deviations and intervals of `KernelRegressor`: shapes, invariances, models without."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.estimators.outputs import uncertainty

SETTINGS = {"kernels": ["gaussians", "linear"], "method": "unif", "alpha": 0.3}


def both(model, X):
    return model.predict(X, return_std=True)[1], model.predict_interval(X, 0.8)


@pytest.fixture
def data(curve):
    X, y = curve
    return X[:60], y[:60], X[60:]


def test_targets_have_own_deviations_and_intervals(data):
    X, y, new = data
    Y = np.column_stack([y, 10 * y + 3, np.cos(X[:, 0])])
    std, interval = both(lk.KernelRegressor(**SETTINGS).fit(X, Y), new)
    assert std.shape == (len(new), 3) and interval.shape == (len(new), 3, 2)
    assert np.allclose(std[:, 1], 10 * std[:, 0])
    assert np.allclose(interval[:, 1], 10 * interval[:, 0] + 3)
    alone = lk.KernelRegressor(**SETTINGS).fit(X, Y[:, 2])
    assert np.allclose(both(alone, new)[0], std[:, 2])
    assert np.allclose(both(alone, new)[1], interval[:, 2])


@pytest.mark.parametrize("options", [{}, {"n_components": 20}, {"kernels": lk.per_feature()}])
def test_uncertainty_does_not_depend_on_pieces_order_or_threads(data, options, monkeypatch):
    X, y, new = data
    expected = both(lk.KernelRegressor(**SETTINGS | options).fit(X, y), new)
    monkeypatch.setattr(uncertainty, "PIECE", 150)
    order = np.random.default_rng(0).permutation(len(y))
    model = lk.KernelRegressor(**SETTINGS | options, n_jobs=1).fit(X[order], y[order])
    for found, values in zip(both(model, new), expected, strict=True):
        assert np.allclose(found, values)


def test_weight_of_two_equals_a_repeated_row(data):
    X, y, new = data
    w = np.ones(60)
    w[:7] = 2
    weighted = lk.KernelRegressor(**SETTINGS).fit(X, y, w)
    repeated = lk.KernelRegressor(**SETTINGS).fit(np.vstack([X, X[:7]]), np.append(y, y[:7]))
    for found, expected in zip(both(weighted, new), both(repeated, new), strict=True):
        assert np.allclose(found, expected)


def test_samples_of_weight_zero_do_not_matter(data):
    X, y, new = data
    w = np.ones(60)
    w[:7] = 0
    weighted = lk.KernelRegressor(**SETTINGS).fit(X, y, w)
    alone = lk.KernelRegressor(**SETTINGS).fit(X[7:], y[7:])
    for found, expected in zip(both(weighted, new), both(alone, new), strict=True):
        assert np.allclose(found, expected)


def test_deviation_grows_away_from_the_samples(data):
    X, y, _ = data
    for options in ({}, {"n_components": 20}):
        model = lk.KernelRegressor(lk.gaussians(), "unif", 0.01, **options).fit(X, y)
        _, (near, far) = model.predict(np.array([X.mean(axis=0), X[0] + 50]), return_std=True)
        assert far > 1.3 * near


def test_coverage_of_intervals_and_deviations_on_fresh_samples():
    random = np.random.default_rng(0)
    X = random.standard_normal((1300, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * random.standard_normal(1300)
    model = lk.KernelRegressor("gaussians", "alignf").fit(X[:300], y[:300])
    mean, std = model.predict(X[300:], return_std=True)
    assert 0.85 < np.mean(((y[300:] - mean) / std) ** 2) < 1.15
    for coverage in (0.5, 0.9):
        lower, upper = model.predict_interval(X[300:], coverage).T
        assert abs(np.mean((lower <= y[300:]) & (y[300:] <= upper)) - coverage) < 0.05


def test_targets_without_variation_have_deviation_zero(data):
    X, y, new = data
    Y = np.column_stack([y, np.full(60, 7.0)])
    std, interval = both(lk.KernelRegressor(**SETTINGS).fit(X, Y), new)
    assert np.allclose(std[:, 1], 0) and np.allclose(interval[:, 1], 7)


def test_posterior_is_neither_pickled_nor_a_parameter(data):
    X, y, new = data
    model = lk.KernelRegressor(**SETTINGS).fit(X, y)
    before = pickle.dumps(model)
    expected = both(model, new)
    assert pickle.dumps(model) == before
    for found, values in zip(both(pickle.loads(before), new), expected, strict=True):
        assert np.array_equal(found, values)
    with pytest.raises(NotFittedError):
        clone(model).predict_interval(new)


def test_second_fit_replaces_the_posterior(data):
    X, y, new = data
    model = lk.KernelRegressor(**SETTINGS).fit(X, y)
    first = both(model, new)
    second = both(model.fit(X, 100 * y), new)
    assert np.allclose(second[0], 100 * first[0])
    model.set_params(machine="alignment").fit(X, y)
    with pytest.raises(lk.InputError, match="machine"):
        model.predict_interval(new)


def test_pipeline_returns_deviations(data):
    X, y, new = data
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
    model = make_pipeline(StandardScaler(), lk.KernelRegressor(**SETTINGS)).fit(frame, y)
    _, std = model.predict(pd.DataFrame(new, columns=frame.columns), return_std=True)
    assert std.shape == (len(new),) and (std > 0).all()


def test_pairs_of_objects_agree_with_the_kernel_of_their_features():
    random = np.random.default_rng(0)
    left, right = random.standard_normal((8, 2)), random.standard_normal((6, 3))
    pairs = np.argwhere(np.ones((8, 6)))
    order = random.permutation(48)
    X, y, new = pairs[order[:40]], random.standard_normal(40), pairs[order[40:]]
    settings = {"method": "unif", "alpha": 0.5, "normalize": None}
    kernels = lk.pairs({"left": left @ left.T}, {"right": right @ right.T})
    ours = lk.KernelRegressor(kernels, **settings).fit(X, y)

    def products(P):
        return np.einsum("ia,ib->iab", left[P[:, 0]], right[P[:, 1]]).reshape(len(P), -1)

    theirs = lk.KernelRegressor(lk.linear(), **settings).fit(products(X), y)
    for found, expected in zip(both(ours, new), both(theirs, products(new)), strict=True):
        assert np.allclose(found, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machine": "alignment"}, 'machine="ridge"'),
        ({"machine": "svr", "alpha": "auto", "C": 1.0}, 'machine="ridge"'),
        ({"method": "ensemble"}, "another method"),
        ({"max_memory": 1e4}, "115 kB, more than max_memory=10 kB; .* n_components"),
    ],
)
def test_models_without_posterior_raise_with_the_way_out(options, message, data):
    X, y, new = data
    model = lk.KernelRegressor(**SETTINGS | options).fit(X, y)
    with pytest.raises(lk.InputError, match=message):
        model.predict(new, return_std=True)
    with pytest.raises(lk.InputError, match=message):
        model.predict_interval(new)


def test_precomputed_kernels_raise_with_the_way_out(data):
    X, y, _ = data
    stack = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    model = lk.KernelRegressor("precomputed", "unif", 1.0).fit(stack, y)
    with pytest.raises(lk.InputError, match="precomputed"):
        model.predict(stack, return_std=True)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90, np.nan, "0.9", None, True])
def test_impossible_coverage_raises(coverage, data):
    X, y, new = data
    model = lk.KernelRegressor(**SETTINGS).fit(X, y)
    with pytest.raises(lk.InputError, match="coverage"):
        model.predict_interval(new, coverage)


def test_too_few_samples_for_a_coverage_raise(data):
    X, y, new = data
    model = lk.KernelRegressor(**SETTINGS).fit(X[:12], y[:12])
    with pytest.raises(lk.InputError, match=r"coverage=0.95 needs 19 samples .* found 12"):
        model.predict_interval(new, 0.95)
