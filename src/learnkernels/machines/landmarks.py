"""Kernel ridge regression in the span of some samples: for more samples than a Gram can hold.

    min_theta,b  sum_i w_i (y_i - b - psi(x_i)'theta)^2 + alpha |theta|^2

with the features psi of `gram.landmarks`. The normal equations are a sum over samples and are
accumulated range by range; what is held is of the size of the landmarks. Leave-one-out errors are
exact for this predictor and take a second pass; they are averaged over the samples that are no
landmarks, since a landmark that is left out still spans a direction of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from learnkernels.gram import Landmarks
from learnkernels.machines.base import Problem, Trained

__all__ = ["landmark_ridge"]


@dataclass(frozen=True)
class Moments:
    """Sums over samples."""

    inner: np.ndarray  # (rank, rank), sum_i w_i psi_i psi_i'
    mean: np.ndarray  # (rank,), sum_i w_i psi_i
    targets: np.ndarray  # (rank, n_outputs), sum_i w_i psi_i y_i'


@dataclass(frozen=True)
class SumOfMoments:
    """The normal equations as a sum over ranges of samples."""

    landmarks: Landmarks
    Y: np.ndarray
    weights: np.ndarray

    def part(self, rows: slice) -> Moments:
        psi, w = self.landmarks.features(rows), self.weights[rows]
        weighted = w[:, None] * psi
        return Moments(weighted.T @ psi, weighted.sum(axis=0), weighted.T @ self.Y[rows])

    def work(self, rows: slice) -> float:
        return float(rows.stop - rows.start)

    def start(self) -> Moments:
        r = self.landmarks.T.shape[1]
        return Moments(np.zeros((r, r)), np.zeros(r), np.zeros((r, self.Y.shape[1])))

    def add(self, total: Moments, part: Moments) -> None:
        total.inner[:] += part.inner
        total.mean[:] += part.mean
        total.targets[:] += part.targets

    join = add


@dataclass(frozen=True)
class LeftOut:
    """Squared leave-one-out residuals of a range of samples, for each alpha."""

    landmarks: Landmarks
    Y: np.ndarray  # centered
    weights: np.ndarray
    center: np.ndarray  # (rank,)
    V: np.ndarray  # (rank, rank), eigenvectors
    shrunk: np.ndarray  # (n_values, rank), 1 / (eigenvalue + alpha)
    theta: np.ndarray  # (n_values, rank, n_outputs), in the basis V
    counted: np.ndarray  # (n_samples,), 0 for landmarks: the span is theirs, left out or not

    def __call__(self, rows: slice) -> np.ndarray:
        U = (self.landmarks.features(rows) - self.center) @ self.V  # (n_rows, rank)
        w, Y = self.weights[rows], self.Y[rows]
        intercept = w / self.weights.sum() if self.center.any() else np.zeros(len(w))
        found = []
        for shrunk, theta in zip(self.shrunk, self.theta, strict=True):
            leverage = w * (U**2 @ shrunk) + intercept
            left_out = (Y - U @ theta) / np.maximum(1 - leverage, 1e-12)[:, None]
            found.append(float((w * self.counted[rows]) @ np.mean(left_out**2, axis=1)))
        return np.array(found)


def landmark_ridge(
    problem: Problem, values, left_out: bool = False
) -> tuple[np.ndarray, list[Trained]]:
    """Leave-one-out errors for each alpha, and the predictors.

    Parameters
    ----------
    problem : Problem
    values : sequence of float
        Values of alpha.
    left_out : bool, default=False
        Whether to compute the errors, which takes another pass.

    Returns
    -------
    errors : ndarray of shape (n_values,)
        NaN where they are not asked for.
    trained : list of Trained
    """
    if problem.kernel is None or problem.landmarks is None:
        raise ValueError("landmarks need the kernel itself.")
    landmarks = Landmarks.of(problem.kernel, problem.landmarks, problem.backend)
    w, W = problem.weights, problem.weights.sum()
    Y = problem.Y - problem.means
    ranges = landmarks.row_ranges()
    sums = problem.backend.fold(SumOfMoments(landmarks, Y, w), ranges, "normal equations")
    mean = sums.mean / W if problem.center else np.zeros_like(sums.mean)
    eigenvalues, V = eigh(sums.inner - W * np.outer(mean, mean), check_finite=False)
    projected = V.T @ sums.targets  # the targets are centered
    alphas = np.array(values, dtype=float)
    shrunk = 1 / (np.maximum(eigenvalues, 0.0) + alphas[:, None])  # (n_values, rank)
    theta = shrunk[:, :, None] * projected
    errors = np.full(len(alphas), np.nan)
    if left_out:
        counted = np.ones(len(w))
        counted[landmarks.index] = 0.0
        parts = LeftOut(landmarks, Y, w, mean, V, shrunk, theta, counted)
        found = problem.backend.map(parts, ranges, "leave-one-out errors")
        errors = np.sum(list(found), axis=0) / (w @ counted)
    trained = []
    for alpha, solution in zip(alphas, theta, strict=True):
        coef = np.zeros_like(problem.Y, dtype=float)
        coef[landmarks.index] = landmarks.T @ (V @ solution)
        intercept = problem.means - mean @ (V @ solution)
        trained.append(Trained(coef, intercept, (), float(alpha)))
    return errors, trained
