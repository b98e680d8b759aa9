"""No guarantee is violated by a search over small problems with exact risks."""

import os

import numpy as np
import pytest

from tests.theory.violations import Bounds, Problem, drawn, ridge, search, uniform

N_PROBLEMS = int(os.environ.get("LEARNKERNELS_PROBLEMS", "40"))


@pytest.fixture(scope="module")
def found():
    return search(N_PROBLEMS)


def test_no_guarantee_is_violated(found):
    violated = {name: result for name, result in found.items() if result.violations}
    assert not violated


def test_every_guarantee_is_tried(found):
    tried = " ".join(found)
    for name in (
        "two_stage_stability", "two_stage_generalization", "learned_ridge_stability",
        "learned_ridge_generalization", "align,", "alignf,", "product_concentration",
        "alignment_concentration", "aligned_classifier_error", "moment_classifier_error",
        "aligned_regressor_error", "unnormalized_classifier_error", "excess_risk",
        "learned_class_excess_risk", "tail_sum_bounds", "svm_stability", "largest_residual",
        "units of", "error of a predictor",
    ):  # fmt: skip
        assert name in tried


def printed_theorem_16(problem: Problem) -> bool:
    """Whether 2012, theorem 16 as printed fails for fixed weights."""
    R2, M = float(Bounds.of(problem).diagonals.max()), float(np.abs(problem.y).max())
    mu = uniform(problem)
    h = ridge(problem, mu, intercept=False)
    moved = max(
        float(np.abs(ridge(other, mu, intercept=False) - h).max())
        for other in problem.replacements()
    )
    return moved > 2 * R2 * M / problem.alpha


def test_the_same_problems_violate_theorem_16_as_printed():
    rng = np.random.default_rng(0)
    assert any(printed_theorem_16(drawn(rng)) for _ in range(2000))
