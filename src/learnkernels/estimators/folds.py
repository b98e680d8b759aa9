"""The choice of C inside `fit`: stratified folds whose weights are learned without them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import StratifiedKFold

from learnkernels.errors import ConstantKernelWarning, InputError
from learnkernels.estimators.learning import Stage
from learnkernels.machines import Machine
from learnkernels.weights import WeightMethod

__all__ = ["fold_scores", "stratified_order"]


def stratified_order(
    codes: np.ndarray, n_folds: int, random_state
) -> tuple[np.ndarray, np.ndarray]:
    """An order of the samples in which folds are contiguous, and the folds' borders.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Class of each sample as an integer.
    n_folds : int
        Folds; fewer are used if a class has fewer samples.
    random_state : int, RandomState or None
        Shuffles the samples.
    """
    smallest = int(np.bincount(codes).min())
    if smallest < 2:
        raise InputError(
            "a list of C is chosen by cross-validation, but a class has only one sample; "
            "give a single C or more samples of each class."
        )
    if not (isinstance(n_folds, (int, np.integer)) and n_folds >= 2):
        raise InputError(f"folds={n_folds!r}; it must be a whole number of at least 2.")
    splitter = StratifiedKFold(min(n_folds, smallest), shuffle=True, random_state=random_state)
    folds = [test for _, test in splitter.split(codes, codes)]
    return np.concatenate(folds), np.cumsum([0] + [len(fold) for fold in folds])


def fold_scores(
    stage: Stage,
    method: WeightMethod,
    machine: Machine,
    Y: np.ndarray,
    codes: np.ndarray,
    values: Sequence[float],
    decide,
) -> np.ndarray:
    """Accuracy of each value on samples whose fold took no part in weights or training.

    Parameters
    ----------
    stage : Stage
        Sums over pairs by folds.
    method, machine
        The two stages.
    Y : ndarray of shape (n_samples, n_outputs)
        Signed targets.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    values : sequence of float
        Values of C.
    decide : callable
        From decision values (n, n_outputs) to class codes.

    Returns
    -------
    ndarray of shape (n_values,)
        Weighted accuracy over all folds.
    """
    correct = np.zeros(len(values))
    for fold in range(len(stage.borders) - 1):
        train, test = stage.outside(fold), stage.inside(fold)
        with warnings.catch_warnings():
            # A constant kernel is reported once, for the whole training set.
            warnings.simplefilter("ignore", ConstantKernelWarning)
            learned = stage.learn(method, without=fold)
        path = machine.path(stage.problem(learned, Y, machine, train), values)
        coef = np.hstack([trained.coef for trained in path])
        products = learned.kernel.products_of(stage.bank.take(test), coef, stage.backend)
        for v, decision in enumerate(np.hsplit(products, len(values))):
            hits = decide(decision + path[v].intercept) == codes[test]
            correct[v] += stage.sample_weight[test] @ hits
    return correct / stage.sample_weight.sum()
