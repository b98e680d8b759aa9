"""How the learned kernel does on samples it has not seen, beside uniform weights and one kernel.

The same model is trained with other weights on the same folds: same kernels, same machine, same
preprocessing. What differs is the weights alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import Pipeline

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.inspect.heard import listening
from learnkernels.methods import BestSingle
from learnkernels.progress import Progress

__all__ = ["difference", "last_step", "scores"]

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
    require_whole("report", "folds", folds, 2)
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
                except InputError as reason:
                    found["rivals"][name] = {"reason": str(reason)}
                    break
                errors.append(value)
                unproved += open_fits
                advance()
            else:
                found["rivals"][name] = described(errors, unproved)
    compare_with_learned(found["rivals"], len(splits))
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
    rivals = {name: clone(model) for name in ("learned", "uniform weights", "best single kernel")}
    fitted = last_step(model)
    for rival in rivals.values():
        last_step(rival).set_params(verbose=False)
    last_step(rivals["uniform weights"]).set_params(method="unif")
    # At the regularisation of the learned kernel: all kernels have one scale, and a choice for
    # each of them in each fold would take minutes.
    value = {"C": fitted.C_} if hasattr(fitted, "C_") else {"alpha": fitted.alpha_ or 1.0}
    last_step(rivals["best single kernel"]).set_params(
        method=BestSingle(cv=TRIALS, most=TRIED), **value
    )
    return rivals


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


def compare_with_learned(rivals: dict[str, Any], folds: int) -> None:
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
