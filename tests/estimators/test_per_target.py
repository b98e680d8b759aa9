"""Weights and alpha of each target."""

import numpy as np
import pytest
from sklearn.base import clone

import learnkernels as lk
from learnkernels.inspection import AlignmentDisplay, GramDisplay, WeightPathDisplay, WeightsDisplay

VIEWS = [lk.on([0, 1, 2], "linear", name="a"), lk.on([3, 4, 5], "linear", name="b")]
MODEL = lk.KernelRegressor(VIEWS, weights="per_target")


def problem(n=80, seed=0):
    """Return samples, and targets of the first view, of the second, and of both."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    first, second = X[:, :3].sum(axis=1), X[:, 3:].sum(axis=1)
    return X, np.column_stack([first, second, first + second]) + rng.standard_normal((n, 3))


def test_every_target_gets_the_weights_of_its_views():
    model = clone(MODEL).fit(*problem())
    assert model.weights_.shape == (3, 2)
    assert model.alpha_.shape == (3,)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1)
    assert model.weights_[0, 0] > 0.6 > model.weights_[2, 0] > 0.4 > model.weights_[1, 0]
    assert model.view_weights_["a"] == pytest.approx(model.weights_[:, 0].mean())


def test_targets_are_better_predicted_than_with_shared_weights():
    X, Y = problem(400)
    shared = lk.KernelRegressor(VIEWS).fit(X[:60], Y[:60])
    assert clone(MODEL).fit(X[:60], Y[:60]).score(X[60:], Y[60:]) > shared.score(X[60:], Y[60:])


def test_model_of_a_target_does_not_depend_on_the_others():
    X, Y = problem()
    together, alone = clone(MODEL).fit(X, Y), clone(MODEL).fit(X, Y[:, 1])
    np.testing.assert_allclose(together.weights_[1], alone.weights_[0])
    np.testing.assert_allclose(together.predict(X)[:, 1], alone.predict(X))


def test_one_kernel_and_one_alpha_are_ridge():
    X, Y = problem()
    shared = lk.KernelRegressor("linear", "unif", alpha=2.0).fit(X, Y)
    own = lk.KernelRegressor("linear", alpha=2.0, weights="per_target").fit(X, Y)
    np.testing.assert_allclose(own.predict(X), shared.predict(X))
    np.testing.assert_array_equal(own.alpha_, [2.0, 2.0, 2.0])


def test_order_of_rows_does_not_matter():
    X, Y = problem()
    order = np.random.default_rng(1).permutation(len(X))
    one, other = clone(MODEL).fit(X, Y), clone(MODEL).fit(X[order], Y[order])
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_sample_of_weight_two_equals_a_repeated_sample():
    X, Y = problem(30)
    w = np.ones(30)
    w[:5] = 2
    twice = np.r_[np.arange(30), np.arange(5)]
    model = lk.KernelRegressor("gaussians", weights="per_target")
    one, other = clone(model).fit(X, Y, w), clone(model).fit(X[twice], Y[twice])
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_unit_of_the_targets_does_not_matter():
    X, Y = problem()
    scale = np.array([1.0, 1e-3, 1e4])
    one, other = clone(MODEL).fit(X, Y), clone(MODEL).fit(X, 7 + scale * Y)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-6)
    np.testing.assert_allclose(7 + scale * one.predict(X), other.predict(X), rtol=1e-6)


@pytest.mark.parametrize("kernels", [
    None, "gaussians", lk.per_feature(), [*VIEWS, lk.on([0], lk.per_feature())],
])  # fmt: skip
@pytest.mark.parametrize("center", [True, False])
def test_scores_by_view_add_up_to_r2(kernels, center):
    X, Y = problem()
    model = lk.KernelRegressor(kernels, weights="per_target", center=center).fit(X[:50], Y[:50])
    found = np.mean(sum(model.score_by_view(X[50:], Y[50:]).values()))
    assert found == pytest.approx(model.score(X[50:], Y[50:]), abs=1e-8)


def test_constant_kernel_and_constant_target_are_harmless():
    X, Y = problem()
    X[:, 0], Y[:, 2] = 1.0, 3.0
    kernels = [lk.on([0], "linear"), *VIEWS]
    with pytest.warns(lk.errors.ConstantKernelWarning):
        model = lk.KernelRegressor(kernels, weights="per_target").fit(X, Y)
    assert (model.weights_[:, 0] == 0).all()
    np.testing.assert_allclose(model.predict(X)[:, 2], 3.0)


def test_selection_lists_the_candidates_with_their_shares():
    model = clone(MODEL).fit(*problem())
    chosen = [candidate for candidate in model.selection_ if candidate.chosen]
    total = sum(float(one.reason.split()[-1].rstrip("%")) for one in chosen)
    assert len(model.selection_) == 5
    assert total == pytest.approx(100, abs=0.5)
    assert model.certificate_.status == "average of candidates, not optimised"


@pytest.mark.parametrize("options", [
    {"method": "alignf"}, {"machine": "svr"}, {"n_components": 10}, {"scoring": "r2"},
    {"cv": [(np.arange(40), np.arange(40, 80))]},
])  # fmt: skip
def test_parameters_of_shared_weights_raise(options):
    (name,) = options
    with pytest.raises(lk.errors.InputError, match=f'{name}=.* does not apply to weights="per_t'):
        clone(MODEL).set_params(**options).fit(*problem())


def test_unknown_value_raises():
    with pytest.raises(lk.errors.InputError, match="weights='own'; expected one of"):
        lk.KernelRegressor(weights="own").fit(*problem())


@pytest.mark.parametrize(("n_targets", "max_memory"), [(1, 1e5), (500, 2e6)])
def test_too_little_memory_for_samples_or_targets_raises(n_targets, max_memory):
    X, Y = problem()
    with pytest.raises(lk.errors.InputError, match="fit some targets at a time"):
        clone(MODEL).set_params(max_memory=max_memory).fit(X, np.tile(Y[:, :1], n_targets))


@pytest.mark.parametrize("use", [
    lambda model, X, Y: WeightsDisplay.from_estimator(model),
    lambda model, X, Y: AlignmentDisplay.from_estimator(model),
    lambda model, X, Y: WeightPathDisplay.from_estimator(model, X, Y),
    lambda model, X, Y: GramDisplay.from_estimator(model, X, Y),
    lambda model, X, Y: model.guarantees(X, Y),
    lambda model, X, Y: lk.report(model, X, Y),
    lambda model, X, Y: lk.inspection.limit_errors(model, X, Y),
])  # fmt: skip
def test_what_needs_one_weight_vector_raises(use):
    X, Y = problem()
    model = clone(MODEL).fit(X, Y)
    with pytest.raises(lk.errors.InputError, match="weights of its own for each of 3 targets"):
        use(model, X, Y)


@pytest.mark.parametrize("name", ["return_std", "predict_interval", "dual_coef_"])
def test_what_needs_one_machine_raises(name):
    X, Y = problem()
    model = lk.KernelRegressor(VIEWS).fit(X, Y)
    model.set_params(weights="per_target").fit(X, Y)
    with pytest.raises((lk.errors.InputError, AttributeError), match="per_target"):
        if name == "return_std":
            model.predict(X, return_std=True)
        elif name == "predict_interval":
            model.predict_interval(X)
        else:
            model.dual_coef_  # noqa: B018


def test_notebook_shows_mean_weights():
    model = clone(MODEL).fit(*problem())
    assert f"{model.weights_[:, 0].mean():.3f}" in model._repr_html_()
