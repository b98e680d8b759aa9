"""Rows of the Gram matrix that are evaluated when needed equal those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import KernelRows
from tests.methods.problems import problem_of, targets_of


def gaussian_kernel(gammas, rng):
    X, y = targets_of(60, 1)
    kernels = problem_of(lk.gaussians(gammas), X, y, "regression").kernels
    return kernels, kernels.kernel(rng.random(kernels.n_kernels))


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
        index, d, found = rng.permutation(60)[:15], rng.standard_normal(15), rng.random(60)
        expected = found + d @ K[index]
        rows.add(index, d, found)
        assert np.allclose(found, expected, atol=1e-12 * np.abs(K).sum())
        assert np.allclose(rows.values[[rows.slots[i] for i in index]], K[index], atol=1e-12)


def test_more_rows_are_added_than_are_kept(rng):
    kernels, kernel = gaussian_kernel([0.1, 0.2], rng)
    rows, d, found = KernelRows(kernel, kernels.backend, 4 * 60 * 7), rng.random(60), np.zeros(60)
    rows.add(np.arange(60), d, found)
    assert rows.values.shape == (7, 60)
    assert rows.evicted
    assert np.allclose(found, d @ kernel.gram(kernels.backend), atol=1e-4)


@pytest.mark.parametrize("gammas", [[0.1, 0.2, 0.4], [0.05, 0.2, 1.6], [0.1, 0.3]])
def test_gaussians_have_rows_of_single_precision(gammas, rng):
    kernels, kernel = gaussian_kernel(gammas, rng)
    K, rows = kernel.gram(kernels.backend), KernelRows(kernel, kernels.backend, 8 * 60 * 10)
    index = rng.permutation(60)[:15]
    rows.add(index, np.ones(15), np.zeros(60))
    assert rows.values.dtype == np.float32
    assert rows.values.nbytes <= 8 * 60 * 10
    values = rows.values[[rows.slots[i] for i in index]]
    assert np.allclose(values, K[index], atol=1e-5 * np.abs(K).max())
    assert np.allclose(rows.gram(index), K[np.ix_(index, index)], atol=1e-12)


@pytest.mark.parametrize("memory", [4 * 60 * 60, 4 * 60 * 59])
def test_all_rows_are_evaluated_at_once_if_they_fit(memory, rng):
    kernels, kernel = gaussian_kernel([0.1, 0.2], rng)
    rows = KernelRows(kernel, kernels.backend, memory, complete=True)
    assert rows.complete == (memory == 4 * 60 * 60)
    if rows.complete:
        assert np.allclose(rows.values, kernel.gram(kernels.backend), atol=1e-5)


def test_part_has_the_rows_and_columns_of_its_samples_in_the_same_memory(rng):
    kernels, kernel = gaussian_kernel([0.1, 0.2], rng)
    rows, index = KernelRows(kernel, kernels.backend, 4 * 60 * 10), rng.permutation(60)[:25]
    rows.add(np.arange(5), np.ones(5), np.zeros(60))
    part, found = rows.take(index), np.zeros(25)
    assert not rows.slots
    assert part.values.base is rows.values.base
    assert part.values.shape == (24, 25)
    part.add(np.arange(25), np.ones(25), found)
    K = kernel.gram(kernels.backend)
    assert np.allclose(found, K[np.ix_(index, index)].sum(axis=0), atol=1e-4)


@pytest.mark.parametrize("complete", [True, False])
def test_refined_rows_are_of_double_precision(complete, rng):
    kernels, kernel = gaussian_kernel([0.1, 0.2], rng)
    rows = KernelRows(kernel, kernels.backend, 4 * 60 * (60 if complete else 11), complete)
    finer, found = rows.refined(), np.zeros(60)
    assert rows.complete == complete
    assert finer.values.dtype == np.float64
    assert np.shares_memory(finer.values, rows.values) != complete
    finer.add(np.arange(20), np.ones(20), found)
    assert np.allclose(found, kernel.gram(kernels.backend)[:20].sum(axis=0), atol=1e-11)
    assert finer.refined() is finer


@pytest.mark.parametrize(
    "family", [["gaussians"], ["gaussians", "linear"], "per_feature", ["laplacians"]]
)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("center", [True, False])
def test_products_at_some_samples_equal_those_at_all(family, single, center, rng):
    X, y = targets_of(600, 1)
    kernels = problem_of(family, X, y, "regression", center=center).kernels
    kernel, beta = kernels.kernel(rng.random(kernels.n_kernels)), np.zeros(600)
    beta[rng.permutation(600)[:400]] = rng.standard_normal(400)
    beta[beta != 0] -= beta.sum() / 400
    rows, K = KernelRows(kernel, kernels.backend, 8 * 600 * 4), kernel.gram(kernels.backend)
    support, zeros = np.flatnonzero(beta), np.flatnonzero(beta == 0)
    tolerance = (1e-3 if single else 1e-9) * np.abs(K).max()
    for index in (support, zeros, rng.permutation(600), np.append(zeros[:7], support), zeros[:0]):
        assert np.allclose(rows.times_at(index, beta, single), K[index] @ beta, atol=tolerance)


def test_kernels_without_bound_have_rows_of_double_precision(rng):
    X, y = targets_of(60, 1)
    kernels = problem_of(["gaussians", "polynomials"], X, y, "regression").kernels
    kernel = kernels.kernel(np.ones(kernels.n_kernels))
    assert KernelRows(kernel, kernels.backend, 8 * 60 * 10).values.dtype == np.float64


def test_rows_used_last_are_kept(rng):
    X, y = targets_of(30, 1)
    kernels = problem_of(lk.gaussians([1.0]), X, y, "regression").kernels
    rows = KernelRows(kernels.kernel(np.ones(1)), kernels.backend, 4 * 30 * 4)
    rows.add(np.array([0, 1, 2, 3]), np.ones(4), np.zeros(30))
    rows.add(np.array([0, 4]), np.ones(2), np.zeros(30))
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
