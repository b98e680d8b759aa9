"""Optimisation without kernels: the loop, the certificate and the solvers."""

from learnkernels.solvers.cone import AlignedBall
from learnkernels.solvers.conjugate_gradients import Product, conjugate_gradients
from learnkernels.solvers.interior_point import (
    InteriorSolution,
    RankOneKernels,
    interior_weights,
)
from learnkernels.solvers.loop import (
    AVERAGE,
    NOT_STATIONARY,
    STATIONARY,
    Certificate,
    Iterate,
    iterate,
)
from learnkernels.solvers.newton import Objective, Point, line_search, minimise
from learnkernels.solvers.nonnegative_qp import (
    kkt_residual,
    nonnegative_qp,
    qp_certificate,
    simplex_qp,
)
from learnkernels.solvers.pivoted_cholesky import pivoted_cholesky
from learnkernels.solvers.shifted_systems import shifted_conjugate_gradients
from learnkernels.solvers.svm import SVMSolution, hinge_loss, solve_svm, svm_path
from learnkernels.solvers.svm_rows import LEAST_ROWS, RowGram
from learnkernels.solvers.triangular import invert_lower
from learnkernels.solvers.weight_sets import Ball, LpBall, Simplex, WeightSet
from learnkernels.solvers.working_set import SparseObjective, minimise_sparse
from learnkernels.solvers.working_set_qp import MatrixProducts, working_set_qp

__all__ = [
    "AVERAGE",
    "LEAST_ROWS",
    "NOT_STATIONARY",
    "STATIONARY",
    "AlignedBall",
    "Ball",
    "Certificate",
    "InteriorSolution",
    "Iterate",
    "LpBall",
    "MatrixProducts",
    "Objective",
    "Point",
    "Product",
    "RankOneKernels",
    "RowGram",
    "SVMSolution",
    "Simplex",
    "SparseObjective",
    "WeightSet",
    "conjugate_gradients",
    "hinge_loss",
    "interior_weights",
    "invert_lower",
    "iterate",
    "kkt_residual",
    "line_search",
    "minimise",
    "minimise_sparse",
    "nonnegative_qp",
    "pivoted_cholesky",
    "qp_certificate",
    "shifted_conjugate_gradients",
    "simplex_qp",
    "solve_svm",
    "svm_path",
    "working_set_qp",
]
