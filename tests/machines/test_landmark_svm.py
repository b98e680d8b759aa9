"""SVM with the squared hinge loss in the span of landmarks."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

import learnkernels as lk
from learnkernels.errors import InputError
from learnkernels.estimators.regularization import hinge_C
from learnkernels.execution import Threads
from learnkernels.gram import Landmarks, landmarks
from learnkernels.machines import (
    LandmarkRidge,
    LandmarkSVM,
    SquaredHingeSVM,
    TrainingProblem,
    landmark_svm,
)
from learnkernels.machines.landmark_ridge import chosen_landmarks
from tests.methods.problems import problem_of


def class_problem(
    rng, n=150, m=20, center=True, weighted=False, outputs=1, noise=0.3, scale=1.0, **options
):
    """Return a problem of labels with landmarks."""
    X = rng.standard_normal((n, 3))
    score = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 2] - 0.8])[:, :outputs]
    Y = np.where(score + noise * rng.standard_normal(score.shape) > 0, 1.0, -1.0)
    w = rng.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    found = problem_of(lk.gaussians([0.1, 1.0]), X, Y, "regression", center=center, sample_weight=w)
    kernel = found.kernels.kernel(scale * np.array([0.4, 0.6]))
    return TrainingProblem(
        kernel, Y, w, center, Threads(2), n_components=m, random_state=0, **options
    )


def features_of(problem):
    """Return the features of all samples, shape (n_samples, rank)."""
    found = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    return found.features(slice(0, len(problem.Y)))


def outputs_of(problem, trained):
    """Return the outputs of a predictor for the training samples."""
    return problem.kernel.gram(Threads(1)) @ trained.coef + trained.intercept


def objective(problem, f, norm, alpha):
    """Return the objective of one output."""
    slack = np.maximum(0, 1 - problem.Y[:, 0] * f)
    return problem.weights @ slack**2 + alpha * norm


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("center", [True, False])
def test_solution_minimises_the_objective(alpha, center, rng):
    problem = class_problem(rng, center=center, weighted=True)
    (found,) = LandmarkSVM().train(problem, [alpha])
    psi, y, w = features_of(problem), problem.Y[:, 0], problem.weights
    design = np.hstack([psi, np.full((len(y), 1), float(center))])

    def value(x):
        slack = np.maximum(0, 1 - y * (design @ x))
        gradient = -2 * design.T @ (w * y * slack)
        gradient[:-1] += 2 * alpha * x[:-1]
        return w @ slack**2 + alpha * x[:-1] @ x[:-1], gradient

    best = minimize(
        value, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 10_000, "ftol": 1e-15, "gtol": 1e-9},
    )  # fmt: skip
    (certificate,) = found.certificates
    assert certificate.primal == pytest.approx(best.fun, rel=1e-7)
    assert certificate.dual <= best.fun * (1 + 1e-9)
    f = outputs_of(problem, found)[:, 0]
    assert np.allclose(f, design @ best.x, atol=1e-3)
    K = problem.kernel.gram(Threads(1))
    norm = found.coef[:, 0] @ K @ found.coef[:, 0]
    assert objective(problem, f, norm, alpha) == pytest.approx(certificate.primal, rel=1e-6)


def test_dual_bound_is_met_and_never_exceeds_the_minimum(rng):
    problem = class_problem(rng)
    for one in LandmarkSVM().train(problem, [100.0, 1.0, 0.01]):
        (certificate,) = one.certificates
        assert certificate.status == "optimal"
        assert certificate.criterion == "squared hinge loss"
        assert certificate.gap < 1e-9
        assert certificate.dual <= certificate.primal
        assert (np.diff(certificate.history) < 0).all()


def test_linear_kernel_agrees_with_scikit_learn_without_intercept(rng):
    X = rng.standard_normal((200, 4))
    y = np.where(X @ [1.0, -1, 0.5, 0] + 0.5 * rng.standard_normal(200) > 0, 1, -1)
    model = lk.KernelClassifier(
        lk.linear(), "unif", C=0.7, machine="svm", center=False, normalize=None, n_components=50
    ).fit(X, y)
    other = LinearSVC(C=0.7, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
    assert model.solver_ == "landmarks"
    assert np.allclose(model.decision_function(X), other.decision_function(X), atol=1e-5)


def test_outputs_are_solved_separately_and_path_does_not_matter(rng):
    problem = class_problem(rng, outputs=2, left_out=True)
    both = LandmarkSVM().train(problem, [10.0, 0.1])[1]
    for t in range(2):
        alone = replace(problem, Y=problem.Y[:, [t]])
        (one,) = LandmarkSVM().train(alone, [0.1])
        assert np.allclose(outputs_of(alone, one)[:, 0], outputs_of(problem, both)[:, t], atol=1e-8)
        assert np.allclose(one.left_out[:, 0], both.left_out[:, t], atol=1e-7, equal_nan=True)


def test_chunks_and_threads_do_not_change_the_solution(rng, monkeypatch):
    problem = class_problem(rng)
    (whole,) = LandmarkSVM().train(problem, [0.1])
    monkeypatch.setattr(landmarks, "ROWS", 7)
    monkeypatch.setattr(landmark_svm, "KEPT", 0)
    (parts,) = LandmarkSVM().train(replace(problem, backend=Threads(1)), [0.1])
    assert np.allclose(outputs_of(problem, parts), outputs_of(problem, whole), atol=1e-8)


def test_outputs_for_left_out_samples_are_close_to_training_without_them(rng):
    problem, alpha = class_problem(rng, n=100, m=15, left_out=True), 1.0
    (found,) = LandmarkSVM().train(problem, [alpha])
    index = chosen_landmarks(problem)
    assert np.isnan(found.left_out[index]).all()
    f, changes, errors = outputs_of(problem, found)[:, 0], [], []
    for i in np.setdiff1d(np.arange(100), index)[:25]:
        w = np.ones(100)
        w[i] = 1e-12
        (one,) = LandmarkSVM().train(replace(problem, weights=w, left_out=False, known={}), [alpha])
        exact = outputs_of(problem, one)[i, 0]
        changes.append(abs(exact - f[i]))
        errors.append(abs(exact - found.left_out[i, 0]))
        if problem.Y[i, 0] * f[i] >= 1:
            assert found.left_out[i, 0] == pytest.approx(f[i], abs=1e-6)
    assert np.mean(changes) > 0.05
    assert np.mean(errors) < 0.1 * np.mean(changes)


def test_large_alpha_is_ridge_because_every_sample_is_active(rng):
    problem, alpha = class_problem(rng), 1e4
    (svm,) = LandmarkSVM().train(replace(problem, left_out=True), [alpha])
    (ridge,) = LandmarkRidge().train(replace(problem, left_out=True), [alpha])
    assert np.allclose(outputs_of(problem, svm), outputs_of(problem, ridge), atol=1e-9)
    assert np.allclose(svm.left_out, ridge.left_out, atol=1e-9, equal_nan=True)


def test_separable_classes_with_little_regularisation_have_margin_one(rng):
    problem = class_problem(rng, m=60, noise=0.0)
    (found,) = LandmarkSVM().train(problem, [1e-6])
    margins = problem.Y[:, 0] * outputs_of(problem, found)[:, 0]
    assert margins.min() > 0.99
    assert found.certificates[0].status == "optimal"


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_outliers_do_not_stop_the_fit(C, rng):
    """What is subtracted from the normal equations is larger than what remains."""
    X = rng.standard_normal((200, 4))
    y = np.where(X @ [1.0, -1, 0.5, 0] + 0.5 * rng.standard_normal(200) > 0, 1, -1)
    X[:5] *= 1e4
    model = lk.KernelClassifier(lk.linear(), "unif", normalize=None, C=C, n_components=20)
    model.fit(X, y)
    (certificate,) = model.machine_certificates_
    assert certificate.status == "optimal"
    assert model.score(X, y) > 0.8


def test_constant_kernel_predicts_the_larger_class(rng):
    X, y = rng.standard_normal((12, 2)), np.repeat([0, 1], [4, 8])
    model = lk.KernelClassifier(lk.linear(), "unif", n_components=1).fit(X, y)
    assert (model.predict(X) == 1).all()


def test_memory_is_that_of_the_landmarks_and_not_of_all_their_values(rng, monkeypatch):
    monkeypatch.setattr(landmark_svm, "KEPT", 0)
    n, m = 10_000, 200
    problem = replace(class_problem(rng, n, m), backend=Threads(1), left_out=True)
    LandmarkSVM().train(class_problem(rng, 300, 20), [1.0])  # compile
    tracemalloc.start()
    LandmarkSVM().train(problem, [1.0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    features = 8 * n * m  # 16 MB
    assert peak < features / 3


def test_weights_of_both_signs_are_refused(rng):
    with pytest.raises(InputError, match="needs non-negative weights"):
        SquaredHingeSVM().strategy(class_problem(rng, signed=True))


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((240, 3))
    return X, np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, "b", "a")


def test_classes_with_landmarks_are_an_svm_unless_the_method_minimises_the_loss_of_ridge(samples):
    X, y = samples
    three = np.where(X[:, 2] > 0.8, "c", y)
    for labels, options, machine in (
        (y, {}, "svm"),
        (three, {}, "svm"),
        (y, {"subsample": 100}, "svm"),
        (three, {"subsample": 100}, "svm"),
        (y, {"method": "l2-krr", "C": 1.0}, "ridge"),
        (three, {"machine": "svm", "C": 1.0}, "svm"),
    ):
        model = lk.KernelClassifier(**{"n_components": 30, **options}).fit(X, labels)
        assert (model.machine_, model.solver_) == (machine, "landmarks")
        assert model.score(X, labels) > 0.8
        assert model.predict_proba(X).shape == (len(X), len(model.classes_))


def test_chosen_regularisation_is_in_units_of_the_kernel():
    found = []
    for scale in (1.0, 1e6):
        problem = class_problem(np.random.default_rng(0), scale=scale)
        found.append(scale * hinge_C(SimpleNamespace(problem=problem, value=1.0)))
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_subsample_of_all_rows_accepts_the_svm(samples):
    options = {"n_components": 30, "C": 1.0, "machine": "svm"}
    model = lk.KernelClassifier(subsample=1000, **options).fit(*samples)
    same = lk.KernelClassifier(**options).fit(*samples)
    assert np.array_equal(model.predict(samples[0]), same.predict(samples[0]))


def test_support_is_not_defined_in_the_span_of_landmarks(samples):
    model = lk.KernelClassifier(n_components=30, C=1.0).fit(*samples)
    with pytest.raises(AttributeError, match="trained by 'landmarks'"):
        _ = model.support_
    assert model.dual_coef_.shape == (240,)
    assert np.count_nonzero(model.dual_coef_) == 30


def test_C_from_a_list_is_chosen_by_folds(samples):
    X, y = samples
    model = lk.KernelClassifier(method="alignf", n_components=30, C=[1e-4, 1.0]).fit(X, y)
    assert model.C_ == 1.0
    assert len(model.C_scores_) == 2


def test_saved_model_predicts_the_same(samples, tmp_path):
    X, y = samples
    model = lk.KernelClassifier(n_components=30).fit(X, y)
    lk.save(model, tmp_path / "model.lk")
    again = lk.load(tmp_path / "model.lk")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.machine_certificates_ == model.machine_certificates_
