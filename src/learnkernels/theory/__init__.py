"""Guarantees of the papers as functions of numbers and arrays, each with its theorem.

Bounds that hold for every distribution are loose: most are vacuous below tens of thousands of
samples. Each docstring states the value from which the bound is vacuous.
"""

from learnkernels.theory.alignment import (
    Interval,
    aligned_classifier_error,
    aligned_regressor_error,
    alignment_concentration,
    bootstrap_alignment,
    product_concentration,
    spread,
    unnormalized_classifier_error,
)
from learnkernels.theory.kernel_functions import KernelFunction, inner_products, squared_norm
from learnkernels.theory.rademacher import (
    excess_risk,
    excess_risk_rate,
    fixed_point,
    local_rademacher,
    multiple_kernel_rademacher,
    tail_sums,
)
from learnkernels.theory.regressors import (
    excess_error,
    generalization_error,
    multiple_kernel_regressor,
    single_kernel_regressor,
    theoretical_limit,
)
from learnkernels.theory.stability import (
    learned_ridge_generalization,
    learned_ridge_stability,
    ridge_stability,
    two_stage_generalization,
    two_stage_stability,
)

__all__ = [
    "Interval",
    "KernelFunction",
    "aligned_classifier_error",
    "aligned_regressor_error",
    "alignment_concentration",
    "bootstrap_alignment",
    "excess_error",
    "excess_risk",
    "excess_risk_rate",
    "fixed_point",
    "generalization_error",
    "inner_products",
    "learned_ridge_generalization",
    "learned_ridge_stability",
    "local_rademacher",
    "multiple_kernel_rademacher",
    "multiple_kernel_regressor",
    "product_concentration",
    "ridge_stability",
    "single_kernel_regressor",
    "spread",
    "squared_norm",
    "tail_sums",
    "theoretical_limit",
    "two_stage_generalization",
    "two_stage_stability",
    "unnormalized_classifier_error",
]
