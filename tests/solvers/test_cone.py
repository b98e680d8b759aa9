"""Quadratic functions over non-negative vectors in a cone and the unit ball."""

import cvxpy as cp
import numpy as np
import pytest

from learnkernels.solvers import AlignedBall
from tests.methods.problems import solved


def ball_of(p, omega, seed):
    """Return a random set with an interior, and a factor of its matrix."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((p, p)) / np.sqrt(p) + np.eye(p)
    M = L @ L.T
    inside = rng.random(p) + 0.1
    a = M @ inside / np.sqrt(inside @ M @ inside)  # a'x >= omega sqrt(x'M x) there if omega < 1
    return AlignedBall(M, a, omega, 0.5 * inside / np.linalg.norm(inside)), L


@pytest.mark.parametrize("omega", [0.0, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("p", [1, 2, 6, 30])
def test_both_problems_reach_the_optimum_inside_the_set(p, omega):
    ball, L = ball_of(p, omega, p)
    rng = np.random.default_rng(p)
    q = rng.standard_normal(p)
    B = rng.standard_normal((p, p))
    y = cp.Variable(p, nonneg=True)
    rules = [cp.norm(y, 2) <= 1, omega * cp.norm(L.T @ y, 2) <= ball.a @ y]
    x, bound = ball.maximise(q)
    expected = solved(cp.Problem(cp.Maximize(q @ y), rules))
    assert np.isclose(q @ x, expected, atol=1e-6)
    assert q @ x <= bound <= q @ x + 1e-6
    z = ball.minimise(B.T @ B, q)
    value = cp.sum_squares(B @ y) / 2 - q @ y
    expected = solved(cp.Problem(cp.Minimize(value), rules))
    assert np.isclose(z @ B.T @ B @ z / 2 - q @ z, expected, atol=1e-6)
    for point in (x, z):
        assert (point >= 0).all() and point @ point <= 1
        assert ball.a @ point >= omega * np.sqrt(point @ ball.M @ point)
