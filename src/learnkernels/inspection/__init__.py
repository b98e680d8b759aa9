"""Looking at what was learned."""

from learnkernels.inspection.compare import compare
from learnkernels.inspection.comparison import BaselineResult, Comparison, MethodResult
from learnkernels.inspection.displays import (
    AlignmentAccuracyDisplay,
    AlignmentDisplay,
    ComponentsDisplay,
    ConvergenceDisplay,
    GramDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
)
from learnkernels.inspection.limits import LimitErrors, limit_errors

__all__ = [
    "AlignmentAccuracyDisplay",
    "AlignmentDisplay",
    "BaselineResult",
    "Comparison",
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "GramDisplay",
    "LimitErrors",
    "MethodResult",
    "SpectrumDisplay",
    "WeightPathDisplay",
    "WeightsDisplay",
    "compare",
    "limit_errors",
]
