"""Regularisation that a method learns together with the weights."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.outputs.probability import fit_temperature, log_probabilities
from learnkernels.estimators.regularization import AROUND
from learnkernels.methods import LearnedWeights, WeightMethod
from learnkernels.solvers import Certificate


@pytest.mark.parametrize("method", ["auto", "loo"])
def test_learned_regularisation_is_not_searched_again(method, classes):
    X, y = classes
    classifier = lk.KernelClassifier(method=method).fit(X, y)
    assert not hasattr(classifier, "C_scores_") and classifier.C_ > 0
    regressor = lk.KernelRegressor(method=method).fit(X, X[:, 0] * X[:, 1])
    assert not hasattr(regressor, "alpha_errors_") and regressor.alpha_ > 0


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
    X, y = ring(rng, 40)
    kernels = lk.gaussians([0.05, 0.2])
    model = lk.KernelClassifier(kernels, "loo").fit(X, y)
    losses = {}
    for C in model.C_ * 10.0 ** np.arange(-1, 1.1, 0.5):
        mu = lk.KernelClassifier(kernels, Fixed(model.weights_), C=C, machine="ridge")
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
