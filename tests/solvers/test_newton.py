"""Newton steps with a line search, on parabolas."""

import numpy as np

from learnkernels.solvers import Point, line_search, minimise


class Parabola:
    """x'x / 2 + 1, whose quadratic model is minimised at a point that is too far or wrong."""

    def __init__(self, model_minimum):
        self.model_minimum = lambda point, H: model_minimum * point.mu

    def evaluate(self, mu, near):
        value = float(mu @ mu) / 2 + 1
        return Point(mu, value, mu, np.zeros_like(mu), None, value=value, bound=1.0)

    def curvature(self, point):
        return np.eye(len(point.mu))

    def sharpen(self):
        return False


def test_line_search_finds_the_minimum_of_a_parabola_after_a_step_that_is_too_long():
    objective = Parabola(0.0)
    point = objective.evaluate(np.ones(1), None)
    found = line_search(objective, point, np.array([-5.0]))
    assert np.allclose(found.mu, 0.0) and np.isclose(found.value, 1.0)


def test_steps_lead_to_the_target_if_the_newton_step_does_not_descend():
    point, certificate = minimise(Parabola(2.0), np.ones(2), tol=1e-8, max_iter=5)
    assert certificate.status == "optimal" and not point.mu.any()
