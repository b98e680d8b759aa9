"""Ridge in the span of some samples (landmarks), for more samples than a Gram matrix can hold.

    min_theta,b  sum_i w_i (y_i - b - psi(x_i)'theta)^2 + alpha |theta|^2

with the features psi of `gram.landmarks`. The normal equations are a sum over samples, accumulated
range by range; memory is that of the landmarks. Leave-one-out errors are exact for this predictor
and take a second pass. They are averaged over the samples that are not landmarks, since a landmark
that is left out still spans a direction of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from learnkernels.checks import random_generator
from learnkernels.execution import available_cores
from learnkernels.gram import Landmarks
from learnkernels.machines.base import (
    Strategy,
    Trained,
    TrainingProblem,
    require_gram_memory,
)
from learnkernels.machines.leave_one_out import some_samples
from learnkernels.machines.posterior import LandmarkPosterior, LeftOut

# Matrices of the size of the landmarks, besides a sum for each thread.
MATRICES = 6
# Samples whose residuals a model keeps: fewer than in a model that keeps its training samples.
LEFT_OUT = 1000

logger = logging.getLogger("learnkernels")


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations as a sum over ranges of samples."""

    landmarks: Landmarks
    Y: np.ndarray
    weights: np.ndarray

    def part(self, rows: slice) -> dict[str, np.ndarray]:
        """Return the sums of some samples."""
        psi, w = self.landmarks.features(rows), self.weights[rows]
        weighted = w[:, None] * psi
        return {
            "inner": weighted.T @ psi,  # (rank, rank)
            "mean": weighted.sum(axis=0),  # (rank,)
            "targets": weighted.T @ self.Y[rows],  # (rank, n_outputs)
        }

    def work(self, rows: slice) -> float:
        """Return the number of samples."""
        return float(rows.stop - rows.start)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        r = self.landmarks.T.shape[1]
        return {
            "inner": np.zeros((r, r)),
            "mean": np.zeros(r),
            "targets": np.zeros((r, self.Y.shape[1])),
        }

    def add(self, total: dict[str, np.ndarray], part: dict[str, np.ndarray]) -> None:
        """Add sums in place."""
        for name, values in part.items():
            total[name] += values


@dataclass(frozen=True)
class LeaveOneOut:
    """Squared leave-one-out residuals of a range of samples, for each alpha."""

    landmarks: Landmarks
    Y: np.ndarray  # centered
    weights: np.ndarray
    center: np.ndarray  # (rank,)
    V: np.ndarray  # (rank, rank), eigenvectors
    shrunk: np.ndarray  # (n_values, rank), 1 / (eigenvalue + alpha)
    theta: np.ndarray  # (n_values, rank, n_outputs), in the basis V
    counted: np.ndarray  # (n_samples,), 0 for landmarks

    def __call__(self, rows: slice) -> np.ndarray:
        """Return the sums of some samples, shape (n_values,)."""
        w = self.weights[rows] * self.counted[rows]
        return np.array([float(w @ np.mean(r**2, axis=1)) for r in self.residuals(rows)])

    def residuals(self, rows: slice) -> list[np.ndarray]:
        """Return y - f(x) of f without the sample, shape (n_rows, n_outputs), for each alpha."""
        U = (self.landmarks.features(rows) - self.center) @ self.V  # (n_rows, rank)
        w, Y = self.weights[rows], self.Y[rows]
        intercept = w / self.weights.sum() if self.center.any() else np.zeros(len(w))
        found = []
        for shrunk, theta in zip(self.shrunk, self.theta, strict=True):
            leverage = w * (U**2 @ shrunk) + intercept
            found.append((Y - U @ theta) / np.maximum(1 - leverage, 1e-12)[:, None])
        return found


class LandmarkRidge(Strategy):
    """Solve in the span of `n_components` random samples."""

    name = "landmarks"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        return self.path(problem, values, errors=False)[1]

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        return self.path(problem, values, errors=True)[0]

    def path(
        self, problem: TrainingProblem, values: Sequence[float], errors: bool
    ) -> tuple[np.ndarray, list[Trained]]:
        """Return leave-one-out errors (if asked for) and predictors for each alpha."""
        landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), problem.backend)
        w, W = problem.weights, problem.weights.sum()
        Y = problem.Y - problem.means
        ranges = landmarks.row_ranges()
        sums = problem.backend.fold(NormalEquations(landmarks, Y, w), ranges, "normal equations")
        mean = sums["mean"] / W if problem.center else np.zeros_like(sums["mean"])
        eigenvalues, V = eigh(sums["inner"] - W * np.outer(mean, mean), check_finite=False)
        projected = V.T @ sums["targets"]  # the targets are centered
        alphas = np.array(values, dtype=float)
        shrunk = 1 / (np.maximum(eigenvalues, 0.0) + alphas[:, None])  # (n_values, rank)
        theta = shrunk[:, :, None] * projected
        found = np.full(len(alphas), np.nan)
        left_out: list[np.ndarray | None] = [None] * len(alphas)
        if errors or problem.left_out:
            counted = np.ones(len(w))
            counted[landmarks.index] = 0.0
            task = LeaveOneOut(landmarks, Y, w, mean, V, shrunk, theta, counted)
            if errors:
                parts = problem.backend.map(task, ranges, "leave-one-out errors")
                found = np.sum(list(parts), axis=0) / (w @ counted)
            if problem.left_out:
                rows = list(problem.backend.map(task.residuals, ranges, "leave-one-out outputs"))
                for v in range(len(alphas)):
                    outputs = problem.Y - np.concatenate([row[v] for row in rows])
                    outputs[landmarks.index] = np.nan
                    left_out[v] = outputs
        trained = []
        for v, (solution, outputs) in enumerate(zip(theta, left_out, strict=True)):
            coef = np.zeros_like(problem.Y, dtype=float)
            coef[landmarks.index] = landmarks.T @ (V @ solution)
            posterior = None
            if problem.posterior:
                fitted = LeastSquares(mean, V, np.sqrt(shrunk[v]), solution)
                posterior = landmark_posterior(problem, landmarks, fitted, float(alphas[v]))
            intercept = problem.means - mean @ (V @ solution)
            trained.append(Trained(coef, intercept, left_out=outputs, posterior=posterior))
        return found, trained


@dataclass(frozen=True)
class LeastSquares:
    """The solution of the normal equations for one alpha.

    Attributes
    ----------
    mean : ndarray of shape (rank,)
        Of the features.
    V : ndarray of shape (rank, rank)
        Eigenvectors of the normal equations.
    shrinkage : ndarray of shape (rank,)
        ``(eigenvalue + alpha)^-1/2``.
    theta : ndarray of shape (rank, n_outputs)
        Coefficients of the features, in the basis V.
    """

    mean: np.ndarray
    V: np.ndarray
    shrinkage: np.ndarray
    theta: np.ndarray


def landmark_posterior(
    problem: TrainingProblem, landmarks: Landmarks, fitted: LeastSquares, alpha: float
) -> LandmarkPosterior:
    """Return the posterior; samples that are not landmarks are left out, each alone."""
    w = problem.weights
    others = np.setdiff1d(np.arange(len(w)), landmarks.index)
    chosen = some_samples(others if len(others) else np.arange(len(w)), LEFT_OUT)
    T, mean = landmarks.T @ fitted.V, fitted.mean @ fitted.V
    taken = replace(landmarks, kernel=landmarks.kernel.take(chosen), T=T)
    psi = taken.features(slice(0, len(chosen))) - mean  # (n_left_out, rank)
    residuals = problem.Y[chosen] - problem.means - psi @ fitted.theta
    total = float(w.sum()) if problem.center else np.inf
    U = fitted.shrinkage * psi
    left_out = LeftOut.of_features(U, w[chosen], residuals, alpha, total)
    left_out = replace(left_out, rows=None)  # as many numbers as landmarks for each sample
    origin, level = np.zeros(T.shape[1]), 0.0
    if problem.center:
        means = landmarks.kernel.take(landmarks.index).gram(problem.backend).mean(axis=1)  # (m,)
        origin, level = means @ T, float(means.mean())
    return LandmarkPosterior(
        left_out, alpha, total, landmarks.near, T, mean, origin, level, fitted.shrinkage
    )


def chosen_landmarks(problem: TrainingProblem) -> np.ndarray:
    """Return random samples in ascending order; raise if their matrices need too much memory."""
    n, m = len(problem.Y), min(problem.n_components or 1, len(problem.Y))
    count, who = MATRICES + available_cores(), f"training with n_components={m}"
    require_gram_memory(m, count, problem.max_memory, who, "use fewer components")
    logger.info("%d samples: ridge in the span of %d landmarks.", n, m)
    return np.sort(random_generator(problem.random_state).choice(n, m, replace=False))
