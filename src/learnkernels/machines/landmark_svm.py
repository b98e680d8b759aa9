"""SVM with the squared hinge loss, in the span of some samples (landmarks).

    min_theta,b  sum_i w_i max(0, 1 - y_i f(x_i))^2 + alpha |theta|^2,   f(x) = b + psi(x)'theta

with the features psi of `gram.landmarks`. A sample is active if ``y_i f(x_i) < 1``; the others have
no loss. Without them this is ridge, so a Newton step leads to ridge on the active samples, and the
line to it is searched for the minimum. The normal equations are changed by the samples that become
active or inactive. When no sample does, the solution is exact. With ``a_i = 2 w_i (1 - y_i
f(x_i))`` for active samples, and zero for the others, the minimum is at least

    sum_i a_i - a_i^2 / (4 w_i)  -  |sum_i a_i y_i psi(x_i)|^2 / (4 alpha)      if sum_i a_i y_i = 0

A sample that is left out changes the outputs as in ridge on the active samples: exactly, if all
others stay active or inactive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsymv
from scipy.optimize import brentq

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.gram import GramMatrix, Landmarks
from learnkernels.machines.base import Machine, Strategy, Trained, TrainingProblem
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
from learnkernels.solvers import Iterate, iterate

# Relative gap, and largest |sum_i a_i y_i| as a part of sum_i a_i.
TOLERANCE, BALANCE, MAX_ITER = 1e-7, 1e-6, 100
# A matrix of the normal equations is exact up to this part of its trace.
ROUNDING = 10 * np.finfo(float).eps


class SquaredHingeSVM(Machine):
    """SVM with the squared hinge loss, one for each output; the regularisation is alpha."""

    name = "svm"
    takes_alpha = True

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        """Accept any number of samples: memory is that of the landmarks."""

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> Strategy:
        """Return this SVM; for Gram matrices, by which methods compare kernels, it is ridge."""
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
    theta, b, f = np.zeros(landmarks.T.shape[1]), 0.0, np.zeros(len(y))
    found = []
    for alpha in values:
        objective = Objective(ridge, float(alpha))
        point, certificate = iterate(
            objective.at(theta, b, f), objective.step, tol=TOLERANCE, max_iter=MAX_ITER,
            criterion="squared hinge loss",
        )  # fmt: skip
        theta, b, f = point.theta, point.b, point.f
        if certificate.status != "optimal":
            warn(
                f"the SVM with alpha={alpha:g} has a relative gap of {certificate.gap:.1e} after "
                f"{count_text(certificate.iterations, 'step')}; use a smaller C.",
                ConvergenceWarning,
            )
        coef = np.zeros((len(y), 1))
        coef[landmarks.index, 0] = landmarks.T @ theta
        left_out = ridge.left_out(objective.alpha, f) if problem.left_out else None
        found.append(Trained(coef, np.array([b]), (certificate,), left_out=left_out))
    return found


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
    """

    def __init__(self, problem: TrainingProblem, landmarks: Landmarks, y: np.ndarray) -> None:
        self.problem, self.landmarks, self.y = problem, landmarks, y
        self.active = np.zeros(len(y), dtype=bool)
        self.sums = zero_sums(landmarks.T.shape[1], 1)

    def activate(self, active: np.ndarray) -> None:
        """Change the normal equations to those of other active samples."""
        more, fewer = active & ~self.active, self.active & ~active
        for samples, change in ((more, np.add), (fewer, np.subtract)):
            index = np.flatnonzero(samples)
            some = replace(self.landmarks, kernel=self.landmarks.kernel.take(index))
            w = self.problem.weights[index]
            task = NormalEquations(some.features, some.T, self.y[index, None], w, ROWS)
            # Not by `fold`, whose total is one more matrix.
            for part in self.problem.backend.map(task.part, ranges_of(len(w)), "normal equations"):
                for name, values in self.sums.items():
                    change(values, part[name], out=values)
                del part  # frees its memory before the next part is computed
        self.active = active

    def centers(self) -> tuple[float, float, np.ndarray]:
        """Return the weight of the active samples, and the means of y and of the features.

        Means are zero without an intercept.
        """
        w = self.problem.weights[self.active]
        W, features = float(w.sum()), self.sums["mean"]
        if not self.problem.center or W == 0:
            return W, 0.0, np.zeros_like(features)
        return W, float(w @ self.y[self.active]) / W, features / W

    def factor(self, alpha: float) -> np.ndarray:
        """Return the lower Cholesky factor of the normal equations; above it are other numbers."""
        W, _, mean = self.centers()
        A = without_mean(self.sums["inner"].copy(), W, mean).T
        # Rounding may make the matrix indefinite. A step that is too short is followed by others.
        A.flat[:: len(A) + 1] += max(alpha, ROUNDING * np.trace(A))
        return np.asarray(cho_factor(A, lower=True, overwrite_a=True, check_finite=False)[0])

    def solve(self, alpha: float, b: float) -> tuple[np.ndarray, float]:
        """Return theta, and the intercept; without active samples that is still b."""
        W, level, mean = self.centers()
        targets = self.sums["targets"][:, 0] - level * self.sums["mean"]
        theta = cho_solve((self.factor(alpha), True), targets, check_finite=False)
        if not self.problem.center or W == 0:
            return theta, b
        return theta, level - float(mean @ theta)

    def residual_sum(self, theta: np.ndarray, b: float) -> np.ndarray:
        """Return ``sum_i w_i (y_i - f(x_i)) psi(x_i)`` over the active samples, shape (rank,)."""
        products = dsymv(1.0, self.sums["inner"].T, theta, lower=1) if len(theta) else theta
        return np.asarray(self.sums["targets"][:, 0] - products - b * self.sums["mean"])

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        """Return ``psi(x)'theta`` of all samples, shape (n_samples,)."""
        beta, values = self.landmarks.T @ theta, self.landmarks.values
        parts = self.problem.backend.map(
            lambda rows: values(rows) @ beta, self.landmarks.row_ranges(), "outputs"
        )
        return np.concatenate(list(parts))

    def left_out(self, alpha: float, f: np.ndarray) -> np.ndarray:
        """Return outputs for samples that are left out, (n_samples, 1); f are those of all.

        An active sample changes as in ridge, ``y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - H_ii)``; the
        others have no influence.
        """
        found, index = f.copy(), np.flatnonzero(self.active)
        W, _, mean = self.centers()
        factor, w = self.factor(alpha), self.problem.weights[index]
        some = replace(self.landmarks, kernel=self.landmarks.kernel.take(index))

        def leverages(rows: slice) -> np.ndarray:
            psi = some.features(rows) - mean
            half = solve_triangular(factor, psi.T, lower=True, check_finite=False)
            return np.asarray(np.einsum("ij,ij->j", half, half))

        if len(index):
            parts = self.problem.backend.map(leverages, some.row_ranges(), "leave-one-out outputs")
            H = w * np.concatenate(list(parts)) + (w / W if self.problem.center else 0.0)
            y = self.y[index]
            found[index] = y - (y - f[index]) / np.maximum(1 - H, 1e-12)
        found[self.landmarks.index] = np.nan
        return found[:, None]


@dataclass(frozen=True, kw_only=True)
class Point(Iterate):
    """A predictor of one output.

    Attributes
    ----------
    theta : ndarray of shape (rank,)
    b : float
        Intercept.
    f : ndarray of shape (n_samples,)
        Its outputs.
    """

    theta: np.ndarray
    b: float
    f: np.ndarray


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

    def at(self, theta: np.ndarray, b: float, f: np.ndarray) -> Point:
        """Return value and bound at a predictor, whose active samples become those of `ridge`."""
        y, w = self.ridge.y, self.ridge.problem.weights
        slack = np.maximum(0.0, 1 - y * f)  # (n,)
        self.ridge.activate(slack > 0)
        loss, a = float(w @ slack**2), 2 * w * slack
        value, bound = loss + self.alpha * float(theta @ theta), 0.0
        if not self.ridge.problem.center or abs(a @ y) <= BALANCE * a.sum():
            half = self.ridge.residual_sum(theta, b)  # of sum_i a_i y_i psi(x_i)
            bound = float(a.sum()) - loss - float(half @ half) / self.alpha
        return Point(value=value, bound=min(bound, value), theta=theta, b=b, f=f)

    def step(self, point: Point) -> Point | None:
        """Return the minimum of the objective on the line to ridge on the active samples."""
        theta, b = self.ridge.solve(self.alpha, point.b)
        f = self.ridge.outputs(theta) + b
        length = self.length(point, theta, f)
        if length is None:
            return None
        theta, f = (
            start + length * (end - start) for start, end in ((point.theta, theta), (point.f, f))
        )
        return self.at(theta, point.b + length * (b - point.b), f)

    def length(self, point: Point, theta: np.ndarray, f: np.ndarray) -> float | None:
        """Return the part of the line at which the objective is smallest, None if at its start."""
        y, w = self.ridge.y, self.ridge.problem.weights
        along, forward = f - point.f, theta - point.theta

        def slope(t: float) -> float:
            slack = np.maximum(0.0, 1 - y * (point.f + t * along))
            shrinkage = self.alpha * float((point.theta + t * forward) @ forward)
            return shrinkage - float((w * y * slack) @ along)

        if slope(0.0) >= 0:
            return None
        same = np.array_equal(y * f < 1, self.ridge.active)
        return 1.0 if same or slope(1.0) <= 0 else float(brentq(slope, 0.0, 1.0))
