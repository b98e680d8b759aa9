"""Pictures of what was learned, in scikit-learn's manner.

A Display holds plain data, so that it can be made from anything and drawn again: numbers in
``__init__``, drawing in ``plot``, and ``from_estimator`` to get the numbers from a fitted model.
"""

from learnkernels.inspection.displays.accuracy import AlignmentAccuracyDisplay
from learnkernels.inspection.displays.components import ComponentsDisplay
from learnkernels.inspection.displays.convergence import ConvergenceDisplay
from learnkernels.inspection.displays.features import FeaturesDisplay, LogoDisplay
from learnkernels.inspection.displays.gram import GramDisplay
from learnkernels.inspection.displays.path import WeightPathDisplay
from learnkernels.inspection.displays.spectrum import SpectrumDisplay
from learnkernels.inspection.displays.weights import AlignmentDisplay, WeightsDisplay

__all__ = [
    "AlignmentAccuracyDisplay",
    "AlignmentDisplay",
    "ComponentsDisplay",
    "ConvergenceDisplay",
    "FeaturesDisplay",
    "GramDisplay",
    "LogoDisplay",
    "SpectrumDisplay",
    "WeightPathDisplay",
    "WeightsDisplay",
]
