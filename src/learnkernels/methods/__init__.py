"""Weight methods, one per file: from a weight problem to weights and their certificate."""

from learnkernels.methods.align import Align
from learnkernels.methods.align_constrained import AlignConstrained
from learnkernels.methods.align_linear import AlignLinear
from learnkernels.methods.align_single import AlignSingle
from learnkernels.methods.alignf import AlignF
from learnkernels.methods.auto import Auto
from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem
from learnkernels.methods.best_single import BestSingle
from learnkernels.methods.candidates import Candidate, Selection
from learnkernels.methods.conv import Conv
from learnkernels.methods.dc import DC
from learnkernels.methods.ensemble import Ensemble
from learnkernels.methods.l1_ridge import L1Ridge
from learnkernels.methods.l1_svm import L1SVM
from learnkernels.methods.l2_ridge import L2Ridge
from learnkernels.methods.leave_one_out import LeaveOneOut
from learnkernels.methods.lp_svm import LpSVM
from learnkernels.methods.registry import METHODS, as_method, learn_weights
from learnkernels.methods.ufo import UFO
from learnkernels.methods.uniform import Uniform

__all__ = [
    "DC",
    "L1SVM",
    "METHODS",
    "UFO",
    "Align",
    "AlignConstrained",
    "AlignF",
    "AlignLinear",
    "AlignSingle",
    "Auto",
    "BestSingle",
    "Candidate",
    "Conv",
    "Ensemble",
    "L1Ridge",
    "L2Ridge",
    "LearnedWeights",
    "LeaveOneOut",
    "LpSVM",
    "Selection",
    "Uniform",
    "WeightMethod",
    "WeightProblem",
    "as_method",
    "learn_weights",
]
