"""Optimisation that knows no kernels."""

from learnkernels.solvers.anderson import Anderson
from learnkernels.solvers.certificate import Certificate
from learnkernels.solvers.conjugate_gradients import conjugate_gradients
from learnkernels.solvers.interior import InteriorSolution, RankOne, interior_weights
from learnkernels.solvers.newton import Point, Task, minimise, relative, search, warn_if_open
from learnkernels.solvers.nonnegative_qp import (
    kkt_residual,
    nonnegative_qp,
    qp_certificate,
    simplex_qp,
)
from learnkernels.solvers.sets import Ball, LpBall, Orthant, Simplex, WeightSet
from learnkernels.solvers.smo import SVMSolution, hinge_loss, solve_svm, svm_gap
from learnkernels.solvers.sparse import SparseTask, minimise_sparse
from learnkernels.solvers.working_set_qp import Products, working_set_qp

__all__ = [
    "Anderson",
    "Ball",
    "Certificate",
    "InteriorSolution",
    "LpBall",
    "Orthant",
    "Point",
    "Products",
    "RankOne",
    "SVMSolution",
    "Simplex",
    "SparseTask",
    "Task",
    "WeightSet",
    "conjugate_gradients",
    "hinge_loss",
    "interior_weights",
    "kkt_residual",
    "minimise",
    "minimise_sparse",
    "nonnegative_qp",
    "qp_certificate",
    "relative",
    "search",
    "simplex_qp",
    "solve_svm",
    "svm_gap",
    "warn_if_open",
    "working_set_qp",
]
