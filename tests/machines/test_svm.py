"""Support vector machines along values of C, and the units of regression."""

import numpy as np

from learnkernels.machines import SVM, SVR
from tests.machines.problems import gaussian_problem, trained, training_problem


def test_svm_path_in_any_order_equals_single_fits(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=1)
    signs = training_problem(K.copy(), np.sign(problem.Y))
    values = [10.0, 0.1, 1.0]
    path = trained(SVM(), signs, values)
    for value, found in zip(values, path, strict=True):
        (alone,) = trained(SVM(), signs, [value])
        assert np.allclose(K @ found.coef, K @ alone.coef, atol=1e-6)


def test_regression_does_not_depend_on_the_unit_of_the_target(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=2)
    changed = training_problem(K.copy(), problem.Y * [1e3, 1e-3] + 7.0)
    (one,), (other,) = (trained(SVR(), given, [2.0]) for given in (problem, changed))
    assert np.allclose(other.coef, one.coef * [1e3, 1e-3])
    assert np.allclose(other.intercept, one.intercept * [1e3, 1e-3] + 7.0)


def test_regression_of_several_targets_equals_one_machine_each(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=2)
    (both,) = trained(SVR(epsilon=0.3), problem, [2.0])
    for output in range(2):
        alone = training_problem(K.copy(), problem.Y[:, [output]])
        (found,) = trained(SVR(epsilon=0.3), alone, [2.0])
        assert np.allclose(found.coef[:, 0], both.coef[:, output])
        assert np.isclose(found.intercept[0], both.intercept[output])
    assert len(both.certificates) == 2


def test_regression_of_a_constant_target_is_the_constant(rng):
    K, _ = gaussian_problem(rng, n=20)
    (found,) = trained(SVR(), training_problem(K.copy(), np.full((20, 1), 4.0)), [1.0])
    assert not found.coef.any() and found.intercept[0] == 4.0
