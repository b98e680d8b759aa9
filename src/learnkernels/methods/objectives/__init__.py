"""Objectives of ridge regression and of the SVM as functions of the weights."""

from learnkernels.methods.objectives.bounded_weights import learn_bounded_weights, norm_ball
from learnkernels.methods.objectives.loo_error import LeaveOneOutError, LeaveOneOutPoint
from learnkernels.methods.objectives.loss import Loss, named_loss, task_loss
from learnkernels.methods.objectives.penalised import PenalisedObjective
from learnkernels.methods.objectives.power_objective import PowerObjective
from learnkernels.methods.objectives.rank_one import rank_one_ridge_weights, rank_one_svm_weights
from learnkernels.methods.objectives.ridge_objective import RidgeObjective
from learnkernels.methods.objectives.svm_objective import SVMObjective

__all__ = [
    "LeaveOneOutError",
    "LeaveOneOutPoint",
    "Loss",
    "PenalisedObjective",
    "PowerObjective",
    "RidgeObjective",
    "SVMObjective",
    "learn_bounded_weights",
    "named_loss",
    "norm_ball",
    "rank_one_ridge_weights",
    "rank_one_svm_weights",
    "task_loss",
]
