"""Ridge in the span of some samples (landmarks), for Gram matrices that do not fit into memory.

    min_theta,b  sum_i w_i (y_i - b - psi(x_i)'theta)^2 + alpha |theta|^2

with the features psi of `gram.landmarks`. The normal equations are a sum over samples, accumulated
range by range; memory is that of the landmarks. Leave-one-out errors are exact for this predictor
and take a second pass. They are averaged over the samples that are not landmarks, since a landmark
that is left out still spans a direction of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsyr

from learnkernels.checks import random_generator
from learnkernels.errors import InputError
from learnkernels.execution import available_cores, digest, require_arrays
from learnkernels.gram import Landmarks
from learnkernels.machines.base import (
    Strategy,
    Trained,
    TrainingProblem,
    require_gram_memory,
)
from learnkernels.machines.leave_one_out import some_samples
from learnkernels.machines.posterior import LandmarkPosterior, LeftOut

# Matrices of shape (n_landmarks, n_landmarks) in memory at once, and one more for each thread.
MATRICES = 6
# Samples whose residuals a model keeps: fewer than in a model that keeps its training samples.
LEFT_OUT = 1000
# Samples of one task, and those of them whose values are computed at a time if all are in memory.
STREAMED, ROWS = 2048, 256
# Rows of the normal equations that are computed at a time.
PANEL = 128

logger = logging.getLogger("learnkernels")


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations as a sum over ranges of samples.

    Attributes
    ----------
    values : callable
        Returns values of a range of samples at the landmarks, shape (n_rows, n_landmarks), up to a
        constant in each row.
    T : ndarray of shape (n_landmarks, rank)
        As in `Landmarks`.
    Y : ndarray of shape (n_samples, n_outputs)
        Targets.
    weights : ndarray of shape (n_samples,)
    step : int
        Samples whose values are in memory at a time.
    means : ndarray of shape (n_outputs,)
        Subtracted from the targets.
    """

    values: Callable[[slice], np.ndarray]
    T: np.ndarray
    Y: np.ndarray
    weights: np.ndarray
    step: int
    means: np.ndarray

    @classmethod
    def of_no_samples(cls, T: np.ndarray, means: np.ndarray, **others: Any) -> Self:
        """Return the equations before their samples are known."""
        n_outputs = len(means)
        return cls(no_values, T, np.zeros((0, n_outputs)), np.zeros(0), STREAMED, means, **others)

    def part(self, rows: slice) -> dict[str, np.ndarray]:
        """Return the sums of some samples; of the symmetric matrix, the upper triangle."""
        sums = self.start()
        for start in range(rows.start, rows.stop, self.step):
            some = slice(start, min(start + self.step, rows.stop))
            self.add_samples(self.values(some), self.Y[some], self.weights[some], sums)
        return sums

    def add_samples(
        self, values: np.ndarray, Y: np.ndarray, w: np.ndarray, sums: dict[str, np.ndarray]
    ) -> None:
        """Add samples with these values at the landmarks, shape (n_rows, n_landmarks)."""
        psi = values @ self.T
        root = add_features(psi, w, sums)
        sums["targets"] += psi.T @ (root * (Y - self.means))

    def work(self, rows: slice) -> float:
        """Return the number of samples."""
        return float(rows.stop - rows.start)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        return zero_sums(self.T.shape[1], self.Y.shape[1])

    def add(self, total: dict[str, np.ndarray], part: dict[str, np.ndarray]) -> None:
        """Add sums in place."""
        for name, values in part.items():
            total[name] += values

    def fingerprint(self) -> str:
        """Return a digest of what the sums depend on, except for the data and the point."""
        return digest(self.T, self.means)

    def point(self) -> dict[str, np.ndarray]:
        """Return the point at which the sums are computed: nothing, they do not depend on one."""
        return {}

    def check_point(self, point: dict[str, np.ndarray]) -> None:
        """Raise ValueError unless arrays are a point of this iteration."""
        require_arrays(point, self.point())


@dataclass(frozen=True)
class LeaveOneOut:
    """Squared leave-one-out residuals of a range of samples, for each alpha."""

    landmarks: Landmarks  # with features on the eigenvectors
    Y: np.ndarray  # centered
    weights: np.ndarray
    total: float  # sum of the weights of all samples in the normal equations
    center: np.ndarray  # (rank,), mean of the features
    shrunk: np.ndarray  # (n_values, rank), 1 / (eigenvalue + alpha)
    theta: np.ndarray  # (n_values, rank, n_outputs), on the eigenvectors
    counted: np.ndarray  # (n_samples,), 0 for landmarks

    def __call__(self, rows: slice) -> np.ndarray:
        """Return the sums of some samples, shape (n_values,)."""
        w = self.weights[rows] * self.counted[rows]
        return np.array([float(w @ np.mean(r**2, axis=1)) for r in self.residuals(rows)])

    def residuals(self, rows: slice) -> list[np.ndarray]:
        """Return y - f(x) of f without the sample, shape (n_rows, n_outputs), for each alpha."""
        U = self.landmarks.features(rows)  # (n_rows, rank)
        U -= self.center
        w, Y = self.weights[rows], self.Y[rows]
        intercept = w / self.total if self.center.any() else np.zeros(len(w))
        residuals = [Y - U @ theta for theta in self.theta]
        U *= U
        leverages = w[:, None] * (U @ self.shrunk.T) + intercept[:, None]  # (n_rows, n_values)
        complements = np.maximum(1 - leverages, 1e-12).T
        return [r / c[:, None] for r, c in zip(residuals, complements, strict=True)]


class LandmarkRidge(Strategy):
    """Solve in the span of `n_components` random samples."""

    name = "landmarks"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        solution = self.solve(problem)
        return [solution.trained(alpha) for alpha in values]

    def leave_one_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        return self.solve(problem).errors(values)

    def left_out(self, problem: TrainingProblem, values: Sequence[float]) -> np.ndarray:
        """Return outputs for samples that are left out, each alone, for each alpha.

        Returns
        -------
        ndarray of shape (n_values, n_samples, n_outputs)
            NaN for samples that are not left out.
        """
        return self.solve(problem).outputs(values)

    def moments(self, problem: TrainingProblem) -> tuple[float, np.ndarray]:
        """Return the sum of the weights, and the mean of the targets of shape (n_outputs,)."""
        W = float(problem.weights.sum())
        return W, problem.weights @ problem.Y / W

    def sums(
        self, problem: TrainingProblem, landmarks: Landmarks, means: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Return the normal equations of all samples, of targets minus their means."""
        task = NormalEquations(
            landmarks.values, landmarks.T, problem.Y, problem.weights, ROWS, means
        )
        return problem.backend.fold(task, ranges_of(len(problem.Y)), "normal equations")

    def solve(self, problem: TrainingProblem) -> LandmarkSolution:
        """Return the eigendecomposition of the normal equations, which serves every alpha.

        It is kept in the problem: values of alpha are compared before one of them is used.
        """
        known = problem.kept(type(self))
        if "solution" not in known:
            known["solution"] = self.decomposed(problem)
        return replace(known["solution"], problem=problem)

    def decomposed(self, problem: TrainingProblem) -> LandmarkSolution:
        """Return the solution that `solve` keeps."""
        landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), problem.backend)
        W, means = self.moments(problem)
        means = means if problem.center else np.zeros_like(means)
        sums = self.sums(problem, landmarks, means)
        mean = sums["features"] / W if problem.center else np.zeros_like(sums["features"])
        inner = without_mean(sums.pop("inner"), W, mean)
        eigenvalues, V = eigh(inner.T, lower=True, overwrite_a=True, check_finite=False)
        del inner  # V has the same size
        return LandmarkSolution(
            problem, replace(landmarks, T=landmarks.T @ V), W, means, mean @ V,
            np.maximum(eigenvalues, 0.0), V.T @ sums["targets"],  # the targets are centered
        )  # fmt: skip


@dataclass(frozen=True)
class LandmarkSolution:
    """The normal equations on their eigenvectors.

    Attributes
    ----------
    problem : TrainingProblem
    landmarks : Landmarks
        With features on the eigenvectors.
    total : float
        Sum of the sample weights.
    means : ndarray of shape (n_outputs,)
        Of the targets.
    mean : ndarray of shape (rank,)
        Of the features.
    eigenvalues : ndarray of shape (rank,)
    projected : ndarray of shape (rank, n_outputs)
        The right-hand side, on the eigenvectors.
    held : dict of float to ndarray of shape (n_samples, n_outputs)
        Outputs for samples that are left out, for the values of alpha that were asked for.
    """

    problem: TrainingProblem
    landmarks: Landmarks
    total: float
    means: np.ndarray
    mean: np.ndarray
    eigenvalues: np.ndarray
    projected: np.ndarray
    held: dict[float, np.ndarray] = field(default_factory=dict)

    def errors(self, values: Sequence[float]) -> np.ndarray:
        """Return the leave-one-out error of each alpha, shape (n_values,)."""
        task = self.left_out(values)
        ranges = self.landmarks.row_ranges()
        parts = self.problem.backend.map(task, ranges, "leave-one-out errors")
        return np.asarray(np.sum(list(parts), axis=0) / (task.weights @ task.counted))

    def trained(self, alpha: float) -> Trained:
        """Return the predictor for one alpha."""
        problem, landmarks = self.problem, self.landmarks
        theta = self.projected / (self.eigenvalues + alpha)[:, None]
        coef = np.zeros_like(problem.Y, dtype=float)
        coef[landmarks.index] = landmarks.T @ theta
        outputs, posterior = None, None
        if problem.left_out:
            (outputs,) = self.outputs([alpha])
        if problem.posterior:
            posterior = landmark_posterior(self, theta, alpha)
        intercept = self.means - self.mean @ theta
        return Trained(coef, intercept, left_out=outputs, posterior=posterior)

    def outputs(self, values: Sequence[float]) -> np.ndarray:
        """Return outputs for samples that are left out, (n_values, n_samples, n_outputs)."""
        missing = [alpha for alpha in values if alpha not in self.held]
        if missing:
            task, ranges = self.left_out(missing), self.landmarks.row_ranges()
            rows = self.problem.backend.map(task.residuals, ranges, "leave-one-out outputs")
            found = self.problem.Y - np.concatenate(list(rows), axis=1)
            found[:, self.landmarks.index] = np.nan
            self.held.update(zip(missing, found, strict=True))
        return np.array([self.held[alpha] for alpha in values])

    def left_out(self, values: Sequence[float]) -> LeaveOneOut:
        """Return the task that leaves out samples, for each alpha."""
        problem = self.problem
        shrunk = 1 / (self.eigenvalues + np.array(values, dtype=float)[:, None])  # (n_values, rank)
        counted = np.ones(len(problem.weights))
        counted[self.landmarks.index] = 0.0
        return LeaveOneOut(
            self.landmarks, problem.Y - self.means, problem.weights, self.total, self.mean,
            shrunk, shrunk[:, :, None] * self.projected, counted,
        )  # fmt: skip


def no_values(rows: slice) -> np.ndarray:
    """Raise: the samples are not known yet."""
    raise TypeError("these equations have no samples")


def ranges_of(n: int) -> list[slice]:
    """Divide n samples that are read into ranges, each the work of one task."""
    return [slice(start, min(start + STREAMED, n)) for start in range(0, n, STREAMED)]


def add_features(psi: np.ndarray, w: np.ndarray, sums: dict[str, np.ndarray]) -> np.ndarray:
    """Add the sums of features; multiply psi by the roots of the weights, and return these.

    Parameters
    ----------
    psi : ndarray of shape (n_rows, rank)
        Changed in place.
    w : ndarray of shape (n_rows,)
    sums : dict
        ``sum_i w_i psi_i psi_i'`` as "inner", ``sum_i w_i psi_i`` as "features".

    Returns
    -------
    ndarray of shape (n_rows, 1)
    """
    root = np.sqrt(w)[:, None]
    psi *= root
    add_inner_products(psi, psi, sums["inner"])
    sums["features"] += psi.T @ root[:, 0]
    return root


def add_inner_products(left: np.ndarray, right: np.ndarray, total: np.ndarray) -> None:
    """Add the upper triangle of left'right to a matrix; entries below it have no meaning.

    This needs no second matrix. `scipy.linalg.blas.dsyrk` does not either, but it holds the lock of
    the interpreter, so that threads would wait for each other.
    """
    for start in range(0, len(total), PANEL):
        total[start : start + PANEL, start:] += left[:, start : start + PANEL].T @ right[:, start:]


def without_mean(inner: np.ndarray, W: float, mean: np.ndarray) -> np.ndarray:
    """Return ``inner - W mean mean'`` in place of the upper triangle of inner."""
    if not len(mean):
        return inner
    # The transpose is the column-major array that BLAS overwrites.
    return np.asarray(dsyr(-W, mean, lower=1, a=inner.T, overwrite_a=1).T)


def zero_sums(rank: int, n_outputs: int) -> dict[str, np.ndarray]:
    """Return the normal equations of no samples."""
    return {
        "inner": np.zeros((rank, rank)),  # upper triangle
        "features": np.zeros(rank),
        "targets": np.zeros((rank, n_outputs)),
    }


def landmark_posterior(
    solution: LandmarkSolution, theta: np.ndarray, alpha: float
) -> LandmarkPosterior:
    """Return the posterior; samples that are not landmarks are left out, each alone.

    Parameters
    ----------
    solution : LandmarkSolution
    theta : ndarray of shape (rank, n_outputs)
        Coefficients of the features, on the eigenvectors.
    alpha : float
    """
    problem, landmarks = solution.problem, solution.landmarks
    w = problem.weights
    others = np.setdiff1d(np.arange(len(w)), landmarks.index)
    chosen = some_samples(others if len(others) else np.arange(len(w)), LEFT_OUT)
    taken, rows = landmarks.kernel.take(chosen), slice(0, len(chosen))
    T, mean = landmarks.T, solution.mean
    psi = replace(landmarks, kernel=taken).features(rows) - mean  # (n_left_out, rank)
    residuals = problem.Y[chosen] - solution.means - psi @ theta
    total = solution.total if problem.center else np.inf
    shrinkage = 1 / np.sqrt(solution.eigenvalues + alpha)
    left_out = LeftOut.of_features(shrinkage * psi, w[chosen], residuals, alpha, total)
    left_out = replace(left_out, rows=None)  # as many numbers as landmarks for each sample
    origin, level = np.zeros(T.shape[1]), 0.0
    if problem.center:
        means = landmarks.kernel.take(landmarks.index).gram(problem.backend).mean(axis=1)  # (m,)
        origin, level = means @ T, float(means.mean())
    found = LandmarkPosterior(
        left_out, alpha, total, landmarks.near, T, mean, origin, level, shrinkage
    )
    prior = np.diag(taken.gram(problem.backend))
    lacking = found.lacking(taken.values_near(landmarks.near, rows), prior)
    return replace(found, left_out=replace(left_out, variances=left_out.variances + lacking))


def require_nonnegative(problem: TrainingProblem) -> None:
    """Raise if some kernel weights are negative: features need a positive semi-definite kernel."""
    if problem.signed:
        raise InputError(
            f"n_components={problem.n_components} needs non-negative weights, and some "
            "learned weights are negative; leave n_components out, or use another method."
        )


def chosen_landmarks(problem: TrainingProblem) -> np.ndarray:
    """Return random samples in ascending order; raise if their matrices need too much memory."""
    n, m = len(problem.Y), min(problem.n_components or 1, len(problem.Y))
    count, who = MATRICES + available_cores(), f"training with n_components={m}"
    require_gram_memory(m, count, problem.max_memory, who, "use fewer components")
    logger.info("%d samples: the predictor is in the span of %d landmarks.", n, m)
    return np.sort(random_generator(problem.random_state).choice(n, m, replace=False))
