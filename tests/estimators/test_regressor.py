"""`KernelRegressor`: agreement with definitions, several targets and choice of alpha."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, cross_val_score

import learnkernels as lk
from tests import dense


def test_single_raw_kernel_regressor_equals_kernel_ridge(curve):
    X, y = curve
    ours = lk.KernelRegressor(
        lk.gaussians([0.4]), alpha=0.3, center=False, normalize=None, method="alignf"
    )
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.4).fit(X, y)
    assert np.allclose(ours.fit(X, y).predict(X), theirs.predict(X))


def test_prediction_equals_ridge_formula_on_learned_gram(curve):
    X, y = curve
    model = lk.KernelRegressor(alpha=0.5, kernels=["gaussians", "linear"], method="alignf").fit(
        X[:80], y[:80]
    )
    learner = lk.KernelLearner(
        task="regression", kernels=["gaussians", "linear"], method="alignf"
    ).fit(X[:80], y[:80])
    K = learner.transform(X[:80])
    coef = np.linalg.solve(K + 0.5 * np.eye(80), y[:80] - y[:80].mean())
    expected = learner.transform(X[80:]) @ coef + y[:80].mean()
    assert np.allclose(model.predict(X[80:]), expected, atol=1e-9)


def test_several_targets_share_one_learned_kernel(curve):
    X, y = curve
    Y = np.column_stack([y, X[:, 0] ** 2, -y])
    model = lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
        X, Y
    )
    assert model.predict(X).shape == (100, 3)
    grams = [kernel(X) for kernel in lk.kernels.resolve(None, X)]
    a, _, _ = dense.statistics(grams, Y, "trace")
    found = lk.alignment_statistics(None, X, Y)
    assert np.allclose(found.a, a, rtol=1e-8)


def test_alpha_minimises_leave_one_out_error(curve):
    X, y = curve
    values = [1e-3, 0.1, 1.0, 100.0]
    model = lk.KernelRegressor(alpha=values, kernels=["gaussians", "linear"], method="alignf").fit(
        X, y
    )
    assert model.alpha_ == values[int(np.argmin(model.alpha_errors_))]
    alone = lk.KernelRegressor(
        alpha=model.alpha_, kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, y)
    assert np.allclose(model.predict(X), alone.predict(X), atol=1e-8)


def test_alignf_scores_above_uniform_weights_on_a_sine(rng):
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


def test_signed_weights_are_accepted_with_large_alpha(curve):
    X, y = curve
    model = lk.KernelRegressor(
        method="align-linear", alpha=1e4, kernels=["gaussians", "linear"]
    ).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_alignment_machine_correlates_with_target(curve):
    X, y = curve
    model = lk.KernelRegressor(
        machine="alignment", kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(X, y)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.5
    assert model.alpha_ is None


@pytest.mark.parametrize("alpha", [0.0, -1.0, [], "best", [1.0, float("nan")]])
def test_invalid_alpha_raises_input_error(alpha, curve):
    with pytest.raises(lk.InputError, match="alpha"):
        lk.KernelRegressor(alpha=alpha, kernels=["gaussians", "linear"], method="alignf").fit(
            *curve
        )


def test_unknown_machine_raises_input_error(curve):
    with pytest.raises(lk.InputError, match="machine='svm'"):
        lk.KernelRegressor(
            machine="svm", kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ).fit(*curve)


def test_learner_infers_task_from_target(curve):
    X, y = curve
    labels = (y > 0).astype(int)
    by_class = lk.KernelLearner(
        task="classification", kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, labels)
    assert np.allclose(
        lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf").fit(X, labels).weights_,
        by_class.weights_,
    )
    with pytest.raises(lk.InputError, match="task='cluster'"):
        lk.KernelLearner(task="cluster", kernels=["gaussians", "linear"], method="alignf").fit(X, y)


@pytest.mark.parametrize(
    ("method", "near"),
    [("l1-krr", 1e-3), ("l2-krr", 1e-3), ("ensemble", 0.05)],  # its inner folds depend on the order
)
def test_alpha_errors_of_one_stage_methods_equal_cross_validation(method, near, curve):
    X, y = curve
    kernels, values = lk.gaussians([0.05, 0.5, 5.0]), [0.01, 1.0]
    folds = KFold(4, shuffle=True, random_state=3)
    model = lk.KernelRegressor(kernels, method, alpha=values, cv=folds).fit(X, y)
    for value, found in zip(values, model.alpha_errors_, strict=True):
        alone = lk.KernelRegressor(kernels, method, alpha=value)
        scores = cross_val_score(alone, X, y, cv=folds, scoring="neg_mean_squared_error")
        assert found == pytest.approx(-scores.mean(), rel=near)
