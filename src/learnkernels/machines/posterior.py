r"""Uncertainty of ridge: the posterior of a Gaussian process, and leave-one-out intervals.

Ridge with alpha is the posterior mean of a Gaussian process with covariance s^2 K, noise of
variance s^2 alpha / w_i and a flat prior on the intercept. With A = K + alpha W^-1,

    G = A^-1 - A^-1 1 1'A^-1 / (1'A^-1 1),   coef = G y       (G = A^-1 without an intercept)
    r_i = y_i - f_-i(x_i) = coef_i / G_ii,   of variance s^2 / G_ii

An alpha that predicts well may be far below the noise, so the noise is estimated from r_i too: s^2
and t >= s^2 alpha maximise the leave-one-out likelihood (Sundararajan and Keerthi 2001),

    r_i ~ N(0, s^2 v_i + t / w_i),   v_i = 1 / G_ii - alpha / w_i
    s^2 = mean of r_i^2 / (v_i + rho / w_i) for rho = t / s^2

A centered K has A^-1 1 = w / alpha. With the factor G = F F', F'1 = 0, and u(x) = F'K(x),

    variance of f(x) = s^2 (K(x, x) - |u(x)|^2 + alpha / sum w)
    L_i(x) = F_i'u(x) + w_i / sum w,   the weight of y_i in f(x)
    f_-i(x) = f(x) - L_i(x) r_i

With features psi, K = psi psi', and C C' = Psi'W Psi + alpha I, the same is

    u(x) = C^-1 psi(x),   variance of f(x) = s^2 (alpha |u(x)|^2 + alpha / sum w)
    L_i(x) = w_i u(x_i)'u(x) + w_i / sum w

Landmarks add to this variance, and to v_i, what their features lack, K(x, x) - |psi(x)|^2, both
centered with the landmarks. They keep no u(x_i), so f takes the place of f_-i in their intervals:
L_i(x) is small with many samples for each landmark. Nothing here depends on constants that are
added to the rows and columns of K.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf

from learnkernels.errors import InputError
from learnkernels.execution import Backend
from learnkernels.gram import Function, LearnedKernel, weighted
from learnkernels.machines.base import gram_bytes, not_definite
from learnkernels.machines.leave_one_out import some_samples
from learnkernels.plurals import count_text
from learnkernels.solvers import invert_lower

# Gram matrices held at once: the inverse Cholesky factor, F, and work space.
MATRICES = 4
# Smallest 1 - H_ii; below it is rounding.
SMALLEST = 1e-12
# Rounding of a rank, relative.
ROUNDING = 1e-9
# Ratios of noise to s^2 that are compared: from alpha to this multiple of the largest variance.
RATIOS, RATIO = 100, 1e3
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class LeftOut:
    """Samples that were left out, each alone, in closed form.

    Attributes
    ----------
    weights : ndarray of shape (n_left_out,)
        Sample weights.
    residuals : ndarray of shape (n_left_out, n_outputs)
        ``y_i - f_-i(x_i)``.
    variances : ndarray of shape (n_left_out,)
        ``v_i``: variances of f_-i(x_i), divided by s^2.
    rows : ndarray of shape (n_left_out, rank) or None
        ``L_i(x) = rows_i'u(x) + w_i / sum w``; None takes f_-i = f.
    """

    weights: np.ndarray
    residuals: np.ndarray
    variances: np.ndarray
    rows: np.ndarray | None = None

    @classmethod
    def of_features(
        cls, U: np.ndarray, w: np.ndarray, residuals: np.ndarray, alpha: float, total: float
    ) -> LeftOut:
        """Return the samples with coordinates U, weights w and residuals ``y - f``."""
        leverage = w * np.einsum("ij,ij->i", U, U) + w / total  # H_ii
        complement = np.maximum(1 - leverage, SMALLEST)
        variances = alpha / w * (1 / complement - 1)
        return cls(w, residuals / complement[:, None], variances, w[:, None] * U)

    def scales(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return s^2 and the variance t of the noise of each output, shape (n_outputs,) each."""
        v, w, squares = self.variances, self.weights, self.residuals**2
        largest = max(alpha, RATIO * float(np.max(v * w)))
        best = np.full(squares.shape[1], -np.inf)
        scale, noise = np.zeros((2, len(best)))
        for rho in np.geomspace(alpha, largest, RATIOS):
            variances = v + rho / w
            s2 = np.average(squares / variances[:, None], axis=0, weights=w)
            # twice the mean log-likelihood, up to a constant
            found = -np.log(np.maximum(s2, TINY)) - np.average(np.log(variances), weights=w)
            better = found > best
            best[better], scale[better], noise[better] = found[better], s2[better], rho * s2[better]
        return scale, noise


@dataclass(frozen=True)
class Posterior(ABC):
    """Uncertainty of the predictions for new samples.

    Attributes
    ----------
    left_out : LeftOut
    alpha : float
    total : float
        Sum of all sample weights; infinity without an intercept.
    """

    left_out: LeftOut
    alpha: float
    total: float

    @abstractmethod
    def coordinates(self, X: Any, backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        """Return u(x), shape (n_new, rank), and the variance of f(x) with a known intercept.

        The variance is divided by s^2, shape (n_new,).
        """

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of coordinates."""

    @property
    def width(self) -> int:
        """Numbers for each new sample."""
        return max(self.rank, len(self.left_out.weights))

    def std(self, X: Any, backend: Backend) -> np.ndarray:
        """Return the standard deviation of new observations, shape (n_new, n_outputs)."""
        _, variance = self.coordinates(X, backend)
        variance = np.maximum(variance, 0.0) + self.alpha / self.total
        scale, noise = self.left_out.scales(self.alpha)
        return np.sqrt(np.outer(variance, scale) + noise)

    def interval(
        self, X: Any, outputs: np.ndarray, coverage: float, backend: Backend
    ) -> np.ndarray:
        """Return jackknife+ intervals (Barber et al. 2021), shape (n_new, n_outputs, 2).

        With f in place of f_-i(x) they are those of the jackknife.

        Parameters
        ----------
        X
            New samples.
        outputs : ndarray of shape (n_new, n_outputs)
            Their predictions.
        coverage : float
        backend : Backend
        """
        left_out = self.left_out
        L = np.zeros((len(outputs), len(left_out.weights)))
        if left_out.rows is not None:
            L = self.coordinates(X, backend)[0] @ left_out.rows.T + left_out.weights / self.total
        found = np.empty((*outputs.shape, 2))
        for t, residuals in enumerate(left_out.residuals.T):
            centers = outputs[:, t, None] - L * residuals  # f_-i(x), (n_new, n_left_out)
            size = np.abs(residuals)
            lower = -quantiles(size - centers, left_out.weights, coverage)
            upper = quantiles(centers + size, left_out.weights, coverage)
            found[:, t, 0], found[:, t, 1] = np.minimum(lower, upper), np.maximum(lower, upper)
        return found


def quantiles(values: np.ndarray, weights: np.ndarray, coverage: float) -> np.ndarray:
    """Return the value of rank ``coverage (n + 1)``, rounded up, in each row; weights count.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n)
    weights : ndarray of shape (n,)
        Of each column; divided by their mean.
    coverage : float
    """
    rank = required_rank(values.shape[1], coverage)
    order = np.argsort(values, axis=1)
    reached = np.cumsum((weights / weights.mean())[order], axis=1) >= rank - ROUNDING * len(weights)
    first = np.argmax(reached, axis=1)
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, first]])


def required_rank(n: int, coverage: float) -> float:
    """Return ``coverage (n + 1)``, or raise if it is more than the n samples that are left out."""
    rank = coverage * (n + 1)
    if rank > n * (1 + ROUNDING):
        needed = int(np.ceil(coverage / (1 - coverage) - ROUNDING))
        raise InputError(
            f"coverage={coverage:g} needs {count_text(needed, 'sample')} to leave out, found {n}; "
            "lower coverage, or train on more samples."
        )
    return rank


@dataclass(frozen=True)
class DensePosterior(Posterior):
    """Posterior by the Gram matrix.

    Attributes
    ----------
    kernel : LearnedKernel
        On the training samples.
    F : ndarray of shape (n_samples, n_samples)
        ``G = F F'``.
    """

    kernel: LearnedKernel
    F: np.ndarray

    @property
    def rank(self) -> int:
        return len(self.F)

    def coordinates(self, X: Any, backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        K, diagonal = self.kernel.cross_and_diagonal(X, backend)
        u = K @ self.F
        return u, diagonal - np.einsum("ij,ij->i", u, u)


@dataclass(frozen=True)
class FactorPosterior(Posterior):
    """Posterior by a factor of the Gram matrix.

    Attributes
    ----------
    functions : tuple of Function
        Their sum is u.
    """

    functions: tuple[Function, ...]

    @property
    def rank(self) -> int:
        return 0 if self.left_out.rows is None else self.left_out.rows.shape[1]

    def coordinates(self, X: Any, backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        u = np.sum([function.outputs(X, backend) for function in self.functions], axis=0)
        return u, self.alpha * np.einsum("ij,ij->i", u, u)


@dataclass(frozen=True)
class LandmarkPosterior(Posterior):
    """Posterior in the span of landmarks.

    Attributes
    ----------
    kernel : LearnedKernel
        Against the landmarks.
    T : ndarray of shape (n_landmarks, rank)
        From values at the landmarks to features.
    mean : ndarray of shape (rank,)
        Weighted mean of the features of the training samples, zero without an intercept.
    origin : ndarray of shape (rank,)
        Mean of the features of the landmarks, zero without an intercept.
    level : float
        Mean of the Gram matrix of the landmarks, zero without an intercept.
    shrinkage : ndarray of shape (rank,)
        ``u(x) = shrinkage (psi(x) - mean)``.
    """

    kernel: LearnedKernel
    T: np.ndarray
    mean: np.ndarray
    origin: np.ndarray
    level: float
    shrinkage: np.ndarray

    @property
    def rank(self) -> int:
        return len(self.T)

    def coordinates(self, X: Any, backend: Backend) -> tuple[np.ndarray, np.ndarray]:
        K, prior = self.kernel.cross_and_diagonal(X, backend)
        u = self.shrinkage * (K @ self.T - self.mean)
        return u, self.lacking(K, prior) + self.alpha * np.einsum("ij,ij->i", u, u)

    def lacking(self, K: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """Return the variance that the features lack, shape (n,).

        Parameters
        ----------
        K : ndarray of shape (n, n_landmarks)
            The kernel at the landmarks.
        prior : ndarray of shape (n,)
            K(x, x).
        """
        if self.kernel.center:
            prior = prior - 2 * K.mean(axis=1) + self.level
        return np.maximum(prior - np.sum((K @ self.T - self.origin) ** 2, axis=1), 0.0)


@dataclass(frozen=True, eq=False)
class Training:
    """The data from which the posterior by the Gram matrix is computed when it is first needed.

    Attributes
    ----------
    weights : ndarray of shape (n_samples,)
        Sample weights.
    center : bool
        Whether there is an intercept.
    alpha : float
    parts : tuple
        Parts of the learned kernel on the training samples; empty if the functions of the
        predictor contain them.
    coef : ndarray of shape (n_samples, n_outputs) or None
        Coefficients of the predictor; None with the same meaning.
    """

    weights: np.ndarray
    center: bool
    alpha: float
    parts: tuple[Any, ...] = ()
    coef: np.ndarray | None = None

    @classmethod
    def of(
        cls, kernel: LearnedKernel, coef: np.ndarray, alpha: float, functions: tuple[Any, ...]
    ) -> Training:
        """Return the training samples of a predictor, without those that its functions contain."""
        n = len(coef)
        if all(hasattr(f, "combined") and len(f.coef) == n for f in functions):
            return cls(kernel.weights, kernel.center, alpha)
        parts = kernel.as_columns(np.arange(n)).parts
        return cls(kernel.weights, kernel.center, alpha, parts, coef)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the posterior, which is computed again."""
        return {name: value for name, value in vars(self).items() if name != "_posterior"}

    def posterior(self, functions: tuple[Any, ...], backend: Backend) -> Posterior:
        """Return the posterior, computed once; two threads at once may both compute it."""
        if "_posterior" not in self.__dict__:
            parts = self.parts or tuple(function.combined for function in functions)
            coef = functions[0].coef if self.coef is None else self.coef
            kernel = LearnedKernel(parts, self.weights, self.center)
            self.__dict__["_posterior"] = dense_posterior(kernel, coef, self.alpha, backend)
        return self.__dict__["_posterior"]


def dense_posterior(
    kernel: LearnedKernel, coef: np.ndarray, alpha: float, backend: Backend
) -> DensePosterior:
    """Compute the posterior of a predictor from the Gram matrix of its training samples.

    Parameters
    ----------
    kernel : LearnedKernel
    coef : ndarray of shape (n_samples, n_outputs)
    alpha : float
    backend : Backend
    """
    w = kernel.weights
    total = w.sum() if kernel.center else np.inf
    F = inverse_root(weighted(kernel.gram(backend), w), w, alpha, kernel.center)
    chosen = some_samples(np.arange(len(w)))
    G = np.maximum(np.einsum("ij,ij->i", F[chosen], F[chosen]), TINY)  # G_ii
    variances = np.maximum(1 / G - alpha / w[chosen], 0.0)
    left_out = LeftOut(w[chosen], coef[chosen] / G[:, None], variances, F[chosen])
    return DensePosterior(left_out, alpha, total, kernel, F)


def inverse_root(B: np.ndarray, w: np.ndarray, alpha: float, center: bool) -> np.ndarray:
    """Return F with G = F F', shape (n_samples, n_samples); B = W^1/2 K W^1/2 is overwritten."""
    root = np.sqrt(w)
    u = root / np.linalg.norm(root)
    if center:
        # The eigenvalue 0 along u, the direction of the intercept, would be rounding divided by
        # alpha: give it a known size and remove it again.
        B += float(np.trace(B)) / len(B) * np.outer(u, u)
    B.flat[:: len(B) + 1] += alpha
    C, failed = dpotrf(B.T, lower=1, overwrite_a=1, clean=1)
    if failed:
        raise not_definite(alpha)
    invert_lower(C)
    F = C.T  # B^-1 = F F'
    if center:
        F = F - np.outer(u, u @ F)
    return np.asarray(root[:, None] * F)


def posterior_bytes(n: int) -> float:
    """Return the bytes of the matrices of the posterior of n samples."""
    return gram_bytes(n, MATRICES)
