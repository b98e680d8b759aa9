"""Pairwise kernels agree with their definition on Gram matrices of all pairs."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import InputError
from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums, PackedGrams
from learnkernels.kernels import resolve
from tests import dense
from tests.pair_problems import CASES, gram, pair_problem

BACKEND = Threads(1)


def centered_kernels(family, X, Y, w=None, center=True):
    """Return the kernels, their Gram matrices by definition, and the library's centered kernels."""
    kernels = resolve(family, X.astype(float))
    base = BaseKernels.of(kernels, X.astype(float), raw=not center)
    found = KernelSums.of(base, Y - (np.average(Y, axis=0, weights=w)), BACKEND, w)
    return kernels, np.array([kernel(X) for kernel in kernels]), found.centered(None, center)


def weighted_centering(w):
    return np.eye(len(w)) - np.outer(np.ones(len(w)), w / w.sum())


@pytest.mark.parametrize("case", CASES)
def test_statistics_agree_with_dense_gram_matrices(case):
    family, X, Y = pair_problem(*case)
    _, grams, found = centered_kernels(family, X, Y)
    a, M, traces = dense.statistics(grams, Y)
    np.testing.assert_allclose(found.statistics.a, a, rtol=1e-9)
    np.testing.assert_allclose(found.statistics.M, M, rtol=1e-9)
    np.testing.assert_allclose(found.statistics.traces, traces, rtol=1e-9)
    np.testing.assert_allclose(
        found.statistics.mean_diagonal, np.einsum("kii->k", grams) / len(X), rtol=1e-12
    )


@pytest.mark.parametrize("case", CASES)
def test_statistics_with_weights_are_those_of_repeated_pairs(case):
    family, X, Y = pair_problem(*case)
    w = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = centered_kernels(family, X, Y, w.astype(float))[2].statistics
    again = np.repeat(np.arange(len(X)), w)
    repeated = centered_kernels(family, X[again], Y[again])[2].statistics
    np.testing.assert_allclose(weighted.M, repeated.M, rtol=1e-9)
    np.testing.assert_allclose(weighted.a, repeated.a, rtol=1e-9)
    np.testing.assert_allclose(weighted.traces, repeated.traces, rtol=1e-9)


def test_wide_kernels_keep_their_digits():
    rng = np.random.default_rng(0)
    width = 2.0**-16
    Z = [rng.standard_normal((n, 3)) for n in (8, 9)]
    D = [np.sum((z[:, None] - z) ** 2, axis=2) for z in Z]
    X = np.argwhere(rng.random((8, 9)) < 0.7)
    Y = rng.standard_normal((len(X), 1))
    family = lk.pairs(*(np.exp(-width * d)[:, :, None] for d in D))
    found = centered_kernels(family, X, Y)[2].statistics
    # exp(-t) - 1, of the exact exponents: the product of wide Gaussians is a wide Gaussian
    exponent = D[0][np.ix_(X[:, 0], X[:, 0])] + D[1][np.ix_(X[:, 1], X[:, 1])]
    a, M, _ = dense.statistics([np.expm1(-width * exponent)], Y)
    np.testing.assert_allclose(found.M, M, rtol=1e-8)
    np.testing.assert_allclose(found.a, a, rtol=1e-8)


def test_complete_grid_has_products_of_inner_products():
    family, X, Y = pair_problem("kronecker", 7, 9, 1.0)
    left, right = (np.moveaxis(stack, 2, 0) for stack in (family.left, family.right))
    _, grams, _ = centered_kernels(family, X, Y)
    flat = grams.reshape(len(grams), -1)
    expected = np.kron(np.einsum("kij,lij->kl", left, left), np.einsum("kij,lij->kl", right, right))
    np.testing.assert_allclose(flat @ flat.T, expected)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_gram_and_products_agree_with_definition(case, center):
    family, X, Y = pair_problem(*case)
    rng = np.random.default_rng(1)
    n = len(X)
    w = rng.uniform(0.5, 2.0, n)
    _, grams, found = centered_kernels(family, X, Y, w, center)
    if center:
        U = weighted_centering(w)
        grams = U @ grams @ U.T
    mu, V = rng.uniform(size=len(grams)), rng.standard_normal((n, 2))
    K = np.tensordot(mu, grams, 1)
    kernel, products = found.kernel(mu), found.products(V)
    np.testing.assert_allclose(kernel.gram(BACKEND), K, atol=1e-12)
    sum_zero = V - V.mean(axis=0) if center else V
    np.testing.assert_allclose(kernel.times(sum_zero, BACKEND), K @ sum_zero, atol=1e-11)
    np.testing.assert_allclose(
        kernel.rounded().times(sum_zero, BACKEND), K @ sum_zero, atol=1e-4 * np.abs(K).sum(1).max()
    )
    np.testing.assert_allclose(products.of(1), (grams @ V[:, 1]).T, atol=1e-11)
    np.testing.assert_allclose(
        products.forms(), np.einsum("kij,it,jt->k", grams, V, V), rtol=1e-9, atol=1e-10
    )
    some, others = np.arange(0, n, 2), np.arange(1, n, 3)
    S = rng.standard_normal((len(some), len(others)))
    expected = np.einsum("kij,ij->k", grams[:, some][:, :, others], S)
    np.testing.assert_allclose(found.inner(S, some, others), expected, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_functions_agree_with_definition_on_new_pairs(case):
    family, X, Y = pair_problem(*case)
    rng = np.random.default_rng(1)
    w = rng.uniform(0.5, 2.0, len(X))
    kernels, grams, found = centered_kernels(family, X, Y, w)
    mu, coef = rng.uniform(size=len(grams)), rng.standard_normal((len(X), 2))
    coef -= coef.mean(axis=0)
    new = np.argwhere(np.ones(kernels[0].shape))[::3].astype(float)
    K = np.tensordot(mu, [kernel(new, X) for kernel in kernels], 1)
    means = np.tensordot(mu, grams, 1) @ w / w.sum()
    expected = (K - means - (K @ w / w.sum())[:, None] + means @ w / w.sum()) @ coef
    kernel = found.kernel(mu)
    (function,) = kernel.functions(coef)
    np.testing.assert_allclose(function.outputs(new, BACKEND), expected, atol=1e-11)
    np.testing.assert_allclose(kernel.products(new, coef, BACKEND), expected, atol=1e-11)
    np.testing.assert_allclose(kernel.cross_gram(new, BACKEND) @ coef, expected, atol=1e-11)


def test_cosine_scales_every_kernel_to_unit_diagonal():
    rng = np.random.default_rng(0)
    left, right = (4.0 * gram(rng, n)[:, :, None] for n in (6, 5))
    X = np.argwhere(np.ones((6, 5))).astype(float)
    kernels = resolve(lk.pairs(left, right), X)
    base = BaseKernels.of(kernels, X, raw=True, cosine=True)
    found = KernelSums.of(base, np.zeros((30, 1)), BACKEND).centered("cosine", center=False)
    np.testing.assert_allclose(np.diag(found.gram_of(0)), 1.0)


def test_kinds_of_the_same_objects_can_be_added():
    rng = np.random.default_rng(0)
    left, right = (gram(rng, n)[:, :, None] for n in (6, 5))
    X = np.argwhere(rng.random((6, 5)) < 0.8)
    family = lk.pairs(left, right) + lk.pairs(left, right, kind="sum")
    Y = rng.standard_normal((len(X), 1))
    _, grams, found = centered_kernels(family, X, Y)
    np.testing.assert_allclose(found.statistics.M, dense.statistics(grams, Y)[1], rtol=1e-9)
    assert len(found.parts) == 1 and len(found.parts[0].kernels.objects.left) == 3  # A, 1, ones


def test_pairs_and_other_kernels_share_a_model():
    rng = np.random.default_rng(0)
    family, pairs, Y = pair_problem()
    X = np.hstack([pairs, rng.standard_normal((len(pairs), 1))])
    both = [lk.on([0, 1], family), lk.on([2], lk.gaussians([1.0])), lk.on([2], lk.linear())]
    kernels = resolve(both, X)
    found = KernelSums.of(BaseKernels.of(kernels, X), Y - Y.mean(axis=0), BACKEND).centered(None)
    grams = np.array([kernel(X) for kernel in kernels])
    np.testing.assert_allclose(found.statistics.M, dense.statistics(grams, Y)[1], rtol=1e-8)


def test_pairs_of_different_objects_are_refused():
    rng = np.random.default_rng(0)
    two = [lk.pairs(gram(rng, 6)[:, :, None], gram(rng, n)[:, :, None]) for n in (5, 4)]
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(InputError, match="different objects"):
        BaseKernels.of(resolve(two[0] + two[1], X), X)


def test_matrix_that_is_not_semidefinite_is_refused():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])[:, :, None]
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    with pytest.raises(InputError, match=r"left\[0\].*semi-definite"):
        BaseKernels.of(resolve(lk.pairs(K, K), X), X)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("center", [True, False])
def test_packed_gram_matrices_are_those_of_the_combination(case, center):
    family, X, Y = pair_problem(*case)
    rng = np.random.default_rng(2)
    _, _, found = centered_kernels(family, X, Y, rng.uniform(0.5, 2.0, len(X)), center)
    some = np.sort(rng.permutation(len(X))[:20])
    packed = PackedGrams.of(found, some, np.inf)
    for k in range(found.n_kernels):
        unit = np.eye(found.n_kernels)[k]
        expected = found.kernel(unit).take(some).gram(BACKEND)
        np.testing.assert_allclose(packed.gram(unit), expected, atol=1e-12)
