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
    K, rows = kernel.gram(kernels.backend), KernelRows(kernel, kernels.backend, 8 * 60 * 40)
    for _ in range(4):
        index = rng.permutation(60)[:15]
        assert np.allclose(rows.values[rows.fetch(index)], K[index], atol=1e-12)


@pytest.mark.parametrize("gammas", [[0.1, 0.2, 0.4], [0.05, 0.2, 1.6], [0.1, 0.3]])
def test_bounded_kernels_have_rows_of_single_precision_if_few_fit(gammas, rng):
    X, y = targets_of(60, 1)
    kernels = problem_of(lk.gaussians(gammas), X, y, "regression").kernels
    kernel = kernels.kernel(rng.random(kernels.n_kernels))
    K, rows = kernel.gram(kernels.backend), KernelRows(kernel, kernels.backend, 8 * 60 * 10)
    index = rng.permutation(60)[:15]
    assert rows.values.dtype == np.float32
    assert rows.values.nbytes <= 8 * 60 * 10
    assert np.allclose(rows.values[rows.fetch(index)], K[index], atol=1e-6 * np.abs(K).max())
    assert np.allclose(rows.gram(index), K[np.ix_(index, index)], atol=1e-12)


def test_kernels_without_bound_have_rows_of_double_precision(rng):
    X, y = targets_of(60, 1)
    kernels = problem_of(["gaussians", "polynomials"], X, y, "regression").kernels
    kernel = kernels.kernel(np.ones(kernels.n_kernels))
    assert KernelRows(kernel, kernels.backend, 8 * 60 * 10).values.dtype == np.float64


def test_rows_used_last_are_kept(rng):
    X, y = targets_of(30, 1)
    kernels = problem_of(lk.gaussians([1.0]), X, y, "regression").kernels
    rows = KernelRows(kernels.kernel(np.ones(1)), kernels.backend, 4 * 30 * 4)
    rows.fetch(np.array([0, 1, 2, 3]))
    rows.fetch(np.array([0, 4]))
    assert list(rows.slots) == [2, 3, 0, 4]


def test_times_equals_the_product_with_the_gram_matrix(rng):
    X, y = targets_of(40, 1)
    kernels = problem_of([lk.gaussians([1.0]), "linear"], X, y, "regression").kernels
    kernel, beta = kernels.kernel(np.array([0.5, 0.5])), rng.standard_normal(40)
    beta -= beta.mean()
    expected = kernel.gram(kernels.backend) @ beta
    rows = KernelRows(kernel, kernels.backend, 8 * 40 * 4)
    assert np.allclose(rows.times(beta), expected, atol=1e-10)
    beta[5:] = 0.0
    beta[:5] -= beta[:5].mean()
    assert np.allclose(rows.times(beta), kernel.gram(kernels.backend) @ beta, atol=1e-10)
    assert (rows.times(np.zeros(40)) == 0).all()
