"""The alignment predictor."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.machines import AlignmentPredictor
from tests.machines.problems import gaussian_problem, trained


def test_correlation_with_the_target_equals_the_alignment_of_the_kernel(rng):
    """2012, section 4.2: E[y h(x)] = rho(K, yy') for standardised y."""
    K, problem = gaussian_problem(rng, outputs=1)
    y = problem.Y[:, 0]
    (found,) = trained(AlignmentPredictor(), problem, [1.0])
    h = (K @ found.coef)[:, 0] / y.std()
    z = (y - y.mean()) / y.std()
    assert np.isclose(np.mean(z * h), lk.alignment(K, np.outer(z, z)))
    assert np.allclose(found.intercept, y.mean())


def test_alignment_predictor_without_centering_raises_input_error(rng):
    _, problem = gaussian_problem(rng, center=False)
    with pytest.raises(lk.InputError, match="center=True"):
        trained(AlignmentPredictor(), problem, [1.0])
