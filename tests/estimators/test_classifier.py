"""`KernelClassifier`: right, and right about what it cannot do."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import learnkernels as lk
from learnkernels.estimators import classifier
from learnkernels.estimators.folds import stratified_order


def test_with_one_kernel_it_is_the_svm_of_scikit_learn(classes):
    """Centering changes nothing for an SVM with intercept; the trace only rescales C."""
    X, y = classes
    ours = lk.KernelClassifier(lk.gaussians([0.3]), C=2.0, normalize=None).fit(X, y)
    theirs = SVC(gamma=0.3, C=2.0, tol=1e-8).fit(X, y)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    raw = lk.KernelClassifier(lk.gaussians([0.3]), C=2.0, normalize=None, center=False).fit(X, y)
    assert np.allclose(raw.decision_function(X), ours.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("machine", ["svm", "ridge", "alignment"])
def test_every_machine_learns_digits(machine):
    X, y = load_digits(return_X_y=True)
    model = lk.KernelClassifier(machine=machine, C=10.0).fit(X[:700] / 16, y[:700])
    assert model.score(X[700:1400] / 16, y[700:1400]) > 0.9
    assert model.decision_function(X[:3] / 16).shape == (3, 10)


def test_c_is_chosen_by_honest_folds(classes):
    """Each fold's score equals that of an estimator fitted without the fold."""
    X, y = classes
    values = [0.1, 1.0, 30.0]
    kernels = lk.gaussians([0.03, 0.3, 3.0])
    model = lk.KernelClassifier(kernels, C=values, folds=4, random_state=7).fit(X, y)
    hits = np.zeros(3)
    for train, test in StratifiedKFold(4, shuffle=True, random_state=7).split(X, y):
        for v, C in enumerate(values):
            alone = lk.KernelClassifier(kernels, C=C).fit(X[train], y[train])
            hits[v] += accuracy_score(y[test], alone.predict(X[test]), normalize=False)
    assert np.allclose(model.C_scores_, hits / len(y))
    assert model.C_ == values[int(np.argmax(hits))]


def test_a_list_of_c_ends_in_the_same_model_as_its_winner(classes):
    X, y = classes
    chosen = lk.KernelClassifier(C=[0.1, 10.0]).fit(X, y)
    alone = lk.KernelClassifier(C=chosen.C_).fit(X, y)
    assert np.allclose(chosen.weights_, alone.weights_)
    assert np.allclose(chosen.decision_function(X), alone.decision_function(X), atol=1e-6)


def test_several_classes_against_the_rest(rng):
    X = rng.standard_normal((90, 2))
    y = np.array(["a", "b", "c"])[np.argmax(X @ rng.standard_normal((2, 3)), axis=1)]
    model = lk.KernelClassifier(C=10).fit(X, y)
    decision = model.decision_function(X)
    for k, label in enumerate(model.classes_):
        weights = model.weights_
        rest = lk.KernelClassifier(C=10, method=Fixed(weights)).fit(X, y == label)
        assert np.allclose(decision[:, k], rest.decision_function(X), atol=1e-6)


class Fixed(lk.methods.Uniform):
    """Weights given from outside."""

    def __init__(self, weights=None):
        self.weights = weights

    def learn(self, evidence):
        _, certificate = super().learn(evidence)
        return self.weights, certificate


def test_prediction_keeps_support_vectors_only(classes):
    X, _y = classes
    easy = np.where(X[:, 0] > 0, 1, 0)
    model = lk.KernelClassifier("linear", C=100.0).fit(X, easy)
    ((function,),) = (part.parts for part in model._predictor.parts)
    assert len(function.coef) < 30
    assert function.combination.bank.n_columns == len(function.coef)


def test_certificates_prove_the_fit(classes):
    model = lk.KernelClassifier().fit(*classes)
    assert model.certificate_.gap < 1e-8
    assert [certificate.gap < 1e-6 for certificate in model.machine_certificates_] == [True]


def test_signed_weights_are_refused_where_the_kernel_is_not_one(rng):
    X = rng.standard_normal((60, 2))
    y = np.abs(X[:, 0]) > 0.7
    kernels = lk.gaussians(2.0 ** np.arange(-6, 5))
    assert (lk.KernelLearner(kernels, "align-linear").fit(X, y).weights_ < 0).any()
    with pytest.raises(lk.InputError, match="not positive semi-definite"):
        lk.KernelClassifier(kernels, "align-linear").fit(X, y)


def test_text_is_refused_by_the_name_of_its_column(classes):
    import pandas as pd

    X, y = classes
    table = pd.DataFrame(X, columns=list("abcde")).assign(city="Paris")
    with pytest.raises(lk.InputError, match=r"columns \['city'\] hold text.*OneHotEncoder"):
        lk.KernelClassifier().fit(table, y)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"C": -1.0}, "positive finite"),
        ({"C": []}, "empty list"),
        ({"C": "large"}, "positive finite"),
        ({"machine": "forest"}, "machine='forest'"),
        ({"normalize": "max"}, "normalize='max'"),
        ({"C": [1, 10], "folds": 1}, "folds=1"),
        ({"kernels": []}, "at least one kernel"),
    ],
)
def test_bad_parameters_are_sentences(change, says, classes):
    with pytest.raises(lk.InputError, match=says):
        lk.KernelClassifier(**change).fit(*classes)


def test_bad_data_are_sentences(classes):
    X, y = classes
    model = lk.KernelClassifier()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(120))
    with pytest.raises(ValueError, match="minimum of 2"):
        model.fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"3 features.*5 features"):
        model.fit(X, y).predict(X[:, :3])
    with pytest.raises(lk.InputError, match="only 1 samples have a positive weight"):
        model.fit(X, y, sample_weight=np.eye(120)[0])
    with pytest.raises(lk.InputError, match="only one sample"):
        lk.KernelClassifier(C=[1, 10]).fit(X, np.r_[np.zeros(119), 1])


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.ones((4, 4)), "np.stack"),
        (np.ones((4, 3, 2)), "square"),
        (np.ones((4, 4, 0)), "holds no kernel"),
        (np.ones((1, 1, 1)), "at least 2"),
    ],
)
def test_bad_stacks_are_sentences(X, says):
    with pytest.raises(lk.InputError, match=says):
        lk.KernelClassifier("precomputed").fit(X, np.arange(len(X)) % 2)


def test_stack_of_the_wrong_width_at_prediction(classes):
    X, y = classes
    stack = np.stack([X @ X.T], axis=-1)
    model = lk.KernelClassifier("precomputed").fit(stack, y)
    with pytest.raises(ValueError, match="120 features"):
        model.predict(stack[:, :50])
    with pytest.raises(lk.InputError, match="1 kernels"):
        model.predict(np.concatenate([stack, stack], axis=2))


def test_folds_are_stratified_and_cover_everything():
    codes = np.repeat([0, 1, 2], [50, 20, 5])
    order, borders = stratified_order(codes, 5, 0)
    assert sorted(order) == list(range(75))
    for start, stop in itertools.pairwise(borders):
        assert np.bincount(codes[order[start:stop]]).tolist() == [10, 4, 1]
    order, borders = stratified_order(codes, 50, 0)
    assert len(borders) == 6  # as many as the rarest class has samples


def test_targets_of_two_classes_are_signs():
    assert classifier.signed_targets(np.array([0, 1]), 2).tolist() == [[-1.0], [1.0]]
    assert classifier.alignment_targets(np.array([0, 2]), 3).tolist() == [[1, 0, 0], [0, 0, 1]]
