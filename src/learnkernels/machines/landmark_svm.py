"""SVM with the squared hinge loss, in the span of some samples (landmarks).

    min_theta,b  sum_i w_i max(0, 1 - y_i f(x_i))^2 + alpha |theta|^2,   f(x) = b + psi(x)'theta

with the features psi of `gram.landmarks`. A sample is active if ``y_i f(x_i) < 1``; the others have
no loss. Without them this is ridge, whose normal equations give Newton steps:

    (sum_i w_i (psi(x_i) - mean) (psi(x_i) - mean)' + alpha I) step
        = sum_i a_i y_i psi(x_i) / 2 - alpha theta

over the active samples, with ``a_i = 2 w_i (1 - y_i f(x_i))``. A line search gives the length of
the step, and a root search the best b, at which ``sum_i a_i y_i = 0``. The minimum is then at least

    sum_i a_i - sum_i a_i^2 / (4 w_i) - |sum_i a_i y_i psi(x_i)|^2 / (4 alpha)

From one step to the next, the normal equations change by the samples that become active or
inactive. If none does, the solution is exact.

A sample that is left out changes the outputs as in ridge on the active samples: exactly, if all
others stay active or inactive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsymv
from scipy.optimize import brentq

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.gram import GramMatrix, Landmarks
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    not_definite,
)
from learnkernels.machines.landmark_ridge import (
    ROWS,
    NormalEquations,
    chosen_landmarks,
    ranges_of,
    require_nonnegative,
    without_mean,
    zero_sums,
)
from learnkernels.machines.ridge import DenseRidge
from learnkernels.plurals import count_text
from learnkernels.solvers import Certificate, Iterate, iterate

# Relative gap at which to stop, and below which the bound is computed by a pass over the samples.
TOLERANCE, NEAR, MAX_ITER = 1e-7, 0.01, 100
# Minimum regularisation of a Newton step, as a part of the trace of its matrix. The next value is
# tried if the matrix is not positive definite because of rounding.
LEAST = 10 * np.finfo(float).eps, 1e-12, 1e-9, 1e-6
# Compute the normal equations again if their trace falls below this part of its maximum, because
# subtraction leaves rounding errors of the size of what was subtracted.
FALLEN = 0.1
# Up to this many bytes, kernel values at the landmarks are kept for all steps.
KEPT = 32e6


class SquaredHingeSVM(Machine):
    """SVM with the squared hinge loss, one for each output; the regularisation is alpha."""

    name = "svm"
    takes_alpha = True

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        """Accept any number of samples: memory is that of the landmarks."""

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> Strategy:
        """Return the SVM with landmarks; for a `GramMatrix` ridge, which compares kernels."""
        if isinstance(problem.kernel, GramMatrix):
            return DenseRidge()
        require_nonnegative(problem)
        return LandmarkSVM()


class LandmarkSVM(Strategy):
    """Solve in the span of `n_components` random samples."""

    name = "landmarks"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve every output separately; each value starts from the solution of the one before."""
        known = problem.kept(LandmarkSVM)
        if "landmarks" not in known:
            index = chosen_landmarks(problem)
            known["landmarks"] = Landmarks.of(problem.kernel, index, problem.backend)
        paths = [
            path(problem, known["landmarks"], np.ascontiguousarray(y), values) for y in problem.Y.T
        ]
        return [joined(outputs) for outputs in zip(*paths, strict=True)]

    def left_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        """Return outputs for samples that are left out, each alone, for each alpha.

        Returns
        -------
        ndarray of shape (n_values, n_samples, n_outputs)
            NaN for samples that are not left out.
        """
        return np.array(
            [one.left_out for one in self.train(replace(problem, left_out=True), values)]
        )


def joined(outputs: Sequence[Trained]) -> Trained:
    """Return predictors of one output each as one predictor."""
    left_out = [one.left_out for one in outputs if one.left_out is not None]
    return Trained(
        np.hstack([one.coef for one in outputs]),
        np.concatenate([one.intercept for one in outputs]),
        tuple(certificate for one in outputs for certificate in one.certificates),
        left_out=np.hstack(left_out) if left_out else None,
    )


def path(
    problem: TrainingProblem, landmarks: Landmarks, y: np.ndarray, values: Sequence[float]
) -> list[Trained]:
    """Return the predictor of one output for each alpha; y has shape (n_samples,)."""
    ridge = ActiveRidge(problem, landmarks, y)
    theta, g = np.zeros(landmarks.T.shape[1]), np.zeros(len(y))
    found = []
    for alpha in values:
        objective = Objective(ridge, float(alpha))
        point, certificate = iterate(
            objective.at(theta, g), objective.step, tol=TOLERANCE, max_iter=MAX_ITER,
            criterion="squared hinge loss",
        )  # fmt: skip
        theta, g = point.theta, point.g
        warn_unless_optimal(certificate, alpha)
        coef = np.zeros((len(y), 1))
        coef[landmarks.index, 0] = landmarks.T @ theta
        left_out = ridge.left_out(objective.alpha, g + point.b) if problem.left_out else None
        found.append(Trained(coef, np.array([point.b]), (certificate,), left_out=left_out))
    return found


def warn_unless_optimal(certificate: Certificate, alpha: float) -> None:
    """Warn if the SVM did not converge."""
    if certificate.status != "optimal":
        warn(
            f"the SVM with C={1 / (2 * alpha):g} did not converge in "
            f"{count_text(certificate.iterations, 'iteration')} (relative gap "
            f"{certificate.gap:.1e}); use a smaller C.",
            ConvergenceWarning,
        )


class ActiveRidge:
    """Ridge on the active samples of one output.

    Parameters
    ----------
    problem : TrainingProblem
    landmarks : Landmarks
    y : ndarray of shape (n_samples,)
        Labels -1 and 1.

    Attributes
    ----------
    active : ndarray of bool, shape (n_samples,)
    sums : dict
        The normal equations of the active samples, as of `NormalEquations`.
    W : float
        Sum of the weights of the active samples.
    largest : float
        Largest trace of the normal equations since they were computed anew.
    values : ndarray of shape (n_samples, n_landmarks) or None
        Kernel values at the landmarks, up to a constant in each row, if they are kept.
    """

    def __init__(self, problem: TrainingProblem, landmarks: Landmarks, y: np.ndarray) -> None:
        self.problem, self.landmarks, self.y = problem, landmarks, y
        self.values: np.ndarray | None = None
        if 8.0 * len(y) * len(landmarks.index) <= KEPT:
            self.values = np.concatenate(list(self.over_rows(landmarks.values, "kernel values")))
        self.forget()

    def over_rows(
        self, function: Callable[[slice], np.ndarray], what: str, n: int | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the results of a function for ranges of all samples, or of the first n."""
        ranges = self.landmarks.row_ranges(n)
        return self.problem.backend.map(function, ranges, what)

    def values_at(self, rows: slice) -> np.ndarray:
        """Return kernel values of some samples at the landmarks, (n_rows, n_landmarks)."""
        return self.landmarks.values(rows) if self.values is None else self.values[rows]

    def values_of(self, index: np.ndarray) -> Callable[[slice], np.ndarray]:
        """Return the function that returns kernel values of a range of the samples `index`."""
        if self.values is None:
            return replace(self.landmarks, kernel=self.landmarks.kernel.take(index)).values
        values = self.values
        return lambda rows: values[index[rows]]

    def forget(self) -> None:
        """Mark all samples as inactive."""
        self.active, self.W, self.largest = np.zeros(len(self.y), dtype=bool), 0.0, 0.0
        self.sums: dict[str, np.ndarray] = {}  # frees a matrix before the next one is allocated
        self.sums = zero_sums(self.landmarks.T.shape[1], 1)

    def activate(self, active: np.ndarray) -> None:
        """Change the normal equations to those of other active samples."""
        more, fewer = active & ~self.active, self.active & ~active
        if self.active.any() and (more | fewer).sum() > active.sum():
            self.forget()
            more, fewer = active, self.active
        self.change(more, np.add)
        self.change(fewer, np.subtract)
        self.active, self.W = active, float(self.problem.weights @ active)
        trace = float(np.trace(self.sums["inner"]))
        self.largest = max(self.largest, trace)
        if trace < FALLEN * self.largest:
            self.forget()
            self.activate(active)

    def change(self, samples: np.ndarray, change: np.ufunc) -> None:
        """Add the normal equations of some samples, or subtract them."""
        index = np.flatnonzero(samples)
        if not len(index):
            return
        w, y = self.problem.weights[index], self.y[index, None]
        task = NormalEquations(self.values_of(index), self.landmarks.T, y, w, ROWS, np.zeros(1))
        # Not by `fold`, whose total is one more matrix.
        for part in self.problem.backend.map(task.part, ranges_of(len(w)), "normal equations"):
            for name, values in self.sums.items():
                change(values, part[name], out=values)
            del part  # frees its memory before the next part is computed

    def mean(self) -> np.ndarray:
        """Return the mean of the features of the active samples; zero without an intercept."""
        return mean_of(self.sums, self.W if self.problem.center else 0.0)

    def factor(self, alpha: float) -> np.ndarray:
        """Return the lower Cholesky factor of the matrix; other entries are not used."""
        return factor_of(self.sums["inner"], self.W, self.mean(), alpha)

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        """Return ``psi(x)'theta`` of all samples, shape (n_samples,)."""
        beta = self.landmarks.T @ theta
        parts = self.over_rows(lambda rows: self.values_at(rows) @ beta, "outputs")
        return np.concatenate(list(parts))

    def residual_sum(self, theta: np.ndarray, b: float) -> np.ndarray:
        """Return ``sum_i w_i (y_i - f(x_i)) psi(x_i)`` over the active samples, shape (rank,)."""
        products = dsymv(1.0, self.sums["inner"].T, theta, lower=1) if len(theta) else theta
        return np.asarray(self.sums["targets"][:, 0] - products - b * self.sums["features"])

    def weighted_features(self, v: np.ndarray) -> np.ndarray:
        """Return ``sum_i v_i psi(x_i)`` over all samples, shape (rank,)."""
        parts = self.over_rows(lambda rows: v[rows] @ self.values_at(rows), "gradient")
        return np.asarray(np.sum(list(parts), axis=0) @ self.landmarks.T)

    def left_out(self, alpha: float, f: np.ndarray) -> np.ndarray:
        """Return outputs for samples that are left out, (n_samples, 1); f are those of all.

        An active sample changes as in ridge, ``y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - H_ii)``; the
        others have no influence.
        """
        found, index = f.copy(), np.flatnonzero(self.active)
        factor, mean, w = self.factor(alpha), self.mean(), self.problem.weights[index]
        values = self.values_of(index)

        def leverages(rows: slice) -> np.ndarray:
            psi = values(rows) @ self.landmarks.T - mean
            half = solve_triangular(factor, psi.T, lower=True, check_finite=False)
            return np.asarray(np.einsum("ij,ij->j", half, half))

        if len(index):
            parts = self.over_rows(leverages, "leave-one-out outputs", len(index))
            H = w * np.concatenate(list(parts)) + (w / self.W if self.problem.center else 0.0)
            y = self.y[index]
            found[index] = y - (y - f[index]) / np.maximum(1 - H, 1e-12)
        found[self.landmarks.index] = np.nan
        return found[:, None]


def mean_of(sums: dict[str, np.ndarray], W: float) -> np.ndarray:
    """Return the weighted mean of the features; W is the sum of weights. Zeros if W is 0."""
    return sums["features"] / W if W > 0 else 0 * sums["features"]


def factor_of(inner: np.ndarray, W: float, mean: np.ndarray, alpha: float) -> np.ndarray:
    """Return the lower Cholesky factor of ``inner - W mean mean' + alpha I``.

    Of `inner`, the upper triangle is used. Other entries of the factor have no meaning.
    """
    for least in LEAST:
        A = without_mean(inner.copy(), W, mean).T
        A.flat[:: len(A) + 1] += max(alpha, least * np.trace(A))
        try:
            found, _ = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        return np.asarray(found)
    raise not_definite(alpha)


@dataclass(frozen=True, kw_only=True)
class Point(Iterate):
    """A predictor of one output.

    Attributes
    ----------
    theta : ndarray of shape (rank,)
    g : ndarray of shape (n_samples,)
        Its outputs without the intercept.
    b : float
        Intercept.
    half : ndarray of shape (rank,)
        ``sum_i a_i y_i psi(x_i) / 2``
    """

    theta: np.ndarray
    g: np.ndarray
    b: float
    half: np.ndarray


@dataclass(frozen=True)
class Objective:
    """The objective for one alpha.

    Attributes
    ----------
    ridge : ActiveRidge
        Changed to the active samples of each point.
    alpha : float
    """

    ridge: ActiveRidge
    alpha: float

    def at(self, theta: np.ndarray, g: np.ndarray) -> Point:
        """Return the best intercept, value and bound; active samples become those of `ridge`."""
        ridge = self.ridge
        y, w, b = ridge.y, ridge.problem.weights, self.intercept(g)
        slack = np.maximum(0.0, 1 - y * (g + b))  # (n,)
        ridge.activate(slack > 0)
        loss = float(w @ slack**2)
        value, most = loss + self.alpha * float(theta @ theta), 2 * float(w @ slack) - loss
        half, bound = ridge.residual_sum(theta, b), 0.0
        if value - (most - float(half @ half) / self.alpha) <= NEAR * value:
            half = ridge.weighted_features(w * slack * y)  # without rounding of the sums
            bound = max(most - float(half @ half) / self.alpha, 0.0)
        # A bound above the value is rounding.
        return Point(value=value, bound=min(bound, value), theta=theta, g=g, b=b, half=half)

    def intercept(self, g: np.ndarray) -> float:
        """Return the intercept of smallest loss, where ``sum_i a_i y_i = 0``."""
        y, w = self.ridge.y, self.ridge.problem.weights
        if not self.ridge.problem.center:
            return 0.0

        def slope(b: float) -> float:
            return float((w * y) @ np.maximum(0.0, 1 - y * (g + b)))

        farthest = 1 + float(np.abs(g).max())  # there, one class has no loss
        return float(brentq(slope, -farthest, farthest, xtol=np.finfo(float).tiny))

    def step(self, point: Point) -> Point | None:
        """Return the minimum of the objective on the line of a Newton step."""
        ridge = self.ridge
        right = point.half - self.alpha * point.theta
        forward = cho_solve((ridge.factor(self.alpha), True), right, check_finite=False)
        along = ridge.outputs(forward)
        length = self.length(point, forward, along - ridge.mean() @ forward)
        if length is None:
            return None
        return self.at(point.theta + length * forward, point.g + length * along)

    def length(self, point: Point, forward: np.ndarray, along: np.ndarray) -> float | None:
        """Return the length of a step with the smallest objective, None if it is zero.

        Parameters
        ----------
        point : Point
        forward : ndarray of shape (rank,)
            Change of theta.
        along : ndarray of shape (n_samples,)
            Change of the outputs, with that of the intercept.
        """
        y, w, f = self.ridge.y, self.ridge.problem.weights, point.g + point.b

        def slope(t: float) -> float:
            slack = np.maximum(0.0, 1 - y * (f + t * along))
            shrinkage = self.alpha * float((point.theta + t * forward) @ forward)
            return shrinkage - float((w * y * slack) @ along)

        if slope(0.0) >= 0:
            return None
        same = np.array_equal(y * (f + along) < 1, self.ridge.active)
        return 1.0 if same or slope(1.0) <= 0 else float(brentq(slope, 0.0, 1.0))
