"""SVM with the squared hinge loss and landmarks, from sums over all rows of a fit.

The objective of each output is that of `landmark_svm`. A pass over the rows, which several outputs
share, adds up over the active ones of each (``slack_i = max(0, 1 - y_i f(x_i)) > 0``)

    inner, mean   sum_i w_i psi_i psi_i',   sum_i w_i psi_i
    of labels 1 and of labels -1: slack, squares, features
                  sum_i w_i slack_i,   sum_i w_i slack_i^2,   sum_i w_i slack_i psi_i

With s_i = y_i w_i slack_i, the Newton step of theta and b solves

    [inner + alpha I   mean] [theta step]   [sum_i s_i psi_i - alpha theta]
    [mean'             W   ] [b step    ] = [sum_i s_i                    ]

and is halved until the objective falls. With an intercept, the lower bound of `landmark_svm` needs
``sum_i s_i = 0``: the label with the larger sum is scaled to that of the other. The first point is
the SVM of the subsample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve

from learnkernels._warnings import ConvergenceWarning, suppressed
from learnkernels.execution import available_cores, digest
from learnkernels.gram import Landmarks
from learnkernels.machines.all_rows import AllRows
from learnkernels.machines.base import Strategy, Trained, TrainingProblem
from learnkernels.machines.landmark_ridge import MATRICES, NormalEquations, chosen_landmarks
from learnkernels.machines.landmark_svm import (
    ActiveRidge,
    factor_of,
    mean_of,
    path,
    warn_unless_optimal,
)
from learnkernels.solvers import Certificate, Iterate, iterate

# Largest relative gap of an output at which to stop: a pass over all rows is expensive.
TOLERANCE, MAX_ITER = 1e-5, 30
# Smallest part of a step that is tried, in powers of two.
HALVINGS = 10
CRITERION = "squared hinge loss"
# Bytes of the matrices that one pass adds up; further outputs take passes of their own.
SHARED = 64e6
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
        n_outputs = problem.Y.shape[1]
        together = outputs_together(problem, landmarks.T.shape[1])
        groups = [
            self.group(problem, landmarks, alpha, range(k, min(k + together, n_outputs)))
            for k in range(0, n_outputs, together)
        ]
        certificates = tuple(certificate for one in groups for certificate in one.certificates)
        left_out = [one.left_out for one in groups if one.left_out is not None]
        warn_unless_optimal(max(certificates, key=lambda one: one.gap), alpha)
        return Trained(
            np.hstack([one.coef for one in groups]),
            np.concatenate([one.intercept for one in groups]),
            certificates,
            left_out=np.hstack(left_out) if left_out else None,
        )

    def group(
        self, problem: TrainingProblem, landmarks: Landmarks, alpha: float, outputs: Sequence[int]
    ) -> Trained:
        """Return the predictor of outputs that share the passes over the rows."""
        objective = StreamedObjective(self.rows, landmarks, alpha, problem.center)
        start = objective.at([start_of(problem, landmarks, alpha, k) for k in outputs])
        points, _ = iterate(joined(start), objective.step, tol=TOLERANCE, max_iter=MAX_ITER)
        found = points.outputs
        certificates = tuple(
            Certificate.of(one.value, one.bound, points.iterations, TOLERANCE, CRITERION)
            for one in found
        )
        coef = np.zeros((len(problem.Y), len(found)))
        coef[landmarks.index] = landmarks.T @ np.column_stack([one.theta for one in found])
        left_out = None
        if problem.left_out:
            left_out = np.hstack(
                [left_out_outputs(problem, landmarks, alpha, one) for one in found]
            )
        return Trained(coef, np.array([one.b for one in found]), certificates, left_out=left_out)


def outputs_together(problem: TrainingProblem, rank: int) -> int:
    """Return the number of outputs that share passes, so that their matrices fit in memory.

    There are a matrix of each output at the current point, one of the sum over all rows, and one
    for each thread that adds up rows.
    """
    matrix = 8.0 * max(rank, 1) ** 2
    allowed = min(SHARED, problem.max_memory / (MATRICES + available_cores()))
    return max(1, int(allowed // matrix))


def start_of(problem: TrainingProblem, landmarks: Landmarks, alpha: float, output: int) -> Place:
    """Return the SVM of the subsample for one output."""
    index, y = landmarks.index, np.ascontiguousarray(problem.Y[:, output])
    with suppressed(ConvergenceWarning):  # this is only the first point
        (few,) = path(replace(problem, left_out=False), landmarks, y, [alpha])
    gram = landmarks.kernel.take(index).gram(problem.backend)  # (n_landmarks, n_landmarks)
    # Coefficients of the landmarks are T theta, with T'K T = I.
    return Place(output, landmarks.T.T @ (gram @ few.coef[index, 0]), float(few.intercept[0]))


def left_out_outputs(
    problem: TrainingProblem, landmarks: Landmarks, alpha: float, point: StreamedPoint
) -> np.ndarray:
    """Return outputs for samples of the subsample that are left out, shape (n_samples, 1)."""
    y = np.ascontiguousarray(problem.Y[:, point.output])
    ridge = ActiveRidge(problem, landmarks, y)
    f = ridge.outputs(point.theta) + point.b
    ridge.active, ridge.sums, ridge.W = y * f < 1, point.sums, point.W
    return ridge.left_out(alpha, f)


@dataclass(frozen=True)
class Place:
    """The predictor of one output.

    Attributes
    ----------
    output : int
        Column of the targets.
    theta : ndarray of shape (rank,)
    b : float
    """

    output: int
    theta: np.ndarray
    b: float


@dataclass(frozen=True)
class HingeEquations(NormalEquations):
    """Sums over the active samples of some outputs, each at a place; the first axis has them.

    Attributes
    ----------
    places : sequence of Place
    """

    places: Sequence[Place]

    def add_samples(
        self, psi: np.ndarray, Y: np.ndarray, w: np.ndarray, sums: dict[str, np.ndarray]
    ) -> None:
        """Add the active ones of some samples."""
        for place, *values in zip(self.places, *sums.values(), strict=True):
            own = dict(zip(sums, values, strict=True))
            self.add_output(place, psi, Y[:, place.output], w, own)

    def add_output(
        self, place: Place, psi: np.ndarray, y: np.ndarray, w: np.ndarray,
        sums: dict[str, np.ndarray],
    ) -> None:  # fmt: skip
        """Add the active ones of some samples to the sums of one output."""
        slack = 1 - y * (psi @ place.theta + place.b)
        active = (slack > 0) & (w > 0)
        psi, y, w, slack = psi[active], y[active], w[active], slack[active]
        for k, sign in enumerate(SIGNS):
            own = np.where(y == sign, w * slack, 0.0)
            sums["slack"][k] += own.sum()
            sums["squares"][k] += own @ slack
            sums["features"][k] += own @ psi
        sums["weight"] += w.sum()
        super().add_samples(psi, y[:, None], w, sums)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        k, rank = len(self.places), self.T.shape[1]
        return {
            "inner": np.zeros((k, rank, rank)), "mean": np.zeros((k, rank)),
            "targets": np.zeros((k, rank, 1)), "slack": np.zeros((k, 2)),
            "squares": np.zeros((k, 2)), "features": np.zeros((k, 2, rank)),
            "weight": np.zeros((k, 1)),
        }  # fmt: skip

    def fingerprint(self) -> str:
        """Return a digest of what the sums depend on, except for the data."""
        places = [value for one in self.places for value in (one.output, one.theta, one.b)]
        return digest(self.T, *places)


@dataclass(frozen=True, kw_only=True)
class StreamedPoint(Iterate):
    """A predictor of one output, with the sums over its active rows.

    Attributes
    ----------
    output, theta, b
        As in `Place`.
    sums : dict of str to ndarray
        As of `HingeEquations`, for this output.
    """

    output: int
    theta: np.ndarray
    b: float
    sums: dict[str, np.ndarray]

    @property
    def W(self) -> float:
        """Sum of the weights of the active rows."""
        return float(self.sums["weight"][0])


@dataclass(frozen=True, kw_only=True)
class StreamedPoints(Iterate):
    """Predictors of successive outputs; value and bound are sums.

    Attributes
    ----------
    outputs : sequence of StreamedPoint
    """

    outputs: Sequence[StreamedPoint]

    @property
    def gap(self) -> float:
        """Largest relative gap of an output."""
        return max(one.gap for one in self.outputs)


def joined(outputs: Sequence[StreamedPoint]) -> StreamedPoints:
    """Return points of one output each as one."""
    value, bound = sum(one.value for one in outputs), sum(one.bound for one in outputs)
    return StreamedPoints(value=value, bound=bound, outputs=outputs)


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

    def at(self, places: Sequence[Place]) -> list[StreamedPoint]:
        """Return value, bound and sums at places of different outputs, by a pass over the rows."""
        if not places:
            return []
        equations = HingeEquations.of_no_samples(self.landmarks.T, np.zeros(1), places=places)
        sums = self.rows.sums(self.landmarks, equations)
        # Copies: a view would keep the sums of all places in memory.
        return [
            self.point(place, {name: one[k].copy() for name, one in sums.items()})
            for k, place in enumerate(places)
        ]

    def point(self, place: Place, sums: dict[str, np.ndarray]) -> StreamedPoint:
        """Return the point of a place with known sums."""
        value = float(sums["squares"].sum()) + self.alpha * float(place.theta @ place.theta)
        bound = min(max(self.bound(sums), 0.0), value)  # above the value by rounding only
        return StreamedPoint(
            value=value, bound=bound, output=place.output, theta=place.theta, b=place.b, sums=sums
        )

    def bound(self, sums: dict[str, np.ndarray]) -> float:
        """Return a lower bound of the minimum."""
        slack, scale = sums["slack"], np.ones(2)
        if self.center and slack.max() > 0:
            scale = slack.min() / np.maximum(slack, slack.min() or 1.0)  # both sums are equal
        half = (SIGNS * scale) @ sums["features"]
        return float(2 * scale @ slack - scale**2 @ sums["squares"] - half @ half / self.alpha)

    def step(self, points: StreamedPoints) -> StreamedPoints | None:
        """Return the points of Newton steps, or of parts of them that lower the objective.

        An output that has converged is not changed. None if no objective falls.
        """
        found, first = list(points.outputs), points.outputs[0].output
        steps = [self.newton_step(one) for one in found if one.gap > TOLERANCE]
        for length in 0.5 ** np.arange(HALVINGS):
            places = [
                Place(one.output, one.theta + length * forward, one.b + length * along)
                for one, forward, along in steps
            ]
            for new in self.at(places):
                old = found[new.output - first]
                if new.value < old.value:
                    bound = min(max(new.bound, old.bound), new.value)
                    found[new.output - first] = replace(new, bound=bound)
            steps = [one for one in steps if found[one[0].output - first] is one[0]]
            if not steps:
                break
        same = all(new is old for new, old in zip(found, points.outputs, strict=True))
        return None if same else joined(found)

    def newton_step(self, point: StreamedPoint) -> tuple[StreamedPoint, np.ndarray, float]:
        """Return a point with the changes of theta and b by a Newton step."""
        sums, W = point.sums, point.W
        mean = mean_of(sums, W if self.center else 0.0)
        change = float(SIGNS @ sums["slack"])  # of b
        right = SIGNS @ sums["features"] - self.alpha * point.theta - change * mean
        factor = factor_of(sums["inner"], W, mean, self.alpha)
        forward = cho_solve((factor, True), right, check_finite=False)
        along = change / W - float(mean @ forward) if self.center and W > 0 else 0.0
        return point, forward, along
