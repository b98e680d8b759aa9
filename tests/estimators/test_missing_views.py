"""Samples that lack views are predicted by the machine trained on the views that they have."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import learnkernels as lk
from learnkernels.errors import InputError
from learnkernels.estimators.outputs.missing_views import weights_of_observed

BODY, BLOOD = slice(0, 4), slice(4, 10)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[:120], y[:120].to_numpy(), X[120:160], y[120:160].to_numpy()


def views(kernel=None, blood=None):
    kernel = kernel or lk.linear()
    return [lk.on(BODY, kernel, name="body"), lk.on(BLOOD, blood or kernel, name="blood")]


def without(X, columns):
    gap = X.copy()
    gap.iloc[:, columns] = np.nan
    return gap


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(
    "kernel", [lk.linear(), lk.gaussians([0.5]), lk.low_rank(lk.gaussians([0.5]), 20)]
)
def test_missing_view_gives_the_model_that_never_had_it(diabetes, kernel, center):
    X, y, new, _ = diabetes
    options = {"method": "unif", "alpha": 0.1, "center": center}
    both = lk.KernelRegressor(views(kernel), missing="neutral", **options).fit(X, y)
    alone = lk.KernelRegressor(views(kernel)[:1], **options).fit(X, y)
    assert np.allclose(both.predict(without(new, BLOOD)), alone.predict(new))
    assert np.allclose(both.predict(new.iloc[:, BODY]), alone.predict(new))


def test_landmarks_span_the_predictor_of_incomplete_samples_too(diabetes):
    X, y, new, _ = diabetes
    options = {"method": "unif", "alpha": 0.1, "n_components": 20}
    both = lk.KernelRegressor(views(lk.gaussians([20.0])), missing="neutral", **options).fit(X, y)
    alone = lk.KernelRegressor(views(lk.gaussians([20.0]))[:1], **options).fit(X, y)
    found, expected = both.predict(without(new, BLOOD)), alone.predict(new)
    assert np.corrcoef(found, expected)[0, 1] > 0.95


def test_standard_deviations_and_intervals_are_those_of_the_model_without_the_view(diabetes):
    X, y, new, _ = diabetes
    both = lk.KernelRegressor(views(), "unif", alpha=0.1, missing="neutral").fit(X, y)
    alone = lk.KernelRegressor(views()[:1], "unif", alpha=0.1).fit(X, y)
    gap = without(new, BLOOD)
    assert np.allclose(both.predict(gap, return_std=True), alone.predict(new, return_std=True))
    assert np.allclose(both.predict_interval(gap), alone.predict_interval(new))


def test_probabilities_are_those_of_the_model_without_the_view():
    X, y = load_iris(return_X_y=True)
    kernels = [lk.on([0, 1], lk.linear(), name="sepal"), lk.on([2, 3], lk.linear(), name="petal")]
    options = {"method": "unif", "C": 1.0, "machine": "ridge"}
    both = lk.KernelClassifier(kernels, missing="neutral", **options).fit(X, y)
    alone = lk.KernelClassifier(kernels[:1], **options).fit(X, y)
    gap = X.copy()
    gap[:, 2:] = np.nan
    assert np.allclose(both.predict_proba(gap), alone.predict_proba(X))


@pytest.mark.parametrize("machine", ["svr", "alignment"])
def test_other_machines_are_trained_on_the_views_that_are_left(diabetes, machine):
    X, y, new, _ = diabetes
    options = {"method": "unif", "machine": machine} | ({"C": 1.0} if machine == "svr" else {})
    both = lk.KernelRegressor(views(), missing="neutral", **options).fit(X, y)
    alone = lk.KernelRegressor(views()[:1], **options).fit(X, y)
    assert np.allclose(both.predict(without(new, BLOOD)), alone.predict(new), rtol=1e-3)


@pytest.mark.parametrize("machine", ["ridge", "svm"])
def test_missing_copy_of_another_view_changes_no_decision(machine):
    X, y = load_iris(return_X_y=True)
    kernels = [lk.on([0, 1, 2, 3], lk.gaussians([1.0]), name="one"),
               lk.on([4, 5, 6, 7], lk.gaussians([1.0]), name="copy")]  # fmt: skip
    twice = np.hstack([X, X])
    model = lk.KernelClassifier(kernels, "unif", C=1.0, machine=machine, missing="neutral")
    model.fit(twice, y)
    gap = twice.copy()
    gap[:, 4:] = np.nan
    assert np.allclose(model.decision_function(gap), model.decision_function(twice), atol=1e-6)


def test_samples_with_different_patterns_are_predicted_as_if_alone(diabetes):
    X, y, new, _ = diabetes
    model = lk.KernelRegressor(views(lk.gaussians()), missing="neutral").fit(X, y)
    mixed = pd.concat([new[:5], without(new, BLOOD)[5:9], without(new, BODY)[9:13]])
    mixed = mixed.iloc[np.random.RandomState(0).permutation(len(mixed))]
    each = [model.predict(mixed.iloc[[i]])[0] for i in range(len(mixed))]
    assert np.allclose(model.predict(mixed), each)


def test_training_samples_may_lack_views_too(diabetes):
    X, y, new, y_new = diabetes
    gaps = X.copy()
    gaps.iloc[:40, BLOOD] = np.nan
    model = lk.KernelRegressor(views(lk.gaussians()), missing="neutral").fit(gaps, y)
    assert model.score(new, y_new) > 0.3
    assert model.score(without(new, BODY), y_new) > 0.2


def test_sample_without_any_view_gets_the_mean(diabetes):
    X, y, new, _ = diabetes
    model = lk.KernelRegressor(views(), "unif", alpha=0.1, missing="neutral").fit(X, y)
    nothing = without(without(new, BODY), BLOOD)
    assert np.allclose(model.predict(nothing), y.mean())
    with pytest.raises(InputError, match="without a value in any view"):
        model.predict(nothing, return_std=True)


def test_scores_of_views_add_up_to_r2_for_samples_that_lack_views(diabetes):
    X, y, new, y_new = diabetes
    model = lk.KernelRegressor(views(lk.gaussians()), missing="neutral").fit(X, y)
    mixed = pd.concat([new[:20], without(new, BLOOD)[20:]])
    scores = model.score_by_view(mixed, y_new)
    assert sum(scores.values()) == pytest.approx(model.score(mixed, y_new))


@pytest.mark.parametrize("blood", [None, lk.per_feature()])
def test_model_file_and_pickle_keep_predictions_of_incomplete_samples(diabetes, tmp_path, blood):
    X, y, new, _ = diabetes
    model = lk.KernelRegressor(
        views(lk.gaussians(), blood), "align", missing="neutral").fit(X, y)  # fmt: skip
    mixed = pd.concat([new[:5], without(new, BLOOD)[5:9], without(new, BODY)[9:13]])
    expected = model.predict(mixed)
    lk.save(model, tmp_path / "model")
    copies = [lk.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))]
    for found in copies:
        assert "_predictors" not in vars(found._training_views)
        assert np.allclose(found.predict(mixed), expected)


def test_weights_of_missing_views_are_shared_by_alignment():
    mu, a = np.array([0.2, 0.3, 0.5, 0.0]), np.array([0.1, 0.3, 0.5, np.nan])
    observed = np.array([True, True, False, True])
    found = weights_of_observed(mu, a, observed)
    assert np.allclose(found, [0.2 + 0.5 / 4, 0.3 + 1.5 / 4, 0.0, 0.0])
    assert found.sum() == pytest.approx(mu.sum())


def test_view_of_weight_zero_predicts_if_all_others_are_missing():
    mu, a = np.array([1.0, 0.0]), np.array([0.5, 0.0])
    assert np.allclose(weights_of_observed(mu, a, np.array([False, True])), [0.0, 1.0])


def test_weights_without_names_the_views_and_the_conditions(diabetes):
    X, y, *_ = diabetes
    model = lk.KernelRegressor(views(), "unif", alpha=0.1, missing="neutral").fit(X, y)
    assert np.allclose(model.weights_without("blood"), [1.0, 0.0])
    assert np.allclose(model.weights_without(["body", "blood"]), 0.0)
    with pytest.raises(InputError, match="no view 'blod'; pass names among"):
        model.weights_without("blod")
    plain = lk.KernelRegressor(views(), "unif", alpha=0.1).fit(X, y)
    with pytest.raises(InputError, match='missing="neutral"'):
        plain.weights_without("blood")


def test_refit_without_missing_views_forgets_the_training_views(diabetes):
    X, y, *_ = diabetes
    model = lk.KernelRegressor(views(), "unif", alpha=0.1, missing="neutral").fit(X, y)
    model.set_params(missing="error").fit(X, y)
    assert not hasattr(model, "_training_views")


def test_explanation_of_samples_that_lack_a_view_sums_to_their_predictions(diabetes):
    X, y, new, _ = diabetes
    model = lk.KernelRegressor(views(), "unif", alpha=0.1, missing="neutral").fit(X, y)
    gap = without(new, BLOOD)
    found = lk.explain(model, gap)
    total = found.contributions().sum(axis=1) + found.baseline[0]
    assert np.allclose(total, model.predict(gap))


def test_subsample_trains_the_machine_of_incomplete_samples_too(diabetes):
    X, y, new, y_new = diabetes
    options = {"missing": "neutral", "n_components": 20, "subsample": 80}
    model = lk.KernelRegressor(views(lk.gaussians()), **options).fit(X, y)
    assert model.score(without(new, BODY), y_new) > 0.1
