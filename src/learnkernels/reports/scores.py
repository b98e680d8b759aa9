"""How the learned kernel does on samples it has not seen, beside uniform weights and one kernel.

The same model is trained with other weights on the same folds: same kernels, same machine, same
preprocessing. Its rivals choose their regularisation inside each fold, for a C that suits the
learned kernel need not suit them: weights of other methods have other sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.stats import t as student
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from learnkernels.checks import positive_values
from learnkernels.errors import InputError
from learnkernels.inspect.heard import listening
from learnkernels.methods import BestSingle, Uniform, WeightMethod
from learnkernels.progress import Progress
from learnkernels.solvers import Certificate
from learnkernels.weights import as_method

__all__ = ["UNTRAINABLE", "difference", "fitted_value", "last_step", "scores"]

# What a fold may raise that is not large enough, or lacks a category.
UNTRAINABLE = (ValueError, ArithmeticError, LinAlgError)
# Kernels that are tried for the best one alone, those of highest alignment, and folds to try them.
TRIED, TRIALS = 10, 3
LEVEL = 0.9


def last_step(model):
    """The estimator itself, or the last one of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def scores(model, X, y, folds: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Errors of each fold for the model, for uniform weights and for the best single kernel.

    Parameters
    ----------
    model : estimator
        Fitted: a classifier or regressor of this library, or a pipeline that ends with one.
    X, y
        The data.
    folds : int
        At least 2; fewer are used where a class has fewer samples.
    seed : int
        Shuffles the folds.
    progress : Progress
        Shows the fold and the rival.

    Returns
    -------
    dict
        ``measure``, ``folds``, the trivial error, and ``rivals``: for each the errors of the folds,
        and against the learned kernel their mean difference with an interval. A rival that cannot
        be trained has a reason instead.
    """
    y = np.asarray(y)
    classes = hasattr(last_step(model), "classes_")
    splits = splits_of(y, folds, seed, classes)
    error = misclassified if classes else root_mean_squared
    found: dict[str, Any] = {
        "measure": "misclassified" if classes else "root mean squared error",
        "folds": len(splits),
        "trivial": float(np.mean([trivial(y[train], y[test], classes) for train, test in splits])),
        "rivals": {},
    }
    rivals = rivals_of(model)
    with progress.counting(len(rivals) * len(splits)) as advance:
        for name, rival in rivals.items():
            errors, unproved = [], 0
            for fold, split in enumerate(splits):
                progress.say(f"{name}, fold {fold + 1} of {len(splits)}")
                try:
                    value, open_fits = one_fold(rival, X, y, split, error)
                except UNTRAINABLE as reason:
                    found["rivals"][name] = {"reason": " ".join(str(reason).split())}
                    break
                errors.append(value)
                unproved += open_fits
                advance()
            else:
                found["rivals"][name] = described(errors, unproved)
    compare_with_learned(found["rivals"])
    return found


def splits_of(y: np.ndarray, folds: int, seed: int, classes: bool):
    """Training and test samples of each fold."""
    if not classes:
        splitter = KFold(min(folds, len(y)), shuffle=True, random_state=seed)
        return list(splitter.split(y))
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        raise InputError("a class has only one sample, so nothing can be tested without it.")
    splitter = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(y, y))


def rivals_of(model) -> dict[str, Any]:
    """The model untrained, with its own weights and with those of its rivals."""
    fitted = last_step(model)
    learned = clone(model)
    last_step(learned).set_params(verbose=False)
    model = clone(learned)
    if hasattr(fitted, "machine_"):  # also where that of another method would be another one
        last_step(model).set_params(machine=fitted.machine_)
    name, values = values_of(fitted)
    middle = fitted_value(fitted) * scale_of(fitted, name)
    return {
        "learned": learned,
        "uniform weights": with_weights(model, Uniform(), values),
        "best single kernel": BestKernel(model, middle, values),
    }


def with_weights(model, method: WeightMethod, value):
    """The model untrained, with another method and a regularisation."""
    rival = clone(model)
    last = last_step(rival)
    last.set_params(method=method, **{regularization_name(last): value})
    return rival


def regularization_name(estimator) -> str:
    return "C" if hasattr(estimator, "C") else "alpha"


def fitted_value(fitted) -> float:
    return getattr(fitted, "C_", getattr(fitted, "alpha_", None)) or 1.0


def values_of(fitted) -> tuple[str, list[float]]:
    """Regularisation that rivals choose from: the user's list, or ten times less and more.

    A kernel s K with C is the kernel K with s C, or with alpha / s: weights of a rival sum to one.
    """
    name = regularization_name(fitted)
    given = positive_values(name, getattr(fitted, name))
    if len(given) == 1:
        given = [given[0] * factor for factor in (0.1, 1.0, 10.0)]
    scale = scale_of(fitted, name)
    return name, [value * scale for value in given]


def scale_of(fitted, name: str) -> float:
    """What the regularisation of a kernel with weights of sum one is multiplied by."""
    if as_method(fitted.method).ensemble:
        return 1.0  # its weights are of predictions
    total = float(np.abs(fitted.weights_).sum())
    return total if name == "C" else 1 / total


class Given(WeightMethod):
    """Weights that are known already.

    Parameters
    ----------
    weights : tuple of float
        One for each kernel, constant ones included.
    """

    name = "given"
    reads = ()

    def __init__(self, weights=()):
        self.weights = weights

    def learn(self, evidence):
        mu = np.array(self.weights)[evidence.kept]
        return mu, Certificate.closed_form(evidence.statistics.alignment(mu))


class BestKernel(BaseEstimator):
    """The model with one kernel: the best of the best aligned, at a regularisation of its own.

    Parameters
    ----------
    model : estimator
    value : float
        Regularisation at which kernels are compared.
    values : list of float
        What the best one then chooses from.
    """

    def __init__(self, model, value, values):
        self.model = model
        self.value = value
        self.values = values

    def __sklearn_tags__(self):
        return get_tags(self.model)

    def fit(self, X, y):
        chosen = with_weights(self.model, BestSingle(cv=TRIALS, most=TRIED), self.value).fit(X, y)
        weights = tuple(last_step(chosen).weights_)
        self.model_ = with_weights(self.model, Given(weights), self.values).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def one_fold(rival, X, y, split, error) -> tuple[float, int]:
    """The error of one fold, and how many fits on the way did not converge."""
    with listening() as heard:
        done = cross_validate(rival, X, y, cv=[split], scoring=error, error_score="raise")
    return float(done["test_score"][0]), heard.unproved


def misclassified(model, X, y) -> float:
    return float(np.mean(model.predict(X) != y))


def root_mean_squared(model, X, y) -> float:
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def trivial(train, test, classes: bool) -> float:
    """The error of the most frequent class, or of the mean."""
    if classes:
        values, counts = np.unique(train, return_counts=True)
        return float(np.mean(test != values[counts.argmax()]))
    return float(np.sqrt(np.mean((test - train.mean(axis=0)) ** 2)))


def described(errors: list[float], unproved: int) -> dict[str, Any]:
    return {
        "errors": errors,
        "mean": float(np.mean(errors)),
        "std": float(np.std(errors, ddof=1)),
        "unproved": unproved,
    }


def compare_with_learned(rivals: dict[str, Any]) -> None:
    """Add to each rival how the learned kernel's errors differ from its own."""
    learned = rivals["learned"]
    for name, rival in rivals.items():
        if name != "learned" and "errors" in rival and "errors" in learned:
            mean, low, high = difference(learned["errors"], rival["errors"])
            wins = int(np.sum(np.less(learned["errors"], rival["errors"])))
            rival |= {"difference": mean, "low": low, "high": high, "folds_won": wins}


def difference(errors, others) -> tuple[float, float, float]:
    """Mean of errors minus others over the same folds, and the ends of its 90 % interval.

    Training sets of folds overlap, so their errors vary less than those of fresh samples would; the
    variance is corrected for that (Nadeau and Bengio, "Inference for the generalization error",
    2003).
    """
    d = np.subtract(errors, others)
    k = len(d)
    # k folds: each tests on 1 / (k - 1) of as many samples as it trains on
    spread = np.sqrt((1 / k + 1 / (k - 1)) * d.var(ddof=1)) * student.ppf((1 + LEVEL) / 2, k - 1)
    return float(d.mean()), float(d.mean() - spread), float(d.mean() + spread)
