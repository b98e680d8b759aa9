"""Choice of the regularisation by held-out error."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.fitting import fit_values, prepare
from learnkernels.estimators.input.samples import Rows
from learnkernels.estimators.outputs.probability import fit_temperature, log_probabilities
from learnkernels.estimators.regularization import AROUND
from learnkernels.estimators.search import GRIDS, contiguous_folds
from learnkernels.estimators.selection import (
    UNIFORM_SAMPLES,
    held_out_outputs,
    neighbors,
)
from learnkernels.execution import Threads
from learnkernels.machines import Ridge
from learnkernels.methods import Ensemble, LearnedWeights, WeightMethod
from learnkernels.model_selection import PairFold
from learnkernels.solvers import Certificate


def test_folds_of_the_user_refer_to_rows_of_X_with_samples_of_weight_zero():
    rows = Rows.as_given(np.ones(4), np.array([0, 1, 3, 4]), 5)  # sample 2 has weight zero
    folds = [([1, 3, 4], [2, 0]), ([0, 2], [1, 3, 4])]
    order, split = contiguous_folds(rows, None, folds, None)
    assert rows.samples[order].tolist() == [0, 1, 3, 4]
    assert split["borders"].tolist() == [0, 1, 4]
    assert split["trained"].tolist() == [[False, True], [True, False]]


def test_folds_that_do_not_train_each_other_keep_their_blocks_without_samples_of_weight_zero():
    X = np.argwhere(np.ones((4, 4)))  # pairs of objects
    kept = np.flatnonzero(X[:, 0] != 3)
    rows = Rows.as_given(np.ones(len(kept)), kept, len(X))
    folds = PairFold(2, "both")
    order, split = contiguous_folds(rows, None, folds, None, X)
    for fold, (train, test) in enumerate(folds.split(X)):
        found = [order[start:stop] for start, stop in itertools.pairwise(split["borders"])]
        trained = np.concatenate([found[b] for b in np.flatnonzero(split["trained"][fold])])
        assert set(rows.samples[found[fold]]) == set(test) & set(kept)
        assert set(rows.samples[trained]) == set(train) & set(kept)


def test_fold_without_training_samples_of_positive_weight_is_refused():
    rows = Rows.as_given(np.ones(2), np.array([0, 1]), 4)
    folds = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    with pytest.raises(lk.InputError, match=r"fold 0 have weight zero"):
        contiguous_folds(rows, None, folds, None)


def test_held_out_outputs_equal_predictions_of_ensemble_with_one_kernel(curve):
    X, y = curve
    Y = y[:, None]
    prepared = prepare(
        lk.gaussians([1.0]), X, Y, Y, task="regression", normalize="trace", center=True,
        sample_weight=np.ones(len(y)), backend=Threads(1),
    )  # fmt: skip
    (predictor,) = fit_values(prepared, Ensemble(), Ridge(), [10.0])
    (kernel, coef, _), *rest = predictor.terms
    assert not rest and predictor.learned.result.weights[0] != 1
    expected = kernel.products(X, coef, Threads(1)) + predictor.intercept
    (found,) = held_out_outputs([predictor], lambda k, c: k.products(X, c, Threads(1)))
    assert np.allclose(found, expected)


def test_chosen_alpha_has_lowest_leave_one_out_error(curve):
    X, y = curve
    values = [1e-3, 1e-1, 10.0]
    model = lk.KernelRegressor(lk.gaussians([0.5, 2.0]), alpha=values, method="alignf").fit(X, y)
    assert model.alpha_ == values[int(np.argmin(model.alpha_errors_))]
    assert model.alpha_errors_.shape == (3,)


@pytest.mark.parametrize("method", ["unif", "alignf", "l1-svm"])
def test_C_auto_chooses_from_the_grid_for_methods_that_do_not_learn_it(method, classes):
    X, y = classes
    kernels = lk.gaussians([0.1, 1.0])
    auto = lk.KernelClassifier(kernels, method).fit(X, y)
    listed = lk.KernelClassifier(kernels, method, C=GRIDS["C"]).fit(X, y)
    assert np.array_equal(auto.C_scores_, listed.C_scores_) and auto.C_ == listed.C_
    assert auto.C_ == GRIDS["C"][np.argmax(auto.C_scores_)]


@pytest.mark.parametrize("method", ["unif", "alignf", "l2-krr"])
def test_alpha_auto_chooses_from_the_grid_for_methods_that_do_not_learn_it(method, curve):
    X, y = curve
    kernels = lk.gaussians([0.1, 1.0])
    auto = lk.KernelRegressor(kernels, method).fit(X, y)
    listed = lk.KernelRegressor(kernels, method, alpha=GRIDS["alpha"]).fit(X, y)
    assert np.array_equal(auto.alpha_errors_, listed.alpha_errors_)
    assert auto.alpha_ == listed.alpha_ == GRIDS["alpha"][np.argmin(auto.alpha_errors_)]


def test_machine_without_parameter_chooses_nothing(classes):
    X, y = classes
    model = lk.KernelClassifier(method="alignf", machine="alignment").fit(X, y)
    assert not hasattr(model, "C_scores_")


@pytest.mark.parametrize("method", ["auto", "loo"])
def test_learned_regularisation_is_not_searched_again(method, classes):
    X, y = classes
    classifier = lk.KernelClassifier(method=method).fit(X, y)
    assert not hasattr(classifier, "C_scores_") and classifier.C_ > 0
    regressor = lk.KernelRegressor(method=method).fit(X, X[:, 0] * X[:, 1])
    assert not hasattr(regressor, "alpha_errors_") and regressor.alpha_ > 0


@pytest.mark.parametrize("value", ["best", "1", None, [], 0.0, [1.0, -1.0]])
def test_invalid_regularisation_raises_input_error(value, classes):
    X, y = classes
    with pytest.raises(lk.InputError, match="C"):
        lk.KernelClassifier(C=value).fit(X, y)
    with pytest.raises(lk.InputError, match="alpha"):
        lk.KernelRegressor(alpha=value).fit(X, X[:, 0])


class First(lk.methods.Align):
    """All weight on the first kernel."""

    name = "first"

    def learn(self, problem):
        found = super().learn(problem)
        return replace(found, weights=np.eye(problem.kernels.n_kernels)[0])


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_method_that_is_clearly_worse_than_uniform_weights_warns_with_both_errors(task, rng):
    X = rng.standard_normal((90, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    views = [lk.on([2], lk.gaussians([1.0])), lk.on([0, 1], lk.gaussians([0.5]))]
    kind, y = (lk.KernelRegressor, y) if task == "regression" else (lk.KernelClassifier, y > 0)
    with pytest.warns(lk.UniformBetterWarning, match=r"'first': held-out .* against"):
        kind(views, First()).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in ("unif", "auto", "alignf"):
            kind(views, method).fit(X, y)
        kind(views, First(), **{"C" if task == "classification" else "alpha": 1.0}).fit(X, y)


def test_uniform_weights_are_compared_with_more_samples_than_choose_their_alpha(rng):
    X = rng.standard_normal((UNIFORM_SAMPLES + 50, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    views = [lk.on([2], lk.gaussians([1.0])), lk.on([0, 1], lk.gaussians([0.5]))]
    with pytest.warns(lk.UniformBetterWarning, match=r"'first': held-out .* against"):
        lk.KernelRegressor(views, First(), alpha=[0.1, 1.0]).fit(X, y)


@pytest.mark.parametrize(
    ("values", "position", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], 1, [1.0, 2.0, 3.0]),
        ([4.0, 1.0, 3.0, 2.0], 0, [3.0, 4.0]),
        ([1.0, 1.0, 5.0], 1, [1.0, 5.0]),
        ([7.0], 0, [7.0]),
    ],
)
def test_neighbors_of_a_value_are_the_next_lower_and_higher_ones(values, position, expected):
    assert neighbors(values, position) == expected


def test_learned_regularisation_is_adapted_to_landmarks(curve):
    X, y = curve
    kernels = lk.gaussians([0.1, 1.0])
    every = lk.KernelRegressor(kernels).fit(X, y)
    few = lk.KernelRegressor(kernels, n_components=10).fit(X, y)
    assert few.solver_ == "landmarks"
    assert any(np.isclose(few.alpha_, every.alpha_ * AROUND))
    listed = lk.KernelRegressor(kernels, n_components=10, alpha=every.alpha_ * AROUND).fit(X, y)
    assert np.isclose(few.alpha_, listed.alpha_)


def ring(rng, n):
    """Return samples of two normal distributions with different covariances."""
    y = rng.integers(0, 2, n)
    return rng.standard_normal((n, 5)) * np.where(y, 1.0, 2.0)[:, None] + 0.5 * y[:, None], y


def test_C_of_classes_has_the_smallest_product_of_losses(rng):
    X, y = ring(rng, 120)
    model = lk.KernelClassifier(lk.gaussians(), "loo").fit(X, y)
    losses = {}
    for C in model.C_ * 10.0 ** np.arange(-1, 1.1, 0.5):
        mu = lk.KernelClassifier(lk.gaussians(), Fixed(model.weights_), C=C, machine="ridge")
        losses[C] = product_of_losses(mu, X, y)
    assert min(losses, key=losses.get) == model.C_


class Fixed(WeightMethod):
    """Weights that are given."""

    name = "fixed"
    reads = ("a",)

    def __init__(self, weights):
        self.weights = weights

    def learn(self, problem):
        return LearnedWeights(self.weights, Certificate(0.0, 0.0, 0.0, 0, "optimal", ()))


def product_of_losses(model, X, y):
    """Return misclassification times log loss, as `class_loss` computes it, by refitting."""
    held = np.concatenate([
        model.fit(np.delete(X, i, 0), np.delete(y, i)).decision_function(X[[i]])
        for i in range(len(y))
    ])  # fmt: skip
    temperature = fit_temperature(held[:, None], y, np.ones(len(y)))
    logs = log_probabilities(held[:, None], temperature)[np.arange(len(y)), y]
    return (np.sum((held > 0) != y) + 1) / len(y) * -np.mean(logs)


@pytest.mark.parametrize("n_components", [None, 60])
def test_C_of_classes_lowers_the_test_error_of_the_ring(n_components, rng):
    X, y = ring(rng, 3000)
    model = lk.KernelClassifier(n_components=n_components).fit(X[:500], y[:500])
    squared = lk.KernelClassifier(C=1e4, n_components=n_components).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > squared.score(X[500:], y[500:])
