"""The multiple-kernel regressor, the single-kernel regressor and their theoretical limit.

Tanaka and Imai, "Theoretical analyses on 2-norm-based multiple kernel regressors" (2017): the
minimum-norm regressor with separate coefficients for each base kernel equals the regressor of the
sum kernel (theorems 4 and 5), not the best function of the larger model (theorem 3).

Norms are those of the Hilbert space of the sum kernel K_u = K_1 + ... + K_n (`kernel_functions`).
In the code n is the number of kernels and l the number of training points; vectors of n l
coefficients are ordered kernel by kernel, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from learnkernels.checks import is_number
from learnkernels.errors import InputError
from learnkernels.plurals import count_text
from learnkernels.theory.kernel_functions import (
    EPS,
    Kernel,
    KernelFunction,
    as_finite,
    as_kernels,
    as_points,
    base_grams,
    coordinates,
    evaluated,
    inner_products,
    squared_norm,
)

__all__ = [
    "KernelFunction",
    "excess_error",
    "generalization_error",
    "inner_products",
    "multiple_kernel_regressor",
    "single_kernel_regressor",
    "squared_norm",
    "theoretical_limit",
]


def single_kernel_regressor(
    kernels: Sequence[Kernel], X: ArrayLike, y: ArrayLike, regularization: float = 0.0
) -> KernelFunction:
    """Fit the regressor of the sum kernel, SKR (problems 4 and 6, eqs 58 and 67).

    Among the functions ``sum_i c_i K_u(., x_i)`` it has minimum norm subject to f(x_i) = y_i or,
    for positive regularization, minimises ``lam |f|^2 + sum_i (y_i - f(x_i))^2``.

    Parameters
    ----------
    kernels : sequence of callables
        Base kernels K_p, see `KernelFunction`; the regressor uses their sum.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    y : array-like of shape (n_samples,)
        Values f(x_i), with or without noise.
    regularization : float, default=0.0
        lam in the paper, alpha in `KernelRegressor`. 0 interpolates; the Gram matrix of the sum
        kernel must then be positive definite.

    Returns
    -------
    KernelFunction
        Expansion in the sum kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import single_kernel_regressor
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> f = single_kernel_regressor([Gaussian(0.5), Gaussian(0.1)], X, [1.0, 0.0, 2.0])
    >>> f(X).round(6) + 0.0
    array([1., 0., 2.])
    """
    kernels, X = as_kernels(kernels), as_points("X", X)
    y = as_targets(y, len(X))
    # (58), (67): c = (G_u + lam I)^-1 y
    c = regularised_solve(base_grams(kernels, X).sum(axis=0), y, regularization)
    return KernelFunction(kernels, X, c)


def multiple_kernel_regressor(
    kernels: Sequence[Kernel],
    X: ArrayLike,
    y: ArrayLike,
    dense: ArrayLike,
    regularization: float = 0.0,
    gamma: float = 1e-8,
) -> KernelFunction:
    """Fit the regressor with coefficients for each kernel, MKR (problems 3, 5; eqs 39, 65).

    It solves the same problems as `single_kernel_regressor` over all functions
    ``sum_p sum_i c_i^(p) K_p(., x_i)``. By theorems 4 and 5 both regressors are the same function.
    This one is computed by its own formula and equals the other up to rounding errors, which
    increase without regularization if training points almost coincide.

    Parameters
    ----------
    kernels, X, y, regularization
        See `single_kernel_regressor`.
    dense, gamma
        See `inner_products`.

    Returns
    -------
    KernelFunction
        With a row of coefficients for each kernel, of minimum norm if the functions
        ``K_p(., x_i)`` are linearly dependent.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import (
    ...     multiple_kernel_regressor, single_kernel_regressor)
    >>> kernels = [Gaussian(0.5), Gaussian(0.1)]
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), [1.0, 0.0, 2.0]
    >>> Z = np.linspace(-5, 8, 60)[:, None]
    >>> several = multiple_kernel_regressor(kernels, X, y, Z, regularization=0.1)
    >>> one = single_kernel_regressor(kernels, X, y, regularization=0.1)
    >>> several.coefficients.shape, one.coefficients.shape
    ((2, 3), (3,))
    >>> bool(np.allclose(several(Z), one(Z), atol=1e-9))
    True
    """
    kernels, X = as_kernels(kernels), as_points("X", X)
    y = as_targets(y, len(X))
    P = orthonormal(coordinates(kernels, X, as_points("dense", dense, X), gamma))
    # c = H^-1 G (G' H^-1 G + lam I)^-1 y, which is (39) for lam = 0 and (65) for lam > 0, since
    # (G G' + lam H) H^-1 G = G (G' H^-1 G + lam I)
    W = P.T @ np.concatenate(base_grams(kernels, X))  # (rank, l), W'W = G' H^-1 G
    c = P @ (W @ regularised_solve(W.T @ W, y, regularization))
    return KernelFunction(kernels, X, c.reshape(len(kernels), -1))


def theoretical_limit(
    target: KernelFunction, X: ArrayLike, dense: ArrayLike, gamma: float = 1e-8
) -> KernelFunction:
    """Compute the best of all functions ``sum_p sum_i c_i^(p) K_p(., x_i)``, c_TL (eq. 32).

    It is the projection of the target onto the model space and has the smallest generalization
    error, E_min (eq. 34). It cannot be computed from training data: it needs the inner products of
    the target with every base kernel, and the data contain only their sum, f(x_i) (eq. 33).

    Parameters
    ----------
    target : KernelFunction
        f, an expansion in the sum kernel (coefficients of shape (n_points,)). The paper
        assumes that the unknown function is in the Hilbert space of the sum kernel.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    dense, gamma
        See `inner_products`; the centres of the target are added to the dense set.

    Returns
    -------
    KernelFunction
        With a row of coefficients for each kernel, of minimum norm if the functions
        ``K_p(., x_i)`` are linearly dependent.

    Examples
    --------
    One training point, and a kernel for each of two features. The best function of
    ``c_1 x_1 + c_2 x_2`` for the target 2 x_1 is the target.

    >>> import numpy as np
    >>> from learnkernels.theory.regressors import KernelFunction, theoretical_limit
    >>> kernels = [lambda X, Z, p=p: np.outer(X[:, p], Z[:, p]) for p in (0, 1)]
    >>> target = KernelFunction(kernels, [[2.0, 0.0]], [1.0])
    >>> limit = theoretical_limit(target, [[1.0, 1.0]], dense=np.eye(2))
    >>> limit.coefficients.round(6) + 0.0
    array([[2.],
           [0.]])
    """
    kernels, X, a = target.kernels, as_points("X", X, target.points), sum_coefficients(target)
    P = orthonormal(coordinates(kernels, X, joined(target, dense), gamma))
    # (32): c = H^-1 b, b = G^XZ a = <f, K_p(., x_i)>
    b = np.concatenate([K @ a for K in evaluated(kernels, X, target.points)])  # (n l,)
    c = P @ (P.T @ b)
    return KernelFunction(kernels, X, c.reshape(len(kernels), -1))


def generalization_error(
    target: KernelFunction,
    estimate: KernelFunction,
    dense: ArrayLike | None = None,
    gamma: float = 1e-8,
) -> float:
    """Compute the squared distance of an estimate from the target, ``|f - g|^2`` (eqs 28, 29).

    It bounds the error at every point: ``|f(x) - g(x)|^2 <= E K_u(x, x)`` (eq. 8). It is E_min
    (eq. 34) for `theoretical_limit` and E_est (eq. 45) for `multiple_kernel_regressor` on the
    target's own values, and E_est >= E_min (theorem 3).

    Parameters
    ----------
    target : KernelFunction
        f, an expansion in the sum kernel (coefficients of shape (n_points,)).
    estimate : KernelFunction
        g, with the same kernels.
    dense, gamma
        See `inner_products`; the centres of the target are added to the dense set. Not needed for
        an expansion in the sum kernel, such as `single_kernel_regressor`, whose error is exact.

    Returns
    -------
    float
        Like `squared_norm` a lower bound, and at least ``-gamma |a|^2`` with the target's
        coefficients a.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import (
    ...     KernelFunction, generalization_error, single_kernel_regressor, theoretical_limit)
    >>> kernels = [Gaussian(0.5), Gaussian(0.1)]
    >>> target = KernelFunction(kernels, [[0.0], [2.0]], [1.0, 1.0])
    >>> X, Z = np.array([[-1.0], [1.0]]), np.linspace(-6, 8, 80)[:, None]
    >>> limit = theoretical_limit(target, X, Z)
    >>> learned = single_kernel_regressor(kernels, X, target(X))
    >>> round(generalization_error(target, limit, Z), 3)
    0.145
    >>> round(generalization_error(target, learned), 3)
    0.741
    """
    if target.kernels != estimate.kernels:
        raise InputError(
            "the target and the estimate have different kernels; use the same kernels in the same "
            "order, so that both are in the space of one sum kernel."
        )
    # (29): |f|^2 - 2 <f, g> + |g|^2, with <f, g> = sum_k a_k g(z_k)
    a = sum_coefficients(target)
    Z = None if dense is None else joined(target, dense)
    cross = a @ estimate(target.points)
    return squared_norm(target) - 2 * float(cross) + squared_norm(estimate, Z, gamma)


def excess_error(
    target: KernelFunction, X: ArrayLike, dense: ArrayLike, gamma: float = 1e-8
) -> float:
    """Compute the excess error of learning without noise, ``E_est - E_min`` (theorem 3).

    It is non-negative, and zero only if the theoretical limit has the same coefficients in every
    kernel (eq. 49). It is computed as the squared distance of the two functions: both are
    projections of the target, one of them (by theorem 2) onto a subspace of the other's space, so
    the difference of their errors (eq. 52) is that distance.

    Parameters
    ----------
    target, X, dense, gamma
        See `theoretical_limit`.

    Returns
    -------
    float

    Examples
    --------
    The target 2 x_1 has the value 2 at (1, 1). There the limit is 2 x_1 itself and the regressor
    of the sum kernel x_1 + x_2.

    >>> import numpy as np
    >>> from learnkernels.theory.regressors import KernelFunction, excess_error
    >>> kernels = [lambda X, Z, p=p: np.outer(X[:, p], Z[:, p]) for p in (0, 1)]
    >>> target = KernelFunction(kernels, [[2.0, 0.0]], [1.0])
    >>> round(excess_error(target, [[1.0, 1.0]], dense=np.eye(2)), 6)
    2.0
    """
    limit = theoretical_limit(target, X, dense, gamma)
    learned = single_kernel_regressor(target.kernels, X, target(X))
    lost = KernelFunction(target.kernels, limit.points, limit.coefficients - learned.coefficients)
    return squared_norm(lost, joined(target, dense), gamma)


def orthonormal(A: np.ndarray) -> np.ndarray:
    """Return P, shape (n l, rank), with P'HP = I and PP' the (pseudo-)inverse of H."""
    _, s, Vt = np.linalg.svd(np.linalg.qr(A, mode="r"))
    kept = s > np.sqrt(EPS * len(s)) * s[0]
    return Vt[kept].T / s[kept]


def regularised_solve(G: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    """Compute (G + lam I)^-1 y for a positive semi-definite G."""
    if not (is_number(lam) and lam >= 0):
        raise InputError(
            f"regularization={lam!r}; it must be a finite number of at least 0 (0 interpolates)."
        )
    values, Q = eigh(G)
    values += lam
    if values[0] <= EPS * len(G) * values[-1]:
        raise InputError(
            f"the Gram matrix of the sum kernel plus regularization={lam:g} is singular, so no "
            "function takes all the given values; remove training points that are equal or almost "
            "equal, or increase regularization."
        )
    return Q @ ((Q.T @ y) / values)


def sum_coefficients(target: KernelFunction) -> np.ndarray:
    """Return the target's coefficients in the sum kernel, shape (n_points,)."""
    if target.coefficients.ndim != 1:
        raise InputError(
            f"the target has coefficients of shape {target.coefficients.shape}; they must have "
            f"shape ({len(target.points)},). Pass a target that is an expansion in the sum kernel."
        )
    return target.coefficients


def joined(target: KernelFunction, dense: ArrayLike) -> np.ndarray:
    """Return the target's centres and the dense set; with the centres |f - g|^2 >= -gamma |a|^2."""
    return np.concatenate([target.points, as_points("dense", dense, target.points)])


def as_targets(y: ArrayLike, n_samples: int) -> np.ndarray:
    """Return y as a float array of shape (n_samples,)."""
    found = as_finite("y", y)
    if found.shape != (n_samples,):
        raise InputError(
            f"y has shape {found.shape}; for {count_text(n_samples, 'point')} in X it must be "
            f"({n_samples},). Pass one number for each point."
        )
    return found
