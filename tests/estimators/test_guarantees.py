"""Guarantees of fitted models."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import learnkernels as lk


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
    ridge = model.machine == "ridge"
    assert ("squared error, new samples" in names) == ridge
    assert found["alignment"].value == pytest.approx(model.alignment_)
    assert found["alignment, distance"].vacuous  # too few samples
    assert found["alignment, lowest"].value <= model.alignment_
    for entry in found.entries:
        assert np.isfinite(entry.value) and entry.sentence
        assert entry.name in str(found)
    assert found.to_dict()["entries"][0]["name"] == "alignment"


def test_guarantees_of_regression_and_multiclass_models(rng):
    X = rng.standard_normal((80, 3))
    model = lk.KernelRegressor(method="l2-krr", kernels=["gaussians", "linear"], alpha=1.0).fit(
        X, X[:, 0]
    )
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
    X = rng.standard_normal((5000, 4))
    y = X[:, 0] + rng.standard_normal(5000)
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
