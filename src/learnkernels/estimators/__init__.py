"""The only place that speaks scikit-learn."""

from learnkernels.estimators.classifier import KernelClassifier
from learnkernels.estimators.learner import KernelLearner
from learnkernels.estimators.regressor import KernelRegressor
from learnkernels.estimators.statistics import SampledStatistics, alignment_statistics

__all__ = [
    "KernelClassifier",
    "KernelLearner",
    "KernelRegressor",
    "SampledStatistics",
    "alignment_statistics",
]
