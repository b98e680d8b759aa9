"""Guarantees based on the spectrum: local Rademacher complexity, fixed point, excess risk (2013).

lambda_j are the eigenvalues of the kernel's integral operator, estimated by the eigenvalues of the
Gram matrix divided by the number of samples n. Small tail sums give small local complexity. Bounds
for a fixed class do not hold for a kernel that was learned from the same samples; its class is that
of all weights (`learned_class_excess_risk`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from learnkernels.checks import as_input_error, is_several
from learnkernels.errors import InputError
from learnkernels.plurals import count_text
from learnkernels.theory.checks import LARGEST, fraction, number, spectrum, whole

Complexity = Callable[[float], float]


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


def local_rademacher(eigenvalues: ArrayLike, r: ArrayLike, n_samples: int) -> Any:
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
        raise InputError(f"r={r!r}; it must be a number, or numbers, of at least 0.")
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
        Theorem 8 of 2013 uses 8 and 1/16.

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

    def above(r: float) -> float:
        return factor * local_rademacher(found, shrink * r, n_samples) - r

    # Below the smallest positive eigenvalue R = sqrt(2 j shrink r / n), which exceeds r near zero.
    low = min(float(found[found > 0][-1]) / shrink, 2 * factor**2 * shrink / n_samples) / 2
    return float(brentq(above, low, 2 * top, xtol=1e-300, rtol=1e-12))


def multiple_kernel_rademacher(
    spectra: Sequence[ArrayLike], r: float, n_samples: int, radius: float = 1.0, bound: float = 1.0
) -> float:
    """Bound the local Rademacher complexity of the function class of `conv`.

    Theorem 6 of 2013, corrected, for the functions ``f_1 + ... + f_M`` with
    ``|f_1| + ... + |f_M| <= Lambda`` and uncorrelated kernels, ``E[f_k f_l] = 0``:

    ``sqrt(4 / n max_m sum_j min(M r, A Lambda^2 lambda_j)) + Lambda sqrt(c B log M) / n``

    with ``c = e (2 log M - 1)`` (2 for M = 2) and ``A = (e - 1) c``. The paper prints r in place of
    M r, which is too small for many kernels, and does not print the last term. The spectra
    do not show whether the kernels are uncorrelated; `learned_class_excess_risk` needs no such
    assumption.

    Parameters
    ----------
    spectra : sequence of array-like
        Eigenvalues lambda_j of each of at least two kernels (for `conv`, divided by their tail
        sums).
    r : float
        Largest variance; non-negative.
    n_samples : int
        n, the number of samples.
    radius : float, default=1.0
        Lambda, the largest norm of a function.
    bound : float, default=1.0
        B, an upper bound on k(x, x) of every kernel.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import multiple_kernel_rademacher
    >>> round(multiple_kernel_rademacher([[1.0], [1.0]], 0.01, 1000), 4)
    0.0101
    """
    if not is_several(spectra):
        raise InputError(f"spectra={spectra!r}; expected a list of eigenvalues for each kernel.")
    found = [spectrum("spectra", one) for one in spectra]
    M = len(found)
    if M < 2:
        raise InputError(
            f"spectra has {count_text(M, 'kernel')}; theorem 6 needs at least 2. For a single "
            "kernel use local_rademacher."
        )
    n, r, B = whole("n_samples", n_samples), number("r", r), number("bound", bound)
    Lambda = number("radius", radius)
    q = max(2.0, 2 * np.log(M))
    c = M ** (2 / q) * (q - 1)
    scale = (np.e - 1) * c * Lambda**2
    largest = max(float(np.minimum(M * r, scale * one).sum()) for one in found)
    return float(np.sqrt(4 / n * largest) + Lambda * np.sqrt(c * B * np.log(M)) / n)


def rademacher_excess_risk(
    complexity: float, n_samples: int, delta: float, variance: float | None = None
) -> float:
    """Bound the excess risk of empirical risk minimisation, for losses from 0 to 1.

    Equation (1) of 2013, ``4 R + sqrt(2 log(2/delta) / n)``, or with a variance equation (2),
    ``8 R + sqrt(8 s log(2/delta) / n) + 3 log(2/delta) / n``, with probability at least 1 - delta.

    Parameters
    ----------
    complexity : float
        R, the Rademacher complexity of the class of losses (that of the functions times the
        Lipschitz constant of the loss).
    n_samples : int
        n, the number of samples.
    delta : float
        Probability that the bound fails.
    variance : float or None, default=None
        s, an upper bound on E[g^2] of every loss g in the class. None uses equation (1).

    Returns
    -------
    float
        Upper bound; vacuous from 1, the largest loss.

    Examples
    --------
    >>> from learnkernels.theory import rademacher_excess_risk
    >>> round(rademacher_excess_risk(0.01, 10_000, 0.05), 4)
    0.0672
    >>> round(rademacher_excess_risk(0.001, 10_000, 0.05, variance=0.01), 4)
    0.0145
    """
    R, n = number("complexity", complexity), whole("n_samples", n_samples)
    x = float(np.log(2 / fraction("delta", delta))) / n
    if variance is None:
        return 4 * R + float(np.sqrt(2 * x))
    return 8 * R + float(np.sqrt(8 * number("variance", variance) * x)) + 3 * x


def realizable_risk(complexity: Complexity, n_samples: int, delta: float) -> float:
    """Bound the risk of empirical risk minimisation if the best risk is 0, for losses from 0 to 1.

    The fixed point of equation (13) of 2013,
    ``r = 8 R(r) + sqrt(8 r log(2/delta) / n) + 3 log(2/delta) / n``. (The paper extends the root
    over the last term, which equation (2) has outside.) The class of losses must be star-shaped
    around 0: it contains t g for every loss g in it and 0 <= t <= 1.

    Parameters
    ----------
    complexity : callable
        Upper bound on R(r), the Rademacher complexity of the losses with E[g^2] <= r; it must not
        grow faster than the square root of r.
    n_samples : int
        n, the number of samples.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound; vacuous from 1, the largest loss.

    Examples
    --------
    >>> from learnkernels.theory import realizable_risk
    >>> round(realizable_risk(lambda r: 0.0, 10_000, 0.05), 4)
    0.0049
    """
    n = whole("n_samples", n_samples)
    x = float(np.log(2 / fraction("delta", delta))) / n
    R = checked(complexity)
    return crossing(lambda r: 8 * R(r) + float(np.sqrt(8 * r * x)) + 3 * x)


def excess_risk(complexity: Complexity, n_samples: int, delta: float) -> float:
    """Bound the excess risk of least squares over the best function of the class.

    Theorem 8 of 2013 in the form that is proved on the page "Corrections to the papers": for a
    convex, symmetric class of functions with values in [-1, 1], targets in [-1, 1] and the loss
    (t - y)^2 / 2, with probability at least 1 - delta at most the solution e of

    ``e = 8 R(e/2) + sqrt(16 x (e + 8 R(e/2))) + 4 x / 3,   x = log(1/delta) / n``.

    Parameters
    ----------
    complexity : callable
        Upper bound on R(r), the Rademacher complexity of the functions with E[f^2] <= r; it must
        not grow faster than the square root of r. Example: ``lambda r: local_rademacher(l, r, n)``.
    n_samples : int
        n, the number of samples.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound; vacuous above 2, the largest loss.

    Examples
    --------
    >>> from learnkernels.theory import excess_risk, local_rademacher
    >>> n = 10_000
    >>> round(excess_risk(lambda r: local_rademacher([0.5, 0.25], r, n), n, 0.05), 4)
    0.0407
    """
    n = whole("n_samples", n_samples)
    x = float(np.log(1 / fraction("delta", delta))) / n
    R = checked(complexity)

    def bound(e: float) -> float:
        moved = 8 * R(e / 2)
        return moved + float(np.sqrt(16 * x * (e + moved))) + 4 * x / 3

    return crossing(bound)


def learned_class_excess_risk(
    eigenvalues: ArrayLike, n_samples: int, bound: float, delta: float, radius: float = 1.0
) -> float:
    """Bound the excess risk of least squares over the functions of all learned kernels.

    The class holds ``f_1 + ... + f_p + b`` with ``|f_1| + ... + |f_p| <= Lambda``, that is all
    functions of norm at most Lambda of every kernel ``sum_k mu_k K_k``, mu >= 0, sum(mu) <= 1, plus
    a constant, if their values are in [-1, 1]. It is a part of the ball of the sum kernel
    ``K_1 + ... + K_p``, which does not depend on the learned weights, for any base kernels: their
    correlation does not matter. The complexity is that of theorem 3 of 2013, and the risk that of
    `excess_risk`. The true tail sums are replaced by the empirical ones plus their largest
    deviation, so that the bound holds for eigenvalues of a Gram matrix.

    Parameters
    ----------
    eigenvalues : array-like of shape (m,)
        Eigenvalues of the centered Gram matrix of the sum kernel, divided by the number m of its
        samples; all of them, with zeros. The m samples may be some of the n.
    n_samples : int
        n, the number of samples.
    bound : float
        D^2, an upper bound on the squared distance of two samples in the feature space of the sum
        kernel.
    delta : float
        Probability that the bound fails.
    radius : float, default=1.0
        Lambda.

    Returns
    -------
    float
        Upper bound for targets in [-1, 1] and the loss (t - y)^2 / 2; vacuous above 2.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.theory import learned_class_excess_risk
    >>> eigenvalues = 2.0 ** -np.arange(1, 1001)
    >>> round(learned_class_excess_risk(eigenvalues, 10**6, 2.0, 0.05), 4)
    0.0081
    """
    n, delta = whole("n_samples", n_samples), fraction("delta", delta)
    tails = tail_sum_bounds(eigenvalues, bound, delta / 2)
    tails = number("radius", radius) ** 2 * tails
    # One more direction for the constant: eigenfunctions of a centered kernel have mean zero.
    directions = 1 + np.arange(len(tails))
    return excess_risk(
        lambda r: float(np.sqrt(2 / n * np.min(directions * r + tails))), n, delta / 2
    )


def tail_sum_bounds(eigenvalues: ArrayLike, bound: float, delta: float) -> np.ndarray:
    """Bound the tail sums of a centered kernel from those of a centered Gram matrix.

    A tail sum is the smallest mean squared distance of two samples, halved, after a projection that
    removes theta directions. Its empirical value is m / (m - 1) times that of the Gram matrix and,
    with probability at least 1 - delta for all theta at the same time, too small by at most
    ``D^2 (sqrt(theta / h) + sqrt(log(m / delta) / 2m))``, ``h = floor(m / 2)``.

    Parameters
    ----------
    eigenvalues : array-like of shape (m,)
        Eigenvalues of the centered Gram matrix, divided by the number m of its samples.
    bound : float
        D^2, an upper bound on the squared distance of two samples in feature space.
    delta : float
        Probability that the bounds fail.

    Returns
    -------
    ndarray of shape (m,)
        Upper bounds on ``sum_{j > theta} lambda_j``, theta = 0, 1, ..., m - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.theory import tail_sum_bounds
    >>> round(float(tail_sum_bounds(np.full(10_000, 1e-4), 1.0, 0.05)[0]), 3)
    1.025
    """
    found = spectrum("eigenvalues", eigenvalues)
    m = len(found)
    if m < 2:
        raise InputError(
            f"eigenvalues has length {m}; it must be at least 2. Pass all eigenvalues of a Gram "
            "matrix of 2 or more samples."
        )
    D2, delta = number("bound", bound), fraction("delta", delta)
    theta = np.arange(m)
    spread = np.sqrt(theta / (m // 2)) + np.sqrt(np.log(m / delta) / (2 * m))
    return m / (m - 1) * tail_sums(found)[:-1] + D2 * spread


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
        raise InputError(f"n_kernels={M}; it must be a whole number of at least 2 (theorem 7).")
    if number("decay", decay) <= 1:
        raise InputError(f"decay={decay!r}; it must be greater than 1 (theorem 7).")
    size = number("scale", scale) * number("radius", radius) ** 2 * np.log(M) ** 2
    powers = size ** (1 / (1 + decay)) * M ** ((decay - 1) / (decay + 1))
    return float(powers * n ** (-decay / (decay + 1)))


def checked(complexity: Complexity) -> Complexity:
    """Return the function with checks of its values."""
    if not callable(complexity):
        raise InputError(
            f"complexity={complexity!r}; it must be a function of r, such as lambda r: "
            "local_rademacher(eigenvalues, r, n)."
        )

    def value(r: float) -> float:
        with as_input_error("complexity: "):
            return number("the value of complexity", complexity(r))

    return value


def crossing(bound: Complexity) -> float:
    """Return the r with bound(r) = r, of a function that is larger near 0 and smaller from r on."""
    high = 1.0
    while bound(high) > high:
        high *= 4
        if high > LARGEST:
            raise InputError(
                "complexity grows faster than the square root of r, so the bound has no fixed "
                "point; use an upper bound on a local Rademacher complexity."
            )
    low = high / 4
    while bound(low) <= low:
        high, low = low, low / 4
    return float(brentq(lambda r: bound(r) - r, low, high, xtol=1e-300, rtol=1e-12))
