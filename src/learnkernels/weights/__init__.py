"""How weights are learned: one method a file, each from statistics to (mu, certificate)."""

from learnkernels.weights.align import Align
from learnkernels.weights.align_linear import AlignLinear
from learnkernels.weights.alignf import AlignF
from learnkernels.weights.base import WeightMethod
from learnkernels.weights.learn import learn_weights
from learnkernels.weights.registry import METHODS, as_method
from learnkernels.weights.uniform import Uniform

__all__ = [
    "METHODS",
    "Align",
    "AlignF",
    "AlignLinear",
    "Uniform",
    "WeightMethod",
    "as_method",
    "learn_weights",
]
