"""Training problems for tests of machines."""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import GramMatrix
from learnkernels.machines import TrainingProblem
from tests.methods.problems import problem_of


def training_problem(K, Y, weights=None, center=True):
    """Return the problem of a Gram matrix, which machines may overwrite."""
    w = np.ones(len(Y)) if weights is None else weights
    return TrainingProblem(GramMatrix(K), Y, w, center, Threads(1))


def gaussian_problem(rng, n=40, outputs=2, center=True, weights=None):
    """Return a Gaussian Gram matrix, centered if asked for, and the problem of a copy of it."""
    X = rng.standard_normal((n, 3))
    K = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    w = np.ones(n) if weights is None else weights
    if center:
        mean = K @ w / w.sum()
        K = K - mean - mean[:, None] + mean @ w / w.sum()
    return K, training_problem(K.copy(), rng.standard_normal((n, outputs)), w, center)


KERNELS = {
    "tiles": lk.gaussians([0.05, 0.5]),
    "factors": lk.per_feature(),
    "both": [lk.gaussians([0.3]), lk.per_feature()],
}


def learned_problem(kernels, rng, center=True, weights=None, **options):
    """Return the problem of a learned kernel of 70 samples, and that of its Gram matrix."""
    X = rng.standard_normal((70, 4))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])
    w = np.ones(70) if weights is None else weights
    base = problem_of(kernels, X, Y, "regression", center=center, sample_weight=w).kernels
    kernel = base.kernel(np.linspace(1, 2, base.n_kernels))
    K = kernel.gram(Threads(2))
    return TrainingProblem(kernel, Y, w, center, Threads(2), **options), K


def trained(machine, problem, values):
    """Return the predictor for each value of the regularisation."""
    return machine.strategy(problem, len(values)).train(problem, values)
