"""Weight problems for tests of weight methods."""

import pytest

from tests.methods.problems import GAUSSIANS, problem_of


@pytest.fixture
def problem(classes):
    """Return the weight problem of five Gaussian kernels."""
    return problem_of(GAUSSIANS, *classes)


@pytest.fixture
def statistics(problem):
    """Return the statistics of five Gaussian kernels."""
    return problem.kernels.statistics
