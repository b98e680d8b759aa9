"""Stochastic multi-class weights."""

import warnings

import cvxpy as cp
import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from tests.methods.problems import KERNELS, classes_of, grams, learn, problem_of, solved


def test_ufo_classifies_several_classes_and_beta_makes_weights_sparse():
    X, y = load_iris(return_X_y=True)
    model = lk.KernelClassifier(
        method=lk.methods.UFO(), C=10.0, kernels=["gaussians", "linear"]
    ).fit(X, y)
    assert model.score(X, y) > 0.95
    history = model.certificate_.history
    assert history[-1] < history[0] and model.certificate_.last_step <= 1e-3
    sparse = lk.KernelClassifier(
        method=lk.methods.UFO(beta=0.3), C=10.0, kernels=["gaussians", "linear"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few = (sparse.fit(X, y).weights_ > 0).sum()
    assert few <= (model.weights_ > 0).sum()


def test_ufo_approaches_the_optimum_of_its_objective():
    # Multi-class hinge + alpha/2 |w|^2_{2,p} by a conic solver, over coefficients of the samples.
    problem = problem_of(lk.gaussians([0.05, 0.3, 1.0, 4.0]), *classes_of(36, 3))
    _, factors = grams(problem)
    codes = problem.Y.argmax(axis=1)
    alpha, q = 0.05, 2 * np.log(4)
    W = [cp.Variable((36, 3)) for _ in factors]
    scores = sum(L @ w for L, w in zip(factors, W, strict=True))
    rows = []
    for i, y in enumerate(codes):
        margins = [scores[i, c] + (c != y) for c in range(3)]
        rows.append(cp.maximum(*margins) - scores[i, y])
    sizes = cp.hstack([cp.norm(w, "fro") for w in W])
    value = alpha / 2 * cp.square(cp.pnorm(sizes, q / (q - 1))) + cp.sum(cp.hstack(rows)) / 36
    expected = solved(cp.Problem(cp.Minimize(value)))
    _, certificate = learn(lk.methods.UFO(alpha=alpha, tol=1e-5, max_iter=400), problem)
    assert expected * (1 - 1e-6) <= certificate.primal <= 1.1 * expected


def test_ufo_is_reproducible():
    problem = problem_of(KERNELS, *classes_of(50, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, _ = learn(lk.methods.UFO(random_state=3), problem)
        again, _ = learn(lk.methods.UFO(random_state=3), problem)
    assert np.array_equal(first, again)
