"""Pictures of what was learned, in scikit-learn's manner.

A Display holds plain data, so that it can be made from anything and drawn again: numbers in
``__init__``, drawing in ``plot``, and ``from_estimator`` to get the numbers from a fitted model.
"""

from learnkernels.inspect.displays.accuracy import AlignmentAccuracyDisplay
from learnkernels.inspect.displays.components import ComponentsDisplay
from learnkernels.inspect.displays.convergence import ConvergenceDisplay
from learnkernels.inspect.displays.gram import GramDisplay
from learnkernels.inspect.displays.path import WeightPathDisplay
from learnkernels.inspect.displays.spectrum import SpectrumDisplay
from learnkernels.inspect.displays.weights import AlignmentDisplay, WeightsDisplay

__all__ = [
    "AlignmentAccuracyDisplay",
    "AlignmentDisplay",
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "GramDisplay",
    "SpectrumDisplay",
    "WeightPathDisplay",
    "WeightsDisplay",
]
