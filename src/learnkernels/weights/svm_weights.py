"""Weights of bounded norm that make the SVM's value smallest: what lp-svm, conv and dc share."""

from __future__ import annotations

import numpy as np

from learnkernels.gram import Oracle
from learnkernels.progress import Say, silent
from learnkernels.solvers import minimise, minimise_sparse
from learnkernels.weights.rank_one import rank_one, rank_one_svm_weights
from learnkernels.weights.svm_task import SMALLEST, LpTask, SVMTask

__all__ = ["learn_svm_weights"]


def learn_svm_weights(
    oracle: Oracle, Y, C, p: float, tol: float, max_iter: int, start=None, say: Say = silent
):
    """Minimise J over |mu|_p <= 1.

    Returns
    -------
    mu : ndarray of shape (n_kernels,)
    certificate : Certificate
    """
    n_kernels = oracle.n_kernels
    if p == 1:
        task = SVMTask(oracle, Y, C)
        kernels = rank_one(oracle) if Y.shape[1] == 1 else None
        if kernels is not None:
            return rank_one_svm_weights(task, kernels, tol, max_iter, say)
        if start is None:
            return minimise_sparse(task, n_kernels, 1.0, tol, max_iter, say)
        point, certificate = minimise(task, start / start.sum(), tol, max_iter, say=say)
        return point.mu, certificate
    lp_task = LpTask(oracle, Y, C, p)
    s = np.full(n_kernels, 1.0) if start is None else np.maximum(start, SMALLEST) ** p
    s = np.maximum(s / s.sum(), 1e-6)
    point, certificate = minimise(lp_task, s / s.sum(), tol, max_iter, say=say)
    return lp_task.mu(point.mu), certificate
