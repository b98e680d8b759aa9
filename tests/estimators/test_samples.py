"""Training samples and their targets."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.input.samples import class_targets


def test_two_classes_are_encoded_as_signs_and_more_as_indicators():
    for target in class_targets(np.array([0, 1]), 2):
        assert target.tolist() == [[-1.0], [1.0]]
    alignment_target, machine_target = class_targets(np.array([0, 2]), 3)
    assert alignment_target.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert machine_target.tolist() == [[1, -1, -1], [-1, -1, 1]]


@pytest.mark.parametrize("copies", [1, 3])
def test_memory_message_of_the_svm_explains_that_equal_rows_count_once(copies, rng):
    X = np.repeat(rng.standard_normal((20, 2)), copies, axis=0)
    y = np.repeat(np.arange(20) % 2, copies)
    with pytest.raises(lk.InputError, match="20 rows of the Gram matrix of 20 samples") as raised:
        lk.KernelClassifier(machine="svm", C=1.0, method="unif", max_memory=10).fit(X, y)
    explained = "Equal rows count as one sample: 60 rows are 20 samples." in str(raised.value)
    assert explained == (copies == 3)
