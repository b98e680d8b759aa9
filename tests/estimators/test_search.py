"""What a fit chooses: values of the regularisation, and folds."""

import itertools

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.input.samples import Rows
from learnkernels.estimators.search import GRIDS, contiguous_folds
from learnkernels.model_selection import PairFold


def test_folds_of_the_user_refer_to_rows_of_X_with_samples_of_weight_zero():
    rows = Rows.as_given(np.ones(4), np.array([0, 1, 3, 4]), 5)  # sample 2 has weight zero
    folds = [([1, 3, 4], [2, 0]), ([0, 2], [1, 3, 4])]
    order, split = contiguous_folds(rows, None, folds, None)
    assert rows.samples[order].tolist() == [0, 1, 3, 4]
    assert split["borders"].tolist() == [0, 1, 4]
    assert split["trained"].tolist() == [[False, True], [True, False]]


def test_folds_that_do_not_train_each_other_keep_their_blocks_without_samples_of_weight_zero():
    X = np.argwhere(np.ones((4, 4)))  # pairs of objects
    kept = np.flatnonzero(X[:, 0] != 3)
    rows = Rows.as_given(np.ones(len(kept)), kept, len(X))
    folds = PairFold(2, "both")
    order, split = contiguous_folds(rows, None, folds, None, X)
    for fold, (train, test) in enumerate(folds.split(X)):
        found = [order[start:stop] for start, stop in itertools.pairwise(split["borders"])]
        trained = np.concatenate([found[b] for b in np.flatnonzero(split["trained"][fold])])
        assert set(rows.samples[found[fold]]) == set(test) & set(kept)
        assert set(rows.samples[trained]) == set(train) & set(kept)


def test_fold_without_training_samples_of_positive_weight_is_refused():
    rows = Rows.as_given(np.ones(2), np.array([0, 1]), 4)
    folds = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    with pytest.raises(lk.InputError, match=r"fold 0 have weight zero"):
        contiguous_folds(rows, None, folds, None)


def test_folds_are_stratified_and_cover_all_samples():
    codes = np.repeat([0, 1, 2], [50, 20, 5])
    rows = Rows.as_given(np.ones(75), np.arange(75), 75)
    order, split = contiguous_folds(rows, codes, 5, 0)
    assert sorted(order) == list(range(75))
    for start, stop in itertools.pairwise(split["borders"]):
        assert np.bincount(codes[order[start:stop]]).tolist() == [10, 4, 1]
    _, split = contiguous_folds(rows, codes, 50, 0)
    assert len(split["borders"]) == 6  # no more folds than samples of the smallest class


@pytest.mark.parametrize("method", ["unif", "alignf", "l1-svm"])
def test_C_auto_chooses_from_the_grid_for_methods_that_do_not_learn_it(method, classes):
    X, y = classes
    kernels = lk.gaussians([0.1, 1.0])
    auto = lk.KernelClassifier(kernels, method).fit(X, y)
    listed = lk.KernelClassifier(kernels, method, C=GRIDS["C"]).fit(X, y)
    assert np.array_equal(auto.C_scores_, listed.C_scores_) and auto.C_ == listed.C_
    assert auto.C_ == GRIDS["C"][np.argmax(auto.C_scores_)]


@pytest.mark.parametrize("method", ["unif", "alignf", "l2-krr"])
def test_alpha_auto_chooses_from_the_grid_for_methods_that_do_not_learn_it(method, curve):
    X, y = curve
    kernels = lk.gaussians([0.1, 1.0])
    auto = lk.KernelRegressor(kernels, method).fit(X, y)
    listed = lk.KernelRegressor(kernels, method, alpha=GRIDS["alpha"]).fit(X, y)
    assert np.array_equal(auto.alpha_errors_, listed.alpha_errors_)
    assert auto.alpha_ == listed.alpha_ == GRIDS["alpha"][np.argmin(auto.alpha_errors_)]


def test_machine_without_parameter_chooses_nothing(classes):
    X, y = classes
    model = lk.KernelClassifier(method="alignf", machine="alignment").fit(X, y)
    assert not hasattr(model, "C_scores_")


@pytest.mark.parametrize("value", ["best", "1", None, [], 0.0, [1.0, -1.0], [1.0, [2.0, 3.0]]])
def test_invalid_regularisation_raises_input_error(value, classes):
    X, y = classes
    with pytest.raises(lk.InputError, match="C"):
        lk.KernelClassifier(C=value).fit(X, y)
    with pytest.raises(lk.InputError, match="alpha"):
        lk.KernelRegressor(alpha=value).fit(X, X[:, 0])
