"""Choice of the regularisation by held-out error."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators import selection
from learnkernels.estimators.fitting import fit_values, learn, prepare
from learnkernels.estimators.outputs.held_out import (
    fold_outputs,
    held_out_outputs,
    machine_fold_outputs,
    squared_loss,
)
from learnkernels.estimators.selection import UNIFORM_SAMPLES, uniform_losses
from learnkernels.execution import Threads
from learnkernels.gram import GramMatrix
from learnkernels.machines import SVM, AlignmentPredictor, Ridge
from learnkernels.methods import AlignF, Ensemble, Uniform


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


@pytest.mark.parametrize(
    ("machine", "tol"), [(SVM(), 2e-3), (AlignmentPredictor(), 1e-12)], ids=lambda x: str(x)
)
def test_machine_fold_outputs_equal_those_of_machines_trained_on_the_other_folds(machine, tol, rng):
    X, w = rng.standard_normal((60, 3)), rng.uniform(0.5, 2.0, 60)
    Y = np.where(X[:, :1] + X[:, 1:2] ** 2 > 0.5, 1.0, -1.0)
    prepared = prepare(
        lk.gaussians([0.3, 1.0]), X, Y, Y, task="classification", normalize="trace", center=True,
        sample_weight=w, backend=Threads(1),
    )  # fmt: skip
    learned = learn(prepared, AlignF(), machine)
    tests = np.split(rng.permutation(60), 3)
    found = machine_fold_outputs(learned, machine, 2.0, tests)
    K = learned.problem.kernel.gram(Threads(1))
    for test in tests:
        rest = np.setdiff1d(np.arange(60), test)
        part = replace(
            learned.problem, kernel=GramMatrix(K[np.ix_(rest, rest)]), Y=Y[rest], weights=w[rest]
        )
        (alone,) = machine.train(part, [2.0])
        expected = K[np.ix_(test, rest)] @ alone.coef + alone.intercept
        assert np.allclose(found[test], expected, atol=tol)


def test_chosen_alpha_has_lowest_leave_one_out_error(curve):
    X, y = curve
    values = [1e-3, 1e-1, 10.0]
    model = lk.KernelRegressor(lk.gaussians([0.5, 2.0]), alpha=values, method="alignf").fit(X, y)
    assert model.alpha_ == values[int(np.argmin(model.alpha_errors_))]
    assert model.alpha_errors_.shape == (3,)


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


def test_uniform_weights_are_compared_on_some_of_many_samples(rng):
    X = rng.standard_normal((UNIFORM_SAMPLES + 50, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    views = [lk.on([2], lk.gaussians([1.0])), lk.on([0, 1], lk.gaussians([0.5]))]
    with pytest.warns(lk.UniformBetterWarning, match=r"'first': held-out .* against"):
        lk.KernelRegressor(views, First(), alpha=[0.1, 1.0]).fit(X, y)


def test_folds_with_uniform_weights_end_once_these_are_worse(rng, monkeypatch):
    monkeypatch.setattr(selection, "TESTED", 40)
    X = rng.standard_normal((60, 3))
    Y = np.sin(X[:, :1])
    folds = np.repeat(np.arange(3), 20)
    prepared = prepare(
        lk.gaussians([0.3, 1.0]), X, Y, Y, task="regression", normalize="trace", center=True,
        sample_weight=rng.uniform(0.5, 2.0, 60), backend=Threads(1),
        borders=np.array([0, 20, 40, 60]),
    )  # fmt: skip
    tested = []

    def loss(outputs):
        tested.append(np.flatnonzero(outputs.any(axis=1)))
        return squared_loss(Y)(outputs)

    (held,) = fold_outputs(prepared, [Uniform()], Ridge(), [0.1], "uniform weights")
    expected = squared_loss(Y)(held[0])
    found = uniform_losses(prepared, Ridge(), 0.1, loss, expected + 1.0)
    assert np.allclose(found, expected) and len(tested) == 3
    better = expected - np.where(folds == 0, 10.0, 0.0)
    tested.clear()
    assert uniform_losses(prepared, Ridge(), 0.1, loss, better) is None
    assert len(tested) == 2  # the first fold has too few samples to end
    tested.clear()
    equal = uniform_losses(prepared, Ridge(), 0.1, loss, expected)
    assert np.allclose(equal, expected) and len(tested) == 3


def test_weights_of_the_choice_of_kernels_are_the_start_for_a_list_of_alpha(rng):
    X = rng.standard_normal((150, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(150)
    listed, learned = (
        lk.KernelRegressor(alpha=alpha).fit(X, y) for alpha in ([0.01, 0.1, 1.0], "auto")
    )
    names = [[one.name for one in model.selection_.candidates] for model in (listed, learned)]
    assert names[0] == names[1]


def test_uniform_weights_are_compared_with_the_landmarks_that_are_used(rng):
    X = rng.standard_normal((300, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2
    views = [lk.on([2], lk.gaussians([1.0])), lk.on([0, 1], lk.gaussians([0.5]))]
    model = lk.KernelRegressor(views, First(), alpha=[0.1, 1.0], n_components=40)
    with pytest.warns(lk.UniformBetterWarning, match=r"against .* \(260 samples\)"):
        model.fit(X, y)
