"""Weights of bounded norm that minimise the SVM objective, for lp-svm, conv and dc."""

from __future__ import annotations

import numpy as np

from learnkernels.gram import CenteredKernels
from learnkernels.methods.objectives.rank_one import rank_one_svm_weights
from learnkernels.methods.objectives.svm_objective import SMALLEST, LpObjective, SVMObjective
from learnkernels.solvers import Certificate, LpBall, minimise, minimise_sparse

CRITERION = "SVM objective"


def learn_svm_weights(
    kernels: CenteredKernels,
    Y: np.ndarray,
    C: np.ndarray,
    p: float,
    *,
    tol: float,
    max_iter: int,
    start: np.ndarray | None = None,
) -> tuple[np.ndarray, Certificate]:
    """Minimise J over |mu|_p <= 1.

    Parameters
    ----------
    kernels : CenteredKernels
        The base kernels.
    Y : ndarray of shape (n_samples, n_outputs)
        Labels -1 and 1.
    C : ndarray of shape (n_samples,)
        Bound of each coefficient.
    p : float
        The norm, at least 1.
    tol : float
        Relative gap at which to stop.
    max_iter : int
        Largest number of iterations.
    start : ndarray of shape (n_kernels,) or None, default=None
        Weights to start from.

    Returns
    -------
    mu : ndarray of shape (n_kernels,)
    certificate : Certificate
    """
    if p == 1:
        objective = SVMObjective(kernels, Y, C)
        columns = kernels.rank_one() if Y.shape[1] == 1 else None
        if columns is not None:
            return rank_one_svm_weights(objective, columns, tol=tol, max_iter=max_iter)
        if start is None:
            return minimise_sparse(
                objective, kernels.n_kernels, 1.0, tol=tol, max_iter=max_iter, criterion=CRITERION
            )
        point, certificate = minimise(
            objective, start / start.sum(), tol=tol, max_iter=max_iter, criterion=CRITERION
        )
        return point.mu, certificate
    in_powers = LpObjective(kernels, Y, C, LpBall(p))
    s = np.ones(kernels.n_kernels) if start is None else np.maximum(start, SMALLEST) ** p
    s = np.maximum(s / s.sum(), 1e-6)
    point, certificate = minimise(
        in_powers, s / s.sum(), tol=tol, max_iter=max_iter, criterion=CRITERION
    )
    return in_powers.weights(point.mu), certificate
