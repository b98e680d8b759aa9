"""Maximisers of linear functions over sets of weights."""

import numpy as np
import pytest

from learnkernels.solvers import Ball, LpBall, Simplex

RADIUS = 0.7
CENTER = np.array([0.3, 0.0, 1.0, 0.2])
SETS = {
    "simplex": (Simplex(RADIUS), lambda mu: RADIUS * mu / mu.sum()),
    "1.5-ball": (LpBall(1.5, RADIUS), lambda mu: RADIUS * mu / np.linalg.norm(mu, 1.5)),
    "3-ball": (LpBall(3.0, RADIUS), lambda mu: RADIUS * mu / np.linalg.norm(mu, 3.0)),
    "ball": (Ball(CENTER, RADIUS), lambda mu: CENTER + RADIUS * mu / np.linalg.norm(mu)),
}


@pytest.mark.parametrize("name", SETS)
def test_no_feasible_point_has_a_larger_value(name, rng):
    allowed, onto_boundary = SETS[name]
    for v in rng.random((20, 4)):
        best = allowed.argmax_linear(v)
        assert np.allclose(onto_boundary(best - (CENTER if name == "ball" else 0)), best)
        for mu in rng.random((50, 4)):
            assert v @ onto_boundary(mu) <= v @ best + 1e-12


@pytest.mark.parametrize("name", SETS)
def test_zero_function_gives_a_finite_point(name):
    assert np.isfinite(SETS[name][0].argmax_linear(np.zeros(4))).all()


@pytest.mark.parametrize("allowed", [Simplex(), LpBall(2.0), Ball(np.zeros(3))])
def test_radius_is_one_by_default_and_zero_entries_get_no_weight(allowed):
    found = allowed.argmax_linear(np.array([0.0, 2.0, 0.0]))
    assert np.allclose(found, [0.0, 1.0, 0.0])


@pytest.mark.parametrize("scale", [1e-250, 1e250])
@pytest.mark.parametrize("name", sorted(SETS.keys() - {"ball"}))  # its norm squares the numbers
def test_maximiser_does_not_depend_on_the_scale_of_the_function(name, scale, rng):
    allowed, v = SETS[name][0], rng.random(4)
    assert np.allclose(allowed.argmax_linear(scale * v), allowed.argmax_linear(v))
