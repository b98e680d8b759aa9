"""Pairs of objects: every choice uses the setting of the folds, and no test pair is read."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score

import learnkernels as lk
from learnkernels import InputError
from learnkernels.estimators.search import PATHS
from learnkernels.machines import product_ridge
from learnkernels.model_selection import SETTINGS, PairFold


def problem(m=14, q=12, observed=0.8, seed=0):
    """Return pairs whose target is a function of the first kernel of both objects, and noise."""
    rng = np.random.default_rng(seed)
    Z = [rng.standard_normal((2, n, 2)) for n in (m, q)]
    grams = [
        {
            f"{side}{k}": np.exp(-np.sum((z[:, None] - z) ** 2, axis=2) / 4)
            for k, z in enumerate(own)
        }
        for side, own in zip("ab", Z, strict=True)
    ]
    X = np.argwhere(rng.random((m, q)) < observed)
    y = 2 * np.sin(Z[0][0, X[:, 0], 0]) * Z[1][0, X[:, 1], 1] + 0.1 * rng.standard_normal(len(X))
    return lk.pairs(*grams), X, y


@pytest.fixture
def iterative(monkeypatch):
    """Use products instead of Gram matrices for the few pairs of a test."""
    for module in ("ridge", "product_ridge"):
        monkeypatch.setattr(f"learnkernels.machines.{module}.DENSE_SAMPLES", 10)
    assert product_ridge.DENSE_SAMPLES == 10


@pytest.mark.parametrize("method", ["unif", "align", "alignf", "l2-krr"])
def test_products_give_the_predictions_of_the_gram_matrix(method, iterative, monkeypatch):
    kernels, X, y = problem()
    model = lk.KernelRegressor(kernels, method, alpha=0.1)
    found = clone(model).fit(X, y)
    assert found.solver_ == "conjugate gradients"
    monkeypatch.setattr("learnkernels.machines.ridge.DENSE_SAMPLES", 1000)
    expected = clone(model).fit(X, y)
    assert expected.solver_ == "dense"
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-4)
    np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=1e-3)


@pytest.mark.parametrize("method", ["unif", "alignf", "auto"])
def test_alpha_is_chosen_by_folds(method, iterative):
    kernels, X, y = problem(10, 9)
    model = lk.KernelRegressor(kernels, method).fit(X, y)
    assert model.alpha_ < 10 and len(model.alpha_errors_) >= 8
    assert np.mean((model.predict(X) - y) ** 2) < 0.2 * np.var(y)


def test_auto_compares_methods_by_the_folds_of_a_splitter():
    kernels, X, y = problem()
    model = lk.KernelRegressor(kernels, cv=PairFold(3, "left")).fit(X, y)
    assert [one.name for one in model.selection_] == ["unif", "align", "alignf", "loo"]
    assert sum(one.chosen for one in model.selection_) == 1


@pytest.mark.parametrize("setting", SETTINGS)
def test_held_out_errors_are_those_of_refits_on_the_folds(setting):
    kernels, X, y = problem()
    folds = PairFold(2, setting)
    model = lk.KernelRegressor(kernels, "alignf", alpha=[0.1, 1.0], cv=folds).fit(X, y)
    for alpha, error in zip([0.1, 1.0], model.alpha_errors_, strict=True):
        one = lk.KernelRegressor(kernels, "alignf", alpha=alpha)
        losses = np.zeros(len(y))
        for train, test in folds.split(X):
            losses[test] = (one.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2
        np.testing.assert_allclose(error, losses.mean(), rtol=1e-8)


def test_splitter_replaces_leave_one_out_errors_for_other_kernels_too():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(40)
    folds = KFold(4)
    model = lk.KernelRegressor(lk.linear(), "unif", alpha=[0.1, 10.0], cv=folds).fit(X, y)
    one = lk.KernelRegressor(lk.linear(), "unif", alpha=0.1)
    predicted = cross_val_predict(one, X, y, cv=folds)
    np.testing.assert_allclose(model.alpha_errors_[0], np.mean((predicted - y) ** 2), rtol=1e-8)


def test_default_kernels_of_an_earlier_fit_are_not_used_again():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(40)
    model = lk.KernelRegressor().fit(X, y)
    model._family = lk.linear()  # as a fit with a learned metric leaves it
    model.set_params(cv=KFold(3)).fit(X, y)
    assert len(model.kernel_names_) == 14


def test_constant_kernels_of_objects_have_weight_zero():
    kernels, X, y = problem()
    left = kernels.left | {"ones": np.ones((14, 14))}
    right = kernels.right | {"ones": np.ones((12, 12))}
    with pytest.warns(lk.ConstantKernelWarning, match="ones x ones"):
        model = lk.KernelRegressor(lk.pairs(left, right), "alignf", alpha=1.0).fit(X, y)
    assert model.weights_[list(model.kernel_names_).index("ones x ones")] == 0
    ones = lk.pairs({"ones": np.ones((14, 14))}, {"ones": np.ones((12, 12))})
    with pytest.raises(InputError, match="constant"):
        lk.KernelRegressor(ones, "alignf", alpha=1.0).fit(X, y)


def test_targets_of_other_pairs_do_not_change_a_model():
    kernels, X, y = problem()
    train, test = next(iter(PairFold(3, "both").split(X)))
    w = np.zeros(len(y))
    w[train] = 1.0
    changed = y.copy()
    changed[test] = 1e3
    models = [
        lk.KernelRegressor(kernels, "alignf", alpha=1.0).fit(X[train], y[train]),
        lk.KernelRegressor(kernels, "alignf", alpha=1.0).fit(X, changed, sample_weight=w),
    ]
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, atol=1e-12)
    np.testing.assert_allclose(models[0].predict(X), models[1].predict(X), atol=1e-10)


def test_symmetric_pairs_have_one_prediction_for_both_orders():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((10, 2))
    X = np.argwhere(np.triu(np.ones((10, 10)), 1))
    y = Z[X[:, 0], 0] * Z[X[:, 1], 0]
    kernels = lk.pairs((Z, lk.linear() + lk.gaussians([0.5])), kind="symmetric")
    model = lk.KernelRegressor(kernels).fit(X, y)
    assert len(model.weights_) == 3
    np.testing.assert_allclose(model.predict(X), model.predict(X[:, ::-1]))
    assert model.score(X, y) > 0.99


def test_classifier_takes_pairs(iterative):
    kernels, X, y = problem()
    model = lk.KernelClassifier(kernels, cv=PairFold(3, "right")).fit(X, y > 0)
    assert model.score(X, y > 0) > 0.8
    assert model.solver_ == "conjugate gradients"


def test_leave_one_out_method_is_refused_where_folds_are_asked_for():
    kernels, X, y = problem()
    with pytest.raises(InputError, match=r"'loo'.*PairFold"):
        lk.KernelRegressor(kernels, "loo", cv=PairFold(3, "left")).fit(X, y)


def test_missing_pairs_are_refused():
    kernels, X, y = problem()
    with pytest.raises(InputError, match="neutral"):
        lk.KernelRegressor(kernels, missing="neutral").fit(X, y)


def test_new_object_is_refused_with_its_pair():
    kernels, X, y = problem()
    model = lk.KernelRegressor(kernels, "unif", alpha=1.0).fit(X, y)
    with pytest.raises(InputError, match=r"\(14.0, 0.0\).*14 objects"):
        model.predict([[14, 0]])


@pytest.mark.parametrize("method", ["auto", "alignf"])
def test_order_of_pairs_does_not_change_the_model_and_a_weight_of_two_is_a_repeated_pair(method):
    kernels, X, y = problem()
    order = np.random.default_rng(1).permutation(len(y))
    twice = np.append(np.arange(len(y)), [3, 7])
    w = np.bincount(twice).astype(float)
    model = lk.KernelRegressor(kernels, method)
    expected = clone(model).fit(X, y).predict(X)
    assert np.array_equal(clone(model).fit(X[order], y[order]).predict(X), expected)
    repeated = clone(model).fit(X[twice], y[twice]).predict(X)
    assert np.array_equal(repeated, clone(model).fit(X, y, w).predict(X))


@pytest.mark.parametrize("options", [{}, {"C": 1.0, "cv": PairFold(3, "left")}])
def test_probabilities_of_pairs_are_fitted_to_folds_of_products(options, iterative):
    kernels, X, y = problem()
    model = lk.KernelClassifier(kernels, **options).fit(X, y > 0)
    assert model.solver_ == "conjugate gradients"
    assert np.array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


@pytest.mark.parametrize("method", ["auto", "alignf"])
def test_alpha_of_pairs_is_chosen_by_the_score_of_the_user_in_folds(method):
    kernels, X, y = problem()
    folds = PairFold(2, "both")
    model = lk.KernelRegressor(kernels, method, scoring="r2", cv=folds).fit(X, y)
    assert not hasattr(model, "alpha_errors_")
    one = lk.KernelRegressor(kernels, "alignf", alpha=1.0)
    scores = cross_val_score(one, X, y, cv=folds, scoring="r2")
    if method == "alignf":
        path = PATHS["alpha"].tolist()
        assert model.alpha_scores_[path.index(1.0)] == pytest.approx(scores.mean())
    assert model.alpha_scores_.max() >= scores.mean() - 0.1


def test_coefficients_of_features_are_not_defined_for_pairs():
    kernels, X, y = problem()
    model = lk.KernelRegressor(kernels, "unif", alpha=1.0).fit(X, y)
    assert model.dual_coef_.shape == y.shape
    with pytest.raises(AttributeError, match="linear"):
        model.coef_  # noqa: B018
