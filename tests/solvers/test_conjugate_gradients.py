"""Conjugate gradients for several right-hand sides."""

import numpy as np
import pytest

from learnkernels.solvers import conjugate_gradients


@pytest.fixture
def system(rng):
    """Return a definite matrix and three right-hand sides."""
    R = rng.standard_normal((80, 60))
    return R @ R.T + 0.5 * np.eye(80), rng.standard_normal((80, 3))


@pytest.mark.parametrize("preconditioned", [False, True])
def test_solution_equals_the_direct_one(system, preconditioned):
    A, B = system

    def precondition(V):
        return V / np.diag(A)[:, None] if preconditioned else V

    X, AX, iterations = conjugate_gradients(lambda V: A @ V, B, precondition, 1e-12, 500)
    assert np.allclose(X, np.linalg.solve(A, B), atol=1e-10) and np.allclose(AX, A @ X)
    assert 0 < iterations <= 500


def test_max_iter_limits_the_products(system):
    A, B = system
    products = []
    conjugate_gradients(lambda V: products.append(1) or A @ V, B, lambda V: V, 1e-12, 10)
    assert len(products) == 11  # and one for the residual


def test_indefinite_matrix_ends_without_a_step(system):
    _, B = system
    X, _, iterations = conjugate_gradients(lambda V: -V, B, lambda V: V, 1e-12, 10)
    assert not X.any() and iterations == 0


def test_residual_stops_where_rounding_prevents_progress(rng):
    A = np.diag(np.geomspace(1e-16, 1.0, 50))
    B = rng.standard_normal((50, 1))
    _, _, iterations = conjugate_gradients(lambda V: A @ V, B, lambda V: V, 1e-15, 10_000)
    assert iterations < 10_000


def test_exact_preconditioner_converges_in_two_iterations_with_a_zero_target(rng):
    A = rng.standard_normal((30, 30))
    A = A @ A.T + np.eye(30)
    B = rng.standard_normal((30, 3))
    B[:, 1] = 0.0
    X, AX, iterations = conjugate_gradients(lambda V: A @ V, B, lambda V: V, 1e-12, 200)
    assert np.allclose(X, np.linalg.solve(A, B)) and np.allclose(AX, B, atol=1e-9)
    _, _, fewer = conjugate_gradients(
        lambda V: A @ V, B, lambda V: np.linalg.solve(A, V), 1e-12, 200
    )
    assert fewer <= 2 < iterations


@pytest.mark.parametrize("scale", [2.0**-60, 2.0**60])
def test_residuals_are_relative_to_the_right_hand_side(system, scale):
    A, B = system
    X, _, iterations = conjugate_gradients(lambda V: A @ V, B, lambda V: V, 1e-12, 500)
    scaled, _, same = conjugate_gradients(lambda V: A @ V, scale * B, lambda V: V, 1e-12, 500)
    assert np.array_equal(scaled, scale * X) and same == iterations
