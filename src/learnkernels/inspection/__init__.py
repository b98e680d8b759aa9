"""Looking at what was learned."""

from learnkernels.inspection.compare import compare
from learnkernels.inspection.comparison import BaselineResult, Comparison, MethodResult
from learnkernels.inspection.displays import (
    AlignmentAccuracyDisplay,
    AlignmentDisplay,
    ComponentsDisplay,
    ConvergenceDisplay,
    FeaturesDisplay,
    GramDisplay,
    LogoDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
)
from learnkernels.inspection.explain import explain
from learnkernels.inspection.explanation import Explanation
from learnkernels.inspection.limits import LimitErrors, limit_errors
from learnkernels.inspection.stability import (
    Interchangeable,
    WeightStability,
    weight_stability,
)

__all__ = [
    "AlignmentAccuracyDisplay",
    "AlignmentDisplay",
    "BaselineResult",
    "Comparison",
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "Explanation",
    "FeaturesDisplay",
    "GramDisplay",
    "Interchangeable",
    "LimitErrors",
    "LogoDisplay",
    "MethodResult",
    "SpectrumDisplay",
    "WeightPathDisplay",
    "WeightStability",
    "WeightsDisplay",
    "compare",
    "explain",
    "limit_errors",
    "weight_stability",
]
