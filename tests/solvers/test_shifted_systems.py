"""Systems that differ by a shift have their own solutions."""

import numpy as np
import pytest

from learnkernels.solvers import shifted_conjugate_gradients


@pytest.mark.parametrize("n_targets", [1, 3])
def test_solutions_agree_with_direct_ones(n_targets):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 40))
    A = Z @ Z.T + 0.5 * np.eye(60)
    B = rng.standard_normal((60, n_targets))
    shifts = np.array([3.0, 0.0, 0.1, 1000.0])
    X, residuals = shifted_conjugate_gradients(lambda V: A @ V, B, shifts, 1e-10, 500)
    assert (residuals <= 1e-10).all()
    for shift, found in zip(shifts, X, strict=True):
        np.testing.assert_allclose(found, np.linalg.solve(A + shift * np.eye(60), B), atol=1e-8)


def test_larger_shifts_converge_first():
    d = 10.0 ** np.linspace(-6, 0, 50)[:, None]
    shifts = np.array([0.0, 1e-3, 1.0])
    _, residuals = shifted_conjugate_gradients(lambda V: d * V, np.ones((50, 1)), shifts, 1e-8, 12)
    assert residuals[2] < residuals[1] < residuals[0]
    assert residuals[2] <= 1e-8


def test_zero_target_has_solution_zero():
    X, residuals = shifted_conjugate_gradients(
        lambda V: V, np.zeros((4, 1)), np.array([0.0, 1.0]), 1e-8, 5
    )
    assert not X.any() and not residuals.any()


def test_zero_target_beside_another_one_has_solution_zero(rng):
    B = np.column_stack([rng.standard_normal(6), np.zeros(6)])
    d = np.arange(1.0, 7.0)[:, None]
    X, _ = shifted_conjugate_gradients(lambda V: d * V, B, np.array([0.0, 1.0]), 1e-10, 50)
    assert np.allclose(X[0], B / d) and np.allclose(X[1], B / (d + 1))
