"""SVM with the squared hinge loss from sums over all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from learnkernels.execution import Threads, available_cores
from learnkernels.gram import Landmarks
from learnkernels.machines import LandmarkSVM, RowsRead, StreamedSVM, streamed_svm
from learnkernels.machines.landmark_ridge import chosen_landmarks
from learnkernels.machines.streamed_svm import Place, StreamedObjective, joined
from tests.machines.test_landmark_svm import class_problem


class OwnRows(RowsRead):
    """The samples of a problem as all rows."""

    def sums(self, landmarks, equations):
        task = replace(equations, features=landmarks.features, Y=self.Y, weights=self.weights)
        return self.backend.fold(task, [slice(0, 40), slice(40, len(self.Y))], "sums")


def own_rows(problem):
    return OwnRows(None, problem.Y, problem.weights, Threads(2))


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


@pytest.mark.parametrize("together", [1, 3])
def test_several_outputs_are_those_of_one_output_each(together, rng, monkeypatch):
    problem = class_problem(rng, weighted=True, outputs=2, left_out=True)
    rank = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1)).T.shape[1]
    monkeypatch.setattr(streamed_svm, "SHARED", together * 8 * rank**2)
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
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    objective = StreamedObjective(own_rows(problem), landmarks, 0.1, center)
    (best,) = LandmarkSVM().train(problem, [0.1])
    minimum = best.certificates[0].dual
    for scale in (0.0, 0.01, 0.1, 1.0, 10.0):
        theta = scale * rng.standard_normal(landmarks.T.shape[1])
        (point,) = objective.at([Place(0, theta, scale)])
        assert point.bound <= minimum * (1 + 1e-9) and point.value >= minimum


def test_steps_converge_from_a_point_far_away(rng):
    problem = class_problem(rng)
    landmarks = Landmarks.of(problem.kernel, chosen_landmarks(problem), Threads(1))
    objective = StreamedObjective(own_rows(problem), landmarks, 0.1, True)
    theta = 10 * rng.standard_normal(landmarks.T.shape[1])
    point, steps = joined(objective.at([Place(0, theta, 5.0)])), 0
    while point.gap > 1e-9 and steps < 30:
        following = objective.step(point)
        assert following is not None and following.value < point.value
        point, steps = following, steps + 1
    assert point.gap <= 1e-9


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
