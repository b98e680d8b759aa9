"""Gram matrices held as triangles equal those that are evaluated."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import PackedGrams
from tests.methods.problems import problem_of, targets_of


@pytest.mark.parametrize("center", [True, False])
def test_combinations_and_inner_products_equal_evaluated_ones(center, rng):
    X, y = targets_of(50, 1)
    families = [lk.gaussians([0.1, 1.0]), lk.per_feature(), lk.table(), "laplacians"]
    w = rng.uniform(0.5, 2.0, 50)
    kernels = problem_of(families, X, y, "regression", center=center, sample_weight=w).kernels
    samples = np.sort(rng.permutation(50)[:30])
    packed = PackedGrams.of(kernels, samples, np.inf)
    mu, S = rng.random(kernels.n_kernels), rng.standard_normal((30, 30))
    S += S.T
    K = kernels.kernel(mu).take(samples).gram(kernels.backend)
    assert np.allclose(packed.gram(mu), K, atol=1e-12)
    assert np.allclose(packed.inner(S), kernels.inner(S, samples), atol=1e-10)


def test_gram_matrices_beyond_the_memory_limit_are_not_stored(rng):
    X, y = targets_of(50, 1)
    kernels = problem_of(lk.gaussians([0.1, 1.0]), X, y, "regression").kernels
    needed = 2 * 8 * 50 * 51 // 2
    assert PackedGrams.of(kernels, np.arange(50), needed) is not None
    assert PackedGrams.of(kernels, np.arange(50), needed - 1) is None


def test_taken_samples_equal_evaluated_ones(rng):
    X, y = targets_of(50, 1)
    kernels = problem_of([lk.gaussians([0.1, 1.0]), "linear"], X, y, "regression").kernels
    samples = np.sort(rng.permutation(50)[:30])
    chosen = np.sort(rng.permutation(30)[:12])
    taken = PackedGrams.of(kernels, samples, np.inf).take(chosen)
    expected = PackedGrams.of(kernels, samples[chosen], np.inf)
    assert np.allclose(taken.triangles, expected.triangles, rtol=0, atol=1e-14)
