"""SVM with the squared hinge loss from sums over all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from learnkernels.execution import Threads
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
    assert found.certificates[0].status == "optimal"
    primal = sum(certificate.primal for certificate in expected.certificates)
    assert found.certificates[0].primal == pytest.approx(primal, rel=1e-5)
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
