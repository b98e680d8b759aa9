"""Weight problems for tests of weight methods, and their dense base Gram matrices."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
from scipy import sparse

import learnkernels as lk
from learnkernels.estimators import fitting
from learnkernels.estimators.input.samples import Rows, class_targets
from learnkernels.execution import Threads
from learnkernels.machines import SVM, Ridge
from learnkernels.methods.objectives import RidgeObjective
from learnkernels.solvers import Simplex


class Capture(lk.methods.Uniform):
    """A method that stores its problem."""

    def learn(self, problem):
        """Store the problem."""
        self.problem = problem
        return super().learn(problem)


def problem_of(kernels, X, y, task="classification", value=1.0, **options):
    """Return the weight problem of a fit of these data."""
    if task == "classification":
        classes, codes = np.unique(y, return_inverse=True)
        target, Y = class_targets(codes, len(classes))
        machine = SVM()
    else:
        Y = np.asarray(y, dtype=float).reshape(len(y), -1)
        target, machine = Y, Ridge()
    settings = {
        "normalize": "trace",
        "center": True,
        "sample_weight": np.ones(len(y)),
        "backend": Threads(1),
    }
    prepared = fitting.prepare(kernels, X, target, Y, task=task, **(settings | options))
    capture = Capture()
    fitting.learn(prepared, capture, machine, value)
    return capture.problem


def learn(method, problem):
    """Return the weights and the certificate of a method."""
    found = method.learn(problem)
    return found.weights, found.certificate


def ridge_targets(problem):
    """Return the targets, centered if the kernels are."""
    return RidgeObjective.of(problem, Simplex()).Y


def grams(problem):
    """Return the base Grams, shape (n_kernels, n, n), and a factor L of each, K = LL'."""
    K = problem.kernels.stack()
    factors = []
    for matrix in K:
        eigenvalues, Q = np.linalg.eigh(matrix)
        factors.append(Q * np.sqrt(np.maximum(eigenvalues, 0.0)))
    return K, factors


KERNELS = [lk.gaussians([0.02, 0.2, 1.0, 8.0]), lk.linear()]


GAUSSIANS = lk.gaussians([0.01, 0.1, 0.3, 1.0, 30.0])


N = 45


def counts(seed=0, n=N, q=8):
    """Return counts with a little noise, shape (n, q)."""
    rng = np.random.default_rng(seed)
    return rng.poisson(0.6, (n, q)).astype(float) + 0.01 * rng.standard_normal((n, q))


def labels(X, seed=1):
    """Return labels -1 and 1 of the rows."""
    noise = np.random.default_rng(seed).standard_normal(len(X))
    return np.where(X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + 0.4 * noise > 0, 1.0, -1.0)


def strings(seed=0, n=N):
    """Return random sequences of 12 letters."""
    rng = np.random.default_rng(seed)
    first = rng.choice(list("ACGTN"), (n, 12))
    return np.array(["".join(row) for row in first], dtype=object)


def many(n=80, q=300, seed=0):
    """Return sparse counts of q features, two of them the same, and labels."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.1, (n, q)).astype(float)
    X[0] = 1.0  # no column is constant
    X[:, 10] = X[:, 11]
    y = np.where(X[:, :5].sum(axis=1) + 0.3 * rng.standard_normal(n) > 0.6, 1.0, -1.0)
    return sparse.csr_array(X), y


KINDS = {
    "features": (lk.per_feature(), counts()[:, :5]),
    "sparse features": (lk.per_feature(), sparse.csr_array(counts()[:, :5])),
    "blocks": (lk.low_rank([[0, 1, 2], [3, 4], slice(5, 8)]), counts()),
    "nystroem": (lk.low_rank(lk.gaussians([0.1, 1.0]), rank=15), counts()),
    "random": (lk.low_rank(lk.gaussians([0.1]), rank=9, approximation="random"), counts()),
    "mixed": ([lk.per_feature(), lk.gaussians([0.1, 1.0]), lk.linear()], counts()[:, :5]),
    "sequences": ([lk.spectrum(1), lk.spectrum(2), lk.weighted_degree(3, 1)], strings()),
    "texts": (lk.ngrams(1, analyzer="char"), strings()),
    "views": ([lk.on([0, 1], lk.gaussians([0.5])), lk.on(slice(2, 8), lk.linear())], counts()),
}


def in_order_of_training(X, y):
    """Return samples and targets in the order in which estimators train on them."""
    n = X.shape[0]
    order = Rows.of(X, y[:, None], np.ones(n), np.arange(n), "never").samples
    return X[order], y[order]


def classes_of(n, n_classes, seed=0):
    """Return samples of two or three classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    scores = np.column_stack([X[:, 0] * X[:, 1], X[:, 2], -X[:, 0]])[:, :n_classes]
    if n_classes == 2:
        return X, (scores[:, 0] + 0.4 * rng.standard_normal(n) > 0).astype(int)
    return X, np.argmax(scores + 0.4 * rng.standard_normal(scores.shape), axis=1)


def targets_of(n, t, seed=0):
    """Return samples with t targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2, X[:, 2]])[:, :t]
    return X, Y + 0.2 * rng.standard_normal(Y.shape)


# Reached with the rounding of every processor, unlike the solver's own 1e-8.
TOLERANCES = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-7)


def solved(problem):
    """Solve a conic program and return its value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the tolerance decides
        problem.solve(solver=cp.CLARABEL, **TOLERANCES)
    assert problem.status in ("optimal", "optimal_inaccurate")
    return problem.value


def svm_optimum(problem, factors, p):
    """Compute max_beta y'beta - |(beta'K_k beta)_k|_{p*} / 2 by a conic solver."""
    Y = problem.Y
    beta = cp.Variable(Y.shape)
    C = problem.C * problem.sample_weight[:, None]
    q = cp.Variable(len(factors))
    forms = [cp.sum_squares(L.T @ beta) <= q[k] for k, L in enumerate(factors)]
    norm = cp.max(q) if p == 1 else cp.norm(q, p / (p - 1))
    box = [cp.multiply(Y, beta) >= 0, cp.multiply(Y, beta) <= C, cp.sum(beta, axis=0) == 0]
    return solved(cp.Problem(cp.Maximize(cp.sum(cp.multiply(Y, beta)) - norm / 2), forms + box))


def ridge_optimum(problem, factors, cost):
    """Compute max_c 2 y'c - alpha |c|^2 - cost((c'K_k c)_k) by a conic solver."""
    Y = ridge_targets(problem)
    c = cp.Variable(Y.shape)
    v = cp.Variable(len(factors))
    forms = [cp.sum_squares(L.T @ c) <= v[k] for k, L in enumerate(factors)]
    value = 2 * cp.sum(cp.multiply(Y, c)) - problem.alpha * cp.sum_squares(c) - cost(v)
    return solved(cp.Problem(cp.Maximize(value), forms))
