"""Optimisation that knows no kernels."""

from learnkernels.solvers.certificate import Certificate
from learnkernels.solvers.nonnegative_qp import kkt_residual, nonnegative_qp, qp_certificate
from learnkernels.solvers.smo import SVMSolution, solve_svm, svm_gap

__all__ = [
    "Certificate",
    "SVMSolution",
    "kkt_residual",
    "nonnegative_qp",
    "qp_certificate",
    "solve_svm",
    "svm_gap",
]
