"""The choice of C inside `fit`: stratified folds whose weights are learned without them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import StratifiedKFold

from learnkernels.checks import require_whole
from learnkernels.errors import ConstantKernelWarning, InputError
from learnkernels.estimators.learning import Stage, outputs_of_all
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
    require_whole("KernelClassifier", "folds", n_folds, 2)
    splitter = StratifiedKFold(min(n_folds, smallest), shuffle=True, random_state=random_state)
    folds = [test for _, test in splitter.split(codes, codes)]
    return np.concatenate(folds), np.cumsum([0] + [len(fold) for fold in folds])


def fold_scores(
    stage: Stage, method: WeightMethod, machine: Machine, codes, values: Sequence[float], decide
) -> np.ndarray:
    """Accuracy of each value on samples whose fold took no part in weights or training.

    Parameters
    ----------
    stage : Stage
        Sums over pairs by folds.
    method, machine
        The two stages.
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
    n_folds = len(stage.borders) - 1
    for fold in stage.progress.track(range(n_folds), n_folds, "choosing C"):
        test = stage.inside(fold)
        with warnings.catch_warnings():
            # A constant kernel is reported once, for the whole training set.
            warnings.simplefilter("ignore", ConstantKernelWarning)
            part = stage.within(f"fold {fold + 1} of {n_folds}")
            models = part.train(method, machine, values, without=fold)
        rows = stage.bank.take(test)
        outputs = outputs_of_all(
            models, lambda kernel, coef, rows=rows: kernel.products_of(rows, coef, stage.backend)
        )
        for v, decision in enumerate(outputs):
            correct[v] += stage.sample_weight[test] @ (decide(decision) == codes[test])
    return correct / stage.sample_weight.sum()
