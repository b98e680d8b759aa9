"""How much the weights of `align` and `alignf` change if one training sample is replaced.

2012, appendix B. The mean product of two centered kernels is the squared norm of a covariance,
``<K_c, K'_c>_F / m^2 = |C|^2`` with ``C = mean_i (phi_i - mean phi) (psi_i - mean psi)'``. With the
mean of the other samples, replacing sample m changes C by

    (m - 1) / m^2 [(phi'_m - mean) (psi'_m - mean)' - (phi_m - mean) (psi_m - mean)'],

so ``|C|`` changes by at most ``2 D D' / m``, where D is the largest distance of two samples in
feature space. (Lemma 18 of 2012 gives 24 R^2 R'^2 / m for the square.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.solvers import nonnegative_qp
from learnkernels.theory.checks import LARGEST, gram_matrix, number, whole


def align_change(
    n_samples: int,
    products: ArrayLike,
    squares: ArrayLike,
    target_square: float,
    bounds: ArrayLike,
    target_bound: float,
) -> float:
    """Bound the change of the weights of `align` if one training sample is replaced.

    The alignment ``rho_k = |C_ky|^2 / (|C_kk| |C_yy|)`` lies in an interval, as each of the three
    norms does. With ``mu = rho / sum(rho)``, ``|dmu|_1 <= 2 |drho|_1 / sum(rho)`` (lemma 20 of 2012
    in the norm that `two_stage_stability` needs).

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    products : array-like of shape (n_kernels,)
        ``<K_kc, yy'>_F / m^2``.
    squares : array-like of shape (n_kernels,)
        ``|K_kc|_F^2 / m^2``.
    target_square : float
        ``|y_c y_c'|_F^2 / m^2``, the squared variance of y.
    bounds : array-like of shape (n_kernels,)
        D_k^2, upper bounds on the squared distance of two samples in feature space,
        ``k(x, x) + k(z, z) - 2 k(x, z)``.
    target_bound : float
        Upper bound on the squared distance of two targets.

    Returns
    -------
    float
        Upper bound on ``|dmu|_1``; 2, the largest possible value, if nothing better is known.

    Examples
    --------
    >>> from learnkernels.theory import align_change
    >>> round(align_change(10**5, [0.5, 0.1], [1.0, 1.0], 1.0, [4.0, 4.0], 4.0), 4)
    0.0009
    """
    m, D = whole("n_samples", n_samples), vector("bounds", bounds)
    a, M = vector("products", products, len(D)), vector("squares", squares, len(D))
    E = number("target_bound", target_bound)
    # |C_ky|, |C_kk|, |C_yy| and their largest changes
    x, u, w = np.sqrt(a), np.sqrt(M), np.sqrt(number("target_square", target_square))
    dx, du, dw = 2 / m * np.sqrt(D * E), 2 / m * D, 2 / m * E
    if not (w > dw and (u > du).all() and a.any()):
        return 2.0
    rho = x**2 / (u * w)
    high = np.minimum((x + dx) ** 2 / ((u - du) * (w - dw)), 1.0)
    low = np.maximum(x - dx, 0.0) ** 2 / ((u + du) * (w + dw))
    change = np.maximum(high - rho, rho - low)
    return float(min(2.0, 2 * change.sum() / rho.sum()))


def alignf_change(
    n_samples: int, products: ArrayLike, inner: ArrayLike, bounds: ArrayLike, target_bound: float
) -> float:
    """Bound the change of the weights of `alignf` if one training sample is replaced.

    Proposition 21 of 2012 with the two samples exchanged, for the minimisers v and v' of
    ``v'Mv - 2 v'a``: ``dv'M'dv <= (da - dM v)'dv``. So ``|dv| <= |da - dM v| / (l - |dM|)`` with
    the smallest eigenvalue l of M, and ``|dmu|_1 <= 2 |dv|_1 / sum(v)``. Similar base kernels make
    l small: then the weights can change completely, and the bound is 2.

    Parameters
    ----------
    n_samples : int
        m, the number of samples.
    products : array-like of shape (n_kernels,)
        ``a / m^2``, ``a_k = <K_kc, yy'>_F``.
    inner : array-like of shape (n_kernels, n_kernels)
        ``M / m^2``, ``M_kl = <K_kc, K_lc>_F``.
    bounds, target_bound
        As in `align_change`.

    Returns
    -------
    float
        Upper bound on ``|dmu|_1``; 2, the largest possible value, if nothing better is known.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.theory import alignf_change
    >>> round(alignf_change(10**5, [0.5, 0.1], np.eye(2), [4.0, 4.0], 4.0), 4)
    0.001
    """
    m, D = whole("n_samples", n_samples), vector("bounds", bounds)
    E = number("target_bound", target_bound)
    if not D.all() or E == 0:
        raise InputError(
            f"bounds={bounds!r} and target_bound={target_bound!r}; all must be positive. Leave out "
            "constant kernels, which have the bound 0."
        )
    # In units of D_k^2 and of the target's bound, in which every covariance changes by 2 / m.
    a = vector("products", products, len(D)) / (D * E)
    M = gram_matrix("inner", inner)
    if M.shape != (len(D), len(D)) or (M < 0).any():
        raise InputError(
            f"inner has shape {M.shape} and the least value {M.min(initial=0.0):.3g}; expected "
            f"shape ({len(D)}, {len(D)}) and no negative value. Pass the inner products of the "
            "centered Gram matrices of the kernels in bounds."
        )
    M = M / np.outer(D, D)
    step = 2 / m
    da, dM = step * (2 * np.sqrt(a) + step), step * (2 * np.sqrt(M) + step)
    convexity = np.linalg.eigvalsh(M)[0] - np.linalg.norm(dM)
    v, _ = nonnegative_qp(M, a)
    if convexity <= 0 or not v.any():
        return 2.0
    distance = np.linalg.norm(da + dM @ v) / convexity
    change = distance * np.linalg.norm(1 / D)  # |dv|_1 of the kernels as they were given
    return float(min(2.0, 2 * change / np.sum(v / D)))


def vector(name: str, values: ArrayLike, size: int | None = None) -> np.ndarray:
    """Return finite, non-negative numbers as an array, one for each kernel."""
    with as_input_error(f"{name}: "):
        found = np.asarray(values, dtype=float)
    if found.ndim != 1 or not found.size or (size is not None and len(found) != size):
        length = "" if size is None else f" of length {size}"
        raise InputError(
            f"{name} has shape {found.shape}; pass a list{length}, with one number for each kernel."
        )
    if not ((found >= 0) & (found <= LARGEST)).all():
        raise InputError(f"{name}={values!r}; its numbers must be from 0 to {LARGEST:g}.")
    return found
