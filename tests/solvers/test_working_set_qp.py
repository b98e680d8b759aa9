"""The quadratic program without its matrix: the same solution, also where M is singular."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from learnkernels.solvers import kkt_residual, nonnegative_qp, working_set_qp
from learnkernels.solvers.working_set_qp import projected_conjugate_gradients


class Dense:
    """Products with a dense matrix, counted."""

    def __init__(self, M):
        self.M, self.diagonal = M, np.diag(M)
        self.blocks, self.count = [], 0

    def block(self, index):
        self.blocks.append(len(index))
        return self.M[np.ix_(index, index)]

    def times(self, v):
        self.count += 1
        return self.M @ v


class Text:
    """M_kl = (x_k'x_l)^2 for the centered columns of a sparse matrix of counts."""

    def __init__(self, X):
        self.X, self.n = sp.csc_array(X), X.shape[0]
        self.mean = self.X.mean(axis=0)
        self.diagonal = (self.X.multiply(self.X).sum(axis=0) - self.n * self.mean**2) ** 2

    def block(self, index):
        X = self.X[:, index]
        return ((X.T @ X).toarray() - self.n * np.outer(self.mean[index], self.mean[index])) ** 2

    def times(self, v):
        # (Mv)_k = x_k'K x_k with K = sum_l v_l x_l x_l', centered on both sides
        K = ((self.X * v[None]) @ self.X.T).toarray()
        K = K - K.mean(axis=0)
        K = K - K.mean(axis=1)[:, None]
        return self.X.multiply(K @ self.X).sum(axis=0)


def kernels_like(X, y):
    """Return M_kl = (x_k'x_l)^2 and a_k = (x_k'y)^2 for centered columns."""
    X, y = X - X.mean(axis=0), y - y.mean()
    return (X.T @ X) ** 2, (X.T @ y) ** 2


def features(rng, n, p, kind):
    X = rng.standard_normal((n, p))
    if kind == "correlated":
        return 0.3 * X + rng.standard_normal((n, 4)) @ rng.standard_normal((4, p))
    if kind == "duplicates":
        return X[:, rng.integers(0, max(p // 3, 1), p)] * rng.choice([-2.0, 1.0], p)
    if kind == "near duplicates":
        return X[:, rng.integers(0, max(p // 3, 1), p)] * (1 + 1e-5 * rng.standard_normal((n, p)))
    if kind == "smooth":
        return np.cumsum(X, axis=1)
    return X


KINDS = ["independent", "correlated", "duplicates", "near duplicates", "smooth"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(3, 80), st.sampled_from(KINDS))
@settings(max_examples=100, deadline=None)
def test_optimality_conditions_hold_and_value_equals_active_set(seed, p, n, kind):
    rng = np.random.default_rng(seed)
    X = features(rng, n, p, kind)
    M, a = kernels_like(X, X[:, 0] + rng.standard_normal(n))
    v, certificate = working_set_qp(Dense(M), a)
    _, exact = nonnegative_qp(M, a)
    assert (v >= 0).all()
    assert kkt_residual(M, a, v) <= 1e-9
    assert certificate.status == "optimal"
    assert np.isclose(certificate.primal, exact.primal, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense_target", [False, True])
def test_growing_working_sets_reach_optimality(kind, dense_target, rng):
    X = features(rng, 100, 300, kind)
    M, a = kernels_like(X, X[:, 0] + rng.standard_normal(100))
    if dense_target:
        a = M @ (rng.random(300) / np.sqrt(np.diag(M)))
    products = Dense(M)
    v, certificate = working_set_qp(products, a, first=5)
    _, exact = nonnegative_qp(M, a)
    assert kkt_residual(M, a, v) <= 1e-10
    assert certificate.status == "optimal"
    assert np.isclose(certificate.primal, exact.primal, rtol=1e-9)
    sizes = np.array(products.blocks)
    assert sizes[0] == 5 and (sizes[1:] <= 2 * sizes[:-1]).all()


def test_unique_solution_equals_that_of_the_active_set(rng):
    M, a = kernels_like(features(rng, 400, 300, "correlated"), rng.standard_normal(400))
    v, _ = working_set_qp(Dense(M), a)
    exact, _ = nonnegative_qp(M, a)
    assert np.allclose(v, exact, atol=1e-8 * exact.max())


def test_projected_conjugate_gradients_converge_with_singular_M(rng):
    M, _ = kernels_like(features(rng, 50, 200, "duplicates"), rng.standard_normal(50))
    root = np.sqrt(np.diag(M))
    Q, b = M / np.outer(root, root), rng.random(200) ** 4
    b = Q @ b
    x, spent = projected_conjugate_gradients(Q, b, np.zeros(200), 1e-11 * b.max(), 400)
    assert kkt_residual(Q, b, x) <= 1e-10 and spent < 400


@pytest.mark.parametrize("labels", [True, False])
def test_sparse_counts_of_four_thousand_words_reach_optimality(labels, rng):
    n, p = 600, 4000
    frequency = 1 / np.arange(1, p + 1)
    words = rng.choice(p, size=(n, 80), p=frequency / frequency.sum())
    X = sp.coo_array((np.ones(n * 80), (np.repeat(np.arange(n), 80), words.ravel())), (n, p))
    products = Text(X)
    if labels:
        y = np.sign(rng.standard_normal(n))
        a = (products.X.T @ (y - y.mean())) ** 2
    else:
        root = np.sqrt(np.where(products.diagonal > 0, products.diagonal, np.inf))
        a = products.times(rng.random(p) / root)  # most words are of use
    v, certificate = working_set_qp(products, a)
    assert certificate.status == "optimal"
    assert not v[products.diagonal == 0].any()
    assert kkt_residual(products.block(np.arange(p)), a, v) <= 1e-8
    assert labels or np.mean(v > 0) > 0.6


def test_sparse_solution_needs_only_a_small_block(rng):
    M, a = kernels_like(features(rng, 60, 3000, "correlated"), rng.standard_normal(60))
    products = Dense(M)
    v, certificate = working_set_qp(products, a)
    assert certificate.status == "optimal" and kkt_residual(M, a, v) <= 1e-10
    assert max(products.blocks) <= 1500


@pytest.mark.parametrize("p", [1, 7, 1200])
def test_identical_kernels_reach_optimality(p, rng):
    x = rng.standard_normal((20, 1))
    M, a = kernels_like(np.repeat(x, p, axis=1), x[:, 0] + rng.standard_normal(20))
    v, certificate = working_set_qp(Dense(M), a)
    assert certificate.status == "optimal" and kkt_residual(M, a, v) <= 1e-10
    assert np.isclose(v.sum(), a[0] / M[0, 0])


def test_negative_linear_term_is_optimal_at_zero():
    for a in (np.zeros(3), np.array([-1.0, 0.0, -2.0])):
        products = Dense(np.eye(3))
        v, certificate = working_set_qp(products, a)
        assert not v.any() and certificate.status == "optimal" and products.count == 0


def test_solution_does_not_depend_on_scales_of_many_orders(rng):
    M, a = kernels_like(features(rng, 50, 30, "correlated"), rng.standard_normal(50))
    v, _ = working_set_qp(Dense(M), a)
    c = 10.0 ** rng.integers(-60, 60, 30)
    scaled, _ = working_set_qp(Dense(M * np.outer(c, c)), a * c)
    assert np.allclose(scaled * c, v, rtol=1e-6, atol=1e-7 * v.max())


def test_max_products_gives_not_converged(rng):
    M, _ = kernels_like(features(rng, 100, 300, "near duplicates"), rng.standard_normal(100))
    a = M @ rng.random(300)  # many are of use, and the first sets hold few
    v, certificate = working_set_qp(Dense(M), a, max_products=10, first=5)
    assert certificate.status == "not converged" and (v >= 0).all()
    assert certificate.iterations < 30


def test_inconsistent_products_give_not_converged(rng):
    M, a = kernels_like(features(rng, 100, 50, "correlated"), rng.standard_normal(100))
    products = Dense(M)
    products.times = lambda v: (1 + 1e-4) * (M @ v)
    _, certificate = working_set_qp(products, a)
    assert certificate.status == "not converged"


def test_negative_entries_give_not_converged():
    _, certificate = working_set_qp(Dense(np.array([[1.0, -1.0], [-1.0, 1.0]])), np.ones(2))
    assert certificate.status == "not converged"
