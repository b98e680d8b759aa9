"""Optimisation that knows no kernels."""

from learnkernels.solvers.certificate import Certificate
from learnkernels.solvers.newton import Point, Task, minimise, search, warn_if_open
from learnkernels.solvers.nonnegative_qp import (
    kkt_residual,
    nonnegative_qp,
    qp_certificate,
    simplex_qp,
)
from learnkernels.solvers.sets import Ball, LpBall, Orthant, Simplex, WeightSet
from learnkernels.solvers.smo import SVMSolution, solve_svm, svm_gap

__all__ = [
    "Ball",
    "Certificate",
    "LpBall",
    "Orthant",
    "Point",
    "SVMSolution",
    "Simplex",
    "Task",
    "WeightSet",
    "kkt_residual",
    "minimise",
    "nonnegative_qp",
    "qp_certificate",
    "search",
    "simplex_qp",
    "solve_svm",
    "svm_gap",
    "warn_if_open",
]
