"""Sums of Gaussians equal their definition, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram.tiles.gaussians import TILE
from tests.methods.problems import problem_of

GAMMAS = [[0.3], [0.1, 0.2, 0.4], [0.01, 0.08, 0.3, 0.6], [0.001, 1.0, 3.0]]


def combination(gammas, X, **options):
    y = np.where(np.arange(X.shape[0]) % 2 == 0, 1.0, -1.0)
    kernels = problem_of(lk.gaussians(gammas), X, y, "classification", **options).kernels
    factors = np.linspace(0.5, 1.5, kernels.n_kernels)
    (part,) = kernels.kernel(factors).parts
    return part, factors * kernels.factors


@pytest.mark.parametrize("gammas", GAMMAS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_values_equal_the_definition(gammas, dtype, tolerance, rng):
    X = rng.standard_normal((TILE + 44, 3))
    part, factors = combination(gammas, X, center=False)
    D = cdist(X, X, "sqeuclidean")
    expected = sum(f * np.exp(-gamma * D) for f, gamma in zip(factors, gammas, strict=True))
    K = np.zeros((len(X), len(X)), dtype)
    part.add_gram(K, Threads(1))
    assert part.fast_single
    assert np.allclose(K, expected, rtol=0, atol=tolerance * factors.sum())


@pytest.mark.parametrize("gammas", GAMMAS)
@pytest.mark.parametrize(("single", "tolerance"), [(False, 1e-13), (True, 1e-6)])
def test_products_equal_those_with_the_gram_matrix(gammas, single, tolerance, rng):
    X = rng.standard_normal((TILE + 44, 3))
    part, _ = combination(gammas, X)
    K, coef = np.zeros((len(X), len(X))), rng.standard_normal((len(X), 2))
    coef -= coef.mean(axis=0)
    part.add_gram(K, Threads(1))
    found = part.products(part.kernels, coef, Threads(1), single)
    expected = K @ coef
    # Rows of new samples are not centered: the coefficients sum to zero.
    assert np.allclose(found, expected, atol=tolerance * np.abs(K).sum(axis=1).max())


@pytest.mark.parametrize("gammas", GAMMAS)
def test_symmetric_products_equal_those_with_all_pairs(gammas, rng):
    X = rng.standard_normal((2 * TILE + 44, 3))
    part, _ = combination(gammas, X)
    K, coef = np.zeros((len(X), len(X))), rng.standard_normal((len(X), 2))
    coef -= coef.mean(axis=0)
    part.add_gram(K, Threads(1))
    found = part.symmetric_products(np.ascontiguousarray(coef.T), Threads(1))
    assert np.allclose(found, K @ coef, atol=1e-11 * np.abs(K).sum(axis=1).max())
    parallel = part.symmetric_products(np.ascontiguousarray(coef.T), Threads(2))
    assert (parallel == found).all()


@pytest.mark.parametrize(
    "family", [["laplacians"], ["gaussians", "linear"], ["gaussians", "laplacians"]]
)
def test_other_kernels_have_no_sum_of_gaussians(family, rng):
    X = rng.standard_normal((30, 3))
    kernels = problem_of(family, X, np.sign(X[:, 0]), "classification").kernels
    kernel = kernels.kernel(np.ones(kernels.n_kernels))
    assert not kernel.fast_single


def test_sparse_samples_and_samples_far_away_have_no_sum_of_gaussians(rng):
    X = rng.standard_normal((30, 3))
    assert combination([0.1], sparse.csr_array(X))[0].gaussians is None
    X[0] = 1e7
    assert combination([0.1], X)[0].gaussians is None
