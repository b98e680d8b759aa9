"""Guarantees based on the spectrum: local Rademacher complexity, fixed point, excess risk (2013).

lambda_j are the eigenvalues of the kernel's integral operator, estimated by the eigenvalues of the
Gram matrix divided by the number of samples n. Small tail sums give small local complexity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from learnkernels.checks import as_input_error, is_several, require_truth
from learnkernels.errors import InputError
from learnkernels.plurals import count_text
from learnkernels.theory.checks import fraction, number, spectrum, whole


def tail_sums(eigenvalues: ArrayLike) -> np.ndarray:
    """Compute ``sum_{j > theta} lambda_j`` for theta = 0, 1, ..., the penalty of `conv` and `dc`.

    Parameters
    ----------
    eigenvalues : array-like
        Eigenvalues of the kernel in any order.

    Returns
    -------
    ndarray of shape (n_eigenvalues + 1,)
        Decreasing from the trace to zero.

    Examples
    --------
    >>> from learnkernels.theory import tail_sums
    >>> tail_sums([1.0, 5.0, 2.0])
    array([8., 3., 1., 0.])
    """
    found = spectrum("eigenvalues", eigenvalues)
    return np.concatenate([np.cumsum(found[::-1])[::-1], [0.0]])


def local_rademacher(eigenvalues: ArrayLike, r: ArrayLike, n_samples: int):
    """Bound the Rademacher complexity of the functions of variance at most r in the unit ball.

    Theorem 3 of 2013: ``E[R(F; r)] <= sqrt(2/n min_theta (theta r + sum_{j > theta} lambda_j))
    = sqrt(2/n sum_j min(r, lambda_j))``.

    Parameters
    ----------
    eigenvalues : array-like
        lambda_j.
    r : float or array-like
        Largest variance; non-negative.
    n_samples : int
        n, the number of samples.

    Returns
    -------
    float or ndarray
        Upper bound for each r.

    Examples
    --------
    >>> from learnkernels.theory import local_rademacher
    >>> local_rademacher([0.5, 0.25, 0.25], 0.5, 200)
    0.1
    """
    found, n = spectrum("eigenvalues", eigenvalues), whole("n_samples", n_samples)
    with as_input_error("r: "):
        r = np.asarray(r, dtype=float)
    if (r < 0).any() or np.isnan(r).any():
        raise InputError(f"r={r!r}; variances must be non-negative.")
    total = np.minimum(r[..., None], found).sum(axis=-1)
    values = np.sqrt(2 * total / n)
    return float(values) if values.ndim == 0 else values


def fixed_point(
    eigenvalues: ArrayLike, n_samples: int, *, factor: float = 1.0, shrink: float = 1.0
) -> float:
    """Solve ``factor R(F; shrink r) = r`` for r > 0, the order of the excess risk.

    R is the bound of `local_rademacher`. It grows like the square root of r, so the solution r* is
    unique; it is zero for the zero kernel. 2013, section 2.1.

    Parameters
    ----------
    eigenvalues : array-like
        lambda_j.
    n_samples : int
        n, the number of samples.
    factor, shrink : float, default=1.0
        Theorem 8 uses 8 and 1/16.

    Returns
    -------
    float
        r*.

    Examples
    --------
    >>> from learnkernels.theory import fixed_point
    >>> round(fixed_point([1.0], 8), 6)
    0.25
    """
    found = spectrum("eigenvalues", eigenvalues)
    factor, shrink = number("factor", factor), number("shrink", shrink, positive=True)
    top = factor * local_rademacher(found, np.inf, n_samples)
    if top == 0:
        return 0.0

    def above(r):
        return factor * local_rademacher(found, shrink * r, n_samples) - r

    # Below the smallest positive eigenvalue R = sqrt(2 j shrink r / n), which exceeds r near zero.
    low = min(float(found[found > 0][-1]) / shrink, 2 * factor**2 * shrink / n_samples) / 2
    return float(brentq(above, low, 2 * top, xtol=1e-300, rtol=1e-12))


def multiple_kernel_rademacher(
    spectra: Sequence[ArrayLike], r: float, n_samples: int, radius: float = 1.0
) -> float:
    """Bound the local Rademacher complexity of the function class of `conv`.

    Theorem 6 of 2013, for M kernels divided by their tail sums, bounded and uncorrelated:
    ``sqrt(16 e / n max_m sum_j min(r, e^2 Lambda^2 log(M)^2 lambda_j))``, up to a term of order
    1/n that is omitted. The spectra do not show whether the kernels are uncorrelated.

    Parameters
    ----------
    spectra : sequence of array-like
        Eigenvalues lambda_j of each of at least two kernels.
    r : float
        Largest variance; non-negative.
    n_samples : int
        n, the number of samples.
    radius : float, default=1.0
        Lambda, the norm of the weight vectors.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import multiple_kernel_rademacher
    >>> round(multiple_kernel_rademacher([[1.0], [1.0]], 0.01, 1000), 4)
    0.0209
    """
    if not is_several(spectra):
        raise InputError(f"spectra={spectra!r}; expected a list of eigenvalues for each kernel.")
    found = [spectrum("spectra", one) for one in spectra]
    if len(found) < 2:
        raise InputError(
            f"spectra has {count_text(len(found), 'kernel')}; theorem 6 needs at least 2."
        )
    n, r = whole("n_samples", n_samples), number("r", r)
    scale = np.e**2 * number("radius", radius) ** 2 * np.log(len(found)) ** 2
    largest = max(float(np.minimum(r, scale * one).sum()) for one in found)
    return float(np.sqrt(16 * np.e / n * largest))


def excess_risk(r_star: float, n_samples: int, delta: float, *, convex: bool = True) -> float:
    """Bound the excess risk of least squares over the best function of the class.

    Theorem 8 of 2013, for functions with values in [-1, 1] and the loss (t - y)^2 / 2: with
    probability at least 1 - delta at most ``c r* + 76 log(1/delta) / n``, r* the fixed point of
    ``8 R(F; r / 16)``, c = 7/2 for a convex class and 705/2 for others.

    Parameters
    ----------
    r_star : float
        ``fixed_point(eigenvalues, n, factor=8, shrink=1/16)``.
    n_samples : int
        n, the number of samples.
    delta : float
        Probability that the bound fails.
    convex : bool, default=True
        Whether the class is convex, as the unit ball of a kernel is.

    Returns
    -------
    float
        Upper bound; vacuous above 2, the largest loss.

    Examples
    --------
    >>> from learnkernels.theory import excess_risk
    >>> round(excess_risk(0.01, 10_000, 0.05), 4)
    0.0578
    """
    n, delta = whole("n_samples", n_samples), fraction("delta", delta)
    require_truth("convex", convex)
    c = 7 / 2 if convex else 705 / 2
    return c * number("r_star", r_star) + 76 * float(np.log(1 / delta)) / n


def excess_risk_rate(
    n_samples: int, n_kernels: int, decay: float, scale: float, radius: float = 1.0
) -> float:
    """Compute the rate of the excess risk of `conv` for eigenvalues lambda_j <= d j^-gamma.

    Theorem 7 of 2013, without the term of order 1/n:
    ``186 sqrt((3 - gamma) / (1 - gamma)) (4 d Lambda^2 log(M)^2)^(1 / (1 + gamma)) ...
    n^(-gamma / (gamma + 1))``. As printed, the root has a negative argument for 1 < gamma < 3, and
    the exponent ``1 + 1/gamma`` disagrees with the rate stated below it,
    ``O(log(M)^(2/(1+gamma)) M^((gamma-1)/(gamma+1)) n^(-gamma/(1+gamma)))``. This
    function returns that rate without constants. Use it to compare n, M and gamma, not as a bound.

    Parameters
    ----------
    n_samples : int
        n, the number of samples.
    n_kernels : int
        M, the number of kernels, at least 2.
    decay : float
        gamma > 1.
    scale : float
        d.
    radius : float, default=1.0
        Lambda.

    Returns
    -------
    float
        ``(d Lambda^2 log(M)^2)^(1/(1+gamma)) M^((gamma-1)/(gamma+1)) n^(-gamma/(gamma+1))``.

    Examples
    --------
    >>> from learnkernels.theory import excess_risk_rate
    >>> slow, fast = (excess_risk_rate(10_000, 10, decay, 1.0) for decay in (1.1, 5.0))
    >>> fast < slow
    True
    """
    n, M = whole("n_samples", n_samples), whole("n_kernels", n_kernels)
    if M < 2:
        raise InputError(f"n_kernels={M}; theorem 7 needs at least 2.")
    if number("decay", decay) <= 1:
        raise InputError(f"decay={decay!r}; theorem 7 needs gamma > 1.")
    size = number("scale", scale) * number("radius", radius) ** 2 * np.log(M) ** 2
    powers = size ** (1 / (1 + decay)) * M ** ((decay - 1) / (decay + 1))
    return float(powers * n ** (-decay / (decay + 1)))
