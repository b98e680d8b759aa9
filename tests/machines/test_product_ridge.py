"""Ridge by products agrees with the dense solution."""

import numpy as np
import pytest

from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums
from learnkernels.kernels import resolve
from learnkernels.machines import DenseRidge, TrainingProblem
from learnkernels.machines.product_ridge import ProductRidge, ProductSystem
from tests.pair_problems import pair_problem

ALPHAS = [0.1, 1.0, 10.0]


def training_problem(center=True, weighted=False):
    family, X, Y = pair_problem("kronecker", 12, 11, 0.7)
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    kernels = resolve(family, X.astype(float))
    base = BaseKernels.of(kernels, X.astype(float), raw=not center)
    sums = KernelSums.of(base, Y - w @ Y / w.sum(), Threads(1), w)
    kernel = sums.centered("trace", center).kernel(np.full(len(kernels), 1 / len(kernels)))
    return TrainingProblem(kernel, Y, w, center, Threads(1))


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_one_alpha_agrees_with_dense_ridge(center, weighted):
    problem = training_problem(center, weighted)
    for alpha in ALPHAS:
        (found,), (expected,) = (
            strategy.train(problem, [alpha]) for strategy in (ProductRidge(), DenseRidge())
        )
        np.testing.assert_allclose(found.coef, expected.coef, atol=1e-6)
        np.testing.assert_allclose(found.intercept, expected.intercept)
        assert all(one.status == "optimal" for one in found.certificates)


def test_several_alphas_agree_to_the_tolerance_of_a_comparison():
    problem = training_problem()
    both = [strategy.train(problem, ALPHAS) for strategy in (ProductRidge(), DenseRidge())]
    for found, expected in zip(*both, strict=True):
        assert np.linalg.norm(found.coef - expected.coef) <= 1e-2 * np.linalg.norm(expected.coef)


def test_system_is_solved():
    problem = training_problem(weighted=True)
    root = np.sqrt(problem.weights)[:, None]
    K = problem.kernel.gram(problem.backend) * root * root.T
    system = ProductSystem.of(problem.kernel, problem.weights, 0.5, problem.backend)
    v = root * (problem.Y - problem.weights @ problem.Y / problem.weights.sum())
    np.testing.assert_allclose(K @ system.solve(v) + 0.5 * system.solve(v), v, atol=1e-6)
