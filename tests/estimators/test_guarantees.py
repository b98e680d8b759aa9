"""Guarantees of fitted models."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import learnkernels as lk
from learnkernels.methods import METHODS


@pytest.mark.parametrize(
    "model",
    [
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        lk.KernelClassifier(
            machine="ridge", C=[0.1, 1.0], kernels=["gaussians", "linear"], method="alignf"
        ),
        lk.KernelClassifier(method="l1-svm", kernels=["gaussians", "linear"], C=1.0),
        lk.KernelClassifier(lk.per_feature(), "align", C=1.0),
    ],
)
def test_guarantees_of_two_class_models_are_finite_and_complete(model, classes):
    X, y = classes
    found = model.fit(X, y).guarantees(X, y)
    names = [entry.name for entry in found.entries]
    omitted = {one.name: one.reason for one in found.omitted}
    assert not set(names) & set(omitted)
    # C is a list or the machine an SVM
    assert {"change of a prediction", "squared error, new samples"} <= set(omitted)
    assert found["alignment"].value == pytest.approx(model.alignment_)
    assert found["alignment, distance"].vacuous  # too few samples
    assert found["alignment, lowest"].value <= model.alignment_
    for entry in found.entries:
        assert np.isfinite(entry.value) and entry.sentence
        assert entry.name in str(found)
    assert found.to_dict()["entries"][0]["name"] == "alignment"


@pytest.mark.parametrize("method", METHODS)
def test_guarantees_work_for_every_method(method, classes):
    X, y = classes
    machine = "ridge" if method == "align-linear" else "auto"  # an SVM needs weights >= 0
    model = lk.KernelClassifier(["gaussians", "linear"], method, C=1.0, machine=machine)
    found = model.fit(X[:40], y[:40]).guarantees(X[:40], y[:40])
    names = {entry.name for entry in found.entries} | {one.name for one in found.omitted}
    assert names == {
        "alignment", "alignment, lowest", "alignment, highest", "alignment, distance",
        "error of a predictor", "excess risk", "change of a prediction",
        "squared error, new samples",
    }  # fmt: skip
    assert all(np.isfinite(entry.value) for entry in found.entries)
    assert all(one.reason in str(found) for one in found.omitted)


def test_guarantees_of_regression_and_multiclass_models(rng):
    X = rng.standard_normal((80, 3))
    model = lk.KernelRegressor(
        method="l2-krr", kernels=["gaussians", "linear"], alpha=1.0, normalize=None
    ).fit(X, X[:, 0])
    found = model.guarantees(X, X[:, 0], delta=0.1)
    assert found.delta == 0.1 and found["squared error, new samples"].vacuous
    X, y = load_iris(return_X_y=True)
    found = (
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0)
        .fit(X, y)
        .guarantees(X, y)
    )
    assert "error of a predictor" not in [entry.name for entry in found.entries]
    assert (
        lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf")
        .fit(X, y)
        .guarantees(X, y)["alignment"]
        .value
        > 0.7
    )


@pytest.mark.parametrize("method", ["unif", "align", "alignf", "l2-krr"])
@pytest.mark.parametrize("center", [True, False])
def test_bounds_do_not_depend_on_the_scale_of_the_kernels(method, center, rng):
    """With normalize=None, kernels and alpha times 100 are the same model."""
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.2 * rng.standard_normal(60)
    K = np.stack([X[:, [k]] @ X[:, [k]].T for k in range(3)], axis=-1)
    values = []
    for scale in (1.0, 100.0):
        chosen = lk.methods.L2Ridge(radius=1.0) if method == "l2-krr" else method
        model = lk.KernelRegressor(
            "precomputed", chosen, 50.0 * scale, normalize=None, center=center
        )
        found = model.fit(scale * K, y).guarantees(scale * K, y)
        values.append({entry.name: entry.value for entry in found.entries})
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    assert "change of a prediction" in values[0] or method in ("align", "alignf")


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_bounds_follow_the_unit_of_the_target(scale, rng):
    X = rng.standard_normal((60, 2))
    y = X[:, 0] + 0.2 * rng.standard_normal(60)
    one, other = (
        lk.KernelRegressor(lk.gaussians([0.5]), "unif", 10.0, normalize=None)
        .fit(X, t)
        .guarantees(X, t)
        for t in (y, scale * y)
    )
    assert other["excess risk"].value == pytest.approx(one["excess risk"].value)
    moved = one["change of a prediction"].value
    assert other["change of a prediction"].value == pytest.approx(scale * moved)
    error = one["squared error, new samples"].value
    assert other["squared error, new samples"].value == pytest.approx(scale**2 * error)


@pytest.mark.parametrize("normalize", [None, "trace", "frobenius"])
@pytest.mark.parametrize("method", ["unif", "align", "alignf", "l2-krr"])
def test_no_prediction_changes_by_more_than_the_bound(method, normalize):
    """Refit with a corner of the cube and an end of the target's range in place of a sample."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((600, 2)) < 0.5, -1.0, 1.0)
    X[:4] = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    y = np.clip(X[:, 0] + 0.6 * X[:, 1] + 0.2 * rng.standard_normal(600), -2.0, 2.0)
    y[:2] = -2.0, 2.0
    scale = 1e-2 if normalize == "frobenius" else 1.0
    model = lk.KernelRegressor(lk.per_feature(), method, alpha=1e3 * scale, normalize=normalize)
    h = model.fit(X, y).predict(X[:4])
    found = model.guarantees(X, y)
    if method == "l2-krr" and normalize is not None:
        assert "change of a prediction" in {one.name for one in found.omitted}
        return
    bound = found["change of a prediction"].value
    for corner in range(4):
        for target in (-2.0, 2.0):
            Z, t = X.copy(), y.copy()
            Z[10], t[10] = X[corner], target
            assert np.abs(model.fit(Z, t).predict(X[:4]) - h).max() <= bound


def test_error_of_a_rare_class_is_within_the_bound(rng):
    """Theorem 13 of 2012 for classes of 10 % and 90 %."""
    y = np.where(np.arange(200) < 20, 1, 0)
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((200, 2)) + 0.5 * y[:, None]
        model = lk.KernelClassifier("linear", "unif", machine="alignment").fit(X, y)
        found = model.guarantees(X, y)["error of a predictor"]
        assert np.mean(model.predict(X) != y) <= found.value


def test_bound_on_the_error_is_not_given_if_alpha_was_chosen_by_the_samples(rng):
    X = rng.standard_normal((60, 2))
    model = lk.KernelRegressor(lk.gaussians([0.5]), "unif", [1.0, 10.0]).fit(X, X[:, 0])
    reasons = {one.name: one.reason for one in model.guarantees(X, X[:, 0]).omitted}
    assert "alpha was chosen by the samples" in reasons["change of a prediction"]


def test_distances_of_thousands_of_kernels_are_not_computed(rng):
    X = rng.standard_normal((30, 150))
    model = lk.KernelRegressor(lk.per_feature(), "align", 1.0).fit(X, X[:, 0])
    found = model.guarantees(X, X[:, 0])
    assert all("at most 100 base kernels" in one.reason for one in found.omitted)
    assert found["alignment"].value > 0


def test_perfect_alignment_gives_non_vacuous_bound():
    y = np.repeat([-1.0, 1.0], 50)
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(y[:, None], y)
    found = model.guarantees(y[:, None], y)
    assert found["error of a predictor"].value < 1e-9
    assert not found["error of a predictor"].vacuous


def test_data_other_than_training_data_raise_input_error(classes):
    X, y = classes
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(X, y)
    with pytest.raises(lk.InputError, match="not the data"):
        model.guarantees(X[::-1], y)
    with pytest.raises(lk.InputError, match="never, which is not a class of the model"):
        model.guarantees(X, np.full(len(y), "never"))
    with pytest.raises(lk.InputError, match="delta"):
        model.guarantees(X, y, delta=0.0)


def test_guarantees_of_many_samples_allocate_no_full_gram_matrix(rng, monkeypatch):
    """A subsample of 2,000 is used, so no array of n x n numbers is requested."""
    X = rng.standard_normal((2600, 4))
    y = X[:, 0] + rng.standard_normal(2600)
    model = lk.KernelRegressor(lk.per_feature(), method="alignf", alpha=1.0).fit(X, y)
    requested = []
    function = "learnkernels.gram.learned.require_memory"
    monkeypatch.setattr("learnkernels.gram.learned.SMALL", 0)
    monkeypatch.setattr(function, lambda size, what: requested.append(size))
    found = model.guarantees(X, y)
    assert requested and max(requested) <= 8 * 2000**2
    assert found["alignment"].value == pytest.approx(model.alignment_)
    low, high = found["alignment, lowest"].value, found["alignment, highest"].value
    assert low <= model.alignment_ <= high
