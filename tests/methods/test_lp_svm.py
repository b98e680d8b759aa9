"""Weights of bounded norm for the SVM."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.objectives import power_objective
from tests.methods.problems import KERNELS, classes_of, grams, learn, many, problem_of, svm_optimum


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("p", [1.0, 1.2, 2.0, 4.0])
def test_svm_methods_reach_the_optimum(p, C, n_classes):
    problem = problem_of(KERNELS, *classes_of(25, n_classes), value=C)
    method = lk.methods.L1SVM(tol=1e-5) if p == 1 else lk.methods.LpSVM(p=p, tol=1e-5)
    mu, certificate = learn(method, problem)
    expected = svm_optimum(problem, grams(problem)[1], p)
    assert np.isclose(certificate.primal, expected, rtol=1e-3)
    assert certificate.dual <= expected * (1 + 1e-6) <= certificate.primal * (1 + 1e-5)
    assert (mu >= 0).all() and np.linalg.norm(mu, p) <= 1 + 1e-6


@pytest.mark.parametrize("p", [1.01, 50.0])
def test_lp_svm_converges_for_p_near_one_and_large_p(p):
    problem = problem_of(KERNELS, *classes_of(40, 2), value=5.0)
    mu, certificate = learn(lk.methods.LpSVM(p=p, max_iter=500), problem)
    assert certificate.gap <= 1e-4 and np.linalg.norm(mu, p) <= 1 + 1e-6


@pytest.mark.parametrize("p", [1.2, 2.0])
def test_block_steps_reach_the_value_of_newton_steps(p, monkeypatch):
    X, y = many()
    newton = lk.KernelClassifier(lk.per_feature(), lk.methods.LpSVM(p=p), C=1.0).fit(X, y)
    monkeypatch.setattr(power_objective, "MAX_CURVED", 0)
    blocks = lk.KernelClassifier(lk.per_feature(), lk.methods.LpSVM(p=p), C=1.0).fit(X, y)
    assert max(newton.certificate_.gap, blocks.certificate_.gap) <= 1e-4
    assert np.isclose(newton.certificate_.primal, blocks.certificate_.primal, rtol=2e-4)


def test_l1_svm_converges_for_several_classes_with_rank_one_kernels():
    X, y = many()
    codes = np.digitize(X[:, [0]].toarray()[:, 0] + 2 * (y > 0), [0.5, 1.5, 2.5])
    model = lk.KernelClassifier(lk.per_feature(), lk.methods.L1SVM(tol=1e-3), C=0.1)
    model.fit(X, codes)
    assert model.certificate_.gap <= 1e-3
