"""The product measure of views."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

import learnkernels as lk

VIEWS = [
    lk.on([0, 1], lk.gaussians(), name="first"),
    lk.on([2, 3], lk.per_feature(), name="second"),
    lk.on([4], "linear", name="third"),
]


def problem(n_targets=None):
    """Return samples of five columns and targets that depend on all but the last."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((90, 5))
    y = np.sin(X[:, 0]) + X[:, 2] + 0.5 * X[:, 3] + 0.2 * rng.standard_normal(90) + 5
    return X, y if n_targets is None else np.column_stack([y, X[:, 0], X[:, 3] + 1])[:, :n_targets]


@pytest.mark.parametrize("kernels", [VIEWS, ["gaussians", "linear"], lk.per_feature()])
@pytest.mark.parametrize("options", [
    {}, {"method": "unif", "alpha": 1.0}, {"method": "ensemble", "alpha": 1.0},
    {"method": "unif", "machine": "svr", "C": 1.0},
    {"method": "unif", "alpha": 1.0, "center": False, "normalize": "cosine"},
])  # fmt: skip
def test_scores_add_up_to_r2(kernels, options):
    X, y = problem()
    model = lk.KernelRegressor(kernels, **options).fit(X[:60], y[:60])
    scores = model.score_by_view(X[60:], y[60:])
    assert sum(scores.values()) == pytest.approx(model.score(X[60:], y[60:]), abs=1e-9)


def test_scores_of_several_weighted_targets_add_up_to_r2():
    X, Y = problem(3)
    w = np.arange(30) % 4
    model = lk.KernelRegressor(VIEWS).fit(X[:60], Y[:60])
    scores = model.score_by_view(X[60:], Y[60:], sample_weight=w)
    expected = r2_score(Y[60:], model.predict(X[60:]), sample_weight=w, multioutput="raw_values")
    assert list(scores) == ["first", "second", "third", "mean error"]
    np.testing.assert_allclose(sum(scores.values()), expected, atol=1e-9)


def test_scores_are_those_of_the_definition_with_linear_views():
    X, y = problem()
    model = lk.KernelRegressor(
        [lk.on([0, 1], "linear", name="a"), lk.on([2, 3, 4], lk.per_feature(), name="b")],
        "unif", 1.0,
    ).fit(X[:60], y[:60])  # fmt: skip
    new = X[60:] - X[60:].mean(axis=0)
    r, c = y[60:] - y[60:].mean(), model.coef_
    scores = model.score_by_view(X[60:], y[60:])
    for name, columns in (("a", [0, 1]), ("b", [2, 3, 4])):
        part = new[:, columns] @ c[columns]
        assert scores[name] == pytest.approx(part @ (2 * r - new @ c) / (r @ r))


def test_informative_view_explains_most():
    X, Y = problem(3)
    model = lk.KernelRegressor(VIEWS).fit(X[:60], Y[:60])
    scores = model.score_by_view(X[60:], Y[60:])
    assert scores["second"][2] > 0.8 > scores["first"][2] + scores["third"][2]


def test_constant_target_has_no_score():
    X, Y = problem(3)
    model = lk.KernelRegressor(VIEWS).fit(X[:60], Y[:60])
    Y[60:, 1] = 2.0
    found = np.array(list(model.score_by_view(X[60:], Y[60:]).values()))
    assert (np.isnan(found) == [[False, True, False]] * 4).all()


@pytest.mark.parametrize(("y", "message"), [
    (np.zeros((30, 2)), r"y has shape \(30, 2\), and the predictions have shape \(30,\)"),
    (np.zeros(29), "y has shape"), (np.full(30, np.nan), "y: Input contains NaN"),
])  # fmt: skip
def test_other_targets_raise(y, message):
    X, known = problem()
    model = lk.KernelRegressor(VIEWS, "unif", 1.0).fit(X[:60], known[:60])
    with pytest.raises(lk.errors.InputError, match=message):
        model.score_by_view(X[60:], y)


def test_weights_of_zero_raise():
    X, y = problem()
    model = lk.KernelRegressor(VIEWS, "unif", 1.0).fit(X, y)
    with pytest.raises(lk.errors.InputError, match="sample_weight is 0 for all samples"):
        model.score_by_view(X, y, sample_weight=np.zeros(90))


def test_pairs_raise():
    K = np.eye(6)[..., None]
    X = np.argwhere(np.ones((6, 6)))
    model = lk.KernelRegressor(lk.pairs(K, K), "unif", 1.0).fit(X, X[:, 0] * 1.0)
    with pytest.raises(lk.errors.InputError, match="cannot be split"):
        model.score_by_view(X, X[:, 0] * 1.0)
