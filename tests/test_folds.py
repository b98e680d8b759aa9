"""Cross-validation folds."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

import learnkernels as lk
from learnkernels.folds import folds, splits

CODES = np.repeat([0, 1, 2], [10, 6, 4])


def test_integer_gives_shuffled_folds_of_scikit_learn():
    expected = KFold(4, shuffle=True, random_state=3).split(np.zeros(20))
    assert all(map(np.array_equal, folds(20, 4, 3), [test for _, test in expected]))


def test_classes_give_stratified_folds_of_scikit_learn():
    expected = StratifiedKFold(3, shuffle=True, random_state=3).split(CODES, CODES)
    assert all(map(np.array_equal, folds(CODES, 3, 3), [test for _, test in expected]))


def test_fewer_folds_are_used_for_a_small_class_unless_forbidden():
    assert len(folds(CODES, 10, 0)) == 4
    with pytest.raises(lk.InputError, match="3 classes, the smallest with 4 samples: 10-fold"):
        folds(CODES, 10, 0, fewer=False)


def test_class_with_one_sample_raises_with_the_advice():
    with pytest.raises(lk.InputError, match=r"the smallest with 1 sample: .* Give a single C\."):
        folds(np.array([0, 0, 0, 1]), 2, advice="Give a single C.")


@pytest.mark.parametrize("cv", [KFold(5), StratifiedKFold(2)])
def test_splitter_gives_its_folds(cv):
    expected = [test for _, test in cv.split(np.zeros(20), CODES)]
    assert all(map(np.array_equal, folds(CODES, cv), expected))


def test_iterable_gives_its_test_folds():
    pairs = [(np.arange(10, 20), np.arange(10)), (np.arange(10), np.arange(10, 20))]
    assert [test.tolist() for test in folds(20, iter(pairs))] == [[*range(10)], [*range(10, 20)]]


@pytest.mark.parametrize("cv", [1, 0, "five", None, 2.5, [], ShuffleSplit(3), [(0, [1, 99])]])
def test_invalid_cv_raises_input_error(cv):
    with pytest.raises(lk.InputError, match="cv"):
        folds(20, cv)


def test_iterable_with_other_training_samples_raises():
    pairs = [(np.array([1]), np.array([0, 2])), (np.array([0, 2]), np.array([1, 3]))]
    with pytest.raises(lk.InputError, match="fold 0 trains on 1 of the 2 samples"):
        folds(4, pairs)


def test_string_raises_input_error():
    with pytest.raises(lk.InputError, match="cv='5'"):
        folds(10, "5")


def test_splits_allow_folds_that_train_on_some_of_the_blocks():
    tests = [np.arange(start, start + 5) for start in (0, 5, 10)]
    pairs = [(tests[1], tests[0]), (np.concatenate(tests[::2]), tests[1]), (tests[1], tests[2])]
    found, trained = splits(15, pairs)
    assert all(map(np.array_equal, found, tests))
    assert trained.tolist() == [[False, True, False], [True, False, True], [False, True, False]]
    with pytest.raises(lk.InputError, match="fold 0 trains on 5 of the 10"):
        folds(15, pairs)


def test_splits_refuse_folds_that_divide_a_block():
    tests = [np.arange(5), np.arange(5, 10), np.arange(10, 15)]
    pairs = [(np.arange(7, 15), tests[0])] + [
        (np.setdiff1d(np.arange(15), test), test) for test in tests[1:]
    ]
    with pytest.raises(lk.InputError, match="fold 0 trains on 8 of the 10"):
        splits(15, pairs)
