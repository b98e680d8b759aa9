"""The ridge objective and its lower bound."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.kernels import resolve
from learnkernels.methods.objectives import RidgeObjective
from learnkernels.solvers import Ball, Simplex
from tests.methods.problems import (
    KERNELS,
    KINDS,
    N,
    counts,
    in_order_of_training,
    learn,
    problem_of,
    ridge_targets,
    targets_of,
)


@pytest.mark.parametrize("alphas", [0.5, [0.01, 0.5, 20.0]])
@pytest.mark.parametrize("kind", KINDS)
def test_ridge_with_factors_equals_ridge_with_gram_matrices(kind, alphas):
    kernels, X = KINDS[kind]
    X, y = in_order_of_training(X, counts()[:, 0] ** 2)
    w = np.random.default_rng(3).uniform(0.5, 2.0, N)
    base = resolve(kernels, X)
    stack = np.stack([np.asarray(kernel(X)) for kernel in base], axis=-1)
    ours = lk.KernelRegressor(kernels, "unif", alpha=alphas).fit(X, y, w)
    theirs = lk.KernelRegressor("precomputed", "unif", alpha=alphas).fit(stack, y, w)
    assert np.allclose(ours.predict(X), theirs.predict(stack), atol=1e-8 * np.abs(y).max())
    assert ours.alpha_ == theirs.alpha_
    if not np.isscalar(alphas):
        assert np.allclose(ours.alpha_errors_, theirs.alpha_errors_, rtol=1e-7)


def test_ridge_with_few_columns_forms_no_gram_matrix(monkeypatch):
    """Ridge with fewer columns than samples never asks for an n x n matrix."""
    X = np.random.default_rng(0).standard_normal((6000, 4))
    monkeypatch.setattr("learnkernels.execution.memory.available_memory", lambda: 2e8)
    for method in ("unif", "align", "alignf", "l2-krr", "l1-krr"):
        model = lk.KernelRegressor(lk.per_feature(), method, alpha=[0.1, 1.0]).fit(X, X[:, 0])
        assert model.score(X, X[:, 0]) > 0.99


def test_ridge_lower_bound_holds_for_any_coefficients(rng):
    """The certificate's dual value is a lower bound whatever the solver did."""
    problem = problem_of(KERNELS, *targets_of(35, 2), "regression", 0.5)
    Y = ridge_targets(problem)
    _, ridge1 = learn(lk.methods.L1Ridge(tol=1e-6), problem)
    _, ridge2 = learn(lk.methods.L2Ridge(tol=1e-6), problem)
    for coef in rng.standard_normal((5, *Y.shape)):
        for allowed, best in ((Simplex(), ridge1), (Ball(np.zeros(5)), ridge2)):
            v = problem.kernels.forms(coef)
            objective = RidgeObjective.of(problem, allowed)
            bound = objective.lagrangian(coef, v, allowed.argmax_linear(v))
            assert bound <= best.primal


def test_coefficients_that_overflow_raise_input_error():
    model = lk.KernelRegressor(lk.ngrams(1), "align-single", alpha=1e-300)
    with pytest.raises(lk.InputError, match=r"alpha=\S+ overflow; raise alpha"):
        model.fit(["aaaaaa", "aaaaaa", ""], [0.0, 1.5, 0.0])
