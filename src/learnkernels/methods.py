"""The weight methods as objects with parameters, for ``method=`` and for grid search."""

from learnkernels.weights import Align, AlignF, AlignLinear, Uniform

__all__ = ["Align", "AlignF", "AlignLinear", "Uniform"]
