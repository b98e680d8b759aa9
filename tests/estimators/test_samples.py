"""Training samples and their targets."""

import numpy as np

from learnkernels.estimators.input.samples import class_targets


def test_two_classes_are_encoded_as_signs_and_more_as_indicators():
    for target in class_targets(np.array([0, 1]), 2):
        assert target.tolist() == [[-1.0], [1.0]]
    alignment_target, machine_target = class_targets(np.array([0, 2]), 3)
    assert alignment_target.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert machine_target.tolist() == [[1, -1, -1], [-1, -1, 1]]
