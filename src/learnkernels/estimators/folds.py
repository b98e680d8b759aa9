"""The choice of C or alpha inside `fit`: folds whose weights are learned without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from learnkernels.checks import random_generator, require_whole
from learnkernels.errors import ConstantKernelWarning, InputError, UndefinedAlignmentWarning
from learnkernels.estimators.learning import Stage
from learnkernels.estimators.models import outputs_of_all
from learnkernels.machines import Machine
from learnkernels.telling import unheard
from learnkernels.weights import WeightMethod

__all__ = ["fold_losses", "shuffled_order", "stratified_order"]


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
    random = random_generator(random_state)
    splitter = StratifiedKFold(min(n_folds, smallest), shuffle=True, random_state=random)
    return joined([test for _, test in splitter.split(codes, codes)])


def shuffled_order(n: int, n_folds: int, random_state) -> tuple[np.ndarray, np.ndarray]:
    """The same for samples without classes."""
    require_whole("KernelRegressor", "folds", n_folds, 2)
    random = random_generator(random_state)
    splitter = KFold(min(n_folds, n), shuffle=True, random_state=random)
    return joined([test for _, test in splitter.split(np.empty((n, 1)))])


def joined(folds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate(folds), np.cumsum([0] + [len(fold) for fold in folds])


def fold_losses(
    stage: Stage, method: WeightMethod, machine: Machine, values: Sequence[float], loss, what: str
) -> np.ndarray:
    """Mean loss of each value on samples whose fold took no part in weights or training.

    Parameters
    ----------
    stage : Stage
        Sums over pairs by folds.
    method, machine
        The two stages.
    values : sequence of float
        Values of the regularisation.
    loss : callable
        ``loss(outputs, samples)`` for outputs of shape (n, n_outputs), shape (n,).
    what : str
        For those who watch.

    Returns
    -------
    ndarray of shape (n_values,)
        Weighted mean over all samples.
    """
    total = np.zeros(len(values))
    n_folds = len(stage.borders) - 1
    for fold in stage.progress.track(range(n_folds), n_folds, what):
        test = stage.inside(fold)
        # Reported once, for the whole training set.
        with unheard(ConstantKernelWarning), unheard(UndefinedAlignmentWarning):
            part = stage.within(f"fold {fold + 1} of {n_folds}")
            models = part.train(method, machine, values, without=fold)
        rows = stage.bank.take(test)
        outputs = outputs_of_all(
            models, lambda kernel, coef, rows=rows: kernel.products_of(rows, coef, stage.backend)
        )
        for v, found in enumerate(outputs):
            total[v] += stage.sample_weight[test] @ loss(found, test)
    return total / stage.sample_weight.sum()
