"""The training data of a fitted estimator again."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators import refit


def test_refit_returns_kernels_of_training_data(curve):
    X, y = curve
    model = lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
        X, y
    )
    again = refit(model, X, y)
    assert again.machine is not None and again.machine.name == "ridge"
    assert np.isclose(again.kernels.statistics.alignment(model.weights_), model.alignment_)


def test_other_data_are_refused_and_leave_the_model_unchanged(classes):
    X, y = classes
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(X, y)
    before = model.decision_function(X)
    for wrong in (X[:, :2], X + 1.0 * (X > 0)):
        with pytest.raises(lk.InputError):
            model.guarantees(wrong, y)
    assert model.n_features_in_ == X.shape[1]
    assert np.array_equal(model.decision_function(X), before)


def test_model_fitted_with_sample_weights_is_refused(curve):
    X, y = curve
    model = lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
        X, y, sample_weight=np.linspace(1, 2, len(y))
    )
    with pytest.raises(lk.InputError, match="sample weights"):
        refit(model, X, y)
