"""Guarantees of the papers as functions of numbers and arrays, each with its theorem.

Bounds that hold for every distribution are loose: most are vacuous below tens of thousands of
samples. Each docstring states the value from which the bound is vacuous. Several theorems are
corrected; the page "Corrections to the papers" has the proofs.
"""

from learnkernels.theory.alignment import (
    Interval,
    aligned_classifier_error,
    aligned_regressor_error,
    alignment_concentration,
    bootstrap_alignment,
    moment_classifier_error,
    product_concentration,
    spread,
    unnormalized_alignment,
    unnormalized_classifier_error,
)
from learnkernels.theory.kernel_functions import KernelFunction, inner_products, squared_norm
from learnkernels.theory.rademacher import (
    excess_risk,
    excess_risk_rate,
    fixed_point,
    learned_class_excess_risk,
    local_rademacher,
    multiple_kernel_rademacher,
    rademacher_excess_risk,
    realizable_risk,
    tail_sum_bounds,
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
    largest_residual,
    learned_ridge_generalization,
    learned_ridge_stability,
    ridge_stability,
    svm_stability,
    two_stage_generalization,
    two_stage_stability,
)
from learnkernels.theory.weight_changes import align_change, alignf_change

__all__ = [
    "Interval",
    "KernelFunction",
    "align_change",
    "aligned_classifier_error",
    "aligned_regressor_error",
    "alignf_change",
    "alignment_concentration",
    "bootstrap_alignment",
    "excess_error",
    "excess_risk",
    "excess_risk_rate",
    "fixed_point",
    "generalization_error",
    "inner_products",
    "largest_residual",
    "learned_class_excess_risk",
    "learned_ridge_generalization",
    "learned_ridge_stability",
    "local_rademacher",
    "moment_classifier_error",
    "multiple_kernel_rademacher",
    "multiple_kernel_regressor",
    "product_concentration",
    "rademacher_excess_risk",
    "realizable_risk",
    "ridge_stability",
    "single_kernel_regressor",
    "spread",
    "squared_norm",
    "svm_stability",
    "tail_sum_bounds",
    "tail_sums",
    "theoretical_limit",
    "two_stage_generalization",
    "two_stage_stability",
    "unnormalized_alignment",
    "unnormalized_classifier_error",
]
