"""Kernel expansions and their inner products in the Hilbert space of the sum kernel.

Tanaka and Imai, "Theoretical analyses on 2-norm-based multiple kernel regressors" (2017). In the
space of the sum kernel K_u = K_1 + ... + K_n the reproducing property gives the inner product
exactly if one function is an expansion in K_u:

    <f, g> = sum_k a_k g(z_k)        for  f = sum_k a_k K_u(., z_k)

Inner products of base kernels, ``H = <K_p(., x_i), K_q(., x_j)>``, have no formula; they are
approximated with a dense set of points and a stabiliser gamma (`inner_products`).

In the code n is the number of kernels and l the number of training points; vectors of n l
coefficients are ordered kernel by kernel, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, eigh, solve_triangular

from learnkernels.checks import require_positive
from learnkernels.errors import InputError
from learnkernels.plurals import count_text

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """A kernel expansion, ``f(x) = sum_p sum_i c_i^(p) K_p(x, x_i)`` (eq. 22).

    Parameters
    ----------
    kernels : sequence of callables
        Positive definite kernels: ``K_p(X, Z)`` returns an array of shape (n_X, n_Z). For a
        weighted sum of kernels, pass the weighted kernels.
    points : array-like of shape (n_points, n_features)
        Points x_i; for a target function, its centres z_k (eq. 26).
    coefficients : array-like of shape (n_points,) or (n_kernels, n_points)
        One row for each kernel, or one dimension for an expansion in the sum kernel,
        ``f(x) = sum_i c_i K_u(x, x_i)`` (eqs 26 and 55).

    Examples
    --------
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory import KernelFunction
    >>> f = KernelFunction([Gaussian(0.5), Gaussian(2.0)], [[0.0], [1.0]], [1.0, -1.0])
    >>> f([[0.0], [0.5]]).round(3)
    array([1.258, 0.   ])
    """

    kernels: Sequence[Kernel]
    points: np.ndarray
    coefficients: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "kernels", as_kernels(self.kernels))
        object.__setattr__(self, "points", as_points("points", self.points).copy())
        n, m = len(self.kernels), len(self.points)
        c = as_finite("coefficients", self.coefficients)
        if c.shape not in ((m,), (n, m)):
            raise InputError(
                f"coefficients has shape {c.shape}; for {count_text(n, 'kernel')} and "
                f"{count_text(m, 'point')} it must be ({m},) or ({n}, {m}). Pass one number for "
                "each point (for the sum kernel), or one row for each kernel."
            )
        object.__setattr__(self, "coefficients", c.copy())

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """Return f(x) for the rows of X, shape (n_samples,)."""
        K = evaluated(self.kernels, as_points("X", X, self.points), self.points)
        rows = np.broadcast_to(self.coefficients, (len(self.kernels), len(self.points)))
        return reduce(np.add, (K_p @ c_p for K_p, c_p in zip(K, rows, strict=True)))


def squared_norm(
    function: KernelFunction, dense: ArrayLike | None = None, gamma: float = 1e-8
) -> float:
    """Compute the squared norm in the space of the sum kernel, ``|f|^2 = c'H c`` (eq. 72).

    Parameters
    ----------
    function : KernelFunction
        f, with coefficients c.
    dense, gamma
        See `inner_products`. Not needed for an expansion in the sum kernel.

    Returns
    -------
    float
        Exact for an expansion in the sum kernel; otherwise a lower bound that becomes exact as the
        dense set grows and gamma decreases.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory import KernelFunction, squared_norm
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
            "dense is None, but each kernel has its own coefficients; pass points that cover the "
            "domain densely, as an array of shape (n_points, n_features)."
        )
    A = coordinates(kernels, X, as_points("dense", dense, X), gamma)
    return float(np.sum((A @ c.ravel()) ** 2))


def inner_products(
    kernels: Sequence[Kernel], X: ArrayLike, dense: ArrayLike, gamma: float = 1e-8
) -> np.ndarray:
    """Compute inner products of base kernels, ``H = <K_p(., x_i), K_q(., x_j)>`` (eq. 72).

    The functions are projected onto the span of ``K_u(., z)`` with z in the training points and the
    dense set, where inner products follow from values: ``H = K' (G_u + gamma D)^-1 K``.

    The Gram matrix of a dense set is numerically singular; the stabiliser gamma on the diagonal
    makes it positive definite and makes H a lower bound that increases as gamma decreases. D is the
    identity on the dense set and zero on the training points, unless some of these almost coincide.
    So lemma 1, on which theorems 4 and 5 are based,
    ``sum_q <K_p(., x_i), K_q(., x_j)> = K_p(x_i, x_j)``, holds for any dense set and gamma. (The
    paper stabilises the whole set and does not include the training points; in its table 1 the
    equality of theorem 4 holds to three digits.)

    Parameters
    ----------
    kernels : sequence of callables
        Base kernels K_p, see `KernelFunction`.
    X : array-like of shape (n_samples, n_features)
        Training points x_i.
    dense : array-like of shape (n_dense, n_features)
        Points Z that cover the region where the functions are not negligible, with distances below
        the width of the narrowest kernel; at least n_kernels * n_samples points. The density is not
        checked; add points to see whether the result changes.
    gamma : float, default=1e-8
        Stabiliser; positive and small compared with K_u(z, z).

    Returns
    -------
    ndarray of shape (n_kernels * n_samples, n_kernels * n_samples)

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels import Gaussian
    >>> from learnkernels.theory import inner_products
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
    """Return A of shape (n_coordinates, n l) with A'A = H: coordinates of K_p(., x_i)."""
    require_positive("gamma", gamma, "the dense set")
    if len(Z) < len(kernels) * len(X):
        raise InputError(
            f"dense has {count_text(len(Z), 'point')}, too few for "
            f"{count_text(len(kernels), 'kernel')} at {count_text(len(X), 'point')}; pass at least "
            f"{len(kernels) * len(X)} points that cover the domain."
        )
    Z = np.concatenate([X, Z])
    G, S = base_grams(kernels, X), sum_gram(kernels, Z, Z)  # (n, l, l) and (m, m)
    values, Q = eigh(G.sum(axis=0))
    # Eigenvectors of the training Gram matrix get no gamma, unless their eigenvalue is so small (it
    # is zero for duplicate points) that rounding errors divided by it could exceed gamma in S. The
    # trace overestimates these errors about a hundredfold.
    free = values > EPS * values[-1] * max(len(X), 0.01 * np.trace(S) / gamma)
    E = Q[:, free] / np.sqrt(values[free])  # (l, rank), the functions E'K_u(X, .) are orthonormal
    along = E.T @ np.concatenate(G, axis=1)  # (rank, n l)
    # Values on Z of the residuals of all functions after projection onto those.
    U = E.T @ sum_gram(kernels, X, Z)  # (rank, m)
    rest = np.concatenate(list(evaluated(kernels, Z, X)), axis=1) - U.T @ along  # (m, n l)
    S = S - U.T @ U  # not in place: the kernel may still use the array it returned
    S.flat[:: len(Z) + 1] += gamma
    try:
        L = cholesky(S, lower=True)
    except np.linalg.LinAlgError:
        raise InputError(
            f"the Gram matrix of the dense set plus gamma={gamma:g} on its diagonal is not "
            "positive definite; increase gamma, or use positive definite kernels."
        ) from None
    return np.concatenate([along, solve_triangular(L, rest, lower=True)])


def evaluated(kernels: Sequence[Kernel], X: np.ndarray, Z: np.ndarray) -> Iterator[np.ndarray]:
    """Yield K_p(X, Z) of shape (n_X, n_Z) for each kernel."""
    for p, kernel in enumerate(kernels):
        K = as_finite(f"the result of kernel {p}", kernel(X, Z))
        if K.shape != (len(X), len(Z)):
            raise InputError(
                f"kernel {p} returned an array of shape {K.shape} for {len(X)} and {len(Z)} "
                f"points; it must be {(len(X), len(Z))}. Return a row for each point of the first "
                "argument."
            )
        yield K


def sum_gram(kernels: Sequence[Kernel], X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return K_u(X, Z) of shape (n_X, n_Z)."""
    return reduce(np.add, evaluated(kernels, X, Z))


def base_grams(kernels: Sequence[Kernel], X: np.ndarray) -> np.ndarray:
    """Return the Gram matrices of the base kernels, shape (n, l, l), after checking them."""
    G = np.stack(list(evaluated(kernels, X, X)))
    for p, G_p in enumerate(G):
        size = np.abs(G_p).max()
        if np.abs(G_p - G_p.T).max() > 1e-8 * size:
            raise InputError(
                f"kernel {p} is not symmetric: K(x, z) differs from K(z, x), which must be equal. "
                "Use a symmetric function."
            )
        least = np.linalg.eigvalsh(G_p)[0]
        if least < -1e-8 * len(X) * size:
            raise InputError(
                f"kernel {p} is not positive semi-definite: its Gram matrix of the training points "
                f"has the eigenvalue {least:.3g}, and none may be negative. Use another kernel."
            )
    return G


def as_kernels(kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return the kernels as a tuple of at least one callable."""
    if callable(kernels) or not len(kernels) or not all(map(callable, kernels)):
        raise InputError(
            f"kernels is {kernels!r}; pass a list of one or more callables K(X, Z), such as "
            "[Gaussian(0.5), Gaussian(2.0)]."
        )
    return tuple(kernels)


def as_points(name: str, X: ArrayLike, like: np.ndarray | None = None) -> np.ndarray:
    """Return X as a float array (n_points, n_features), with n_features as in `like`."""
    found = as_finite(name, X)
    if found.ndim != 2 or not found.size:
        raise InputError(
            f"{name} has shape {found.shape}; it must be (n_points, n_features) with at least one "
            "point; for a single feature pass X.reshape(-1, 1)."
        )
    if like is not None and found.shape[1] != like.shape[1]:
        raise InputError(
            f"{name} has {count_text(found.shape[1], 'feature')} and the other points have "
            f"{like.shape[1]}; the numbers must be equal. Pass the same features for all points."
        )
    return found


def as_finite(name: str, values: ArrayLike) -> np.ndarray:
    """Return the values as a float array without NaN or infinities."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not numeric; pass an array of numbers.") from None
    if not np.isfinite(found).all():
        raise InputError(f"{name} has NaN or infinite values; all must be finite. Replace them.")
    return found
