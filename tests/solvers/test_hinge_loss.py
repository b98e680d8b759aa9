"""The hinge loss of the best intercept, against all intercepts."""

import numpy as np
import pytest

from learnkernels.solvers import hinge_loss


@pytest.mark.parametrize("seed", range(20))
def test_no_intercept_does_better(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    y = rng.choice([-1.0, 1.0], n)
    outputs = rng.integers(-3, 4, n).astype(float) if seed % 2 else rng.standard_normal(n)
    C = rng.uniform(0, 2, n)

    def loss(b):
        return C @ np.maximum(0.0, 1 - y * (outputs + b))

    # A piecewise linear function is least at one of its bends.
    assert np.isclose(hinge_loss(y, C, outputs), min(map(loss, y - outputs)))
    assert hinge_loss(y, C, outputs) <= min(map(loss, rng.uniform(-9, 9, 200))) + 1e-12
