"""Stability of ridge regression and of the SVM with a learned kernel, and what follows from it.

Symbols of 2009 and 2012: m is the number of samples; ``lambda_0 = alpha / m`` the regularisation
of the *mean* squared loss; M an upper bound on |y|; R^2 an upper bound on K(x, x) of every base
kernel; Lambda the sum of the weights; ``kappa = Lambda R^2``. All upper bounds must hold for every
possible sample, not only for the training samples.

With an unpenalised intercept (`center=True` of the estimators), M is half of the range of y, and
R^2 bounds the squared distance of any two samples in feature space, ``|phi(x) - phi(z)|^2``.

The bounds of 2009 and 2012 contain errors; the corrected bounds are derived on the page
"Corrections to the papers".
"""

from __future__ import annotations

import numpy as np

from learnkernels.checks import require_truth
from learnkernels.theory.checks import fraction, number, whole

# Strong convexity of the norm that l2-krr minimises, relative to that of a fixed kernel.
L2_CONVEXITY = 1 / 3


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
        M, here an upper bound on ``|h(x) - y|``.
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


def largest_residual(
    kernel_bound: float, target_bound: float, regularization: float, *, intercept: bool = False
) -> float:
    """Bound ``|h(x) - y|`` of ridge for every sample.

    The prediction is ``h(x) = y'(K + lambda I)^-1 k_x``, and the norm of ``(K + lambda I)^-1 k_x``
    is at most ``sqrt(kappa / lambda) / 2``. So ``|h(x)| <= M sqrt(kappa / lambda_0) / 2``, half of
    the bound of 2012 (theorem 17).

    Parameters
    ----------
    kernel_bound : float
        kappa, an upper bound on K(x, x) of the learned kernel; with an intercept, on the squared
        distance of two samples in its feature space.
    target_bound : float
        M, an upper bound on ``|y|``; with an intercept, half of the range of y.
    regularization : float
        lambda_0 = alpha / m.
    intercept : bool, default=False
        Whether ridge has an unpenalised intercept.

    Returns
    -------
    float
        ``M (1 + sqrt(kappa / lambda_0) / 2)``, and M more with an intercept.

    Examples
    --------
    >>> from learnkernels.theory import largest_residual
    >>> largest_residual(1.0, 1.0, regularization=0.25)
    2.0
    """
    kappa, M = number("kernel_bound", kernel_bound), number("target_bound", target_bound)
    lambda_0 = positive("regularization", regularization)
    require_truth("intercept", intercept)
    return M * (1 + bool(intercept) + growth(kappa, lambda_0))


def two_stage_stability(
    n_samples: int,
    kernel_bound: float,
    target_bound: float,
    regularization: float,
    *,
    radius: float = 1.0,
    change: float | None = None,
    intercept: bool = False,
) -> float:
    """Bound the change of two-stage ridge predictions if one sample is replaced.

    Theorem 16 of 2012, corrected. Without an intercept

    ``|h'(x) - h(x)| <= R^2 M / lambda_0 (1 + sqrt(kappa / lambda_0) / 2) (2 Lambda / m + |dmu|_1)``

    and with one ``2 B / m (1 + kappa / lambda_0)`` takes the place of the first term, where B is
    `largest_residual`.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    kernel_bound : float
        R^2, an upper bound on k(x, x) of every base kernel; with an intercept, on the squared
        distance of two samples in its feature space.
    target_bound : float
        M, an upper bound on ``|y|``; with an intercept, half of the range of y.
    regularization : float
        lambda_0 = alpha / m.
    radius : float, default=1.0
        Lambda, an upper bound on the sum of the weights, before and after the change.
    change : float or None, default=None
        ``|dmu|_1``, the change of the weights: 0 for weights that do not depend on the samples,
        `align_change` or `alignf_change` for those methods. None is ``2 Lambda``, the largest.
    intercept : bool, default=False
        Whether ridge has an unpenalised intercept.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import two_stage_stability
    >>> two_stage_stability(100, 1.0, 1.0, regularization=1.0, change=0.0)
    0.03
    """
    m, R2 = whole("n_samples", n_samples), number("kernel_bound", kernel_bound)
    M, lambda_0 = number("target_bound", target_bound), positive("regularization", regularization)
    Lambda = positive("radius", radius)
    moved = 2 * Lambda if change is None else number("change", change)
    kappa = Lambda * R2
    B = largest_residual(kappa, M, lambda_0, intercept=intercept)
    sample = 2 * B * (bool(intercept) + kappa / lambda_0) / m
    return sample + R2 * M / lambda_0 * (1 + growth(kappa, lambda_0)) * moved


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
    intercept: bool = False,
) -> float:
    """Bound the mean squared error of two-stage ridge on new samples.

    Theorem 17 of 2012, corrected: with probability at least 1 - delta,
    ``R(h) <= R_hat(h) + beta + (2 m beta + B^2) sqrt(log(1/delta) / 2m)`` with the uniform
    stability ``beta = 2 B s``, the largest residual B of `largest_residual` and s from
    `two_stage_stability`. This is the bound of Bousquet and Elisseeff for a replaced sample.
    `change` must hold for all training sets, not only for the one at hand.

    Parameters
    ----------
    empirical_error : float
        R_hat, the mean squared error on the training samples.
    n_samples, kernel_bound, target_bound, regularization, radius, change, intercept
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
    >>> round(two_stage_generalization(0.1, 10**6, 1.0, 1.0, 1.0, 0.05, change=0.0), 3)
    0.125
    """
    moved = two_stage_stability(
        n_samples, kernel_bound, target_bound, regularization,
        radius=radius, change=change, intercept=intercept,
    )  # fmt: skip
    B = largest_residual(radius * kernel_bound, target_bound, regularization, intercept=intercept)
    return bousquet_elisseeff(empirical_error, n_samples, 2 * B * moved, B**2, delta)


def learned_ridge_stability(
    n_samples: int,
    kernel_bound: float,
    loss_bound: float,
    regularization: float,
    *,
    intercept: bool = False,
) -> float:
    """Bound the change of the predictions of `l2-krr` if one sample is replaced.

    ``|h'(x) - h(x)| <= 6 kappa M / (lambda_0 m)``, three times the bound for a fixed kernel, or
    ``2 M (1 + 3 kappa / lambda_0) / m`` with an intercept: for any number of kernels,
    orthogonal or not. It takes the place of proposition 3 of 2009, whose constants lack a factor
    and whose proof has a gap.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    kernel_bound : float
        kappa, an upper bound on ``sum_k mu_k K_k(x, x)`` for all weights in the ball; with an
        intercept, on the squared distance of two samples in its feature space.
    loss_bound : float
        M, here an upper bound on ``|h(x) - y|``: `largest_residual` or a known bound.
    regularization : float
        lambda_0 = alpha / m.
    intercept : bool, default=False
        Whether ridge has an unpenalised intercept.

    Returns
    -------
    float
        Upper bound; `learned_ridge_generalization` needs ``2 M`` times it.

    Examples
    --------
    >>> from learnkernels.theory import learned_ridge_stability
    >>> learned_ridge_stability(1000, 1.0, 1.0, regularization=1.0)
    0.006
    """
    m, kappa = whole("n_samples", n_samples), number("kernel_bound", kernel_bound)
    M, lambda_0 = number("loss_bound", loss_bound), positive("regularization", regularization)
    require_truth("intercept", intercept)
    return 2 * M / m * (bool(intercept) + kappa / (L2_CONVEXITY * lambda_0))


def learned_ridge_generalization(
    empirical_error: float, stability: float, n_samples: int, loss_bound: float, delta: float
) -> float:
    """Bound the mean squared error on new samples by the uniform stability of the squared error.

    Theorem 3 of 2009: with probability at least 1 - delta,
    ``R(h) <= R_hat(h) + beta + (2 m beta + M^2) sqrt(log(1/delta) / 2m)``. (The paper has 2 beta
    and 4 m beta, for a sample that is removed and not replaced, and prints M for the largest loss;
    under its assumption ``|h(x) - y| <= M`` it is M^2.)

    Parameters
    ----------
    empirical_error : float
        R_hat, the mean squared error on the training samples.
    stability : float
        beta, a bound on the change of a squared error if one sample is replaced: 2 M times
        `learned_ridge_stability`.
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
    0.1465
    """
    M = number("loss_bound", loss_bound)
    return bousquet_elisseeff(empirical_error, n_samples, stability, M**2, delta)


def svm_stability(
    n_samples: int, kernel_bound: float, C: float, *, radius: float = 1.0, change: float = 0.0
) -> float:
    """Bound the change of the outputs of a two-stage SVM without intercept.

    One sample is replaced. ``|h'(x) - h(x)| <= 2 kappa C + sqrt(kappa) d + R W sqrt(|dmu|_1)``
    with the largest norm ``W = sqrt(2 C m)`` and ``d^2 = 2 C m W R sqrt(|dmu|_1)``: the hinge
    loss is not smooth, so the change of the weights enters by its fourth root, as in Cortes,
    Mohri and Talwalkar (2010). An unpenalised intercept, which the estimators' SVM has, is not
    stable.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    kernel_bound : float
        R^2, an upper bound on k(x, x) of every base kernel.
    C : float
        The SVM minimises ``|h|^2 / 2 + C sum_i max(0, 1 - y_i h(x_i))``.
    radius : float, default=1.0
        Lambda, an upper bound on the sum of the weights, before and after the change.
    change : float, default=0.0
        ``|dmu|_1``, the change of the weights.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import svm_stability
    >>> svm_stability(100, 1.0, C=0.001)
    0.002
    """
    m, R2 = whole("n_samples", n_samples), number("kernel_bound", kernel_bound)
    C, Lambda = positive("C", C), positive("radius", radius)
    kappa, root = Lambda * R2, np.sqrt(number("change", change))
    W = np.sqrt(2 * C * m)
    d = np.sqrt(2 * C * m * W * np.sqrt(R2) * root)
    return float(2 * kappa * C + np.sqrt(kappa) * d + np.sqrt(R2) * W * root)


def growth(kappa: float, lambda_0: float) -> float:
    """Return ``sqrt(kappa / lambda_0) / 2``, which bounds |h(x)| in units of the target."""
    return float(np.sqrt(kappa / lambda_0)) / 2


def bousquet_elisseeff(
    empirical_error: float, n_samples: int, stability: float, largest_loss: float, delta: float
) -> float:
    """Compute ``R_hat + beta + (2 m beta + largest loss) sqrt(log(1/delta) / 2m)``.

    beta bounds the change of a loss if one sample is replaced: R - R_hat has an expectation of at
    most beta and bounded differences 2 beta + largest loss / m.
    """
    m, beta = whole("n_samples", n_samples), number("stability", stability)
    error, delta = number("empirical_error", empirical_error), fraction("delta", delta)
    root = float(np.sqrt(np.log(1 / delta) / (2 * m)))
    return float(error + beta + (2 * m * beta + largest_loss) * root)


def positive(name: str, value: float) -> float:
    """Return a positive number as a float."""
    return number(name, value, low=np.finfo(float).tiny)
