"""Folds of pairs."""

import numpy as np
import pytest

from learnkernels import InputError
from learnkernels.model_selection import SETTINGS, PairFold

X = np.argwhere(np.random.default_rng(0).random((12, 10)) < 0.7)


@pytest.mark.parametrize("setting", SETTINGS)
def test_setting_determines_which_objects_of_a_test_part_are_new(setting):
    tested = np.zeros(len(X), dtype=int)
    for train, test in PairFold(3, setting).split(X):
        tested[test] += 1
        new = [not np.isin(X[test, side], X[train, side]).any() for side in (0, 1)]
        expected = {"left": [True, False], "right": [False, True], "both": [True, True]}
        assert new == expected.get(setting, [False, False])
        assert not np.isin(train, test).any()
        if setting != "both":
            assert len(train) + len(test) == len(X)
    assert (tested == 1).all()


def test_number_of_folds_is_that_of_split():
    for setting in SETTINGS:
        folds = PairFold(2, setting)
        assert len(list(folds.split(X))) == folds.get_n_splits(X)


def test_repeated_pairs_are_in_one_fold():
    twice = np.vstack([X, X])
    for _, test in PairFold(3).split(twice):
        assert np.array_equal(np.sort(test % len(X))[::2], np.sort(test % len(X))[1::2])


def test_seed_determines_the_folds():
    parts = [[test for _, test in PairFold(3, random_state=s).split(X)] for s in (0, 0, 1)]
    assert all(np.array_equal(a, b) for a, b in zip(parts[0], parts[1], strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(parts[0], parts[2], strict=True))


@pytest.mark.parametrize(
    ("folds", "pairs", "match"),
    [
        (PairFold(3, "drug"), X, "setting"),
        (PairFold(1), X, "n_splits"),
        (PairFold(13, "left"), X, "12 different objects"),
        (PairFold(2), X[:, :1], r"\(n_pairs, 2\)"),
        (PairFold(2, "both"), np.array([[0, 0], [1, 1]]), "test pairs"),
    ],
)
def test_folds_that_are_not_possible_are_refused(folds, pairs, match):
    with pytest.raises(InputError, match=match):
        list(folds.split(pairs))
