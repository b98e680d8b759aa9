"""Looking at what was learned."""

from learnkernels.inspect.compare import compare
from learnkernels.inspect.comparison import Comparison, MethodResult
from learnkernels.inspect.displays import (
    AlignmentAccuracyDisplay,
    AlignmentDisplay,
    ComponentsDisplay,
    ConvergenceDisplay,
    GramDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
)

__all__ = [
    "AlignmentAccuracyDisplay",
    "AlignmentDisplay",
    "Comparison",
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "GramDisplay",
    "MethodResult",
    "SpectrumDisplay",
    "WeightPathDisplay",
    "WeightsDisplay",
    "compare",
]
