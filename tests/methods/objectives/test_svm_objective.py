"""The SVM objective and its lower bound."""

import numpy as np

import learnkernels as lk
from learnkernels.methods.objectives import SVMObjective
from learnkernels.solvers import LpBall, Simplex
from tests.methods.problems import KERNELS, classes_of, learn, problem_of


def test_svm_lower_bound_holds_for_any_coefficients(rng):
    """The certificates' dual values are lower bounds whatever the solver did."""
    problem = problem_of(KERNELS, *classes_of(40, 2), value=2.0)
    _, sparse = learn(lk.methods.L1SVM(tol=1e-6), problem)
    _, dense = learn(lk.methods.LpSVM(p=2, tol=1e-6), problem)
    C = np.full(40, 2.0)
    for scale in (0.01, 0.1, 1.0):
        positive = problem.Y > 0
        size = rng.random(problem.Y.shape) * scale
        size[positive] *= size[~positive].sum() / size[positive].sum()
        beta = np.clip(size, 0, 2.0) * problem.Y
        beta[positive] *= -beta[~positive].sum() / beta[positive].sum()
        q = problem.kernels.forms(beta)
        for allowed, best in ((Simplex(), sparse), (LpBall(2.0), dense)):
            objective = SVMObjective(problem.kernels, problem.Y, C, allowed)
            assert objective.lower_bound(beta, q) <= best.primal
