"""SVM with the squared hinge loss and landmarks, from sums over all rows of a fit.

The objective is that of `landmark_svm`. Each Newton step takes one pass over the rows, which adds
up over the active ones (``slack_i = max(0, 1 - y_i f(x_i)) > 0``)

    inner, mean   sum_i w_i psi_i psi_i',   sum_i w_i psi_i
    of each class: slack, squares, features
                  sum_i w_i slack_i,   sum_i w_i slack_i^2,   sum_i w_i slack_i psi_i

With s_i = y_i w_i slack_i, the step of theta and b solves

    [inner + alpha I   mean] [theta step]   [sum_i s_i psi_i - alpha theta]
    [mean'             W   ] [b step    ] = [sum_i s_i                    ]

and is halved until the objective falls. The lower bound of `landmark_svm` needs ``sum_i s_i = 0``:
the class with the larger sum is scaled to that of the other. The first point is the SVM of the
subsample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve

from learnkernels.execution import digest
from learnkernels.gram import Landmarks
from learnkernels.machines.all_rows import AllRows
from learnkernels.machines.base import Strategy, Trained, TrainingProblem
from learnkernels.machines.landmark_ridge import NormalEquations, chosen_landmarks
from learnkernels.machines.landmark_svm import (
    ActiveRidge,
    factor_of,
    mean_of,
    path,
    warn_unless_optimal,
)
from learnkernels.solvers import Iterate, iterate

# Relative gap at which to stop: a pass over all rows is expensive.
TOLERANCE, MAX_ITER = 1e-5, 30
# Smallest part of a step that is tried, in powers of two.
HALVINGS = 10
SIGNS = np.array([1.0, -1.0])


@dataclass(frozen=True)
class StreamedSVM(Strategy):
    """SVM with sums over all rows; the kernel has the rows of the subsample.

    Attributes
    ----------
    rows : AllRows
        Targets are -1 and 1.
    """

    rows: AllRows

    name = "landmarks"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve for each alpha."""
        landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), problem.backend)
        return [self.trained(problem, landmarks, float(alpha)) for alpha in values]

    def trained(self, problem: TrainingProblem, landmarks: Landmarks, alpha: float) -> Trained:
        """Return the predictor for one alpha."""
        y = np.ascontiguousarray(problem.Y[:, 0])
        (few,) = path(replace(problem, left_out=False), landmarks, y, [alpha])
        objective = StreamedObjective(self.rows, landmarks, alpha, problem.center)
        start = objective.at(coordinates(landmarks, problem, few.coef), float(few.intercept[0]))
        point, certificate = iterate(
            start, objective.step, tol=TOLERANCE, max_iter=MAX_ITER,
            criterion="squared hinge loss",
        )  # fmt: skip
        warn_unless_optimal(certificate, alpha)
        coef = np.zeros((len(y), 1))
        coef[landmarks.index, 0] = landmarks.T @ point.theta
        left_out = None
        if problem.left_out:
            ridge = ActiveRidge(problem, landmarks, y)
            f = ridge.outputs(point.theta) + point.b
            ridge.active, ridge.sums, ridge.W = y * f < 1, point.sums, point.W
            left_out = ridge.left_out(alpha, f)
        return Trained(coef, np.array([point.b]), (certificate,), left_out=left_out)


def coordinates(landmarks: Landmarks, problem: TrainingProblem, coef: np.ndarray) -> np.ndarray:
    """Return theta, shape (rank,), of coefficients ``T theta`` of the landmarks: ``T'K T = I``."""
    index = landmarks.index
    return landmarks.T.T @ (landmarks.kernel.take(index).gram(problem.backend) @ coef[index, 0])


@dataclass(frozen=True)
class HingeEquations(NormalEquations):
    """Sums over the active samples of one output at a point.

    Attributes
    ----------
    theta : ndarray of shape (rank,)
    b : float
    """

    theta: np.ndarray
    b: float

    def add_samples(
        self, psi: np.ndarray, Y: np.ndarray, w: np.ndarray, sums: dict[str, np.ndarray]
    ) -> None:
        """Add the active ones of some samples."""
        slack = 1 - Y[:, 0] * (psi @ self.theta + self.b)
        active = (slack > 0) & (w > 0)
        psi, Y, w, slack = psi[active], Y[active], w[active], slack[active]
        for k, sign in enumerate(SIGNS):
            own = np.where(Y[:, 0] == sign, w * slack, 0.0)
            sums["slack"][k] += own.sum()
            sums["squares"][k] += own @ slack
            sums["features"][k] += own @ psi
        sums["weight"] += w.sum()
        super().add_samples(psi, Y, w, sums)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        rank = self.T.shape[1]
        own = {"slack": np.zeros(2), "squares": np.zeros(2), "features": np.zeros((2, rank))}
        return super().start() | own | {"weight": np.zeros(1)}

    def fingerprint(self) -> str:
        """Return a digest of what the sums depend on, except for the data."""
        return digest(self.T, self.theta, self.b)


@dataclass(frozen=True, kw_only=True)
class StreamedPoint(Iterate):
    """A predictor of one output, with the sums over its active rows.

    Attributes
    ----------
    theta : ndarray of shape (rank,)
    b : float
    sums : dict of str to ndarray
        As of `HingeEquations`.
    """

    theta: np.ndarray
    b: float
    sums: dict[str, np.ndarray]

    @property
    def W(self) -> float:
        """Sum of the weights of the active rows."""
        return float(self.sums["weight"][0])


@dataclass(frozen=True)
class StreamedObjective:
    """The objective for one alpha.

    Attributes
    ----------
    rows : AllRows
    landmarks : Landmarks
    alpha : float
    center : bool
        Whether there is an intercept.
    """

    rows: AllRows
    landmarks: Landmarks
    alpha: float
    center: bool

    def at(self, theta: np.ndarray, b: float) -> StreamedPoint:
        """Return the value, the bound and the sums at a point, by one pass over the rows."""
        T = self.landmarks.T
        equations = HingeEquations.of_no_samples(T, np.zeros(1), theta=theta, b=b)
        sums = self.rows.sums(self.landmarks, equations)
        value = float(sums["squares"].sum()) + self.alpha * float(theta @ theta)
        bound = min(self.bound(sums), value)  # a bound above the value is rounding
        return StreamedPoint(value=value, bound=bound, theta=theta, b=b, sums=sums)

    def bound(self, sums: dict[str, np.ndarray]) -> float:
        """Return a lower bound of the minimum."""
        slack, scale = sums["slack"], np.ones(2)
        if self.center and slack.max() > 0:
            scale = slack.min() / np.maximum(slack, slack.min() or 1.0)  # both sums are equal
        half = (SIGNS * scale) @ sums["features"]
        return float(2 * scale @ slack - scale**2 @ sums["squares"] - half @ half / self.alpha)

    def step(self, point: StreamedPoint) -> StreamedPoint | None:
        """Return the point of a Newton step, or of a part of it that lowers the objective."""
        sums, W = point.sums, point.W
        mean = mean_of(sums, W if self.center else 0.0)
        change = float(SIGNS @ sums["slack"])  # of b
        right = SIGNS @ sums["features"] - self.alpha * point.theta - change * mean
        factor = factor_of(sums["inner"], W, mean, self.alpha)
        forward = cho_solve((factor, True), right, check_finite=False)
        along = change / W - float(mean @ forward) if self.center and W > 0 else 0.0
        for length in 0.5 ** np.arange(HALVINGS):
            found = self.at(point.theta + length * forward, point.b + length * along)
            if found.value < point.value:
                return found
        return None
