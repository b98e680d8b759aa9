"""The support vector machine along values of C."""

import numpy as np

from learnkernels.machines import SVM
from tests.machines.problems import gaussian_problem, trained, training_problem


def test_svm_path_in_any_order_equals_single_fits(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=1)
    signs = training_problem(K.copy(), np.sign(problem.Y))
    values = [10.0, 0.1, 1.0]
    path = trained(SVM(), signs, values)
    for value, found in zip(values, path, strict=True):
        (alone,) = trained(SVM(), signs, [value])
        assert np.allclose(K @ found.coef, K @ alone.coef, atol=1e-6)
