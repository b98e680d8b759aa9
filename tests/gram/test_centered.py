"""Alignment statistics: agreement with dense matrices and invariance to tiles and order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums, alignment
from learnkernels.gram.tiles import passes
from learnkernels.kernels import (
    Gaussian,
    GaussianProcess,
    Laplacian,
    Linear,
    Metric,
    Polynomial,
    resolve,
)
from tests import dense

MIXED = [
    Gaussian(0.4),
    Linear(),
    Laplacian(0.1),
    Metric("cosine"),
    Gaussian(0.1),
    Polynomial(2, gamma=0.2),
    GaussianProcess(RBF(2.0)),
    Gaussian(0.2),
    Laplacian(0.05),
]


def close(found, expected, tolerance=1e-9):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("normalize", ["trace", "frobenius", None])
@pytest.mark.parametrize("targets", ["binary", "many classes", "several columns"])
def test_statistics_of_mixed_kernels_equal_those_of_dense_matrices(normalize, targets, rng):
    X = rng.standard_normal((70, 4)) + 1.0
    if targets == "binary":
        y = rng.choice([-1, 1], 70)
        Y = y[:, None]
    elif targets == "many classes":
        y = rng.choice(4, 70)
        Y = np.eye(4)[y]
    else:
        y = Y = rng.standard_normal((70, 3))
    found = lk.alignment_statistics(MIXED, X, y, normalize=normalize)
    grams = [kernel(X) for kernel in MIXED]
    scales = {
        "trace": "trace",
        "frobenius": [np.linalg.norm(dense.centered(K)) for K in grams],
        None: None,
    }[normalize]
    a, M, traces = dense.statistics(grams, Y, scales)
    assert np.allclose(found.M, M, rtol=1e-9)
    assert np.allclose(found.a, a, rtol=1e-9)
    assert np.allclose(found.traces, traces, rtol=1e-9)
    expected = [alignment(K, Y @ Y.T) for K in grams]
    assert np.allclose(found.alignments(), expected)


@pytest.mark.parametrize("power", range(-20, 11, 5))
def test_statistics_are_accurate_for_wide_and_narrow_gaussians(power, rng):
    X = rng.standard_normal((300, 20)) + 5.0
    y = rng.choice([-1.0, 1.0], 300)
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    gammas = 2.0 ** np.arange(power, power + 3) / np.median(D)
    found = lk.alignment_statistics(lk.gaussians(gammas), X, y, normalize=None)
    # The reference itself must not lose the digits of wide kernels: expm1, then centering.
    a, M, traces = dense.statistics([np.expm1(-gamma * D) for gamma in gammas], y[:, None])
    assert np.allclose(found.M, M, rtol=1e-9, atol=0)
    assert np.allclose(found.a, a, rtol=1e-9, atol=0)
    assert np.allclose(found.traces, traces, rtol=1e-9, atol=0)


def test_gaussians_computed_by_squaring_equal_separate_gaussians(rng):
    X, y = rng.standard_normal((80, 3)), rng.choice([-1.0, 1.0], 80)
    gammas = 0.01 * 2.0 ** np.arange(12)
    together = lk.alignment_statistics(lk.gaussians(gammas), X, y)
    for k, gamma in enumerate(gammas):
        alone = lk.alignment_statistics(lk.gaussians([gamma]), X, y)
        assert np.isclose(alone.a[0], together.a[k], rtol=1e-12)
        assert np.isclose(alone.M[0, 0], together.M[k, k], rtol=1e-12)


@pytest.mark.parametrize("rows", [1, 3, 64, 256])
@pytest.mark.parametrize("columns", [5, 64, 1000])
def test_tile_size_does_not_change_statistics(rows, columns, rng, monkeypatch):
    X, Y = rng.standard_normal((90, 3)), rng.standard_normal((90, 2))
    kernels = BaseKernels.of(MIXED, X)
    expected = KernelSums.of(kernels, Y, Threads(1)).centered("trace")
    monkeypatch.setattr(passes, "ROWS", rows)
    monkeypatch.setattr(passes, "COLUMNS", columns)
    found = KernelSums.of(kernels, Y, Threads(1)).centered("trace")
    assert np.allclose(found.statistics.M, expected.statistics.M, rtol=1e-11)
    assert np.allclose(found.statistics.a, expected.statistics.a, rtol=1e-11)
    assert np.allclose(found.parts[0].means, expected.parts[0].means, rtol=1e-11)


def test_number_of_threads_gives_identical_statistics(rng):
    X, y = rng.standard_normal((700, 5)), rng.standard_normal(700)
    one, two, many = (lk.alignment_statistics(None, X, y, backend=Threads(n)) for n in (1, 2, 7))
    assert np.array_equal(one.M, two.M) and np.array_equal(one.M, many.M)
    assert np.array_equal(one.a, two.a) and np.array_equal(one.a, many.a)


@given(st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_permuted_samples_and_kernels_permute_statistics(random):
    rng = np.random.default_rng(random.randrange(2**32))
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    samples, kernels = rng.permutation(40), rng.permutation(len(MIXED))
    base = lk.alignment_statistics(MIXED, X, y)
    moved = lk.alignment_statistics([MIXED[k] for k in kernels], X[samples], y[samples])
    assert np.allclose(moved.M, base.M[np.ix_(kernels, kernels)], rtol=1e-10)
    assert np.allclose(moved.a, base.a[kernels], rtol=1e-10)


def test_single_precision_input_gives_single_precision_statistics(rng):
    X, y = rng.standard_normal((60, 4)), rng.standard_normal(60)
    exact = lk.alignment_statistics(MIXED, X, y)
    single = lk.alignment_statistics(MIXED, X.astype(np.float32), y)
    assert close(single.M, exact.M, 1e-5) and close(single.a, exact.a, 1e-5)


def test_sparse_input_equals_dense_input(rng):
    X = rng.standard_normal((50, 6)) * (rng.random((50, 6)) < 0.4)
    y = rng.standard_normal(50)
    kernels = ["gaussians", "laplacians", "linear"]
    exact = lk.alignment_statistics(kernels, X, y)
    found = lk.alignment_statistics(kernels, sparse.csr_array(X), y)
    assert close(found.M, exact.M) and close(found.a, exact.a)


def test_precomputed_stack_equals_computed_kernels(rng):
    X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
    stack = np.stack([kernel(X) for kernel in MIXED], axis=-1)
    exact = lk.alignment_statistics(MIXED, X, y)
    found = lk.alignment_statistics("precomputed", stack, y)
    assert close(found.M, exact.M) and close(found.a, exact.a)


def test_statistics_without_a_block_equal_those_of_the_other_samples(rng):
    X, Y = rng.standard_normal((75, 3)), rng.standard_normal((75, 2))
    borders = [0, 20, 21, 50, 75]
    sums = KernelSums.of(BaseKernels.of(MIXED, X), Y, Threads(2), borders=borders)
    for block in range(4):
        kept = np.delete(np.arange(75), np.arange(borders[block], borders[block + 1]))
        found = sums.without(block)[1].centered(None).statistics
        a, M, traces = dense.statistics([kernel(X[kept]) for kernel in MIXED], Y[kept])
        assert np.allclose(found.M, M, rtol=1e-9)
        assert np.allclose(found.a, a, rtol=1e-9)
        assert np.allclose(found.traces, traces, rtol=1e-9)


def test_sample_weights_equal_repeated_samples(rng):
    X, Y, w = rng.standard_normal((30, 3)), rng.standard_normal((30, 2)), np.arange(30) % 4 + 1
    kernels = [kernel for kernel in MIXED if kernel.name != "cosine"]
    base = BaseKernels.of(kernels, X)
    weighted = KernelSums.of(base, Y, Threads(1), w.astype(float)).centered(None).statistics
    X, Y = np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0)
    base = BaseKernels.of(kernels, X)
    repeated = KernelSums.of(base, Y, Threads(1)).centered(None).statistics
    assert np.allclose(weighted.M, repeated.M, rtol=1e-9)
    assert np.allclose(weighted.a, repeated.a, rtol=1e-9)
    assert np.allclose(weighted.traces, repeated.traces, rtol=1e-9)


def test_cosine_normalization_scales_before_centering(rng):
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    found = lk.alignment_statistics(MIXED, X, y, normalize="cosine")
    grams = []
    for kernel in MIXED:
        K = kernel(X)
        root = np.sqrt(np.diag(K))
        grams.append(K / np.outer(root, root))
    a, M, _ = dense.statistics(grams, y[:, None])
    assert close(found.M, M) and close(found.a, a)


def test_linear_kernel_is_accurate_with_a_large_mean(rng):
    X, y = rng.standard_normal((60, 3)), rng.standard_normal(60)
    near = lk.alignment_statistics("linear", X, y, normalize=None)
    far = lk.alignment_statistics("linear", X + 2.0**20, y, normalize=None)
    assert np.allclose(near.M, far.M, rtol=1e-8) and np.allclose(near.a, far.a, rtol=1e-8)


def test_constant_kernels_are_marked_and_have_zero_statistics(rng):
    X = np.column_stack([rng.standard_normal(30), np.full(30, 0.1)])
    y = rng.standard_normal(30)

    def on_the_constant_column(A, B):
        return np.outer(A[:, 1], B[:, 1])

    found = lk.alignment_statistics([Linear(), on_the_constant_column], X, y)
    assert found.constant.tolist() == [False, True]
    assert found.M[1].tolist() == [0.0, 0.0] and found.a[1] == 0.0
    assert found.alignments()[1] == 0.0
    constant = lk.alignment_statistics(lk.gaussians([1.0]), np.full((30, 2), 0.3), y)
    assert constant.constant.all()


def test_alignment_of_a_combination_equals_its_definition_at_every_scale_of_the_weights(rng):
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    kernels, mu = [Gaussian(0.4), Linear()], np.array([0.3, 0.7])
    found = lk.alignment_statistics(kernels, X, y, normalize=None)
    K = sum(part * kernel(X) for part, kernel in zip(mu, kernels, strict=True))
    expected = alignment(K, np.outer(y, y))
    for scale in (1e-9, 1.0, 1e9):
        assert np.isclose(found.alignment(scale * mu), expected)
    assert found.alignment(0 * mu) == 0.0


def test_error_names_the_only_kernel_with_squares_that_overflow(rng):
    X, y = 1e100 * rng.standard_normal((30, 2)), rng.standard_normal(30)
    with pytest.raises(lk.InputError, match="linear"):
        lk.alignment_statistics([Gaussian(1e-200), Linear()], X, y)


def test_error_names_the_kernel_with_squares_that_underflow(rng):
    X, y = 1e-80 * rng.standard_normal((30, 2)), rng.standard_normal(30)
    with pytest.raises(lk.InputError, match=r"linear.*too small"):
        lk.alignment_statistics([Linear()], X, y)


@pytest.mark.parametrize("first", [True, False])
def test_statistics_of_factors_beside_tiles_are_in_the_order_of_the_kernels(first, rng):
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    kernels = [Gaussian(0.4), lk.per_feature()] if first else [lk.per_feature(), Gaussian(0.4)]
    grams = [np.outer(column, column) for column in X.T]
    grams.insert(0 if first else 2, Gaussian(0.4)(X))
    found = lk.alignment_statistics(kernels, X, y, normalize=None)
    a, M, traces = dense.statistics(grams, y[:, None], None)
    assert np.allclose(found.a, a) and np.allclose(found.M, M)
    assert np.allclose(found.traces, traces)


def test_very_wide_gaussian_is_not_constant(rng):
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    assert not lk.alignment_statistics(lk.gaussians([1e-100]), X, y).constant.any()


def test_statistics_of_150_kernels_equal_those_of_dense_matrices(rng):
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    gammas = np.geomspace(1e-3, 1e2, 150)
    found = lk.alignment_statistics(lk.gaussians(gammas), X, y, normalize=None)
    a, M, _ = dense.statistics([Gaussian(gamma)(X) for gamma in gammas], y[:, None])
    assert np.allclose(found.M, M, rtol=1e-8) and np.allclose(found.a, a, rtol=1e-8)


def test_statistics_store_no_gram_matrix(rng):
    import tracemalloc

    n = 3000
    X, y = rng.standard_normal((n, 4)), rng.standard_normal(n)
    kernels = lk.gaussians(2.0 ** np.arange(-8, 2))
    lk.alignment_statistics(kernels, X[:50], y[:50])
    tracemalloc.start()
    lk.alignment_statistics(kernels, X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * n * n / 4


def test_resolved_kernels_give_identical_statistics(rng):
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    first = lk.alignment_statistics(None, X, y)
    again = lk.alignment_statistics(resolve(None, X), X, y)
    assert np.array_equal(first.M, again.M)


@pytest.mark.parametrize("kind", ["outlier", "heavy tails"])
def test_statistics_are_accurate_with_outliers(kind, rng):
    X = rng.standard_normal((200, 5)) if kind == "outlier" else rng.standard_cauchy((200, 5))
    if kind == "outlier":
        X[7] += 1e6
    y = rng.choice([-1.0, 1.0], 200)
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    gammas = 2.0 ** np.arange(-20, 11, 5) / np.median(D)
    found = lk.alignment_statistics(lk.gaussians(gammas), X, y, normalize=None)
    a, M, _ = dense.statistics([np.expm1(-gamma * D) for gamma in gammas], y[:, None])
    assert np.allclose(found.M, M, rtol=1e-8, atol=0) and np.allclose(found.a, a, rtol=1e-8, atol=0)
