"""Looking at what was learned."""

from learnkernels.inspect.compare import Comparison, MethodResult, compare

__all__ = ["Comparison", "MethodResult", "compare"]
