"""Selection of one kernel by cross-validation."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import learnkernels as lk
from learnkernels.folds import folds
from learnkernels.methods.base import class_codes
from learnkernels.methods.best_single import out_of_fold_predictions
from tests.methods.problems import problem_of

KERNELS = [0.02, 0.3, 4.0]


def test_single_selects_the_kernel_of_lowest_cross_validation_error(classes):
    X, y = classes
    hits = np.zeros(3)
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in splitter.split(X, y):
        for k, gamma in enumerate(KERNELS):
            alone = lk.KernelClassifier(
                lk.gaussians([gamma]), normalize=None, C=5.0, method="alignf"
            )
            hits[k] += np.sum(alone.fit(X[train], y[train]).predict(X[test]) == y[test])
    method = lk.methods.BestSingle(cv=splitter)
    model = lk.KernelClassifier(lk.gaussians(KERNELS), method, C=5.0, normalize=None).fit(X, y)
    assert model.weights_[np.argmax(hits)] == 1.0
    assert np.isclose(model.certificate_.primal, 1 - hits.max() / len(y))


def test_out_of_fold_prediction_does_not_depend_on_its_own_label(classes):
    problem = problem_of(lk.gaussians([0.3]), *classes)
    tests = folds(class_codes(problem.Y), 5, 0)
    everything, kernels = np.arange(len(problem.Y)), np.array([0])
    pairs = [(np.setdiff1d(everything, test), test) for test in tests]
    (before,) = out_of_fold_predictions(problem, kernels, pairs, 0)
    first = tests[0][0]
    problem.Y[first] *= -1
    (after,) = out_of_fold_predictions(problem, kernels, pairs, 0)
    assert np.isclose(before[first], after[first])
    assert not np.allclose(before, after)


@pytest.mark.parametrize("method", ["single", "ensemble"])
def test_class_with_one_sample_raises(method):
    with pytest.raises(lk.InputError, match="the smallest with 1 sample"):
        lk.KernelClassifier(method=method, kernels=["gaussians", "linear"], C=1.0).fit(
            np.eye(5), [0, 0, 0, 0, 1]
        )
