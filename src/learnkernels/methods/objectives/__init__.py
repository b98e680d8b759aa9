"""Objectives of ridge regression and of the SVM as functions of the weights."""

from learnkernels.methods.objectives.loo_error import LeaveOneOutError, LeaveOneOutPoint
from learnkernels.methods.objectives.rank_one import rank_one_ridge_weights, rank_one_svm_weights
from learnkernels.methods.objectives.ridge_objective import RidgeObjective
from learnkernels.methods.objectives.svm_objective import LpObjective, SVMObjective
from learnkernels.methods.objectives.svm_weights import learn_svm_weights

__all__ = [
    "LeaveOneOutError",
    "LeaveOneOutPoint",
    "LpObjective",
    "RidgeObjective",
    "SVMObjective",
    "learn_svm_weights",
    "rank_one_ridge_weights",
    "rank_one_svm_weights",
]
