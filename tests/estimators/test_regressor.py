"""`KernelRegressor`: definitions, several targets, choice of alpha, support vector regression."""

import re

import numpy as np
import pytest
from sklearn import svm
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, cross_val_score

import learnkernels as lk
from learnkernels.estimators.search import SVR_VALUES
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


SVR = {"kernels": lk.gaussians([0.1, 1.0]), "method": "alignf", "machine": "svr"}


def test_svr_on_the_learned_kernel_equals_that_of_scikit_learn(curve):
    X, y = curve
    model = lk.KernelRegressor(**SVR, C=2.0, epsilon=0.05).fit(X[:80], y[:80])
    learner = lk.KernelLearner(SVR["kernels"], "alignf", task="regression").fit(X[:80], y[:80])
    s = y[:80].std()
    theirs = svm.SVR(kernel="precomputed", C=2.0 * s, epsilon=0.05 * s, tol=1e-8)
    theirs.fit(learner.transform(X[:80]), y[:80])
    assert np.allclose(model.predict(X[80:]), theirs.predict(learner.transform(X[80:])), atol=1e-4)
    (certificate,) = model.machine_certificates_
    assert certificate.status == "optimal" and certificate.gap < 1e-8
    assert model.C_ == 2.0 and model.alpha_ is None and model.solver_ == "svr"


@pytest.mark.parametrize("method", ["alignf", "auto"])
def test_svr_chooses_C_by_folds_whatever_the_unit_of_y(curve, method):
    X, y = curve
    model = lk.KernelRegressor(**SVR | {"method": method}).fit(X, y)
    other = clone(model).fit(X, 1000 * y)
    assert model.C_ == SVR_VALUES[np.argmin(model.C_errors_)] == other.C_
    assert np.allclose(other.predict(X), 1000 * model.predict(X), rtol=1e-6, atol=1e-6)
    alone = clone(model).set_params(C=model.C_).fit(X, y)
    assert np.allclose(alone.predict(X), model.predict(X), atol=1e-6)
    of_ridge = "alignment" if method == "alignf" else "leave-one-out error of ridge"
    assert model.certificate_.criterion == of_ridge


def test_svr_chooses_C_by_the_given_score(curve):
    X, y = curve
    scoring, values = "neg_median_absolute_error", [0.1, 1.0, 10.0]
    model = lk.KernelRegressor(**SVR, C=values, scoring=scoring).fit(X, y)
    assert model.C_ == values[np.argmax(model.C_scores_)] and not hasattr(model, "C_errors_")


def test_weight_two_of_svr_equals_a_repeated_sample(curve):
    X, y = curve
    w = np.arange(len(X)) % 3.0
    weighted = lk.KernelRegressor(**SVR, C=1.0).fit(X, y, w)
    again = np.repeat(np.arange(len(X)), w.astype(int))
    repeated = lk.KernelRegressor(**SVR, C=1.0).fit(X[again], y[again])
    assert np.allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)


def test_targets_of_svr_have_one_machine_each(curve):
    X, y = curve
    model = lk.KernelRegressor(**SVR, C=1.0).fit(X, np.column_stack([y, X[:, 0] ** 2]))
    assert model.predict(X).shape == (len(X), 2) and len(model.machine_certificates_) == 2
    assert model.dual_coef_.shape == (2, len(model.support_))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 1.0}, "C=1.0 does not apply to machine='auto'; pass alpha"),
        ({"machine": "svr", "epsilon": -1}, "epsilon must be a finite number of at least 0"),
        ({"machine": "svr", "n_components": 5}, "the SVR needs all samples"),
        ({"machine": "svr", "max_memory": 1e3}, "the SVR needs 100 rows of the Gram matrix"),
    ],
)
def test_parameters_of_svr_are_checked(curve, parameters, message):
    with pytest.raises(lk.InputError, match=re.escape(message)):
        lk.KernelRegressor(lk.gaussians(), "unif", **parameters).fit(*curve)


def test_outliers_change_svr_less_than_ridge(rng):
    X = rng.standard_normal((700, 6))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    y = f + 0.3 * rng.standard_normal(700)
    y[:500:20] += rng.choice([-8.0, 8.0], 25)

    def error(machine):
        model = lk.KernelRegressor(lk.gaussians(), "unif", machine=machine).fit(X[:500], y[:500])
        return np.abs(model.predict(X[500:]) - f[500:]).mean()

    assert error("svr") < 0.9 * error("ridge")
