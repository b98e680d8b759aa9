"""Stability of ridge regression with a learned kernel, and the guarantees that follow from it.

Symbols of 2009 and 2012: m is the number of samples; ``lambda_0 = alpha / m`` the regularisation
of the *mean* squared loss; M an upper bound on |h(x) - y| (2009) or on |y| (2012); kappa an upper
bound on K(x, x) of the learned kernel; R^2 an upper bound on K(x, x) of every base kernel; Lambda
the radius of the weights. All upper bounds must hold for every possible sample, not only for the
training samples.
"""

from __future__ import annotations

import numpy as np

from learnkernels.theory.checks import fraction, number, whole


def ridge_stability(
    n_samples: int,
    kernel_bound: float,
    loss_bound: float,
    regularization: float,
    smallest_eigenvalue: float = 0.0,
) -> float:
    """Bound the change of ridge predictions if one sample is replaced, for a fixed kernel.

    Theorem 2 of 2009: ``|h'(x) - h(x)| <= 2 kappa M / (lambda_min + lambda_0 m)``.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    kernel_bound : float
        kappa, an upper bound on K(x, x).
    loss_bound : float
        M, an upper bound on ``|h(x) - y|``.
    regularization : float
        lambda_0 = alpha / m.
    smallest_eigenvalue : float, default=0.0
        lambda_min of ``Phi' Phi'^T``, the covariance of the features; zero if there are more
        features than samples, which is the usual case.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import ridge_stability
    >>> ridge_stability(100, kernel_bound=1.0, loss_bound=2.0, regularization=0.1)
    0.4
    """
    m, kappa = whole("n_samples", n_samples), number("kernel_bound", kernel_bound)
    M, lambda_0 = number("loss_bound", loss_bound), positive("regularization", regularization)
    return 2 * kappa * M / (number("smallest_eigenvalue", smallest_eigenvalue) + lambda_0 * m)


def two_stage_stability(
    n_samples: int,
    kernel_bound: float,
    target_bound: float,
    regularization: float,
    *,
    radius: float = 1.0,
    change: float | None = None,
) -> float:
    """Bound the change of two-stage ridge predictions if one sample is replaced.

    Theorem 16 of 2012:
    ``|h'(x) - h(x)| <= 2 Lambda_1 R^2 M / (lambda_0 m) (1 + |dmu|_s |K_c|_{2,t} / (2 lambda_0))``.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    kernel_bound : float
        R^2, an upper bound on k(x, x) of every base kernel.
    target_bound : float
        M, an upper bound on ``|y|``.
    regularization : float
        lambda_0 = alpha / m.
    radius : float, default=1.0
        Lambda_1, the sum of the weights.
    change : float or None, default=None
        ``|dmu|_s |K_c|_{2,t}``, the change of the weights times the norm of the Gram matrices. None
        uses ``2 Lambda_1``, the paper's bound for kernels of trace one.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import two_stage_stability
    >>> two_stage_stability(100, 1.0, 1.0, regularization=1.0, change=2.0)
    0.04
    """
    m, R2 = whole("n_samples", n_samples), number("kernel_bound", kernel_bound)
    M, lambda_0 = number("target_bound", target_bound), positive("regularization", regularization)
    Lambda = positive("radius", radius)
    moved = 2 * Lambda if change is None else number("change", change)
    return 2 * Lambda * R2 * M / (lambda_0 * m) * (1 + moved / (2 * lambda_0))


def two_stage_generalization(
    empirical_error: float,
    n_samples: int,
    kernel_bound: float,
    target_bound: float,
    regularization: float,
    delta: float,
    *,
    radius: float = 1.0,
    change: float | None = None,
) -> float:
    """Bound the mean squared error of two-stage ridge on new samples.

    Theorem 17 of 2012: with probability at least 1 - delta,
    ``R(h) <= R_hat(h) + 2 beta + (4 m beta + (M_1 / 2)^2) sqrt(log(1/delta) / 2m)`` with the
    uniform stability ``beta = M_1 M_2 / m``, ``M_1 = 2 (1 + sqrt(Lambda_1 R^2 / lambda_0)) M`` and
    M_2 m times the bound of `two_stage_stability`. This is the stability bound of Bousquet and
    Elisseeff, which the paper cites. The paper prints the last term as
    ``(1 + 16 M_2 / M_1) (M_1 M_2 / 4) sqrt(...)``, with ``M_1 M_2 / 4`` in place of the largest
    loss ``M_1^2 / 4``.

    Parameters
    ----------
    empirical_error : float
        R_hat, the mean squared error on the training samples.
    n_samples, kernel_bound, target_bound, regularization, radius, change
        As in `two_stage_stability`.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound; vacuous above the variance of y.

    Examples
    --------
    >>> from learnkernels.theory import two_stage_generalization
    >>> round(two_stage_generalization(0.1, 10**6, 1.0, 1.0, 1.0, 0.05, change=2.0), 3)
    0.183
    """
    m, M = whole("n_samples", n_samples), number("target_bound", target_bound)
    R2, lambda_0 = number("kernel_bound", kernel_bound), positive("regularization", regularization)
    moved = two_stage_stability(
        m, R2, M, lambda_0, radius=positive("radius", radius), change=change
    )
    M_1 = 2 * (1 + np.sqrt(radius * R2 / lambda_0)) * M
    return bousquet_elisseeff(empirical_error, m, M_1 * moved, (M_1 / 2) ** 2, delta)


def learned_ridge_stability(
    n_samples: int,
    n_kernels: int,
    kernel_bound: float,
    loss_bound: float,
    regularization: float,
    radius: float = 1.0,
) -> float:
    """Bound the uniform stability of `l2-krr`, the change of a squared error.

    One sample is replaced. Proposition 3 of 2009: ``2 M (C_0 + C_1 sqrt(p)) / (lambda_0 m)``, with
    ``C_0 = 2 kappa M + 4 Lambda M kappa^1/2 (kappa / lambda_0 + 1)`` and
    ``C_1 = 16 Lambda^2 M kappa^3/2 / lambda_0``. Assumes orthogonal base kernels (their
    feature maps are orthogonal at every x); Gram matrices do not show whether they are.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    n_kernels : int
        p, the number of base kernels.
    kernel_bound : float
        kappa, an upper bound on K(x, x) of the learned kernel.
    loss_bound : float
        M, an upper bound on ``|h(x) - y|``.
    regularization : float
        lambda_0 = alpha / m.
    radius : float, default=1.0
        Lambda, the radius of the ball of weights.

    Returns
    -------
    float
        Upper bound beta.

    Examples
    --------
    >>> from learnkernels.theory import learned_ridge_stability
    >>> learned_ridge_stability(1000, 4, 1.0, 1.0, regularization=1.0)
    0.084
    """
    m, p = whole("n_samples", n_samples), whole("n_kernels", n_kernels)
    kappa, M = number("kernel_bound", kernel_bound), number("loss_bound", loss_bound)
    lambda_0, Lambda = positive("regularization", regularization), positive("radius", radius)
    C_0 = 2 * kappa * M + 4 * Lambda * M * np.sqrt(kappa) * (kappa / lambda_0 + 1)
    C_1 = 16 * Lambda**2 * M * kappa**1.5 / lambda_0
    return float(2 * M * (C_0 + C_1 * np.sqrt(p)) / (lambda_0 * m))


def learned_ridge_generalization(
    empirical_error: float, stability: float, n_samples: int, loss_bound: float, delta: float
) -> float:
    """Bound the mean squared error of `l2-krr` on new samples.

    Theorem 3 of 2009: with probability at least 1 - delta,
    ``R(h) <= R_hat(h) + 2 beta + (4 m beta + M^2) sqrt(log(1/delta) / 2m)``. (The paper prints M
    for the largest loss; under its assumption ``|h(x) - y| <= M`` it is M^2.)

    Parameters
    ----------
    empirical_error : float
        R_hat, the mean squared error on the training samples.
    stability : float
        beta, from `learned_ridge_stability`.
    n_samples : int
        m, the number of samples.
    loss_bound : float
        M, an upper bound on ``|h(x) - y|``.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import learned_ridge_generalization
    >>> round(learned_ridge_generalization(0.1, 1e-4, 1000, 1.0, 0.05), 4)
    0.1544
    """
    M = number("loss_bound", loss_bound)
    return bousquet_elisseeff(empirical_error, n_samples, stability, M**2, delta)


def bousquet_elisseeff(empirical_error, n_samples, stability, largest_loss, delta) -> float:
    """Compute ``R_hat + 2 beta + (4 m beta + largest loss) sqrt(log(1/delta) / 2m)``."""
    m, beta = whole("n_samples", n_samples), number("stability", stability)
    error, delta = number("empirical_error", empirical_error), fraction("delta", delta)
    root = float(np.sqrt(np.log(1 / delta) / (2 * m)))
    return float(error + 2 * beta + (4 * m * beta + largest_loss) * root)


def positive(name: str, value) -> float:
    """Return a positive number as a float."""
    return number(name, value, low=np.finfo(float).tiny)
