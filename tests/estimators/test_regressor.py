"""`KernelRegressor`: several targets, chosen alpha, exact definitions."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, cross_val_score

import learnkernels as lk
from tests import dense


def test_with_one_raw_kernel_it_is_kernel_ridge(curve):
    X, y = curve
    ours = lk.KernelRegressor(lk.gaussians([0.4]), alpha=0.3, center=False, normalize=None)
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.4).fit(X, y)
    assert np.allclose(ours.fit(X, y).predict(X), theirs.predict(X))


def test_prediction_is_the_formula(curve):
    X, y = curve
    model = lk.KernelRegressor(alpha=0.5).fit(X[:80], y[:80])
    learner = lk.KernelLearner(task="regression").fit(X[:80], y[:80])
    K = learner.transform(X[:80])
    coef = np.linalg.solve(K + 0.5 * np.eye(80), y[:80] - y[:80].mean())
    expected = learner.transform(X[80:]) @ coef + y[:80].mean()
    assert np.allclose(model.predict(X[80:]), expected, atol=1e-9)


def test_several_targets_share_one_kernel(curve):
    X, y = curve
    Y = np.column_stack([y, X[:, 0] ** 2, -y])
    model = lk.KernelRegressor().fit(X, Y)
    assert model.predict(X).shape == (100, 3)
    grams = [kernel(X) for kernel in lk.kernels.resolve(None, X)]
    a, _, _ = dense.statistics(grams, Y, "trace")
    found = lk.alignment_statistics(None, X, Y)
    assert np.allclose(found.a, a, rtol=1e-8)


def test_alpha_is_chosen_by_leave_one_out(curve):
    X, y = curve
    values = [1e-3, 0.1, 1.0, 100.0]
    model = lk.KernelRegressor(alpha=values).fit(X, y)
    assert model.alpha_ == values[int(np.argmin(model.alpha_errors_))]
    alone = lk.KernelRegressor(alpha=model.alpha_).fit(X, y)
    assert np.allclose(model.predict(X), alone.predict(X), atol=1e-8)


def test_learned_kernel_beats_uniform_weights_on_a_curve(rng):
    X = rng.uniform(-3, 3, (300, 1))
    y = np.sin(3 * X[:, 0])
    kernels = lk.gaussians(2.0 ** np.arange(-8, 9))
    scores = [
        lk.KernelRegressor(kernels, method, alpha=0.01)
        .fit(X[:150], y[:150])
        .score(X[150:], y[150:])
        for method in ("unif", "alignf")
    ]
    assert scores[1] > scores[0]


def test_signed_weights_work_where_alpha_allows(curve):
    X, y = curve
    model = lk.KernelRegressor(method="align-linear", alpha=1e4).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_alignment_machine(curve):
    X, y = curve
    model = lk.KernelRegressor(machine="alignment").fit(X, y)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.5
    assert model.alpha_ is None


@pytest.mark.parametrize("alpha", [0.0, -1.0, [], "auto", [1.0, float("nan")]])
def test_bad_alpha_is_a_sentence(alpha, curve):
    with pytest.raises(lk.InputError, match="alpha"):
        lk.KernelRegressor(alpha=alpha).fit(*curve)


def test_bad_machine_is_a_sentence(curve):
    with pytest.raises(lk.InputError, match="machine='svm'"):
        lk.KernelRegressor(machine="svm").fit(*curve)


def test_learner_reads_the_task_from_the_target(curve):
    X, y = curve
    labels = (y > 0).astype(int)
    by_class = lk.KernelLearner(task="classification").fit(X, labels)
    assert np.allclose(lk.KernelLearner().fit(X, labels).weights_, by_class.weights_)
    with pytest.raises(lk.InputError, match="task='cluster'"):
        lk.KernelLearner(task="cluster").fit(X, y)


@pytest.mark.parametrize(
    ("method", "near"),
    [("l1-krr", 1e-3), ("l2-krr", 1e-3), ("ensemble", 0.05)],  # its inner folds follow the order
)
def test_alpha_of_weights_that_depend_on_it_is_chosen_without_the_fold(method, near, curve):
    X, y = curve
    kernels, values = lk.gaussians([0.05, 0.5, 5.0]), [0.01, 1.0]
    model = lk.KernelRegressor(kernels, method, alpha=values, folds=4, random_state=3).fit(X, y)
    folds = KFold(4, shuffle=True, random_state=3)
    for value, found in zip(values, model.alpha_errors_, strict=True):
        alone = lk.KernelRegressor(kernels, method, alpha=value)
        scores = cross_val_score(alone, X, y, cv=folds, scoring="neg_mean_squared_error")
        assert found == pytest.approx(-scores.mean(), rel=near)
