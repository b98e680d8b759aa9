"""The second stage: predictors trained with the learned Gram."""

from learnkernels.machines.alignment import AlignmentPredictor
from learnkernels.machines.base import Machine, Problem, Trained
from learnkernels.machines.regularised import Regularised, is_thin, not_definite, regularised
from learnkernels.machines.ridge import Ridge, leave_one_out
from learnkernels.machines.svm import SVM

__all__ = [
    "SVM",
    "AlignmentPredictor",
    "Machine",
    "Problem",
    "Regularised",
    "Ridge",
    "Trained",
    "is_thin",
    "leave_one_out",
    "not_definite",
    "regularised",
]
