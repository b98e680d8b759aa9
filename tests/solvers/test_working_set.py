"""Minimisation over many weights by working sets."""

from dataclasses import replace

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods.objectives import RidgeObjective, SVMObjective
from learnkernels.solvers import Simplex, minimise, minimise_sparse, working_set
from tests.methods.problems import N, counts, labels, problem_of


def sizes_of_working_sets(objective, monkeypatch):
    """Return a list to which every restriction of the objective adds its number of kernels."""
    sizes, restricted = [], type(objective).restricted

    def counted(self, mask):
        sizes.append(int(mask.sum()))
        return restricted(self, mask)

    monkeypatch.setattr(type(objective), "restricted", counted)
    return sizes


@pytest.mark.parametrize("machine", ["ridge", "svm"])
def test_working_set_reaches_the_minimum_over_all_kernels(machine, monkeypatch):
    X, y = counts(q=6), labels(counts())
    kernels = [lk.gaussians(list(2.0 ** np.arange(-6, 6))), lk.per_feature(), lk.linear()]
    problem = problem_of(kernels, X, y)
    if machine == "svm":
        objective = SVMObjective(problem.kernels, problem.Y, np.full(N, 5.0))
    else:
        objective = RidgeObjective.of(replace(problem, alpha=0.5), Simplex())
    p = problem.kernels.n_kernels
    expected, _ = minimise(objective, np.full(p, 1 / p), tol=1e-7, max_iter=500)
    monkeypatch.setattr(working_set, "FIRST", 3)
    sizes = sizes_of_working_sets(objective, monkeypatch)
    mu, certificate = minimise_sparse(objective, p, 1.0, tol=1e-5, max_iter=500)
    assert certificate.gap <= 1e-5
    assert np.isclose(certificate.primal, expected.value, rtol=2e-5)
    assert np.isclose(mu.sum(), 1)
    assert sizes[0] == 3 and max(sizes) < p


def test_few_kernels_are_minimised_over_without_working_sets(monkeypatch):
    X, y = counts(q=6), labels(counts())
    problem = problem_of(lk.gaussians([0.1, 1.0, 10.0]), X, y)
    objective = RidgeObjective.of(replace(problem, alpha=0.5), Simplex())
    sizes = sizes_of_working_sets(objective, monkeypatch)
    minimise_sparse(objective, 3, 1.0, tol=1e-5, max_iter=500)
    assert not sizes
