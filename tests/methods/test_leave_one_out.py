"""Weights of smallest leave-one-out error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.methods.leave_one_out import ALPHAS, SCALES, best_alpha, part_of
from learnkernels.methods.objectives import LeaveOneOutError
from tests.methods.problems import KERNELS, classes_of, counts, learn, problem_of, targets_of

WAVES = lk.gaussians([0.01, 0.1, 0.5, 2.0, 10.0])


def regression(n=80, t=1, seed=0, **options):
    """Return the weight problem of five kernels and t smooth targets."""
    return problem_of(KERNELS, *targets_of(n, t, seed), "regression", **options)


def exact_error(problem, found):
    """Return the exact leave-one-out error of learned weights."""
    objective = LeaveOneOutError(problem.kernels, problem.Y, np.arange(len(problem.Y)))
    return objective.evaluate(found.weights / found.alpha).value


@pytest.mark.parametrize("outputs", [1, 3])
def test_minimum_is_stationary_and_below_every_start(outputs):
    problem = regression(t=outputs)
    found = lk.methods.LeaveOneOut(tol=1e-7, max_iter=500).learn(problem)
    assert found.certificate.status == "stationary"
    assert found.certificate.criterion == "leave-one-out error of ridge"
    assert np.isclose(found.weights.sum(), 1.0) and (found.weights >= 0).all()
    *starts, last = found.selection
    assert [one.name for one in starts] == [
        "start: unif", "start: align", "start: alignf", "start: single",
    ]  # fmt: skip
    assert last.chosen and last.error <= min(one.error for one in starts)
    assert np.isclose(exact_error(problem, found), last.error, rtol=1e-4)
    assert np.isclose(found.certificate.primal, last.error)


def test_status_is_stationary_only_if_a_gradient_step_is_small():
    problem = regression()
    rough = lk.methods.LeaveOneOut(tol=0.5).learn(problem).certificate
    fine = lk.methods.LeaveOneOut(tol=1e-8, max_iter=500).learn(problem).certificate
    assert fine.status == "stationary" and fine.gap <= 0.01
    assert rough.status == "not shown to be stationary" and rough.gap > 0.01
    assert str(rough).startswith("not shown to be stationary for leave-one-out error of ridge")
    assert rough.is_local and fine.is_local


def test_certificate_that_is_not_converged_has_no_duality_gap():
    method = lk.methods.LeaveOneOut(max_iter=1, tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="loo did not converge in 1 iteration"):
        found = method.learn(regression()).certificate
    assert found.status == "not converged" and found.is_local
    assert "a gradient step changes no weight by more than" in str(found)
    assert "gap" not in str(found)


def test_errors_never_increase_along_the_iterations():
    history = lk.methods.LeaveOneOut().learn(regression()).certificate.history
    assert len(history) > 2 and (np.diff(history) <= 0).all()


def test_no_small_change_of_the_weights_lowers_the_error(rng):
    problem = regression(40)
    found = lk.methods.LeaveOneOut(tol=1e-9, max_iter=500).learn(problem)
    objective = LeaveOneOutError(problem.kernels, problem.Y, np.arange(40))
    mu = found.weights / found.alpha
    for _ in range(20):
        near = mu * np.exp(0.05 * rng.standard_normal(5))
        assert objective.evaluate(near).value >= (1 - 1e-6) * exact_error(problem, found)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_best_alpha_has_the_smallest_error_of_all_alphas(center, weighted, rng):
    w = rng.uniform(0.2, 3.0, 40) if weighted else np.ones(40)
    problem = regression(40, 2, center=center, sample_weight=w)
    objective = part_of(problem, rng.permutation(40)[:30])
    mu = np.array([0.1, 0.3, 0.2, 0.0, 0.4])
    errors = [objective.evaluate(mu / alpha).value for alpha in ALPHAS]
    alpha, value = best_alpha(objective, mu)
    assert alpha == ALPHAS[np.argmin(errors)]
    assert np.isclose(value, min(errors), rtol=1e-6)


def test_regularisation_has_a_lower_bound_for_targets_without_noise(rng):
    X = rng.standard_normal((60, 3))
    found = lk.methods.LeaveOneOut(tol=1e-12, max_iter=1000).learn(
        problem_of(["linear", lk.gaussians([0.1, 1.0])], X, X[:, :1], "regression")
    )
    assert found.alpha >= 0.999 / SCALES[1]


def test_order_of_kernels_permutes_the_weights(rng):
    X, y = targets_of(80, 1)
    gammas = np.array([0.01, 0.1, 0.5, 2.0, 10.0])
    order = rng.permutation(5)
    first = lk.KernelRegressor(lk.gaussians(gammas), "loo").fit(X, y[:, 0])
    second = lk.KernelRegressor(lk.gaussians(gammas[order]), "loo").fit(X, y[:, 0])
    assert np.allclose(first.weights_[order], second.weights_, atol=2e-3)
    assert np.allclose(first.predict(X), second.predict(X), atol=1e-3)


def test_scale_of_kernels_does_not_change_normalised_fits():
    X, y = targets_of(60, 1)
    models = [
        lk.KernelRegressor(
            [lambda A, B, c=c: c * A @ B.T, lambda A, B: (1 + A @ B.T) ** 2], "loo"
        ).fit(X, y[:, 0])
        for c in (1.0, 1e6)
    ]
    first, second = models
    assert np.allclose(first.weights_, second.weights_, atol=1e-3)
    assert np.isclose(first.alpha_, second.alpha_, rtol=1e-2)
    assert np.allclose(first.predict(X), second.predict(X), atol=1e-3)


@pytest.mark.parametrize("kind", [lk.methods.LeaveOneOut, lk.methods.Auto])
def test_duplicate_kernels_change_nothing_but_the_split_of_weights(kind):
    X, y = targets_of(80, 1)
    new = targets_of(40, 1, seed=1)[0]
    gammas, method = [0.01, 0.5, 10.0], kind(tol=1e-9)
    once = lk.KernelRegressor(lk.gaussians(gammas), method).fit(X, y[:, 0])
    twice = lk.KernelRegressor(lk.gaussians(gammas + gammas), method).fit(X, y[:, 0])
    assert np.allclose(twice.weights_.reshape(2, 3).sum(axis=0), once.weights_, atol=5e-3)
    assert np.allclose(twice.predict(new), once.predict(new), atol=2e-3)


def test_duplicates_of_one_kernel_keep_the_error():
    X, y = targets_of(80, 1)
    once = lk.KernelRegressor(WAVES, lk.methods.LeaveOneOut(tol=1e-8)).fit(X, y)
    more = lk.gaussians([0.01, 0.1, 0.5, 0.5, 0.5, 2.0, 10.0])
    again = lk.KernelRegressor(more, lk.methods.LeaveOneOut(tol=1e-8)).fit(X, y)
    assert np.isclose(once.certificate_.primal, again.certificate_.primal, rtol=1e-3)
    assert np.allclose(once.predict(X), again.predict(X), atol=1e-2)


def test_regularisation_is_learned_and_used_by_the_machine():
    X, y = targets_of(60, 1)
    model = lk.KernelRegressor(WAVES, "loo").fit(X, y[:, 0])
    fixed = lk.KernelRegressor(WAVES, "loo", alpha=model.alpha_).fit(X, y[:, 0])
    assert np.allclose(model.predict(X), fixed.predict(X))
    other = lk.KernelRegressor(WAVES, "loo", alpha=100 * model.alpha_).fit(X, y[:, 0])
    assert other.alpha_ == 100 * model.alpha_
    assert np.array_equal(other.weights_, model.weights_)
    assert not np.allclose(model.predict(X), other.predict(X), atol=1e-2)


def test_classifier_uses_ridge_with_learned_C_or_svm_with_chosen_C():
    X, y = classes_of(90, 3)
    ridge = lk.KernelClassifier(WAVES, "loo").fit(X, y)
    assert ridge.machine_ == "ridge" and not hasattr(ridge, "C_scores_")
    svm = lk.KernelClassifier(WAVES, "loo", machine="svm").fit(X, y)
    assert svm.machine_ == "svm" and len(svm.C_scores_) > 1
    assert np.array_equal(svm.weights_, ridge.weights_)


def test_landmarks_reach_nearly_the_dense_minimum_for_many_samples():
    X, y = targets_of(700, 1)
    problem = problem_of(lk.gaussians([0.02, 0.3, 4.0]), X, y, "regression")
    dense = lk.methods.LeaveOneOut().learn(problem)
    method = lk.methods.LeaveOneOut(max_samples=650, n_components=150)
    near = method.learn(problem)
    assert near.certificate.status == "stationary"
    assert exact_error(problem, near) <= 1.05 * exact_error(problem, dense)
    assert np.isclose(near.certificate.primal, dense.certificate.primal, rtol=0.2)


def test_kernels_stored_as_factors_equal_their_gram_matrices():
    X = counts(n=70)
    y = X[:, :1] + X[:, 1:2] * X[:, 2:3]
    method = lk.methods.LeaveOneOut(tol=1e-8)
    factors = method.learn(problem_of(lk.per_feature(), X, y, "regression"))
    stack = np.einsum("ik,jk->ijk", X, X)
    grams = method.learn(problem_of("precomputed", stack, y, "regression"))
    assert np.isclose(factors.certificate.primal, grams.certificate.primal, rtol=1e-4)
    assert np.allclose(factors.weights, grams.weights, atol=1e-2)


def test_too_few_iterations_warn_and_are_not_converged():
    X, y = targets_of(60, 1)
    method = lk.methods.LeaveOneOut(tol=1e-12, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="loo did not converge in 1 iteration:"):
        model = lk.KernelRegressor(WAVES, method).fit(X, y)
    assert model.certificate_.status == "not converged"


def test_memory_counts_the_samples_of_exact_errors():
    method = lk.methods.LeaveOneOut(max_samples=700)
    assert method.gram_samples(500) == 500 and method.gram_samples(10_000) == 700


def test_last_steps_on_more_samples_lower_the_error_of_all():
    problem = problem_of(lk.gaussians([0.02, 0.3]), *targets_of(700, 1), "regression")
    found = lk.methods.LeaveOneOut(max_samples=600).learn(problem)
    assert len(found.errors) == 600 and found.certificate.history
    refined = lk.methods.LeaveOneOut().learn(problem)
    assert exact_error(problem, refined) <= exact_error(problem, found) * (1 + 1e-9)
    assert str(refined.certificate).startswith(refined.certificate.status)


def test_given_weights_are_the_starting_point():
    problem = problem_of(lk.gaussians([0.02, 0.3]), *targets_of(100, 1), "regression")
    cold = lk.methods.LeaveOneOut(tol=1e-9).learn(problem)
    warm = lk.methods.LeaveOneOut(tol=1e-9).learn(replace(problem, start=cold.weights))
    assert np.allclose(warm.weights, cold.weights, atol=1e-3)
    starts = ["start: unif", "start: from the choice of kernels"]
    assert [row.name for row in warm.selection] == [*starts, "loo"]


def test_grams_that_are_not_held_give_the_same_weights():
    problem = problem_of(WAVES, *targets_of(60, 1), "regression")
    held = lk.methods.LeaveOneOut(tol=1e-8).learn(problem)
    evaluated = lk.methods.LeaveOneOut(tol=1e-8).learn(replace(problem, max_memory=0.0))
    assert np.allclose(held.weights, evaluated.weights, atol=1e-4)
    assert np.isclose(held.certificate.primal, evaluated.certificate.primal, rtol=1e-6)


def test_interrupt_leaves_the_minimisation(monkeypatch):
    evaluate = LeaveOneOutError.evaluate
    calls = []

    def stopped(self, mu):
        calls.append(mu)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return evaluate(self, mu)

    monkeypatch.setattr(LeaveOneOutError, "evaluate", stopped)
    with pytest.raises(KeyboardInterrupt):
        learn(lk.methods.LeaveOneOut(), regression())
    assert len(calls) == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_samples": 1}, "max_samples=1"),
        ({"n_components": 2.5}, r"n_components=2\.5"),
        ({"tol": 0.0}, r"tol=0\.0"),
        ({"max_iter": 0}, "max_iter=0"),
    ],
)
def test_invalid_parameters_raise_input_error(options, message):
    X, y = targets_of(20, 1)
    with pytest.raises(lk.InputError, match=message):
        lk.KernelRegressor(WAVES, lk.methods.LeaveOneOut(**options)).fit(X, y)


def test_indefinite_kernels_raise_input_error(monkeypatch):
    problem = regression(20)
    monkeypatch.setattr(LeaveOneOutError, "evaluate", lambda self, mu: None)
    with pytest.raises(lk.InputError, match="positive semi-definite"):
        lk.methods.LeaveOneOut().learn(problem)
