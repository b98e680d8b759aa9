"""The estimators: scikit-learn's conventions around the three steps of a fit."""

from learnkernels.estimators.classifier import KernelClassifier
from learnkernels.estimators.fitting import Learned, Predictor, Prepared, learn, prepare, train
from learnkernels.estimators.input.parts import open_parquet
from learnkernels.estimators.refit import Refit, refit, shared_weights
from learnkernels.estimators.regressor import KernelRegressor
from learnkernels.estimators.statistics import alignment_statistics
from learnkernels.estimators.transformer import KernelLearner

__all__ = [
    "KernelClassifier",
    "KernelLearner",
    "KernelRegressor",
    "Learned",
    "Predictor",
    "Prepared",
    "Refit",
    "alignment_statistics",
    "learn",
    "open_parquet",
    "prepare",
    "refit",
    "shared_weights",
    "train",
]
