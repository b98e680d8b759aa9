"""Weights by alignment."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.kernels import resolve
from tests.methods.problems import GAUSSIANS, learn


def test_align_is_proportional_to_alignment(problem, classes):
    X, y = classes
    mu, _ = learn(lk.methods.Align(), problem)
    target = np.where(y == "yes", 1.0, -1.0)
    rho = [lk.alignment(k(X), np.outer(target, target)) for k in resolve(GAUSSIANS, X)]
    assert np.allclose(mu, np.array(rho) / np.sum(rho))


@pytest.mark.parametrize("q", [1.0, 1.2, 2.0, 5.0])
def test_align_maximises_alignment_in_the_q_ball(q, problem, statistics):
    """Prop. 7 of 2012: on Frobenius-normalised kernels, mu'a is largest on the q-ball at mu."""
    a = statistics.a / np.sqrt(statistics.squares)
    mu, _ = learn(lk.methods.Align(q=q), problem)
    best = mu @ a / np.linalg.norm(mu, q)
    rng = np.random.default_rng(0)
    for other in rng.random((200, 5)):
        assert other @ a / np.linalg.norm(other, q) <= best + 1e-12


def test_align_with_q_one_gives_all_weight_to_the_best_kernel_or_shares_it_among_equals(problem):
    rho = problem.kernels.statistics.alignments()
    mu, _ = learn(lk.methods.Align(q=1.0), problem)
    assert mu.tolist() == (rho == rho.max()).astype(float).tolist()
    X = np.random.default_rng(0).standard_normal((30, 2))
    twice = lk.KernelRegressor(lk.gaussians([0.5, 0.5]), lk.methods.Align(q=1.0), alpha=1.0).fit(
        X, X[:, 0]
    )
    assert twice.weights_.tolist() == [0.5, 0.5]


def test_align_tends_to_best_kernel_for_small_q_and_to_uniform_for_large_q(problem, statistics):
    rho = statistics.alignments()
    best, _ = learn(lk.methods.Align(q=1.001), problem)
    equal, _ = learn(lk.methods.Align(q=1e6), problem)
    assert best.argmax() == rho.argmax() and best.max() > 0.99
    assert np.allclose(equal, 0.2, atol=1e-4)


@pytest.mark.parametrize("q", [0.5, "two", float("nan")])
def test_align_rejects_q_below_one(q, classes):
    with pytest.raises(lk.InputError, match="of at least 1"):
        lk.KernelClassifier(
            method=lk.methods.Align(q=q), kernels=["gaussians", "linear"], C=1.0
        ).fit(*classes)
