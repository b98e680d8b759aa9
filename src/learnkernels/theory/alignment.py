"""Guarantees based on centered alignment: concentration, and error of the aligned predictor.

Cortes, Mohri and Rostamizadeh (2012), section 4. Symbols: m is the number of samples, R^2 an upper
bound on k(x, x), and K_Y(x, x') = y y' the kernel of the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    size = number("bound", bound) * number("other_bound", other_bound)
    return size * mean_deviation(whole("n_samples", n_samples), fraction("delta", delta))


def mean_deviation(m: int, delta: float, n_means: int = 1) -> float:
    """Return ``18 / m + 24 sqrt(log(2 N / delta) / 2m)``, for N means at the same time."""
    return 18 / m + 24 * float(np.sqrt((np.log(2 / delta) + np.log(n_means)) / (2 * m)))


def alignment_concentration(
    n_samples: int,
    bound: float,
    other_bound: float,
    square: float,
    other_square: float,
    delta: float,
    n_kernels: int = 1,
) -> float:
    """Bound the distance of the empirical centered alignment from the true one.

    Theorem 12 of 2012, corrected: with probability at least 1 - delta,
    ``|rho - rho_hat| <= e (sqrt(b b') + max(b, b'))``, with ``b = R^4 / E[K_c^2]``,
    ``b' = R'^4 / E[K'_c^2]`` and ``e = 18 / m + 24 sqrt(log(6/delta) / 2m)``. As alignment is in
    [0, 1], a distance of 1 or more is vacuous. The paper's proof gives 3 max(b, b') e, which is
    ``18 max(b, b') (3 / m + 4 sqrt(log(6/delta) / 2m))`` as printed in 2010. 2012 prints 8 for 4,
    and R^2 R'^2 for both numerators, which is smaller than one of them if the scales differ.

    Parameters
    ----------
    n_samples : int
        m, the number of independent samples.
    bound, other_bound : float
        R^2 and R'^2, as in `product_concentration`.
    square, other_square : float
        E[K_c^2] and E[K'_c^2], or both estimates ``|K_c|_F^2 / m^2``: the bound holds with either,
        because rho and rho_hat can be exchanged in the proof.
    delta : float
        Probability that the bound fails.
    n_kernels : int, default=1
        p, the number of base kernels if K is a combination of them whose weights were learned
        from the samples. Then R^2 is the sum of the base kernels' bounds times the absolute
        weights, and log(6/delta) becomes log(2 N / delta) with the number
        ``N = p (p + 1) / 2 + p + 1`` of means that have to be close.

    Returns
    -------
    float
        Upper bound on the distance.

    Examples
    --------
    >>> from learnkernels.theory import alignment_concentration
    >>> round(alignment_concentration(10**6, 1.0, 1.0, 0.5, 1.0, 0.05), 4)
    0.1268
    """
    m, p = whole("n_samples", n_samples), whole("n_kernels", n_kernels)
    b = number("bound", bound) ** 2 / number("square", square, positive=True)
    other = number("other_bound", other_bound) ** 2
    other /= number("other_square", other_square, positive=True)
    n_means = p * (p + 1) // 2 + p + 1
    deviation = mean_deviation(m, fraction("delta", delta), n_means)
    return deviation * (float(np.sqrt(b * other)) + max(b, other))


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


def aligned_classifier_error(rho: float, gamma: float, variance: float = 1.0) -> float:
    """Bound the error of the aligned predictor for the classes -1 and 1.

    Theorem 13 of 2012: ``h*(x) = E[y' K_c(x, x')]``, of any positive scale, has the wrong sign with
    a probability of at most ``1 - rho sqrt(v) / Gamma``, where v is the variance of y. The theorem
    is printed for ``E[y] = 0``, where v = 1; for other classes footnote 3 divides Gamma by v, and
    the centered targets give sqrt(v). The bound is vacuous from 0.5, the error of guessing.

    With expectations over the training samples, it bounds the training error of
    ``machine="alignment"``.

    Parameters
    ----------
    rho : float
        Centered alignment of the kernel with the target.
    gamma : float
        `spread` of the kernel, at least 1.
    variance : float, default=1.0
        ``v = 1 - E[y]^2``; 1 for classes of equal size, ``4 q (1 - q)`` if a share q is in one.

    Returns
    -------
    float
        Upper bound.

    Examples
    --------
    >>> from learnkernels.theory import aligned_classifier_error
    >>> aligned_classifier_error(0.8, 1.0)
    0.19999999999999996
    >>> round(aligned_classifier_error(0.8, 1.0, variance=4 * 0.1 * 0.9), 2)
    0.52
    """
    rho, v = fraction("rho", rho, closed=True), fraction("variance", variance, closed=True)
    return 1 - rho * float(np.sqrt(v)) / number("gamma", gamma, low=1 - 1e-9)


def moment_classifier_error(rho: float, variance: float = 1.0) -> float:
    """Bound the error of the aligned predictor for the classes -1 and 1, without Gamma.

    2012 derives a probabilistic form of theorem 13 by Markov's inequality: Gamma is replaced by
    ``1 / sqrt(d)`` outside of a share d of the samples. With these samples counted, the error is at
    most ``1 - sqrt(d v) rho + d``, at best ``1 - v rho^2 / 4``. The second moment of h* gives more:
    ``E[y h*]^2 <= E[h*^2] Pr[y h* > 0]`` and ``E[h*^2] <= 1 / v``, so the error is at most
    ``1 - v rho^2``. It is smaller than that of `aligned_classifier_error` if
    ``rho sqrt(v) > 1 / Gamma``.

    Parameters
    ----------
    rho : float
        Centered alignment of the kernel with the target.
    variance : float, default=1.0
        Variance v of y, as in `aligned_classifier_error`.

    Returns
    -------
    float
        Upper bound, with ``h* = 0`` counted as an error; vacuous from 0.5.

    Examples
    --------
    >>> from learnkernels.theory import moment_classifier_error
    >>> round(moment_classifier_error(0.8), 2)
    0.36
    """
    rho, v = fraction("rho", rho, closed=True), fraction("variance", variance, closed=True)
    return 1 - v * rho**2


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


def unnormalized_alignment(K: ArrayLike, L: ArrayLike) -> float:
    """Compute the unnormalized alignment of two Gram matrices, ``<K_c, L_c>_F / m^2``.

    Definition 5 of 2012, rho_u. Lemma 6: for the kernel of a target with ``|y| <= M`` and
    ``K_c(x, x) <= R^2`` it is from 0 to ``M^2 R^2`` (the paper prints M for M^2).

    Parameters
    ----------
    K, L : array-like of shape (n_samples, n_samples)
        Gram matrices; they are centered here.

    Returns
    -------
    float
        rho_u.

    Examples
    --------
    >>> from learnkernels.theory import unnormalized_alignment
    >>> unnormalized_alignment([[4.0, -4.0], [-4.0, 4.0]], [[4.0, -4.0], [-4.0, 4.0]])
    16.0
    """
    K, L = gram_matrix("K", K, centered=True), gram_matrix("L", L)
    if K.shape != L.shape:
        raise InputError(
            f"K has shape {K.shape} and L has shape {L.shape}; they must be equal. Pass the Gram "
            "matrices of the same samples."
        )
    return float(np.mean(K * L)) if K.size else 0.0


def unnormalized_classifier_error(product: float, bound: float) -> float:
    """Bound the error of ``g*(x) = E[y' K_c(x, x')]`` for the classes -1 and 1.

    Theorem 15 of 2012: the error is at most ``1 - rho_u / R^2`` with ``rho_u = E[K_c K_Y]`` and
    K_c(x, x) <= R^2. Simpler than theorem 13, and usually weaker.

    Parameters
    ----------
    product : float
        rho_u, see `unnormalized_alignment`.
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
    K: ArrayLike, Y: ArrayLike, *, level: float = 0.95, n_draws: int = 500, random_state: Any = 0
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

    def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        # <A_c, B_c> = w'(A o B)w - (2/n) sum_i w_i r_i q_i + s t / n^2, r = A w, q = B w
        r, q = A @ w, B @ w
        totals = np.einsum("ib,ib->b", w, r) * np.einsum("ib,ib->b", w, q)
        first = np.einsum("ib,ib->b", w, (A * B) @ w)
        return first - 2 / n * np.einsum("ib,ib,ib->b", w, r, q) + totals / n**2

    norms = np.sqrt(np.maximum(product(K, K) * product(L, L), 0.0))
    return np.divide(product(K, L), norms, out=np.zeros(w.shape[1]), where=norms > 0)
