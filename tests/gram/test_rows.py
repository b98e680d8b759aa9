"""Rows of the Gram matrix that are evaluated when needed equal those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import KernelRows
from tests.methods.problems import problem_of, targets_of


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("families", ["table", "linear", "per_feature"])
def test_rows_equal_those_of_the_gram_matrix(center, families, rng):
    X, y = targets_of(60, 1)
    family = [lk.table(), "laplacians"] if families == "table" else families
    w = rng.uniform(0.5, 2.0, 60)
    kernels = problem_of(family, X, y, "regression", center=center, sample_weight=w).kernels
    kernel = kernels.kernel(rng.random(kernels.n_kernels))
    K, rows = kernel.gram(kernels.backend), KernelRows(kernel, kernels.backend, 20)
    for _ in range(4):
        index = rng.permutation(60)[:15]
        assert np.allclose(rows.values[rows.fetch(index)], K[index], atol=1e-12)


def test_rows_used_last_are_kept(rng):
    X, y = targets_of(30, 1)
    kernels = problem_of(lk.gaussians([1.0]), X, y, "regression").kernels
    rows = KernelRows(kernels.kernel(np.ones(1)), kernels.backend, 4)
    rows.fetch(np.array([0, 1, 2, 3]))
    rows.fetch(np.array([0, 4]))
    assert list(rows.slots) == [2, 3, 0, 4]


def test_times_equals_the_product_with_the_gram_matrix(rng):
    X, y = targets_of(40, 1)
    kernels = problem_of([lk.gaussians([1.0]), "linear"], X, y, "regression").kernels
    kernel, beta = kernels.kernel(np.array([0.5, 0.5])), rng.standard_normal(40)
    beta -= beta.mean()
    expected = kernel.gram(kernels.backend) @ beta
    assert np.allclose(KernelRows(kernel, kernels.backend, 4).times(beta), expected, atol=1e-10)
