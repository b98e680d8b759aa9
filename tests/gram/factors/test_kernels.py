"""Kernels held as factors, against their definition: dense, sparse, weighted, mixed."""

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums
from learnkernels.kernels import FactorKernel, Gaussian, Linear, On, Source
from tests import dense

N = 50


def counts(rng, n=N, q=9):
    X = rng.poisson(0.5, (n, q)).astype(float)
    X[:, 4] = X[:, 3]  # two equal kernels
    return X


FEATURES = [FactorKernel(column, 1, f"x[{column}]") for column in range(9)]
BLOCKS = [
    FactorKernel(0, 3, "first"),
    FactorKernel(2, 4, "overlapping"),
    FactorKernel(8, 1, "last"),
]
MIXED = [
    FactorKernel(5, 1, "five"),
    Gaussian(0.3),
    FactorKernel(0, 4, "wide"),
    Linear(),
    FactorKernel(7, 1, "seven"),
]
TWO_SOURCES = [
    *FEATURES[:4],
    On(Source(maps=(np.sqrt,)), FactorKernel(1, 3, "roots")),
    Gaussian(0.1),
]
FAMILIES = {"rank one": FEATURES, "blocks": BLOCKS, "mixed": MIXED, "two sources": TWO_SOURCES}


@pytest.fixture(params=["dense", "sparse"])
def storage(request):
    return np.asarray if request.param == "dense" else sparse.csr_array


@pytest.fixture(params=FAMILIES)
def kernels(request):
    return FAMILIES[request.param]


def sums_of(kernels, X, Y, **options):
    return KernelSums.of(BaseKernels.of(kernels, X), Y, Threads(2), **options)


def test_statistics_equal_their_definition(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 2))
    found = sums_of(kernels, storage(X), Y).centered(None).statistics
    a, M, traces = dense.statistics([kernel(X) for kernel in kernels], Y)
    assert np.allclose(found.a, a, rtol=1e-10)
    assert np.allclose(found.M, M, rtol=1e-10, atol=1e-10 * M.max())
    assert np.allclose(found.squares, np.diag(M), rtol=1e-10)
    assert np.allclose(found.traces, traces, rtol=1e-10)


def test_parts_of_inner_products_equal_those_of_the_full_matrix(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    inner = sums_of(kernels, storage(X), Y).centered("trace").statistics.inner
    M = inner.full()
    v = rng.random(len(M))
    index = rng.permutation(len(M))[: len(M) - 1]
    mask = np.arange(len(M)) != 1
    assert np.allclose(inner.block(index), M[np.ix_(index, index)], atol=1e-12 * M.max())
    assert np.allclose(inner.times(v), M @ v, rtol=1e-10)
    assert np.isclose(inner.form(v), v @ M @ v)
    assert np.isclose(inner.blocks._form(inner.expanded(v)), v @ M @ v)
    assert np.allclose(inner.diagonal, np.diag(M))
    assert np.allclose(inner.keep(mask).full(), M[np.ix_(mask, mask)])
    assert np.allclose(inner.scaled(v).full(), M * np.outer(v, v))


def test_norm_with_more_columns_than_samples_equals_the_quadratic_form(storage, rng):
    X = rng.poisson(0.5, (20, 40)).astype(float)  # more columns than samples
    kernels = [FactorKernel(column, 1, str(column)) for column in range(40)]
    for more in ([], [Gaussian(0.2)]):
        sums = sums_of([*kernels, *more], storage(X), np.ones((20, 1)))
        inner = sums.centered(None).statistics.inner
        v = rng.random(40 + len(more))
        assert np.isclose(inner.form(v), v @ inner.full() @ v)


def test_sample_weights_equal_repeated_samples(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    w = rng.integers(1, 4, N)
    weighted = sums_of(kernels, storage(X), Y, weights=w.astype(float))
    repeated = sums_of(kernels, storage(np.repeat(X, w, axis=0)), np.repeat(Y, w, axis=0))
    for normalize in (None, "trace"):
        found, expected = (one.centered(normalize).statistics for one in (weighted, repeated))
        assert np.allclose(found.a, expected.a)
        assert np.allclose(found.M, expected.M)
        assert np.isclose(found.target_norm, expected.target_norm)


def test_statistics_without_a_block_equal_those_of_the_other_samples(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    borders = [0, 12, 30, N]
    sums = sums_of(kernels, storage(X), Y, borders=borders)
    for block in (0, 1, 2):
        kept = np.delete(np.arange(N), slice(*borders[block : block + 2]))
        found = sums.without(block)[1].centered(None).statistics
        a, M, traces = dense.statistics([kernel(X[kept]) for kernel in kernels], Y[kept])
        assert np.allclose(found.a, a, atol=1e-10 * a.max())
        assert np.allclose(found.M, M, atol=1e-10 * M.max())
        assert np.allclose(found.traces, traces)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["trace", "frobenius", "cosine", None])
def test_grams_and_products_equal_their_definition(kernels, storage, center, normalize, rng):
    X, Z = counts(rng), counts(rng, 7)
    base = BaseKernels.of(kernels, storage(X), raw=not center, cosine=normalize == "cosine")
    centered = KernelSums.of(base, rng.standard_normal((N, 1)), Threads(2)).centered(
        normalize, center
    )
    mu = rng.random(len(kernels))
    mu[1] = 0.0
    expected, new, stack = np.zeros((N, N)), np.zeros((7, N)), []
    for weight, kernel in zip(mu, kernels, strict=True):
        K, L = kernel(X), kernel(Z, X)
        if normalize == "cosine":
            roots = [np.sqrt(kernel.diagonal(data)) for data in (X, Z)]
            left, right = [np.divide(1, r, out=np.zeros_like(r), where=r > 0) for r in roots]
            K, L = K * np.outer(left, left), L * np.outer(right, left)
        C = dense.centered(K)
        if center:
            L = L - K.mean(axis=0) - L.mean(axis=1, keepdims=True) + K.mean()
        used = C if center else K
        scale = {"trace": np.trace(used) / N, "frobenius": np.linalg.norm(C)}.get(normalize, 1.0)
        stack.append(used / scale)
        expected += weight * used / scale
        new += weight * L / scale
    learned = centered.kernel(mu)
    assert np.allclose(centered.gram(mu), expected, atol=1e-10)
    assert np.allclose(centered.stack(), stack, atol=1e-10)
    assert np.allclose(learned.cross_gram(storage(Z), Threads(1)), new, atol=1e-10)
    coef = rng.standard_normal((N, 2))
    coef -= coef.mean(axis=0)  # as those of every machine with a centered Gram
    for outputs in (
        learned.products(storage(Z), coef, Threads(1)),
        sum(part.outputs(storage(Z), Threads(1)) for part in learned.functions(coef)),
        learned.products_of(coef, base.take(np.arange(5)), Threads(1)),
    ):
        wanted = new @ coef if len(outputs) == 7 else expected[:5] @ coef
        assert np.allclose(outputs, wanted, atol=1e-10)
    products = centered.products(coef)
    assert np.allclose(products.forms(), [np.vdot(coef, K @ coef) for K in stack])
    assert np.allclose(products.of(1), np.array([K @ coef[:, 1] for K in stack]).T)
    if learned.rank < np.inf:
        R = learned.root()
        assert np.allclose(R @ R.T, expected, atol=1e-10)


@pytest.mark.parametrize("theta", [0, 1, 2])
def test_tail_sums_equal_those_of_the_grams(theta, storage, rng):
    X = counts(rng)
    kernels = [FactorKernel(0, 3, "three"), FactorKernel(3, 6, "six"), Gaussian(0.2)]
    centered = sums_of(kernels, storage(X), rng.standard_normal((N, 1))).centered("trace")
    for found, K in zip(centered.tail_sums(theta), centered.stack(), strict=True):
        eigenvalues = np.linalg.eigvalsh(K)
        assert np.isclose(found, eigenvalues[: N - theta].sum())


def test_constant_column_gets_weight_zero_and_a_warning(storage, rng):
    X = counts(rng)
    X[:, 2] = 1.0
    with pytest.warns(lk.ConstantKernelWarning, match=r"x\[2\]"):
        model = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(storage(X), X[:, 0])
    assert model.weights_[2] == 0 and np.isclose(model.weights_.sum(), 1)


def test_warning_counts_many_constant_columns(rng):
    X = np.ones((20, 30))
    X[:, 0] = rng.standard_normal(20)
    with pytest.warns(lk.ConstantKernelWarning, match="and 19 more"):
        lk.KernelRegressor(lk.per_feature(), method="alignf", alpha=1.0).fit(X, X[:, 0])


def test_dense_and_sparse_samples_give_the_same_predictions(rng):
    X, Z = counts(rng), counts(rng, 6)
    y = X[:, 0] - X[:, 1]
    from_dense, from_sparse = (
        lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(kind(X), y)
        for kind in (np.asarray, sparse.csr_array)
    )
    for kind in (np.asarray, sparse.csr_array):
        assert np.allclose(from_dense.predict(kind(Z)), from_sparse.predict(kind(Z)))


def test_statistics_are_accurate_with_a_large_mean(rng):
    X = rng.standard_normal((N, 4))
    found = lk.alignment_statistics(lk.per_feature(), X + 1e8, X[:, 0], task="regression")
    expected = lk.alignment_statistics(lk.per_feature(), X, X[:, 0], task="regression")
    assert np.allclose(found.M, expected.M, rtol=1e-6)


def test_sparse_columns_stay_sparse(rng, monkeypatch):
    X = sparse.csr_array(rng.random((200, 2000)) * (rng.random((200, 2000)) < 0.01))
    y = np.sign(rng.standard_normal(200))

    def refuse(*_args, **_options):
        raise AssertionError("a sparse matrix was made dense")

    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    monkeypatch.setattr(sparse.csr_array, "todense", refuse)
    with pytest.warns(lk.ConstantKernelWarning):
        for method in ("unif", "align"):
            lk.KernelClassifier(lk.per_feature(), method, C=1.0).fit(X, y)


def test_weights_of_sparse_columns_are_accurate_with_a_large_mean(rng):
    X = rng.standard_normal((200, 3))
    plain = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(X, X[:, 0])
    far = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(
        sparse.csr_array(X + 1e6), X[:, 0]
    )
    assert np.allclose(plain.weights_, far.weights_, atol=1e-8)


@pytest.mark.parametrize("scale", [1e80, 1e160, 1e-90])
def test_columns_with_overflowing_squares_raise_input_error(scale, storage, rng):
    X = counts(rng) * scale
    with pytest.raises(lk.InputError, match="too large or too small"):
        lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(storage(X), X[:, 0] / scale)


def test_sparse_matrix_with_duplicate_entries_is_not_modified(rng):
    X = sparse.csr_array(counts(rng))
    twice = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    y = X[:, [0]].toarray()[:, 0]
    found = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(twice, y)
    assert twice.nnz == 2 * X.nnz
    expected = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(X, y)
    assert np.allclose(found.weights_, expected.weights_)
