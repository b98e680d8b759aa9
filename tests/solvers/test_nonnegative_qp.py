"""The quadratic program: optimal, also where M is singular."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from learnkernels.solvers import kkt_residual, nonnegative_qp, qp_certificate


def kernels_like(rng, p, rank):
    """M and a as inner products of non-negative vectors, like those of kernels."""
    B = rng.random((rank, p))
    target = rng.random(rank) * (rng.random(rank) < 0.5)
    return B.T @ B, B.T @ target, B, target


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_conditions_hold_and_the_value_is_that_of_nnls(seed, p, rank):
    M, a, B, target = kernels_like(np.random.default_rng(seed), p, rank)
    v, certificate = nonnegative_qp(M, a)
    assert (v >= 0).all() and np.isfinite(v).all()
    assert kkt_residual(M, a, v) <= 1e-8
    _, distance = nnls(B, target)
    assert np.isclose(certificate.primal, distance**2 - target @ target, atol=1e-8)
    assert certificate.gap <= 1e-6 or certificate.primal > -1e-8


@pytest.mark.parametrize("p", [1, 2, 10, 300, 2000])
def test_every_size(p, rng):
    M, a, _, _ = kernels_like(rng, p, 2 * p)
    v, certificate = nonnegative_qp(M, a)
    assert kkt_residual(M, a, v) <= 1e-8
    assert certificate.status == "optimal"


def test_duplicated_and_nearly_duplicated_kernels(rng):
    M, a, B, target = kernels_like(rng, 15, 40)
    B = np.hstack([B, B, B * (1 + 1e-12 * rng.random(B.shape)), B[:, :3] + B[:, 3:6]])
    M, a = B.T @ B, B.T @ target
    v, certificate = nonnegative_qp(M, a)
    assert kkt_residual(M, a, v) <= 1e-8
    assert certificate.gap <= 1e-8


def test_scales_that_differ_by_many_orders(rng):
    M, a, _, _ = kernels_like(rng, 12, 30)
    v, _ = nonnegative_qp(M, a)
    c = 10.0 ** rng.integers(-80, 80, 12)
    scaled, _ = nonnegative_qp(M * np.outer(c, c), a * c)
    assert np.allclose(scaled * c, v, rtol=1e-6, atol=1e-9 * v.max())


def test_zero_kernels_get_zero(rng):
    M, a, _, _ = kernels_like(rng, 6, 20)
    M[2], M[:, 2], a[2] = 0.0, 0.0, 0.0
    v, _ = nonnegative_qp(M, a)
    assert v[2] == 0.0 and kkt_residual(M, a, v) <= 1e-8


def test_nothing_to_gain_is_optimal_at_zero():
    v, certificate = nonnegative_qp(np.eye(3), np.array([-1.0, 0.0, -2.0]))
    assert not v.any() and certificate.gap == 0.0


def test_certificate_of_a_bad_point_is_bad(rng):
    M, a, _, _ = kernels_like(rng, 8, 20)
    v, best = nonnegative_qp(M, a)
    worse = qp_certificate(M, a, np.full(8, v.mean()), 0)
    assert worse.status == "not converged"
    assert worse.dual <= best.primal + 1e-9 and worse.primal >= best.primal
