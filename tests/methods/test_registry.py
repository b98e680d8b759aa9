"""Methods by name, constant kernels, undefined alignment and results of user methods."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods import METHODS, LearnedWeights
from learnkernels.solvers import Certificate

CERTIFICATE = Certificate.closed_form(0.0)


def test_constant_kernels_get_weight_zero_and_a_warning(classes):
    X, _ = classes
    y = X[:, 0] > 0

    def constant(A, B):
        return np.full((len(A), len(B)), 5.0)

    for method in METHODS:
        with pytest.warns(lk.ConstantKernelWarning, match="constant"):
            model = lk.KernelClassifier(["linear", constant], method, C=1.0).fit(X, y)
        assert model.weights_[0] > 0 and model.weights_[1] == 0.0


def test_all_kernels_constant_raises():
    with pytest.raises(lk.InputError, match="nothing to learn from"):
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
            np.ones((10, 2)), np.arange(10) % 2
        )


def test_constant_target_gives_uniform_weights_and_a_warning(rng):
    X = rng.standard_normal((20, 2))
    for method in ("alignf", "l1-krr", "l2-krr", "align-single", "single", "ensemble"):
        with pytest.warns(lk.UndefinedAlignmentWarning, match="uniform weights"):
            model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), method, alpha=1.0).fit(
                X, np.full(20, 3.0)
            )
        assert model.weights_.tolist() == [0.5, 0.5]
        assert np.allclose(model.predict(X), 3.0)


@pytest.mark.parametrize("method", ["alignff", None, 3])
def test_unknown_methods_raise(method, classes):
    with pytest.raises(lk.InputError, match="expected one of"):
        lk.KernelClassifier(method=method, kernels=["gaussians", "linear"], C=1.0).fit(*classes)


def test_class_instead_of_method_object_raises_with_the_call(classes):
    with pytest.raises(lk.InputError, match=r"pass an object, lk\.methods\.Align\(\)"):
        lk.KernelClassifier(method=lk.methods.Align, kernels=["gaussians", "linear"], C=1.0).fit(
            *classes
        )


class Own(lk.methods.WeightMethod):
    """A user method whose result is invalid in one way."""

    name = "own"
    reads = ("a",)

    def __init__(self, found=None):
        self.found = found

    def learn(self, problem):
        """Return what was given."""
        return self.found


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (np.ones(2), "expected LearnedWeights"),
        (LearnedWeights(np.ones(1), CERTIFICATE), r"shape \(1,\).*expected shape \(2,\)"),
        (LearnedWeights(np.array([1, np.nan]), CERTIFICATE), "1 value not finite"),
        (LearnedWeights(np.zeros(2), CERTIFICATE), "some must be positive"),
        (LearnedWeights(np.array([1.0, -1.0]), CERTIFICATE), "none negative"),
    ],
)
def test_invalid_result_of_user_method_raises(found, message, curve):
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), Own(found), alpha=1.0)
    with pytest.raises(lk.InputError, match=message):
        model.fit(*curve)


@pytest.mark.parametrize("reads", ["Grams", ("grams",), None])
def test_invalid_reads_of_user_method_raises(reads, curve, monkeypatch):
    monkeypatch.setattr(Own, "reads", reads)
    with pytest.raises(lk.InputError, match=r"Own\.reads is"):
        lk.KernelRegressor(method=Own(), kernels=["gaussians", "linear"], alpha=1.0).fit(*curve)


def test_user_method_without_learn_raises(curve):
    class Silent(lk.methods.WeightMethod):
        name, reads = "silent", ("a",)

    with pytest.raises(NotImplementedError, match="Silent has no method learn"):
        lk.KernelRegressor(method=Silent(), kernels=["gaussians", "linear"], alpha=1.0).fit(*curve)


def test_misspelt_method_gets_a_suggestion(classes):
    with pytest.raises(lk.InputError, match=r"Did you mean 'alignf'\?"):
        lk.KernelClassifier(method="alingf", kernels=["gaussians", "linear"], C=1.0).fit(*classes)


def test_tail_sum_of_a_constant_kernel_is_nan(classes):
    X, _ = classes
    y = X[:, 0] > 0

    def constant(A, B):
        return np.full((len(A), len(B)), 5.0)

    with pytest.warns(lk.ConstantKernelWarning):
        model = lk.KernelClassifier([constant, lk.gaussians([0.1, 1.0])], "conv", C=1.0).fit(X, y)
    assert np.isnan(model.tail_sums_[0]) and (model.tail_sums_[1:] > 0).all()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_learning_sets_no_attribute_on_the_method(name, problem):
    method = METHODS[name]()
    before = dict(vars(method))
    method.learn(problem)
    assert vars(method) == before


def test_one_stage_is_computed_from_reads():
    class Reader(lk.methods.WeightMethod):
        name, reads = "reader", ("a", "Grams")

    assert Reader.one_stage and lk.methods.L1SVM.one_stage
    assert not lk.methods.AlignF.one_stage
