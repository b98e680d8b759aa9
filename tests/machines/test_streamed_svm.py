"""SVM with the squared hinge loss from sums over all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from learnkernels.errors import InputError
from learnkernels.execution import Checkpointed, Threads, available_cores, checkpoint
from learnkernels.gram import Landmarks
from learnkernels.machines import (
    LandmarkSVM,
    LocalRowSums,
    StreamedRidge,
    StreamedSVM,
    streamed_svm,
)
from learnkernels.machines.landmark_ridge import chosen_landmarks
from learnkernels.machines.streamed_svm import StreamedObjective, Trials, together
from tests.machines.test_landmark_svm import class_problem, outputs_of


class OwnRows(LocalRowSums):
    """The samples of a problem as all rows."""

    passes = 0

    def task(self, landmarks, equations):
        task = replace(equations, values=landmarks.values, Y=self.Y, weights=self.weights)
        return task, [slice(0, 40), slice(40, len(self.Y))]

    def sums(self, landmarks, equations):
        self.passes += 1
        return super().sums(landmarks, equations)


def own_rows(problem, backend=None):
    return OwnRows(None, problem.Y, problem.weights, backend or Threads(2))


def other_rows(problem, backend=None):
    """Return rows with other weights, so that the SVM of the problem is only the first point."""
    weights = problem.weights * np.linspace(0.1, 10, len(problem.Y))
    return OwnRows(None, problem.Y, weights, backend or Threads(2))


def objective_of(problem, theta=None, b=0.0):
    """Return the objective of one output at a point, with alpha = 0.1."""
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    trials = Trials.of_zeros(1, landmarks.T.shape[1])
    if theta is not None:
        trials.theta[0], trials.b[0] = theta, b
    return StreamedObjective(own_rows(problem), landmarks, 0.1, problem.center, trials, {})


@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize(("center", "weighted"), [(True, True), (False, False)])
def test_predictor_and_left_out_outputs_are_those_of_samples_in_memory(
    alpha, center, weighted, rng
):
    problem = class_problem(rng, center=center, weighted=weighted, left_out=True)
    (expected,) = LandmarkSVM().train(problem, [alpha])
    (found,) = StreamedSVM(own_rows(problem)).train(problem, [alpha])
    assert found.certificates[0].status == "optimal"
    assert np.allclose(found.coef, expected.coef, atol=1e-5 * np.abs(expected.coef).max())
    assert np.allclose(found.intercept, expected.intercept, atol=1e-5)
    assert np.allclose(found.left_out, expected.left_out, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("alpha", [1e-4, 0.1, 10.0])
@pytest.mark.parametrize("center", [True, False])
def test_predictor_is_optimal_for_rows_that_are_not_the_subsample(alpha, center, rng):
    problem = class_problem(rng, center=center, weighted=True, outputs=2, left_out=True)
    rows = other_rows(problem)
    (expected,) = LandmarkSVM().train(replace(problem, weights=rows.weights), [alpha])
    (found,) = StreamedSVM(rows).train(replace(problem, weights=rows.weights), [alpha])
    (start,) = StreamedSVM(rows).train(problem, [alpha])
    for one in (found, start):
        outputs = outputs_of(problem, one)
        assert np.allclose(outputs, outputs_of(problem, expected), atol=5e-3)
        for own, other in zip(one.certificates, expected.certificates, strict=True):
            assert own.status == "optimal" and own.dual <= other.primal * (1 + 1e-9)
            assert own.primal == pytest.approx(other.primal, rel=1e-5)
    assert np.allclose(found.left_out, expected.left_out, atol=5e-3, equal_nan=True)
    assert all(one.iterations > 0 for one in start.certificates)
    assert all((np.diff(one.history) <= 0).all() for one in start.certificates)


@pytest.mark.parametrize("shared", [1, 3])
def test_several_outputs_are_those_of_one_output_each(shared, rng, monkeypatch):
    problem = class_problem(rng, weighted=True, outputs=2, left_out=True)
    rank = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1)).T.shape[1]
    monkeypatch.setattr(streamed_svm, "SHARED", shared * 8 * rank**2)
    (expected,) = LandmarkSVM().train(problem, [0.1])
    (found,) = StreamedSVM(own_rows(problem)).train(problem, [0.1])
    assert len(found.certificates) == 2
    for own, other in zip(found.certificates, expected.certificates, strict=True):
        assert own.status == "optimal"
        assert own.primal == pytest.approx(other.primal, rel=1e-5)
    assert np.allclose(found.coef, expected.coef, atol=1e-4 * np.abs(expected.coef).max())
    assert np.allclose(found.left_out, expected.left_out, atol=1e-3, equal_nan=True)


@pytest.mark.parametrize("center", [True, False])
def test_bound_is_below_the_minimum_at_every_point(center, rng):
    problem = class_problem(rng, center=center, weighted=True)
    rank = objective_of(problem).trials.theta.shape[1]
    (best,) = LandmarkSVM().train(problem, [0.1])
    minimum = best.certificates[0].dual
    for scale in (0.0, 0.01, 0.1, 1.0, 10.0):
        (point,) = objective_of(problem, scale * rng.standard_normal(rank), scale).at([0])
        assert point.bound <= minimum * (1 + 1e-9) and point.value >= minimum


def test_steps_converge_from_a_point_far_away(rng):
    problem = class_problem(rng)
    rank = objective_of(problem).trials.theta.shape[1]
    objective = objective_of(problem, 10 * rng.standard_normal(rank), 5.0)
    point, steps = together(objective.at([0])), 0
    while point.gap > 1e-5 and steps < 30:
        following = objective.step(point)
        assert following is not None and following.value <= point.value
        point, steps = following, steps + 1
    assert point.gap <= 1e-5
    assert objective.step(point) is None


@pytest.mark.parametrize("fallen", [0.0, np.inf])
def test_sums_after_steps_are_those_computed_anew(fallen, rng, monkeypatch):
    """Also if no matrix is precise enough to be the start of the next one."""
    monkeypatch.setattr(streamed_svm, "FALLEN", fallen)
    problem = class_problem(rng, weighted=True)
    rank = objective_of(problem).trials.theta.shape[1]
    objective = objective_of(problem, 0.1 * rng.standard_normal(rank), 0.5)
    points, used = together(objective.at([0])), []
    for _ in range(3):
        points = objective.step(points)
        assert points is not None and not objective.known
        (point,) = points.outputs
        used.append(point.precise)
        (anew,) = objective_of(problem, point.theta, point.b).at([0])
        upper = np.triu_indices(rank)
        assert np.allclose(point.sums["inner"][upper], anew.sums["inner"][upper], rtol=1e-10)
        for name in ("features", "slack", "squares", "slack_features", "weight"):
            assert np.allclose(point.sums[name], anew.sums[name], rtol=1e-8, atol=1e-10), name
    assert used == [fallen == 0.0] * 3


def test_rejected_steps_are_halved_in_the_pass_of_other_outputs(rng, monkeypatch):
    """Newton steps that are twice as long are rejected once, and end at the same solution."""
    problem = class_problem(rng, weighted=True, outputs=2)
    (expected,) = StreamedSVM(other_rows(problem)).train(problem, [0.1])
    exact = StreamedObjective.newton_step

    def longer(self, theta, sums):
        theta_step, b_step = exact(self, theta, sums)
        return 2.5 * theta_step, 2.5 * b_step

    monkeypatch.setattr(StreamedObjective, "newton_step", longer)
    rows = other_rows(problem)
    (found,) = StreamedSVM(rows).train(problem, [0.1])
    assert np.allclose(found.coef, expected.coef, atol=1e-2 * np.abs(expected.coef).max())
    assert [one.status for one in found.certificates] == ["optimal"] * 2
    # One pass for the first point, and one for each trial of an output or of both.
    assert rows.passes == 1 + found.certificates[0].iterations


class Interrupting(Threads):
    """Threads that are interrupted once, in a pass."""

    remaining = 10**9

    def fold(self, reduction, items, what):
        Interrupting.remaining -= 1
        if Interrupting.remaining == 0:
            raise KeyboardInterrupt
        return super().fold(reduction, items, what)


@pytest.mark.parametrize("shared", [1, 2])
@pytest.mark.parametrize("after", [1, 4, 7])
def test_interrupted_training_continues_from_its_checkpoint(
    after, shared, rng, tmp_path, monkeypatch
):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    problem = class_problem(rng, weighted=True, outputs=2)
    rank = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1)).T.shape[1]
    monkeypatch.setattr(streamed_svm, "SHARED", shared * 8 * rank**2)
    (expected,) = StreamedSVM(other_rows(problem)).train(problem, [0.1])
    backend = Checkpointed(Interrupting(1), tmp_path / "sums.npz", "data")
    Interrupting.remaining = after
    with pytest.raises(KeyboardInterrupt, match="repeat the call"):
        StreamedSVM(other_rows(problem, backend)).train(problem, [0.1])
    started = []
    monkeypatch.setattr(streamed_svm, "path", lambda *arguments: started.append(arguments))
    rows = other_rows(problem, backend)
    (found,) = StreamedSVM(rows).train(problem, [0.1])
    assert not started  # the first point is that of the checkpoint
    assert np.allclose(found.coef, expected.coef, atol=1e-4 * np.abs(expected.coef).max())
    assert [one.status for one in found.certificates] == ["optimal"] * 2
    assert not list(tmp_path.iterdir())


def test_checkpoint_of_ridge_is_refused(rng, tmp_path):
    problem, file = class_problem(rng), tmp_path / "sums.npz"
    backend = Checkpointed(Interrupting(1), file, "data")
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patched:
        patched.setattr(checkpoint, "SECONDS", 0.0)
        Interrupting.remaining = 2
        with pytest.raises(KeyboardInterrupt):
            StreamedRidge(own_rows(problem, backend)).train(problem, [0.1])
    before = file.read_bytes()
    with pytest.raises(InputError, match="belongs to another pass"):
        StreamedSVM(own_rows(problem, backend)).train(problem, [0.1])
    assert file.read_bytes() == before


@pytest.mark.parametrize(("megabytes", "expected"), [(1e6, 8), (40, None), (1, 1)])
def test_fewer_outputs_share_passes_if_memory_is_small(megabytes, expected, rng):
    problem = replace(class_problem(rng), max_memory=1e6 * megabytes)
    found = streamed_svm.outputs_together(problem, 1000)
    assert found == (expected or max(1, 40 // (8 * (6 + available_cores()))))


def test_outputs_in_groups_have_the_passes_of_their_group(rng, monkeypatch):
    problem = class_problem(rng, weighted=True, outputs=2)
    monkeypatch.setattr(streamed_svm, "SHARED", 1.0)
    (found,) = StreamedSVM(own_rows(problem)).train(problem, [0.1])
    alone = []
    for k in range(2):
        own = replace(problem, Y=problem.Y[:, k : k + 1])
        alone.extend(StreamedSVM(own_rows(own)).train(own, [0.1]))
    assert [one.certificates[0] for one in alone] == list(found.certificates)
