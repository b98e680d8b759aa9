"""Equal weights."""

import numpy as np

import learnkernels as lk
from tests.methods.problems import learn


def test_uniform_weights_are_equal(problem):
    mu, _ = learn(lk.methods.Uniform(), problem)
    assert np.allclose(mu, 0.2)
