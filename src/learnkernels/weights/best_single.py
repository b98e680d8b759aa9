"""`single`: the base kernel that does best alone."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from learnkernels.checks import random_generator, require_whole
from learnkernels.errors import InputError
from learnkernels.gram import single_threaded_blas
from learnkernels.machines import Problem
from learnkernels.solvers import Certificate
from learnkernels.weights.base import Evidence, WeightMethod, class_codes

__all__ = ["BestSingle", "out_of_fold"]

# Samples up to which threads of BLAS cost more in such small systems than they save.
SMALL = 1000


class BestSingle(WeightMethod):
    """The best base kernel by cross-validation gets weight one.

    Parameters
    ----------
    cv : int, default=5
        Folds.
    most : int or None, default=None
        Try only so many kernels, those of highest alignment; None tries all.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(method="single").fit(X, y)
    >>> float(model.weights_.max()), float(model.weights_.sum())
    (1.0, 1.0)
    """

    name = "single"
    reads = ("Grams",)

    def __init__(self, cv=5, most=None, random_state=0):
        self.cv = cv
        self.most = most
        self.random_state = random_state

    def grams(self, n_kernels):
        return 3  # a fold's part and its factor beside the whole

    def learn(self, evidence):
        if self.most is not None:
            require_whole(type(self).__name__, "most", self.most, 1)
        folds = folds_of(self, evidence)
        w = evidence.weights
        tried = np.argsort(-evidence.statistics.alignments(), kind="stable")[: self.most]
        errors = []
        for at, k in enumerate(tried.tolist()):
            evidence.say(f"kernel {at + 1} of {len(tried)}")
            predicted = out_of_fold(evidence, evidence.oracle.gram_of(k), folds)
            errors.append(float(w @ losses(evidence, predicted) / w.sum()))
        best = int(np.argmin(errors))
        return evidence.oracle.unit(int(tried[best])), Certificate.closed_form(errors[best])


def folds_of(method, evidence: Evidence) -> list[np.ndarray]:
    """Test samples of each fold, stratified for classes."""
    cv, n = method.cv, len(evidence.Y)
    require_whole(type(method).__name__, "cv", cv, 2)
    random = random_generator(method.random_state)
    if evidence.task == "classification":
        codes = class_codes(evidence.Y)
        smallest = int(np.bincount(codes).min())
        if smallest < 2:
            raise InputError(
                f"{method.name!r} needs cross-validation, but a class has only one sample in a "
                "training part; use more samples, or another method."
            )
        splitter = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=random)
        return [test for _, test in splitter.split(codes, codes)]
    splitter = KFold(min(cv, n), shuffle=True, random_state=random)
    return [test for _, test in splitter.split(evidence.Y)]


def losses(evidence: Evidence, predicted: np.ndarray) -> np.ndarray:
    """Loss of each sample: misclassified or not, or the squared error."""
    if evidence.task == "classification":
        return class_codes(predicted) != class_codes(evidence.Y)
    return np.sum((predicted - evidence.Y) ** 2, axis=1)


def out_of_fold(evidence: Evidence, K: np.ndarray, folds: list[np.ndarray]) -> np.ndarray:
    """Predictions for every sample by a machine that has not seen it, shape (n, n_outputs).

    The Gram is centered anew with the means of each fold's training samples.
    """
    predicted = np.empty_like(evidence.Y, dtype=float)
    with single_threaded_blas() if len(K) <= SMALL else nullcontext():
        for test in folds:
            predicted[test] = predictions_for(evidence, K, test)
    return predicted


def predictions_for(evidence: Evidence, K: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Predictions for a fold by a machine trained on all others, shape (n_test, n_outputs)."""
    train = np.setdiff1d(np.arange(len(K)), test)
    w = evidence.weights[train]
    inner, rows = K[np.ix_(train, train)], K[np.ix_(test, train)]
    if evidence.oracle.center:
        means = inner @ w / w.sum()
        total = means @ w / w.sum()
        rows = rows - means - (rows @ w / w.sum())[:, None] + total
        inner = inner - means - means[:, None] + total
    problem = Problem(
        np.ascontiguousarray(inner), evidence.Y[train], w, evidence.oracle.center,
        evidence.oracle.backend,
    )  # fmt: skip
    (trained,) = evidence.machine.path(problem, [evidence.setting])
    return rows @ trained.coef + trained.intercept
