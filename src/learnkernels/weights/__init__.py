"""How weights are learned: one method a file, each from evidence to (mu, certificate)."""

from learnkernels.weights.align import Align
from learnkernels.weights.align_linear import AlignLinear
from learnkernels.weights.align_single import AlignSingle
from learnkernels.weights.alignf import AlignF
from learnkernels.weights.base import Evidence, WeightMethod
from learnkernels.weights.best_single import BestSingle
from learnkernels.weights.conv import Conv
from learnkernels.weights.dc import DC
from learnkernels.weights.ensemble import Ensemble
from learnkernels.weights.l1_ridge import L1Ridge
from learnkernels.weights.l2_ridge import L2Ridge
from learnkernels.weights.learn import learn_weights
from learnkernels.weights.lp_svm import L1SVM, LpSVM
from learnkernels.weights.registry import METHODS, as_method, check_task
from learnkernels.weights.ufo import UFO
from learnkernels.weights.uniform import Uniform

__all__ = [
    "DC",
    "L1SVM",
    "METHODS",
    "UFO",
    "Align",
    "AlignF",
    "AlignLinear",
    "AlignSingle",
    "BestSingle",
    "Conv",
    "Ensemble",
    "Evidence",
    "L1Ridge",
    "L2Ridge",
    "LpSVM",
    "Uniform",
    "WeightMethod",
    "as_method",
    "check_task",
    "learn_weights",
]
