"""SVM with the squared hinge loss and landmarks, from sums over all rows of a fit.

The objective of each output is that of `landmark_svm`. Several outputs share one pass over the
rows. For each output, a pass computes these sums over its active rows, those with
``slack_i = max(0, 1 - y_i f(x_i)) > 0``:

    inner, features   P = sum_i w_i psi_i psi_i',   p = sum_i w_i psi_i
    separately for the labels 1 and -1: slack, squares, slack_features
                      sum_i w_i slack_i,   sum_i w_i slack_i^2,   sum_i w_i slack_i psi_i

With s_i = y_i w_i slack_i and W = sum_i w_i, the Newton step of theta and b solves

    [P + alpha I   p] [theta step]   [sum_i s_i psi_i - alpha theta]
    [p'            W] [b step    ] = [sum_i s_i                    ]

A pass computes the sums at the end of the steps, and the loss at shorter ones. If one of these is
much better, the next pass computes the sums there. P takes most of the time: if it is known at the
start of a step, only rows that are active at exactly one end of the step are added or subtracted.
With an intercept, the lower bound of `landmark_svm` needs ``sum_i s_i = 0``: the sums of the label
with the larger one are scaled to that of the other. The first point is the SVM of the subsample, or
that of a checkpoint.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from learnkernels._warnings import ConvergenceWarning, suppressed
from learnkernels.execution import available_cores, digest, require_arrays
from learnkernels.gram import Landmarks
from learnkernels.machines.base import Strategy, Trained, TrainingProblem
from learnkernels.machines.landmark_ridge import (
    MATRICES,
    NormalEquations,
    add_inner_products,
    chosen_landmarks,
)
from learnkernels.machines.landmark_svm import (
    FALLEN,
    ActiveRidge,
    factor_of,
    joined,
    mean_of,
    path,
    warn_unless_optimal,
)
from learnkernels.machines.row_sums import RowSums
from learnkernels.solvers import Certificate, Iterate, iterate

# Largest relative gap of an output at which to stop: a pass over all rows is expensive.
TOLERANCE, MAX_PASSES = 1e-5, 100
# Parts of a Newton step at which the loss is computed.
LENGTHS = 2.0 ** -np.arange(12)
# Sums of the weights of the same rows differ by less than this part, whatever their order.
EQUAL_SUMS = 1e-10
# A step is accepted if its decrease is at least this part of the largest one of all lengths.
SUFFICIENT = 0.5
CRITERION = "squared hinge loss"
# Bytes of the matrices that one pass adds up; further outputs take passes of their own.
SHARED = 64e6
SIGNS = np.array([1.0, -1.0])


@dataclass(frozen=True)
class StreamedSVM(Strategy):
    """SVM with sums over all rows; the kernel has the rows of the subsample.

    Attributes
    ----------
    rows : RowSums
        Targets are -1 and 1.
    """

    rows: RowSums

    name = "landmarks"

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve for each alpha."""
        landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), problem.backend)
        return [self.trained(problem, landmarks, float(alpha)) for alpha in values]

    def trained(self, problem: TrainingProblem, landmarks: Landmarks, alpha: float) -> Trained:
        """Return the predictor for one alpha."""
        trials, known = self.first_trials(problem, landmarks, alpha)
        objective = StreamedObjective(self.rows, landmarks, alpha, problem.center, trials, known)
        n_outputs, size = len(trials.b), outputs_together(problem, landmarks.T.shape[1])
        found = [
            one
            for k in range(0, n_outputs, size)
            for one in group(problem, objective, range(k, min(k + size, n_outputs)))
        ]
        self.rows.finish()
        (worst,) = max((one.certificates for one in found), key=lambda one: one[0].gap)
        warn_unless_optimal(worst, alpha)
        return joined(found)

    def first_trials(
        self, problem: TrainingProblem, landmarks: Landmarks, alpha: float
    ) -> tuple[Trials, dict[int, np.ndarray]]:
        """Return where to start: the trials in a checkpoint, or the SVM of the subsample.

        With them, return P at the starts of the trials of outputs for which it is known.
        """
        trials = Trials.of_zeros(problem.Y.shape[1], landmarks.T.shape[1])
        equations = hinge_equations(landmarks, trials, (), problem.center, {})
        saved = self.rows.saved_point(landmarks, equations)
        if saved is not None:
            known = dict(zip(np.flatnonzero(saved["known"]), saved["inner"], strict=True))
            return Trials(**{name: saved[name] for name in vars(trials)}), known
        index = landmarks.index
        gram = landmarks.kernel.take(index).gram(problem.backend)  # (n_landmarks, n_landmarks)
        subsample = replace(problem, left_out=False)
        for k, y in enumerate(problem.Y.T):
            with suppressed(ConvergenceWarning):  # this is only the first point
                (found,) = path(subsample, landmarks, np.ascontiguousarray(y), [alpha])
            # Coefficients of the landmarks are T theta, with T'K T = I.
            trials.theta[k] = landmarks.T.T @ (gram @ found.coef[index, 0])
            trials.b[k] = found.intercept[0]
        return trials, {}


def group(problem: TrainingProblem, objective: StreamedObjective, outputs: range) -> list[Trained]:
    """Return the predictor of each output; these outputs share the passes over the rows."""
    points, _ = iterate(
        together(objective.at(outputs)), objective.step, tol=TOLERANCE, max_iter=MAX_PASSES
    )
    return [trained(problem, objective, one) for one in points.outputs]


def trained(
    problem: TrainingProblem, objective: StreamedObjective, point: StreamedPoint
) -> Trained:
    """Return the predictor of a point."""
    landmarks, alpha = objective.landmarks, objective.alpha
    coef = np.zeros((len(problem.Y), 1))
    coef[landmarks.index, 0] = landmarks.T @ point.theta
    certificate = Certificate.of(
        point.value, point.bound, len(point.history) - 1, TOLERANCE, CRITERION
    )
    certificate = replace(certificate, history=point.history)
    left_out = left_out_outputs(problem, landmarks, alpha, point) if problem.left_out else None
    return Trained(coef, np.array([point.b]), (certificate,), left_out=left_out)


def outputs_together(problem: TrainingProblem, rank: int) -> int:
    """Return the number of outputs that share passes, so that their matrices fit in memory.

    There are a matrix of each output at the current point, a copy of it for the checkpoint, one of
    the sum over all rows, and one for each thread that adds up rows.
    """
    matrix = 8.0 * max(rank, 1) ** 2
    allowed = min(SHARED, problem.max_memory / (MATRICES + available_cores()))
    return max(1, int(allowed // matrix))


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
class Trials:
    """For each output, a point, a step from there, and the part of the step to try.

    Attributes
    ----------
    theta : ndarray of shape (n_outputs, rank)
    b : ndarray of shape (n_outputs,)
    theta_step : ndarray of shape (n_outputs, rank)
    b_step : ndarray of shape (n_outputs,)
    length : ndarray of shape (n_outputs,)
    largest : ndarray of shape (n_outputs,)
        As of `StreamedPoint`.
    W : ndarray of shape (n_outputs,)
        Sum of the weights of the rows that are active at the point.
    """

    theta: np.ndarray
    b: np.ndarray
    theta_step: np.ndarray
    b_step: np.ndarray
    length: np.ndarray
    largest: np.ndarray
    W: np.ndarray

    @classmethod
    def of_zeros(cls, n_outputs: int, rank: int) -> Trials:
        """Return trials without steps, at zero."""
        theta, b = np.zeros((2, n_outputs, rank)), np.zeros((5, n_outputs))
        return cls(theta[0], b[0], theta[1], *b[1:])

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return theta and b at the ends of the trials."""
        theta = self.theta + self.length[:, None] * self.theta_step
        return theta, self.b + self.length * self.b_step

    def set(self, point: StreamedPoint) -> None:
        """Change the trial of an output to the next one from a point."""
        for name in vars(self):
            getattr(self, name)[point.output] = getattr(point, name)


@dataclass(frozen=True)
class HingeEquations(NormalEquations):
    """Sums over the active samples of some outputs; the first axis of every sum is the output.

    Attributes
    ----------
    trials : Trials
        Of all outputs; samples are active at their ends.
    outputs : sequence of int
        The outputs whose sums are computed.
    center : bool
        Whether there is an intercept. The columns of T then sum to zero.
    known : collection of int
        The outputs of which "inner" is the change of P from the start of the trial.
    matrices : mapping of int to ndarray of shape (rank, rank)
        P at the starts of these trials, for the checkpoint.
    """

    trials: Trials
    outputs: Sequence[int]
    center: bool
    known: Collection[int]
    matrices: Mapping[int, np.ndarray]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the matrices when the equations are sent to workers."""
        return vars(self) | {"matrices": {}}

    def add_samples(
        self, values: np.ndarray, Y: np.ndarray, w: np.ndarray, sums: dict[str, np.ndarray]
    ) -> None:
        """Add some samples, whose values are overwritten; P needs features of some of them only."""
        trials, some, w = self.trials, list(self.outputs), w[:, None]
        if self.center:  # T'1 = 0: sums of what the values of a row have in common lose digits
            values -= values.mean(axis=1, keepdims=True)
        # The end of a trial is the start of the next one, with the same rounding: products are of
        # the same shape in all passes.
        before = self.margins(values, Y, trials.theta, trials.b)[:, some]  # (n_rows, n_computed)
        after = self.margins(values, Y, *trials.ends())[:, some]
        length, Y = trials.length[some], Y[:, some]
        changes = (after - before) / np.where(length > 0, length, 1.0)
        for t, part in enumerate(LENGTHS):
            lost = np.maximum(0.0, 1 - before - part * changes)
            sums["losses"][:, t] += (w * lost**2).sum(axis=0)
        slacks = np.maximum(0.0, 1 - after)
        signs = SIGNS[:, None, None]
        slack = np.where(Y == signs, w * slacks, 0.0)  # (2, n_rows, n_computed)
        sums["slack"] += slack.sum(axis=1).T
        sums["squares"] += (slack * slacks).sum(axis=1).T
        active = w * (after < 1)
        sums["weight"] += active.sum(axis=0)[:, None]
        totals = np.array([values.T @ one for one in (active, *slack)])  # (3, n_landmarks, ...)
        features = (self.T.T @ totals).transpose(2, 0, 1)  # (n_computed, 3, rank)
        sums["features"] += features[:, 0]
        sums["slack_features"] += features[:, 1:]
        active_before = w * (before < 1) * [output in self.known for output in some]
        sums["weight_before"] += active_before.sum(axis=0)[:, None]
        self.add_products(values, active - active_before, sums["inner"])

    def margins(
        self, values: np.ndarray, Y: np.ndarray, theta: np.ndarray, b: np.ndarray
    ) -> np.ndarray:
        """Return ``y f(x)`` of all outputs, shape (n_rows, n_outputs)."""
        return np.asarray(Y * (values @ (self.T @ theta.T) + b))

    def add_products(self, values: np.ndarray, w: np.ndarray, inner: np.ndarray) -> None:
        """Add ``w_i psi_i psi_i'`` of each output; w has shape (n_rows, n_computed)."""
        used = w.any(axis=1)
        psi = values[used] @ self.T
        for own, total in zip(w[used].T, inner, strict=True):
            rows = own != 0
            add_inner_products(own[rows, None] * psi[rows], psi[rows], total)

    def start(self) -> dict[str, np.ndarray]:
        """Return the sum over no samples."""
        k, rank = len(self.outputs), self.T.shape[1]
        return {
            "inner": np.zeros((k, rank, rank)), "features": np.zeros((k, rank)),
            "slack": np.zeros((k, 2)), "squares": np.zeros((k, 2)),
            "slack_features": np.zeros((k, 2, rank)), "weight": np.zeros((k, 1)),
            "losses": np.zeros((k, len(LENGTHS))),
            "weight_before": np.zeros((k, 1)),
        }  # fmt: skip

    def fingerprint(self) -> str:
        """Return a digest of what the sums depend on, except for the data and the point."""
        return digest(self.T, CRITERION)

    def point(self) -> dict[str, np.ndarray]:
        """Return the point at which the sums are computed."""
        index, rank = range(len(self.trials.b)), self.T.shape[1]
        inner = [self.matrices[output] for output in index if output in self.known]
        return vars(self.trials) | {
            "computed": np.isin(index, self.outputs),
            "known": np.isin(index, list(self.known)),
            "inner": np.array(inner).reshape(-1, rank, rank),
        }

    def check_point(self, point: dict[str, np.ndarray]) -> None:
        """Raise ValueError unless arrays are a point of this iteration."""
        rank, n_known = self.T.shape[1], int(np.sum(point.get("known", 0)))
        inner = np.broadcast_to(0.0, (n_known, rank, rank))
        require_arrays(point, self.point() | {"inner": inner})


def hinge_equations(
    landmarks: Landmarks, trials: Trials, outputs: Sequence[int], center: bool,
    matrices: Mapping[int, np.ndarray],
) -> HingeEquations:  # fmt: skip
    """Return the equations of some outputs before their samples are known."""
    return HingeEquations.of_no_samples(
        landmarks.T, np.zeros(1), trials=trials, outputs=list(outputs), center=center,
        known=list(matrices), matrices=matrices,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StreamedPoint(Iterate):
    """A predictor of one output, with the sums over its active rows, and its Newton step.

    Attributes
    ----------
    output : int
        Column of the targets.
    theta : ndarray of shape (rank,)
    b : float
    sums : dict of str to ndarray
        As of `HingeEquations`, for this output.
    theta_step : ndarray of shape (rank,)
    b_step : float
        The Newton step from here.
    length : float
        Part of the step to try next; 0 if no part of it lowers the objective.
    history : tuple of float
        Objective after each pass.
    largest : float
        Largest trace of P since P was last computed from all active rows.
    """

    output: int
    theta: np.ndarray
    b: float
    sums: dict[str, np.ndarray]
    theta_step: np.ndarray
    b_step: float
    length: float = 1.0
    history: tuple[float, ...] = ()
    largest: float

    @property
    def precise(self) -> bool:
        """Whether P has few rounding errors, so that the next one can be computed from it."""
        return bool(np.trace(self.sums["inner"]) >= FALLEN * self.largest)

    @property
    def W(self) -> float:
        """Sum of the weights of the active rows."""
        return float(self.sums["weight"][0])

    def line(self, losses: np.ndarray, alpha: float) -> np.ndarray:
        """Return the objective at all parts of the step, from the losses there."""
        thetas = self.theta + LENGTHS[:, None] * self.theta_step
        return losses + alpha * np.einsum("ij,ij->i", thetas, thetas)


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


def together(outputs: Sequence[StreamedPoint]) -> StreamedPoints:
    """Return points of one output each as one."""
    value, bound = sum(one.value for one in outputs), sum(one.bound for one in outputs)
    return StreamedPoints(value=value, bound=bound, outputs=outputs)


@dataclass(frozen=True)
class StreamedObjective:
    """The objective for one alpha.

    Attributes
    ----------
    rows : RowSums
    landmarks : Landmarks
    alpha : float
    center : bool
        Whether there is an intercept.
    trials : Trials
        Of the next pass, changed in place.
    known : dict of int to ndarray
        P at the starts of trials of some outputs; a pass removes those that it has used.
    """

    rows: RowSums
    landmarks: Landmarks
    alpha: float
    center: bool
    trials: Trials
    known: dict[int, np.ndarray]

    def at(self, outputs: Sequence[int]) -> list[StreamedPoint]:
        """Return the ends of the trials of some outputs, by a pass over the rows.

        If rows that were active in the last pass are not active at the start of this one, by other
        rounding on another machine, P is computed anew by another pass.
        """
        known = {output: self.known.pop(output) for output in outputs if output in self.known}
        equations = hinge_equations(self.landmarks, self.trials, outputs, self.center, known)
        sums, found = self.rows.sums(self.landmarks, equations), []
        W = [self.trials.W[output] if output in known else 0.0 for output in outputs]
        if not np.allclose(sums["weight_before"][:, 0], W, rtol=EQUAL_SUMS, atol=0.0):
            return self.at(outputs)
        for k, output in enumerate(outputs):
            # Copies: a view would keep the sums of all outputs in memory.
            own, largest = {name: one[k].copy() for name, one in sums.items()}, 0.0
            if output in known:
                own["inner"] += known[output]
                largest = self.trials.largest[output]
            found.append(self.point(output, own, largest))
        return found

    def point(self, output: int, sums: dict[str, np.ndarray], largest: float) -> StreamedPoint:
        """Return the point of an output with known sums; `largest` is that of the last point."""
        theta, b = (one[output] for one in self.trials.ends())
        value = float(sums["squares"].sum()) + self.alpha * float(theta @ theta)
        bound = min(max(self.bound(sums), 0.0), value)  # above the value by rounding only
        theta_step, b_step = self.newton_step(theta, sums)
        return StreamedPoint(
            value=value, bound=bound, output=output, theta=theta, b=float(b), sums=sums,
            theta_step=theta_step, b_step=b_step, history=(value,),
            largest=max(largest, float(np.trace(sums["inner"]))),
        )  # fmt: skip

    def bound(self, sums: dict[str, np.ndarray]) -> float:
        """Return a lower bound of the minimum."""
        slack, scale = sums["slack"], np.ones(2)
        if self.center and slack.max() > 0:
            scale = slack.min() / np.maximum(slack, slack.min() or 1.0)  # both sums are equal
        half = (SIGNS * scale) @ sums["slack_features"]
        return float(2 * scale @ slack - scale**2 @ sums["squares"] - half @ half / self.alpha)

    def newton_step(
        self, theta: np.ndarray, sums: dict[str, np.ndarray]
    ) -> tuple[np.ndarray, float]:
        """Return the changes of theta and b by a Newton step."""
        W = float(sums["weight"][0])
        mean = mean_of(sums, W if self.center else 0.0)
        change = float(SIGNS @ sums["slack"])  # of b
        right = SIGNS @ sums["slack_features"] - self.alpha * theta - change * mean
        factor = factor_of(sums["inner"], W, mean, self.alpha)
        theta_step = cho_solve((factor, True), right, check_finite=False)
        b_step = change / W - float(mean @ theta_step) if self.center and W > 0 else 0.0
        return theta_step, b_step

    def step(self, points: StreamedPoints) -> StreamedPoints | None:
        """Return the points after a pass with the trials of all outputs that have not converged.

        None if no output has a trial.
        """
        tried = [one for one in points.outputs if one.gap > TOLERANCE and one.length > 0]
        if not tried:
            return None
        for one in tried:
            self.trials.set(one)
            if one.precise:
                self.known[one.output] = one.sums["inner"]
        found = {one.output: one for one in points.outputs}
        for old, new in zip(tried, self.at([one.output for one in tried]), strict=True):
            found[old.output] = self.accepted(old, new)
        return together(list(found.values()))

    def accepted(self, old: StreamedPoint, new: StreamedPoint) -> StreamedPoint:
        """Return the end of a trial, or its start with another length if that is much better."""
        line = old.line(new.sums["losses"], self.alpha)
        best = int(np.argmin(line))
        bound = max(old.bound, new.bound)
        enough = old.value - new.value >= SUFFICIENT * (old.value - line[best])
        if new.value < old.value and enough:
            kept = new
        else:
            # If the trial was the best length already, the decrease is rounding.
            better = line[best] < min(old.value, new.value)
            kept = replace(old, length=float(LENGTHS[best]) if better else 0.0)
        return replace(kept, bound=min(bound, kept.value), history=(*old.history, kept.value))
