"""Kernels with a compiled formula against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from learnkernels.gram.tiles.compiled import CompiledGroup
from learnkernels.kernels import Code, Gaussian


@pytest.mark.parametrize("gammas", [(0.1, 0.2, 0.4), (0.05, 0.2, 1.6), (0.1, 0.3), (0.01, 0.32)])
def test_gaussians_that_are_powers_of_others_equal_the_definition(gammas, rng):
    X = rng.standard_normal((30, 3))
    group = CompiledGroup.of(tuple(Gaussian(gamma) for gamma in gammas), np.zeros(3), False, False)
    samples, every = group.prepare(X), slice(0, 30)
    expected = [np.expm1(-gamma * cdist(X, X, "sqeuclidean")) for gamma in gammas]
    assert np.allclose(group.values(samples, samples, every, every), expected, rtol=1e-13, atol=0)


def test_powers_of_others_need_no_exponential():
    kernels = tuple(Gaussian(gamma) for gamma in (0.05, 0.2, 1.6, 3.0))
    codes = CompiledGroup.of(kernels, np.zeros(3), False, False).codes
    assert (codes == Code.SQUARE_OF_EARLIER).tolist() == [False, True, True, False]
