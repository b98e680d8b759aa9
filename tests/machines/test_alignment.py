"""The alignment predictor."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.machines import AlignmentPredictor
from tests.machines.problems import gaussian_problem, trained


def test_correlation_with_the_target_equals_the_alignment_of_the_kernel(rng):
    """2012, section 4.2: E[y h(x)] = rho(K, yy') for standardised y."""
    K, problem = gaussian_problem(rng, outputs=1)
    y = problem.Y[:, 0]
    (found,) = trained(AlignmentPredictor(), problem, [1.0])
    h = (K @ found.coef)[:, 0] / y.std()
    z = (y - y.mean()) / y.std()
    assert np.isclose(np.mean(z * h), lk.alignment(K, np.outer(z, z)))
    assert np.allclose(found.intercept, y.mean())


def test_classifier_finds_a_rare_class_that_is_apart(rng):
    """2012, theorem 13: the sign of h, to which the mean of the labels is not added."""
    y = np.where(np.arange(200) < 20, 1, 0)
    X = rng.standard_normal((200, 2)) + 4.0 * y[:, None]
    model = lk.KernelClassifier("linear", "alignf", machine="alignment").fit(X, y)
    assert model._intercept == 0
    assert (model.predict(X)[y == 1] == 1).all()
    z = np.where(y == 1, 1.0, -1.0)
    C = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
    assert np.array_equal(model.predict(X), (C @ z > 0).astype(int))


def test_classifier_with_three_classes_takes_the_largest_output(rng):
    y = np.repeat([0, 1, 2], [10, 40, 100])
    X = rng.standard_normal((150, 3)) + 6.0 * np.eye(3)[y]
    model = lk.KernelClassifier("linear", "unif", machine="alignment").fit(X, y)
    assert model.score(X, y) > 0.9 and not model._intercept.any()


def test_alignment_predictor_without_centering_raises_input_error(rng):
    _, problem = gaussian_problem(rng, center=False)
    with pytest.raises(lk.InputError, match="center=True"):
        trained(AlignmentPredictor(), problem, [1.0])
