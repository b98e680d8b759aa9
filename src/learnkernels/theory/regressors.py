"""The multiple-kernel regressor, the single-kernel regressor and the limit of both.

Tanaka and Imai, "Theoretical analyses on 2-norm-based multiple kernel regressors" (2017): whoever
gives every base kernel coefficients of its own, and asks for the least norm, gets the regressor of
the sum kernel (theorems 4 and 5) and not the best function of the larger model (theorem 3).

All is measured in the Hilbert space of the sum kernel K_u = K_1 + ... + K_n. By the reproducing
property an inner product is exact there as soon as one side is written in K_u:

    <f, g> = sum_k a_k g(z_k)        for  f = sum_k a_k K_u(., z_k)

Only those between base kernels, ``H = <K_p(., x_i), K_q(., x_j)>``, have no formula; they are found
with a dense set of points and a stabiliser gamma (`inner_products`).

In the code n is the number of kernels and l that of training points; vectors of n l coefficients
are ordered kernel by kernel, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, eigh, solve_triangular

from learnkernels.checks import is_number, require_positive
from learnkernels.errors import InputError

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

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """A function made of kernels, ``f(x) = sum_p sum_i c_i^(p) K_p(x, x_i)`` (eq. 22).

    Parameters
    ----------
    kernels : sequence of callables
        Positive definite kernels: ``K_p(X, Z)`` gives an array of shape (n_X, n_Z). For a weighted
        sum of kernels give the weighted kernels.
    points : array-like of shape (n_points, n_features)
        The x_i; where f is the target to learn, its centres z_k (eq. 26).
    coefficients : array-like of shape (n_points,) or (n_kernels, n_points)
        One row for each kernel; or one row for all, and f is written in the sum kernel,
        ``f(x) = sum_i c_i K_u(x, x_i)`` (eqs 26 and 55).

    Examples
    --------
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import KernelFunction
    >>> f = KernelFunction([Gaussian(0.5), Gaussian(2.0)], [[0.0], [1.0]], [1.0, -1.0])
    >>> f([[0.0], [0.5]]).round(3)
    array([1.258, 0.   ])
    """

    kernels: Sequence[Kernel]
    points: np.ndarray
    coefficients: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "kernels", as_kernels(self.kernels))
        object.__setattr__(self, "points", as_points("points", self.points).copy())
        n, m = len(self.kernels), len(self.points)
        c = as_finite("coefficients", self.coefficients)
        if c.shape not in ((m,), (n, m)):
            raise InputError(
                f"coefficients has shape {c.shape}; for {n} kernels and {m} points it must be "
                f"({m},), for the sum kernel, or ({n}, {m}), a row for each kernel."
            )
        object.__setattr__(self, "coefficients", c.copy())

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Values f(x) for the rows of X, shape (n_samples,)."""
        K = evaluated(self.kernels, as_points("X", X, self.points), self.points)
        rows = np.broadcast_to(self.coefficients, (len(self.kernels), len(self.points)))
        return reduce(np.add, (K_p @ c_p for K_p, c_p in zip(K, rows, strict=True)))


def single_kernel_regressor(
    kernels: Sequence[Kernel], X: ArrayLike, y: ArrayLike, regularization: float = 0.0
) -> KernelFunction:
    """The regressor of the sum kernel, SKR (problems 4 and 6, eqs 58 and 67).

    Among the functions ``sum_i c_i K_u(., x_i)`` the one of least norm with f(x_i) = y_i or, where
    regularization is positive, the one with the least ``lam |f|^2 + sum_i (y_i - f(x_i))^2``.

    Parameters
    ----------
    kernels : sequence of callables
        The base kernels K_p, see `KernelFunction`; the regressor uses their sum.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    y : array-like of shape (n_samples,)
        Their values, f(x_i) or f(x_i) plus noise.
    regularization : float, default=0.0
        lam in the paper, which is alpha of `KernelRegressor`; 0 interpolates, for which the Gram
        matrix of the sum kernel must be positive definite.

    Returns
    -------
    KernelFunction
        With one row of coefficients.

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
    """The regressor with coefficients for each kernel, MKR (problems 3 and 5, eqs 39 and 65).

    The same aims as `single_kernel_regressor`, over all ``sum_p sum_i c_i^(p) K_p(., x_i)``. By
    theorems 4 and 5 the larger model changes nothing, the two are the same function. It is found
    here by its own formula and equals the other to rounding (which grows, noise-free, where
    training points almost coincide).

    Parameters
    ----------
    kernels, X, y, regularization
        See `single_kernel_regressor`.
    dense, gamma
        See `inner_products`.

    Returns
    -------
    KernelFunction
        With a row of coefficients for each kernel; of the smallest such rows if the functions
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
    """The best of all functions ``sum_p sum_i c_i^(p) K_p(., x_i)``, c_TL (eq. 32).

    It is the projection of the target onto the model space, and has its least generalization
    error, E_min (eq. 34). No method can compute it from training data: it takes the inner products
    of the target with every base kernel, and data gives only their sum, f(x_i) (eq. 33).

    Parameters
    ----------
    target : KernelFunction
        f, written in the sum kernel (coefficients of shape (n_points,)). That the unknown
        function lies in the Hilbert space of the sum kernel is the paper's assumption.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    dense, gamma
        See `inner_products`; the centres of the target are joined to the dense set.

    Returns
    -------
    KernelFunction
        With a row of coefficients for each kernel; of the smallest such rows if the functions
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
    """Squared distance of an estimate from the target, ``E = |f - g|^2`` (eqs 28 and 29).

    It bounds the error at every point: ``|f(x) - g(x)|^2 <= E K_u(x, x)`` (eq. 8). It is E_min
    (eq. 34) for `theoretical_limit` and E_est (eq. 45) for `multiple_kernel_regressor` on the
    target's own values, and E_est >= E_min (theorem 3).

    Parameters
    ----------
    target : KernelFunction
        f, written in the sum kernel (coefficients of shape (n_points,)).
    estimate : KernelFunction
        g, of the same kernels.
    dense, gamma
        See `inner_products`; the centres of the target are joined to the dense set. Not needed for
        an estimate in the sum kernel, such as `single_kernel_regressor`, whose error is exact.

    Returns
    -------
    float
        Approached from below, as `squared_norm` is, but not below ``-gamma |a|^2`` with the
        target's coefficients a.

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
            "the target and the estimate have different kernels; make both of the same kernels, in "
            "the same order, so that both lie in the space of one sum kernel."
        )
    # (29): |f|^2 - 2 <f, g> + |g|^2, with <f, g> = sum_k a_k g(z_k)
    a = sum_coefficients(target)
    Z = None if dense is None else joined(target, dense)
    cross = a @ estimate(target.points)
    return squared_norm(target) - 2 * float(cross) + squared_norm(estimate, Z, gamma)


def excess_error(
    target: KernelFunction, X: ArrayLike, dense: ArrayLike, gamma: float = 1e-8
) -> float:
    """What learning from noise-free values loses to the limit, ``E_est - E_min`` (theorem 3).

    Never negative, and zero only if the theoretical limit has the same coefficients in every kernel
    (eq. 49). It is computed as the squared distance of the two functions: both are projections of
    the target, the one (by theorem 2) onto a part of the other's space, so that the difference of
    their errors (eq. 52) is that distance.

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


def squared_norm(
    function: KernelFunction, dense: ArrayLike | None = None, gamma: float = 1e-8
) -> float:
    """Squared norm in the Hilbert space of the sum kernel, ``|f|^2 = c'H c`` (eq. 72).

    Parameters
    ----------
    function : KernelFunction
        f, with coefficients c.
    dense, gamma
        See `inner_products`. Not needed for a function in the sum kernel, whose norm is exact.

    Returns
    -------
    float
        Exact in the sum kernel; else approached from below as the dense set grows and gamma falls.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import KernelFunction, squared_norm
    >>> kernels = [Gaussian(0.5), Gaussian(0.1)]
    >>> squared_norm(KernelFunction(kernels, [[0.0]], [3.0]))
    18.0
    >>> narrow = KernelFunction(kernels, [[0.0]], [[3.0], [0.0]])
    >>> round(squared_norm(narrow, np.linspace(-8, 8, 80)[:, None]), 3)
    5.4
    """
    kernels, X, c = function.kernels, function.points, function.coefficients
    if c.ndim == 1:
        return float(c @ sum_gram(kernels, X, X) @ c)
    if dense is None:
        raise InputError(
            "dense is None, but the kernels have coefficients of their own; give points that cover "
            "the domain densely, as an array of shape (n_points, n_features)."
        )
    A = coordinates(kernels, X, as_points("dense", dense, X), gamma)
    return float(np.sum((A @ c.ravel()) ** 2))


def inner_products(
    kernels: Sequence[Kernel], X: ArrayLike, dense: ArrayLike, gamma: float = 1e-8
) -> np.ndarray:
    """Inner products of the base kernels, ``H = <K_p(., x_i), K_q(., x_j)>`` (eq. 72).

    The functions are projected onto the span of ``K_u(., z)`` with z in the training points and the
    dense set, where inner products follow from values: ``H = K' (G_u + gamma D)^-1 K``.

    Dense sets have Gram matrices that are singular to rounding, and the stabiliser gamma on the
    diagonal makes the system definite; it shortens the functions, so that H is approached from
    below as gamma falls. D is the identity on the dense set and zero on the training points, which
    need no help unless some almost coincide. So lemma 1, on which theorems 4 and 5 rest,
    ``sum_q <K_p(., x_i), K_q(., x_j)> = K_p(x_i, x_j)``, holds for any dense set and gamma. (The
    paper stabilises all of a set that lacks the training points; in its table 1 the equality of
    theorem 4 holds to three digits.)

    Parameters
    ----------
    kernels : sequence of callables
        The base kernels K_p, see `KernelFunction`.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    dense : array-like of shape (n_dense, n_features)
        The set Z: points all over the region where the functions are not negligible, closer than
        the narrowest kernel is wide, and at least n_kernels * n_samples of them. That they are
        dense enough cannot be checked; take more and see whether the result moves.
    gamma : float, default=1e-8
        Stabiliser, positive and small beside the values K_u(z, z).

    Returns
    -------
    ndarray of shape (n_kernels * n_samples, n_kernels * n_samples)

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory.regressors import inner_products
    >>> kernels = [Gaussian(0.5), Gaussian(0.1)]
    >>> H = inner_products(kernels, [[0.0]], np.linspace(-8, 8, 80)[:, None])
    >>> H.round(3)
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """
    kernels, X = as_kernels(kernels), as_points("X", X)
    A = coordinates(kernels, X, as_points("dense", dense, X), gamma)
    return A.T @ A


def coordinates(
    kernels: Sequence[Kernel], X: np.ndarray, Z: np.ndarray, gamma: float
) -> np.ndarray:
    """A of shape (n_coordinates, n l) with A'A = H: the functions K_p(., x_i) as vectors."""
    require_positive("gamma", gamma, "the dense set")
    if len(Z) < len(kernels) * len(X):
        raise InputError(
            f"dense has {len(Z)} points, too few to tell {len(kernels)} kernels at {len(X)} points "
            f"apart; give at least {len(kernels) * len(X)}, all over the domain."
        )
    Z = np.concatenate([X, Z])
    G, S = base_grams(kernels, X), sum_gram(kernels, Z, Z)  # (n, l, l) and (m, m)
    values, Q = eigh(G.sum(axis=0))
    # Combinations of training points are free of gamma unless they are so weak (the difference of
    # equal points has the value zero) that rounding, divided by the value, could exceed gamma in S.
    # The trace bounds that a hundred times too carefully.
    free = values > EPS * values[-1] * max(len(X), 0.01 * np.trace(S) / gamma)
    E = Q[:, free] / np.sqrt(values[free])  # (l, rank), the functions E'K_u(X, .) are orthonormal
    along = E.T @ np.concatenate(G, axis=1)  # (rank, n l)
    # What is left of all functions, as values on Z, after their projection onto those.
    U = E.T @ sum_gram(kernels, X, Z)  # (rank, m)
    rest = np.concatenate(list(evaluated(kernels, Z, X)), axis=1) - U.T @ along  # (m, n l)
    S = S - U.T @ U  # not in place: a kernel may have returned an array that it keeps
    S.flat[:: len(Z) + 1] += gamma
    try:
        L = cholesky(S, lower=True)
    except np.linalg.LinAlgError:
        raise InputError(
            f"the Gram matrix of the dense set plus gamma={gamma:g} on its diagonal is not "
            "positive definite; raise gamma, or take kernels that are positive definite."
        ) from None
    return np.concatenate([along, solve_triangular(L, rest, lower=True)])


def orthonormal(A: np.ndarray) -> np.ndarray:
    """P of shape (n l, rank) with P'HP = I and PP' = H^-1, the pseudo-inverse if H is singular."""
    _, s, Vt = np.linalg.svd(np.linalg.qr(A, mode="r"))
    kept = s > np.sqrt(EPS * len(s)) * s[0]
    return Vt[kept].T / s[kept]


def regularised_solve(G: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    """(G + lam I)^-1 y for a positive semi-definite G."""
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
            "equal, or raise regularization."
        )
    return Q @ ((Q.T @ y) / values)


def evaluated(kernels: Sequence[Kernel], X: np.ndarray, Z: np.ndarray) -> Iterator[np.ndarray]:
    """K_p(X, Z) of shape (n_X, n_Z), kernel by kernel."""
    for p, kernel in enumerate(kernels):
        K = as_finite(f"the result of kernel {p}", kernel(X, Z))
        if K.shape != (len(X), len(Z)):
            raise InputError(
                f"kernel {p} gave an array of shape {K.shape} for {len(X)} and {len(Z)} points; "
                f"it must be {(len(X), len(Z))}."
            )
        yield K


def sum_gram(kernels: Sequence[Kernel], X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """K_u(X, Z) of shape (n_X, n_Z)."""
    return reduce(np.add, evaluated(kernels, X, Z))


def base_grams(kernels: Sequence[Kernel], X: np.ndarray) -> np.ndarray:
    """The Gram matrices of the base kernels, of shape (n, l, l), each positive semi-definite."""
    G = np.stack(list(evaluated(kernels, X, X)))
    for p, G_p in enumerate(G):
        size = np.abs(G_p).max()
        if np.abs(G_p - G_p.T).max() > 1e-8 * size:
            raise InputError(f"kernel {p} is not symmetric: K(x, z) differs from K(z, x).")
        least = np.linalg.eigvalsh(G_p)[0]
        if least < -1e-8 * len(X) * size:
            raise InputError(
                f"kernel {p} is not positive definite: its Gram matrix of the training points has "
                f"the eigenvalue {least:.3g}."
            )
    return G


def sum_coefficients(target: KernelFunction) -> np.ndarray:
    """The target's coefficients in the sum kernel, shape (n_points,)."""
    if target.coefficients.ndim != 1:
        raise InputError(
            f"the target has coefficients of shape {target.coefficients.shape}; it must be "
            f"written in the sum kernel, with coefficients of shape ({len(target.points)},)."
        )
    return target.coefficients


def joined(target: KernelFunction, dense: ArrayLike) -> np.ndarray:
    """The target's centres and the dense set: with the centres |f - g|^2 >= -gamma |a|^2."""
    return np.concatenate([target.points, as_points("dense", dense, target.points)])


def as_kernels(kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """The kernels as a tuple of at least one callable."""
    if callable(kernels) or not len(kernels) or not all(map(callable, kernels)):
        raise InputError(
            f"kernels is {kernels!r}; give a list of one or more callables K(X, Z), such as "
            "[Gaussian(0.5), Gaussian(2.0)]."
        )
    return tuple(kernels)


def as_points(name: str, X: ArrayLike, like: np.ndarray | None = None) -> np.ndarray:
    """X as a float array of shape (n_points, n_features), n_features as in `like`."""
    found = as_finite(name, X)
    if found.ndim != 2 or not found.size:
        raise InputError(
            f"{name} has shape {found.shape}; it must be (n_points, n_features) with at least one "
            "point; for a single feature give X.reshape(-1, 1)."
        )
    if like is not None and found.shape[1] != like.shape[1]:
        raise InputError(
            f"{name} has {found.shape[1]} features and the other points have {like.shape[1]}; all "
            "must be points of the same space."
        )
    return found


def as_targets(y: ArrayLike, n_samples: int) -> np.ndarray:
    """Y as a float array of shape (n_samples,)."""
    found = as_finite("y", y)
    if found.shape != (n_samples,):
        raise InputError(
            f"y has shape {found.shape}; for {n_samples} points in X it must be ({n_samples},)."
        )
    return found


def as_finite(name: str, values: ArrayLike) -> np.ndarray:
    """Values as a float array without NaN or infinities."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not an array of numbers; give one.") from None
    if not np.isfinite(found).all():
        raise InputError(f"{name} has NaN or infinite values; remove or replace them.")
    return found
