"""Weights of bounded norm that minimise the objective of a machine."""

from __future__ import annotations

import numpy as np

from learnkernels.methods.objectives.loss import Loss
from learnkernels.methods.objectives.power_objective import SMALLEST, PowerObjective
from learnkernels.methods.objectives.rank_one import rank_one_weights
from learnkernels.solvers import Certificate, LpBall, Simplex, minimise, minimise_sparse


def norm_ball(p: float) -> Simplex | LpBall:
    """Return the set mu >= 0, |mu|_p <= 1."""
    return Simplex() if p == 1 else LpBall(p)


def learn_bounded_weights(
    loss: Loss, *, tol: float, max_iter: int, start: np.ndarray | None = None
) -> tuple[np.ndarray, Certificate]:
    """Minimise a loss over its set of weights, a simplex or a ball of radius one of the p-norm.

    Parameters
    ----------
    loss : Loss
        The objective, with its kernels and its set of weights.
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
    allowed, n_kernels = loss.allowed, loss.kernels.n_kernels
    if isinstance(allowed, LpBall):
        in_powers = PowerObjective(loss, allowed.p)
        s = np.ones(n_kernels) if start is None else np.maximum(start, SMALLEST) ** allowed.p
        s = np.maximum(s / s.sum(), 1e-6)
        point, certificate = minimise(
            in_powers, s / s.sum(), tol=tol, max_iter=max_iter, criterion=loss.criterion
        )
        return in_powers.weights(point.mu), certificate
    radius = allowed.radius if isinstance(allowed, Simplex) else 1.0
    found = rank_one_weights(loss, radius, tol=tol, max_iter=max_iter)
    if found is not None:
        return found
    if start is None:
        return minimise_sparse(
            loss, n_kernels, radius, tol=tol, max_iter=max_iter, criterion=loss.criterion
        )
    point, certificate = minimise(
        loss, radius * start / start.sum(), tol=tol, max_iter=max_iter, criterion=loss.criterion
    )
    return point.mu, certificate
