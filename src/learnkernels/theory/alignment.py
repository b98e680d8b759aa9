"""Guarantees based on centered alignment: concentration, and error of the aligned predictor.

Cortes, Mohri and Rostamizadeh (2012), section 4. Symbols: m is the number of samples, R^2 an upper
bound on k(x, x), and K_Y(x, x') = y y' the kernel of the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnkernels.checks import as_input_error, random_generator
from learnkernels.errors import InputError
from learnkernels.theory.checks import fraction, gram_matrix, number, whole


class Interval(NamedTuple):
    """An interval with the ends `low` and `high`."""

    low: float
    high: float


def product_concentration(n_samples: int, bound: float, other_bound: float, delta: float) -> float:
    """Bound the distance of the mean product of two centered kernels from its expectation.

    Proposition 11 of 2012: with probability at least 1 - delta,
    ``|<K_c, K'_c>_F / m^2 - E[K_c K'_c]|`` is at most
    ``18 R^2 R'^2 / m + 24 R^2 R'^2 sqrt(log(2/delta) / 2m)``.

    Parameters
    ----------
    n_samples : int
        m, the number of independent samples.
    bound, other_bound : float
        R^2 and R'^2, upper bounds on k(x, x) for every possible x. For the kernel of the target,
        the largest y^2.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound on the distance.

    Examples
    --------
    >>> from learnkernels.theory import product_concentration
    >>> round(product_concentration(10_000, 1.0, 1.0, 0.05), 4)
    0.3277
    """
    m, size = whole("n_samples", n_samples), number("bound", bound) * number("bound", other_bound)
    delta = fraction("delta", delta)
    return 18 * size / m + 24 * size * float(np.sqrt(np.log(2 / delta) / (2 * m)))


def alignment_concentration(
    n_samples: int,
    bound: float,
    other_bound: float,
    square: float,
    other_square: float,
    delta: float,
) -> float:
    """Bound the distance of the empirical centered alignment from the true one.

    Theorem 12 of 2012: with probability at least 1 - delta,
    ``|rho - rho_hat| <= 18 beta (3 / m + 8 sqrt(log(6/delta) / 2m))``, with
    ``beta = max(R^2 R'^2 / E[K_c^2], R^2 R'^2 / E[K'_c^2])``. As alignment is in [0, 1], a distance
    of 1 or more is vacuous. The theorem's beta needs kernels of comparable scale (``R^2 = R'^2``
    after scaling); alignment does not depend on the scale.

    Parameters
    ----------
    n_samples : int
        m, the number of independent samples.
    bound, other_bound : float
        R^2 and R'^2, as in `product_concentration`.
    square, other_square : float
        E[K_c^2] and E[K'_c^2], usually replaced by their estimates ``|K_c|_F^2 / m^2``.
    delta : float
        Probability that the bound fails.

    Returns
    -------
    float
        Upper bound on the distance.

    Examples
    --------
    >>> from learnkernels.theory import alignment_concentration
    >>> round(alignment_concentration(10**6, 1.0, 1.0, 0.5, 1.0, 0.05), 4)
    0.4457
    """
    m = whole("n_samples", n_samples)
    size = number("bound", bound) * number("bound", other_bound)
    beta = max(
        size / number("square", square, positive=True),
        size / number("other_square", other_square, positive=True),
    )
    delta = fraction("delta", delta)
    return 18 * beta * (3 / m + 8 * float(np.sqrt(np.log(6 / delta) / (2 * m))))


def spread(K: ArrayLike) -> float:
    """Compute Gamma, the largest row norm of a centered Gram matrix relative to the average.

    ``Gamma = max_x sqrt(E_x'[K_c(x, x')^2] / E[K_c^2])``, at least 1; expectations are replaced by
    means over the samples.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Gram matrix; it is centered here.

    Returns
    -------
    float
        Gamma.

    Examples
    --------
    >>> from learnkernels.theory import spread
    >>> round(spread([[1.0, -1.0], [-1.0, 1.0]]), 6)
    1.0
    """
    K = gram_matrix("K", K, centered=True)
    rows = np.mean(K**2, axis=1)
    if not rows.any():
        raise InputError(
            "the spread of a constant kernel is not defined, because its centered Gram matrix is "
            "zero; use another kernel."
        )
    return float(np.sqrt(rows.max() / rows.mean()))


def aligned_classifier_error(rho: float, gamma: float) -> float:
    """Bound the error of the aligned predictor for two classes.

    Theorem 13 of 2012: ``h*(x) = E[y' K_c(x, x')] / sqrt(E[K_c^2])``, with y centered and of
    variance one, has a probability of error of at most ``1 - rho / Gamma``. The bound is vacuous
    from 0.5, the error of guessing.

    Parameters
    ----------
    rho : float
        Centered alignment of the kernel with the target.
    gamma : float
        `spread` of the kernel, at least 1.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import aligned_classifier_error
    >>> aligned_classifier_error(0.8, 1.0)
    0.19999999999999996
    """
    return 1 - fraction("rho", rho, closed=True) / number("gamma", gamma, low=1 - 1e-9)


def aligned_regressor_error(rho: float) -> float:
    """Bound the squared error of the aligned predictor, relative to the variance of y.

    Theorem 14 of 2012: ``E[(y - h*(x))^2] <= 2 (1 - rho)`` for centered y of variance one. The
    bound is vacuous from 1, the error of predicting the mean.

    Parameters
    ----------
    rho : float
        Centered alignment of the kernel with the target.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import aligned_regressor_error
    >>> aligned_regressor_error(0.75)
    0.5
    """
    return 2 * (1 - fraction("rho", rho, closed=True))


def unnormalized_classifier_error(product: float, bound: float) -> float:
    """Bound the error of ``g*(x) = E[y' K_c(x, x')]`` for the classes -1 and 1.

    Theorem 15 of 2012: the error is at most ``1 - rho_u / R^2`` with ``rho_u = E[K_c K_Y]`` and
    K_c(x, x) <= R^2. Simpler than theorem 13, and usually weaker.

    Parameters
    ----------
    product : float
        rho_u; its estimate is ``<K_c, yy'>_F / m^2``.
    bound : float
        R^2, an upper bound on K_c(x, x) of the centered kernel.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import unnormalized_classifier_error
    >>> unnormalized_classifier_error(0.25, 1.0)
    0.75
    """
    return 1 - number("product", product, low=0.0) / number("bound", bound, positive=True)


def bootstrap_alignment(
    K: ArrayLike, Y: ArrayLike, *, level: float = 0.95, n_draws: int = 500, random_state=0
) -> Interval:
    """Estimate a confidence interval for the alignment of a kernel with a target by resampling.

    Each draw is a random half of the samples, without replacement. The mean over a half has the
    variance ``s^2 / (m/2) (1 - 1/2) = s^2 / m`` of the mean over a bootstrap sample, but contains
    no duplicate samples, which would increase the alignment. The deviations of the draws from
    their median are added to the alignment of all samples. The interval is much narrower than the
    bound of theorem 12, but it is not a proven bound.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Gram matrix.
    Y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The target.
    level : float, default=0.95
        Confidence level.
    n_draws : int, default=500
        Number of draws.
    random_state : int, RandomState or None, default=0
        Seed or generator of the draws.

    Returns
    -------
    Interval
        Ends of the interval, within [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.theory import bootstrap_alignment
    >>> y = np.repeat([-1.0, 1.0], 20)
    >>> low, high = bootstrap_alignment(np.outer(y, y), y)
    >>> round(low, 6), round(high, 6)
    (1.0, 1.0)
    """
    K = gram_matrix("K", K, centered=True)
    n = len(K)
    with as_input_error("Y: "):
        Y = np.asarray(Y, dtype=float).reshape(n, -1)
    L = gram_matrix("the target's kernel", Y @ Y.T, centered=True)
    level = fraction("level", level)
    random = random_generator(random_state)
    ranks = random.random_sample((n, whole("n_draws", n_draws))).argsort(axis=0)
    halves = (ranks < max(2, n // 2)).astype(float)  # (n, n_draws)
    here = drawn_alignments(K, L, np.ones((n, 1)))[0]
    quantiles = [(1 - level) / 2, 0.5, (1 + level) / 2]
    low, middle, high = np.quantile(drawn_alignments(K, L, halves), quantiles)
    ends = np.clip([here + low - middle, here + high - middle], 0.0, 1.0)
    return Interval(float(ends[0]), float(ends[1]))


def drawn_alignments(K: np.ndarray, L: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the alignments of draws with w_i copies of sample i; w is (n_samples, n_draws)."""
    n = w[:, 0].sum()  # the size of every draw

    def product(A, B):
        # <A_c, B_c> = w'(A o B)w - (2/n) sum_i w_i r_i q_i + s t / n^2, r = A w, q = B w
        r, q = A @ w, B @ w
        totals = np.einsum("ib,ib->b", w, r) * np.einsum("ib,ib->b", w, q)
        first = np.einsum("ib,ib->b", w, (A * B) @ w)
        return first - 2 / n * np.einsum("ib,ib,ib->b", w, r, q) + totals / n**2

    norms = np.sqrt(np.maximum(product(K, K) * product(L, L), 0.0))
    return np.divide(product(K, L), norms, out=np.zeros(w.shape[1]), where=norms > 0)
