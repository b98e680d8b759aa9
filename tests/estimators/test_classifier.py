"""`KernelClassifier`: agreement with definitions, model selection and input errors."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import learnkernels as lk


def test_single_kernel_classifier_equals_svc(classes):
    """Centering does not change an SVM with intercept; trace normalisation only rescales C."""
    X, y = classes
    ours = lk.KernelClassifier(lk.gaussians([0.3]), C=2.0, normalize=None, method="alignf").fit(
        X, y
    )
    theirs = SVC(gamma=0.3, C=2.0, tol=1e-8).fit(X, y)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    raw = lk.KernelClassifier(
        lk.gaussians([0.3]), C=2.0, normalize=None, center=False, method="alignf"
    ).fit(X, y)
    assert np.allclose(raw.decision_function(X), ours.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("machine", ["svm", "ridge", "alignment"])
def test_every_machine_learns_digits(machine):
    X, y = load_digits(return_X_y=True)
    model = lk.KernelClassifier(
        machine=machine, C=10.0, kernels=["gaussians", "linear"], method="alignf"
    ).fit(X[:700] / 16, y[:700])
    assert model.score(X[700:1400] / 16, y[700:1400]) > 0.9
    assert model.decision_function(X[:3] / 16).shape == (3, 10)


def test_c_scores_equal_cross_validation_without_the_fold(classes):
    """The score of a fold equals that of an estimator fitted without the fold."""
    X, y = classes
    values = [0.1, 1.0, 30.0]
    kernels = lk.gaussians([0.03, 0.3, 3.0])
    splitter = StratifiedKFold(4, shuffle=True, random_state=7)
    model = lk.KernelClassifier(kernels, C=values, cv=splitter, method="alignf").fit(X, y)
    hits = np.zeros(3)
    for train, test in splitter.split(X, y):
        for v, C in enumerate(values):
            alone = lk.KernelClassifier(kernels, C=C, method="alignf").fit(X[train], y[train])
            hits[v] += accuracy_score(y[test], alone.predict(X[test]), normalize=False)
    assert np.allclose(model.C_scores_, hits / len(y))
    assert model.C_ == values[int(np.argmax(hits))]


def test_list_of_c_gives_the_model_of_the_chosen_c(classes):
    X, y = classes
    chosen = lk.KernelClassifier(
        C=[0.1, 10.0], kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, y)
    alone = lk.KernelClassifier(C=chosen.C_, kernels=["gaussians", "linear"], method="alignf").fit(
        X, y
    )
    assert np.allclose(chosen.weights_, alone.weights_)
    assert np.allclose(chosen.decision_function(X), alone.decision_function(X), atol=1e-6)


def test_multiclass_decision_equals_one_versus_rest(rng):
    X = rng.standard_normal((90, 2))
    y = np.array(["a", "b", "c"])[np.argmax(X @ rng.standard_normal((2, 3)), axis=1)]
    model = lk.KernelClassifier(C=10, kernels=["gaussians", "linear"], method="alignf").fit(X, y)
    decision = model.decision_function(X)
    for k, label in enumerate(model.classes_):
        weights = model.weights_
        rest = lk.KernelClassifier(
            C=10, method=Fixed(weights), kernels=["gaussians", "linear"]
        ).fit(X, y == label)
        assert np.allclose(decision[:, k], rest.decision_function(X), atol=1e-6)


class Fixed(lk.methods.Uniform):
    """Method that returns the given weights."""

    def __init__(self, weights=None):
        self.weights = weights

    def learn(self, problem):
        return replace(super().learn(problem), weights=self.weights)


def test_predictor_contains_support_vectors_only(classes):
    X, _y = classes
    easy = np.where(X[:, 0] > 0, 1, 0)
    model = lk.KernelClassifier("linear", C=100.0, method="alignf").fit(X, easy)
    (function,) = model._functions
    assert len(function.coef) < 30
    assert function.combined.kernels.shape[1] == len(function.coef)


def test_certificates_of_weights_and_machine_have_small_gaps(classes):
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        *classes
    )
    assert model.certificate_.gap < 1e-8
    assert [certificate.gap < 1e-6 for certificate in model.machine_certificates_] == [True]


def test_indefinite_learned_kernel_raises_input_error(rng):
    X = rng.standard_normal((60, 2))
    y = np.abs(X[:, 0]) > 0.7
    kernels = lk.gaussians(2.0 ** np.arange(-6, 5))
    assert (lk.KernelLearner(kernels, "align-linear").fit(X, y).weights_ < 0).any()
    with pytest.raises(lk.InputError, match="not positive semi-definite"):
        lk.KernelClassifier(kernels, "align-linear", C=1.0).fit(X, y)


def test_text_column_is_named_in_input_error(classes):
    import pandas as pd

    X, y = classes
    table = pd.DataFrame(X, columns=list("abcde")).assign(city="Paris")
    with pytest.raises(lk.InputError, match=r"'city'.*OneHotEncoder"):
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(table, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": -1.0}, r"C.*-1\.0"),
        ({"C": []}, "C.*empty"),
        ({"C": "large"}, "C.*large"),
        ({"machine": "forest"}, "machine='forest'"),
        ({"normalize": "max"}, "normalize='max'"),
        ({"C": [1, 10], "cv": 1}, "cv=1"),
        ({"cv": 1}, "cv=1"),
        ({"kernels": []}, "at least one kernel"),
    ],
)
def test_invalid_parameter_raises_input_error(change, message, classes):
    with pytest.raises(lk.InputError, match=message):
        lk.KernelClassifier(**change).fit(*classes)


def test_invalid_data_raises(classes):
    X, y = classes
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match=r"infinite values \(the first is inf in row \d+, column"):
        model.fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="class"):
        model.fit(X, np.zeros(120))
    with pytest.raises(ValueError, match="minimum of 2"):
        model.fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"3 features.*5 features"):
        model.fit(X, y).predict(X[:, :3])
    with pytest.raises(lk.InputError, match="weight"):
        model.fit(X, y, sample_weight=np.eye(120)[0])
    with pytest.raises(lk.InputError, match=r"one sample|1 sample"):
        lk.KernelClassifier(C=[1, 10], kernels=["gaussians", "linear"], method="alignf").fit(
            X, np.r_[np.zeros(119), 1]
        )


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 4)), "np.stack"),
        (np.ones((4, 3, 2)), "n_samples, n_samples, n_kernels"),
        (np.ones((4, 4, 0)), "contains no kernel"),
        (np.ones((1, 1, 1)), "at least 2"),
    ],
)
def test_invalid_precomputed_stack_raises_input_error(X, message):
    with pytest.raises(lk.InputError, match=message):
        lk.KernelClassifier("precomputed", method="alignf", C=1.0).fit(X, np.arange(len(X)) % 2)


def test_prediction_with_wrong_stack_shape_raises(classes):
    X, y = classes
    stack = np.stack([X @ X.T], axis=-1)
    model = lk.KernelClassifier("precomputed", method="alignf", C=1.0).fit(stack, y)
    with pytest.raises(ValueError, match="120 features"):
        model.predict(stack[:, :50])
    with pytest.raises(lk.InputError, match="trained on 1"):
        model.predict(np.concatenate([stack, stack], axis=2))


def test_nan_in_X_raises_message_with_remedies_of_this_library(classes):
    X, y = classes[0].copy(), classes[1]
    X[3, 1] = np.nan
    with pytest.raises(lk.InputError, match=r"X contains NaN.*lk.table.*missing=\"neutral\""):
        lk.KernelClassifier(lk.gaussians(), method="unif", C=1.0).fit(X, y)
