"""SVM with the squared hinge loss from sums over all rows."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from learnkernels._warnings import ConvergenceWarning
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
    """Return the objective, with alpha = 0.1, at a point of the first output."""
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    trials = Trials.of_zeros(problem.Y.shape[1], landmarks.T.shape[1])
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
@pytest.mark.parametrize("length", [1.0, 2.5])
def test_sums_equal_those_of_a_first_pass_after_steps_of_several_outputs(
    fallen, length, rng, monkeypatch
):
    """Steps of length 2.5 are rejected; FALLEN = inf computes P anew in each pass."""
    monkeypatch.setattr(streamed_svm, "FALLEN", fallen)
    exact = StreamedObjective.newton_step

    def longer(self, theta, sums):
        theta_step, b_step = exact(self, theta, sums)
        return length * theta_step, length * b_step

    monkeypatch.setattr(StreamedObjective, "newton_step", longer)
    problem = class_problem(rng, weighted=True, outputs=2)
    problem.weights[::7] = 0.0
    objective = objective_of(problem)
    objective.trials.theta[0] = 0.1 * rng.standard_normal(objective.trials.theta.shape[1])
    points, rejected, precise, upper = together(objective.at([0, 1])), 0, [], None
    while (following := objective.step(points)) is not None:
        assert not objective.known
        for old, new in zip(points.outputs, following.outputs, strict=True):
            rejected += new.length < 1.0
            precise.append(new.precise)
            trials = Trials.of_zeros(2, len(new.theta))
            trials.theta[new.output], trials.b[new.output] = new.theta, new.b
            (anew,) = replace(objective, trials=trials, known={}).at([new.output])
            upper = np.triu_indices(len(new.theta))
            assert np.allclose(new.sums["inner"][upper], anew.sums["inner"][upper], rtol=1e-10)
            for name in ("features", "slack", "squares", "slack_features", "weight"):
                assert np.allclose(new.sums[name], anew.sums[name], rtol=1e-8, atol=1e-10), name
            assert new is old or new.largest >= np.trace(new.sums["inner"])
        points = following
    assert points.gap <= streamed_svm.TOLERANCE
    assert bool(rejected) == (length > 1.0)
    assert set(precise) == {fallen == 0.0}


def test_matrix_of_other_active_rows_is_replaced_by_that_of_another_pass(rng):
    problem = class_problem(rng)
    (expected,) = objective_of(problem).at([0])
    objective = objective_of(problem)
    objective.known[0] = np.eye(len(expected.theta))
    objective.trials.W[0] = expected.W - 1
    (found,) = objective.at([0])
    assert objective.rows.passes == 2
    assert np.array_equal(found.sums["inner"], expected.sums["inner"])


@pytest.mark.parametrize("alpha", [1e-13, 1e-12])
@pytest.mark.parametrize("outputs", [1, 2])
def test_margins_near_one_do_not_make_the_matrix_indefinite(alpha, outputs):
    """With separable classes and a tiny alpha, the margins of many rows are one up to rounding."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = class_problem(rng, weighted=True, outputs=outputs, noise=0.0, m=149)
        with pytest.warns(ConvergenceWarning):
            (found,) = StreamedSVM(other_rows(problem)).train(problem, [alpha])
        assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("center", [True, False])
def test_sums_of_features_have_the_digits_of_their_values(center, rng):
    problem = class_problem(rng, n=1500, m=100, center=center)
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    (point,) = objective_of(problem).at([0])  # at zero, slacks are 1
    values = landmarks.values(slice(0, 1500)).astype(np.longdouble)
    exact = [landmarks.T.T @ (values.T @ (problem.Y[:, 0] == sign)) for sign in (1, -1)]
    error = np.abs(point.sums["slack_features"] - np.array(exact, dtype=float)).max()
    assert error <= 1e-10 * np.abs(point.sums["slack_features"]).max()


def test_matrices_are_not_sent_to_workers(rng):
    objective = objective_of(class_problem(rng))
    rank = objective.trials.theta.shape[1]
    equations = streamed_svm.hinge_equations(
        objective.landmarks, objective.trials, [0], True, {0: np.eye(rank)}
    )
    sent = pickle.loads(pickle.dumps(equations))
    assert sent.known == [0] and not sent.matrices
    assert np.array_equal(equations.point()["inner"], [np.eye(rank)])


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


@pytest.mark.parametrize("name", ["theta", "known", "inner"])
def test_checkpoint_with_an_array_of_another_length_is_refused(name, rng, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    problem, file = class_problem(rng, weighted=True, outputs=2), tmp_path / "sums.npz"
    backend = Checkpointed(Interrupting(1), file, "data")
    Interrupting.remaining = 4
    with pytest.raises(KeyboardInterrupt):
        StreamedSVM(other_rows(problem, backend)).train(problem, [0.1])
    with np.load(file) as stored:
        arrays = dict(stored)
    key = checkpoint.POINT + name
    assert len(arrays[key]) == 2
    np.savez(file, **arrays | {key: arrays[key][:1]})
    with pytest.raises(InputError, match="is damaged"):
        StreamedSVM(other_rows(problem, backend)).train(problem, [0.1])


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
    for one, other in zip(alone, found.certificates, strict=True):
        assert one.certificates[0].iterations == other.iterations
        assert one.certificates[0].primal == pytest.approx(other.primal, rel=1e-12)
