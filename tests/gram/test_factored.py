"""Kernels held by factors against the definition: dense, sparse, weighted, mixed."""

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.gram import Bank, Threads, pair_sums
from learnkernels.kernels import Block, Gaussian, Linear, On, Source
from tests import dense

N = 50


def counts(rng, n=N, q=9):
    X = rng.poisson(0.5, (n, q)).astype(float)
    X[:, 4] = X[:, 3]  # two kernels the same
    return X


FEATURES = [Block(column, 1, f"x[{column}]") for column in range(9)]
BLOCKS = [Block(0, 3, "first"), Block(2, 4, "overlapping"), Block(8, 1, "last")]
MIXED = [Block(5, 1, "five"), Gaussian(0.3), Block(0, 4, "wide"), Linear(), Block(7, 1, "seven")]
ELSEWHERE = [*FEATURES[:4], On(Source(maps=(np.sqrt,)), Block(1, 3, "roots")), Gaussian(0.1)]
FAMILIES = {"rank one": FEATURES, "blocks": BLOCKS, "mixed": MIXED, "two sources": ELSEWHERE}


@pytest.fixture(params=["dense", "sparse"])
def storage(request):
    return np.asarray if request.param == "dense" else sparse.csr_array


@pytest.fixture(params=FAMILIES)
def kernels(request):
    return FAMILIES[request.param]


def statistics_of(kernels, X, Y, **options):
    return pair_sums(Bank.of(kernels, X), Y, Threads(2), **options)


def test_statistics_are_the_definition(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 2))
    found = statistics_of(kernels, storage(X), Y).statistics()
    a, M, traces = dense.statistics([kernel(X) for kernel in kernels], Y)
    assert np.allclose(found.a, a, rtol=1e-10)
    assert np.allclose(found.M, M, rtol=1e-10, atol=1e-10 * M.max())
    assert np.allclose(found.squares, np.diag(M), rtol=1e-10)
    assert np.allclose(found.traces, traces, rtol=1e-10)


def test_inner_products_part_by_part_are_those_of_the_whole(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    inner = statistics_of(kernels, storage(X), Y).statistics().normalized("trace").inner
    M = inner.full()
    v = rng.random(len(M))
    index = rng.permutation(len(M))[: len(M) - 1]
    mask = np.arange(len(M)) != 1
    assert np.allclose(inner.block(index), M[np.ix_(index, index)], atol=1e-12 * M.max())
    assert np.allclose(inner.times(v), M @ v, rtol=1e-10)
    assert np.isclose(inner.form(v), v @ M @ v)
    assert np.isclose(inner.blocks._form(inner.spread(v)), v @ M @ v)
    assert np.allclose(inner.diagonal, np.diag(M))
    assert np.allclose(inner.keep(mask).full(), M[np.ix_(mask, mask)])
    assert np.allclose(inner.scaled(v).full(), M * np.outer(v, v))


def test_norm_of_many_columns_comes_from_the_combined_gram(storage, rng):
    X = rng.poisson(0.5, (20, 40)).astype(float)  # more columns than samples
    kernels = [Block(column, 1, str(column)) for column in range(40)]
    for more in ([], [Gaussian(0.2)]):
        inner = statistics_of([*kernels, *more], storage(X), np.ones((20, 1))).statistics().inner
        v = rng.random(40 + len(more))
        assert np.isclose(inner.form(v), v @ inner.full() @ v)


def test_weights_of_samples_count_them(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    w = rng.integers(1, 4, N)
    weighted = statistics_of(kernels, storage(X), Y, weights=w.astype(float))
    repeated = statistics_of(kernels, storage(np.repeat(X, w, axis=0)), np.repeat(Y, w, axis=0))
    for found, expected in [
        (weighted.statistics(), repeated.statistics()),
        (weighted.oracle("trace", True).statistics, repeated.oracle("trace", True).statistics),
    ]:
        assert np.allclose(found.a, expected.a)
        assert np.allclose(found.M, expected.M)
        assert np.isclose(found.target_norm, expected.target_norm)


def test_leaving_out_a_block_is_a_fit_without_it(kernels, storage, rng):
    X, Y = counts(rng), rng.standard_normal((N, 1))
    sums = statistics_of(kernels, storage(X), Y, borders=[0, 12, 30, N])
    for block in (0, 1, 2):
        kept = sums.outside(block)
        found = sums.statistics(without=block)
        a, M, traces = dense.statistics([kernel(X[kept]) for kernel in kernels], Y[kept])
        assert np.allclose(found.a, a, atol=1e-10 * a.max())
        assert np.allclose(found.M, M, atol=1e-10 * M.max())
        assert np.allclose(found.traces, traces)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["trace", "frobenius", "cosine", None])
def test_grams_and_products_are_the_definition(kernels, storage, center, normalize, rng):
    X, Z = counts(rng), counts(rng, 7)
    sums = pair_sums(
        Bank.of(kernels, storage(X), raw=not center, cosine=normalize == "cosine"),
        rng.standard_normal((N, 1)),
        Threads(2),
    )
    oracle = sums.oracle(normalize, center)
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
    learned = oracle.kernel(mu)
    assert np.allclose(oracle.gram(mu), expected, atol=1e-10)
    assert np.allclose(oracle.stack(), stack, atol=1e-10)
    assert np.allclose(learned.cross_gram(storage(Z), Threads(1)), new, atol=1e-10)
    coef = rng.standard_normal((N, 2))
    coef -= coef.mean(axis=0)  # as every machine's with a centered Gram
    for outputs in (
        learned.products(storage(Z), coef, Threads(1)),
        learned.function(coef).outputs(storage(Z), Threads(1)),
        learned.products_of(sums.bank.take(np.arange(5)), coef, Threads(1)),
    ):
        wanted = new @ coef if len(outputs) == 7 else expected[:5] @ coef
        assert np.allclose(outputs, wanted, atol=1e-10)
    products = oracle.products(coef)
    assert np.allclose(products.forms(), [np.vdot(coef, K @ coef) for K in stack])
    assert np.allclose(products.of(1), np.array([K @ coef[:, 1] for K in stack]).T)
    if learned.rank < np.inf:
        R = learned.root()
        assert np.allclose(R @ R.T, expected, atol=1e-10)


@pytest.mark.parametrize("theta", [0, 1, 2])
def test_tail_sums_of_blocks_are_those_of_their_grams(theta, storage, rng):
    X = counts(rng)
    kernels = [Block(0, 3, "three"), Block(3, 6, "six"), Gaussian(0.2)]
    oracle = statistics_of(kernels, storage(X), rng.standard_normal((N, 1))).oracle("trace", True)
    for found, K in zip(oracle.tail_sums(theta), oracle.stack(), strict=True):
        eigenvalues = np.linalg.eigvalsh(K)
        assert np.isclose(found, eigenvalues[: N - theta].sum())


def test_a_constant_column_has_weight_zero_and_a_warning(storage, rng):
    X = counts(rng)
    X[:, 2] = 1.0
    with pytest.warns(lk.ConstantKernelWarning, match=r"x\[2\]"):
        model = lk.KernelRegressor(lk.per_feature(), "align").fit(storage(X), X[:, 0])
    assert model.weights_[2] == 0 and np.isclose(model.weights_.sum(), 1)


def test_many_constant_columns_are_counted(rng):
    X = np.ones((20, 30))
    X[:, 0] = rng.standard_normal(20)
    with pytest.warns(lk.ConstantKernelWarning, match="and 19 more"):
        lk.KernelRegressor(lk.per_feature()).fit(X, X[:, 0])


def test_sparse_training_and_dense_new_samples_and_the_other_way_round(rng):
    X, Z = counts(rng), counts(rng, 6)
    y = X[:, 0] - X[:, 1]
    tall, thin = (
        lk.KernelRegressor(lk.per_feature(), "align").fit(kind(X), y)
        for kind in (np.asarray, sparse.csr_array)
    )
    for kind in (np.asarray, sparse.csr_array):
        assert np.allclose(tall.predict(kind(Z)), thin.predict(kind(Z)))


def test_digits_survive_a_large_mean(rng):
    X = rng.standard_normal((N, 4))
    found = lk.alignment_statistics(lk.per_feature(), X + 1e8, X[:, 0], task="regression")
    expected = lk.alignment_statistics(lk.per_feature(), X, X[:, 0], task="regression")
    assert np.allclose(found.M, expected.M, rtol=1e-6)


def test_sparse_columns_are_never_made_dense(rng, monkeypatch):
    X = sparse.csr_array(rng.random((200, 2000)) * (rng.random((200, 2000)) < 0.01))
    y = np.sign(rng.standard_normal(200))

    def refuse(*_args, **_options):
        raise AssertionError("a sparse matrix was made dense")

    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    monkeypatch.setattr(sparse.csr_array, "todense", refuse)
    with pytest.warns(lk.ConstantKernelWarning):
        for method in ("unif", "align"):
            lk.KernelClassifier(lk.per_feature(), method).fit(X, y)


def test_sparse_columns_keep_the_digits_of_their_spread(rng):
    X = rng.standard_normal((200, 3))
    plain = lk.KernelRegressor(lk.per_feature(), "align").fit(X, X[:, 0])
    far = lk.KernelRegressor(lk.per_feature(), "align").fit(sparse.csr_array(X + 1e6), X[:, 0])
    assert np.allclose(plain.weights_, far.weights_, atol=1e-8)


@pytest.mark.parametrize("scale", [1e80, 1e160, 1e-90])
def test_columns_too_large_or_small_to_square_are_said(scale, storage, rng):
    X = counts(rng) * scale
    with pytest.raises(lk.InputError, match="too large or too small"):
        lk.KernelRegressor(lk.per_feature(), "align").fit(storage(X), X[:, 0] / scale)


def test_the_user_s_matrix_stays_as_it_is(rng):
    X = sparse.csr_array(counts(rng))
    twice = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    y = X[:, [0]].toarray()[:, 0]
    found = lk.KernelRegressor(lk.per_feature(), "align").fit(twice, y)
    assert twice.nnz == 2 * X.nnz
    expected = lk.KernelRegressor(lk.per_feature(), "align").fit(X, y)
    assert np.allclose(found.weights_, expected.weights_)
