"""The non-negative quadratic program: optimal, also where M is singular."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from learnkernels.solvers import kkt_residual, nonnegative_qp, qp_certificate, simplex_qp


def kernels_like(rng, p, rank):
    """Return M and a as inner products of non-negative vectors, like those of kernels."""
    B = rng.random((rank, p))
    target = rng.random(rank) * (rng.random(rank) < 0.5)
    return B.T @ B, B.T @ target, B, target


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_optimality_conditions_hold_and_value_equals_nnls(seed, p, rank):
    M, a, B, target = kernels_like(np.random.default_rng(seed), p, rank)
    v, certificate = nonnegative_qp(M, a)
    assert (v >= 0).all() and np.isfinite(v).all()
    assert kkt_residual(M, a, v) <= 1e-8
    _, distance = nnls(B, target)
    assert np.isclose(certificate.primal, distance**2 - target @ target, atol=1e-8)
    assert certificate.gap <= 1e-6 or certificate.primal > -1e-8


@pytest.mark.parametrize("p", [1, 2, 10, 300, 2000])
def test_every_size_reaches_optimality(p, rng):
    M, a, _, _ = kernels_like(rng, p, 2 * p)
    v, certificate = nonnegative_qp(M, a)
    assert kkt_residual(M, a, v) <= 1e-8
    assert certificate.status == "optimal"


def test_duplicated_and_nearly_duplicated_kernels_reach_optimality(rng):
    M, a, B, target = kernels_like(rng, 15, 40)
    B = np.hstack([B, B, B * (1 + 1e-12 * rng.random(B.shape)), B[:, :3] + B[:, 3:6]])
    M, a = B.T @ B, B.T @ target
    v, certificate = nonnegative_qp(M, a)
    assert kkt_residual(M, a, v) <= 1e-8
    assert certificate.gap <= 1e-8


def test_solution_does_not_depend_on_scales_of_many_orders(rng):
    M, a, _, _ = kernels_like(rng, 12, 30)
    v, _ = nonnegative_qp(M, a)
    c = 10.0 ** rng.integers(-80, 80, 12)
    scaled, _ = nonnegative_qp(M * np.outer(c, c), a * c)
    assert np.allclose(scaled * c, v, rtol=1e-6, atol=1e-9 * v.max())


def test_zero_kernels_get_weight_zero(rng):
    M, a, _, _ = kernels_like(rng, 6, 20)
    M[2], M[:, 2], a[2] = 0.0, 0.0, 0.0
    v, _ = nonnegative_qp(M, a)
    assert v[2] == 0.0 and kkt_residual(M, a, v) <= 1e-8


def test_negative_linear_term_is_optimal_at_zero():
    v, certificate = nonnegative_qp(np.eye(3), np.array([-1.0, 0.0, -2.0]))
    assert not v.any() and certificate.gap == 0.0


def test_certificate_of_a_poor_point_has_a_large_gap(rng):
    M, a, _, _ = kernels_like(rng, 8, 20)
    v, best = nonnegative_qp(M, a)
    bad = np.full(8, v.mean())
    worse = qp_certificate(np.diag(M), M @ bad, a, bad, 0)
    assert worse.status == "not converged"
    assert worse.dual <= best.primal + 1e-9 and worse.primal >= best.primal


def test_dual_value_of_any_point_is_a_lower_bound(rng):
    M, a, _, _ = kernels_like(rng, 30, 60)
    _, best = nonnegative_qp(M, a)
    for scale in (0.0, 0.01, 1.0, 100.0):
        v = scale * rng.random(30)
        certificate = qp_certificate(np.diag(M), M @ v, a, v, 0)
        assert certificate.dual <= best.primal + 1e-9 and certificate.primal >= best.primal - 1e-9


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.1])
def test_dual_value_just_below_the_solution_is_a_lower_bound(rng, size):
    # Here the shifted point has the better bound of the two.
    M, a, _, _ = kernels_like(rng, 20, 60)
    v, best = nonnegative_qp(M, a)
    v *= 1 - size * rng.random(20)
    certificate = qp_certificate(np.diag(M), M @ v, a, v, 0)
    assert certificate.dual <= best.primal * (1 - 1e-9) and certificate.primal >= best.primal


def test_gap_is_small_with_a_small_unmet_entry():
    # The tiny third entry misses its target by all of it, which hardly costs anything.
    M, a, v = np.eye(3), np.array([1.0, 1.0, 1e-9]), np.array([1.0, 1.0, 0.0])
    assert qp_certificate(np.diag(M), M @ v, a, v, 0).gap <= 1e-15


def known_minimiser(rng, p, positive, correlation=0.9):
    """Return a definite H with correlated columns, h, and the minimiser over the simplex."""
    B = rng.standard_normal((2 * p, p)) + np.sqrt(correlation / (1 - correlation))
    H = B.T @ B
    z = np.zeros(p)
    z[rng.permutation(p)[:positive]] = 0.05 + rng.random(positive)
    z /= z.sum()
    slope = np.where(z > 0, 0.0, 0.1 * np.abs(rng.standard_normal(p)) * np.abs(H @ z).max())
    return H, H @ z - slope, z


def guesses(rng, z):
    yield "exact", z
    wrong = z.copy()
    wrong[rng.permutation(np.flatnonzero(z > 0))[:5]] = 0.0
    wrong[rng.permutation(np.flatnonzero(z == 0))[:5]] = 1.0
    yield "five too many, five too few", wrong
    yield "none", np.zeros(len(z))
    yield "all", np.ones(len(z))
    yield "the opposite", (z == 0).astype(float)
    yield "any", rng.standard_normal(len(z))


def test_start_does_not_change_the_minimiser(rng):
    H, h, z = known_minimiser(rng, 120, 40)
    cold, _ = nonnegative_qp(H, h)
    for name, guess in guesses(rng, z):
        v, certificate = nonnegative_qp(H, h, guess)
        assert certificate.status == "optimal"
        assert np.allclose(v, cold, atol=1e-12) and np.allclose(v, z, atol=1e-12), name
        assert np.array_equal(v > 0, cold > 0)
        assert np.allclose(simplex_qp(H, h + 3.0, 1.0, guess), z, atol=1e-11), name


def test_exact_start_takes_no_step(rng):
    H, h, z = known_minimiser(rng, 200, 80)
    _, certificate = nonnegative_qp(H, h, z)
    assert certificate.iterations == 0
    _, certificate = nonnegative_qp(H, h)
    assert certificate.iterations >= 80


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 40))
@example(seed=149, p=19, rank=3)  # needs an exchange of nearly equal entries
@settings(max_examples=100, deadline=None)
def test_any_start_reaches_optimality_with_singular_M(seed, p, rank):
    rng = np.random.default_rng(seed)
    _, _, B, target = kernels_like(rng, p, rank)
    # Duplicates, and some that differ in a few digits only.
    B = np.hstack([B, B, B * (1 + 10.0 ** rng.integers(-12, -3) * rng.random(B.shape))])
    M, a = B.T @ B, B.T @ target
    cold, best = nonnegative_qp(M, a)
    for guess in (np.ones(3 * p), cold, rng.standard_normal(3 * p)):
        v, certificate = nonnegative_qp(M, a, guess)
        assert (v >= 0).all()
        assert kkt_residual(M, a, v) <= 1e-12
        assert np.isclose(certificate.primal, best.primal, atol=1e-8)


def test_start_with_zero_kernels_is_ignored(rng):
    M, a, _, _ = kernels_like(rng, 6, 20)
    M[2], M[:, 2], a[2] = 0.0, 0.0, 0.0
    v, _ = nonnegative_qp(M, a, np.ones(6))
    assert v[2] == 0.0 and kkt_residual(M, a, v) <= 1e-8


def test_simplex_minimiser_satisfies_its_optimality_conditions(rng):
    M, a, _, _ = kernels_like(rng, 50, 80)
    for radius in (0.1, 1.0, 30.0):
        z = simplex_qp(M, a, radius)
        gradient = M @ z - a
        assert np.isclose(z.sum(), radius) and (z >= 0).all()
        # One multiplier for all positive entries, and no gradient below it.
        assert np.ptp(gradient[z > 0]) <= 1e-8 * np.abs(gradient).max()
        assert gradient.min() >= gradient[z > 0].max() - 1e-8 * np.abs(gradient).max()
