"""The weight methods as objects with parameters, for ``method=`` and for grid search."""

from learnkernels.weights import (
    DC,
    L1SVM,
    UFO,
    Align,
    AlignF,
    AlignLinear,
    AlignSingle,
    BestSingle,
    Conv,
    Ensemble,
    L1Ridge,
    L2Ridge,
    LpSVM,
    Uniform,
    WeightMethod,
)

__all__ = [
    "DC",
    "L1SVM",
    "UFO",
    "Align",
    "AlignF",
    "AlignLinear",
    "AlignSingle",
    "BestSingle",
    "Conv",
    "Ensemble",
    "L1Ridge",
    "L2Ridge",
    "LpSVM",
    "Uniform",
    "WeightMethod",
]
