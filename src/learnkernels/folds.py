"""Cross-validation folds, stratified where there are classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from learnkernels.checks import as_input_error, is_whole, random_generator
from learnkernels.errors import InputError


def folds(
    samples: np.ndarray | int,
    cv: Any,
    random_state: Any = None,
    *,
    fewer: bool = True,
    advice: str = "Add samples, or drop the class.",
) -> list[np.ndarray]:
    """Return the test samples of each fold; all other samples train.

    Parameters
    ----------
    samples : ndarray of shape (n_samples,) or int
        Class of each sample as an integer from 0, for stratified folds, or the number of samples.
    cv : int, splitter of scikit-learn or iterable of (train, test)
        An integer is the number of folds of shuffled samples. A splitter or an iterable must put
        every sample into exactly one test fold.
    random_state : int, RandomState or None, default=None
        Shuffles the samples, if `cv` is an integer.
    fewer : bool, default=True
        Whether to use fewer folds if a class has fewer samples than `cv`. False raises.
    advice : str
        End of the error message if a class has too few samples.

    Examples
    --------
    >>> from learnkernels.folds import folds
    >>> sorted(len(test) for test in folds(10, cv=3, random_state=0))
    [3, 3, 4]
    """
    tests, trained = splits(samples, cv, random_state, fewer=fewer, advice=advice)
    for i, row in enumerate(trained):
        if row.sum() < len(tests) - 1:
            n_out = sum(len(test) for test in tests) - len(tests[i])
            n_train = sum(len(tests[b]) for b in np.flatnonzero(row))
            raise InputError(some_left_out(i, n_train, n_out))
    return tests


def require_folds(cv: Any) -> None:
    """Raise unless `cv` is a number of folds, a splitter or an iterable."""
    if is_whole(cv):
        if cv < 2:
            raise InputError(f"cv={cv!r}; it must be at least 2. Pass, for example, cv=5.")
    elif isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise InputError(
            f"cv={cv!r}; expected an integer of at least 2, a splitter of scikit-learn or an "
            "iterable of (train, test) indices."
        )


def splits(
    samples: np.ndarray | int, cv: Any, random_state: Any = None, *, X: Any = None,
    fewer: bool = True, advice: str = "Add samples, or drop the class.",
) -> tuple[list[np.ndarray], np.ndarray]:  # fmt: skip
    """Return the test samples of each fold, and which of these blocks the folds train on.

    Parameters
    ----------
    samples, cv, random_state, fewer, advice
        As in `folds`. A fold need not train on all blocks, but on each block as a whole.
    X : array or table of n_samples rows, or None
        The samples, for splitters that read them.

    Returns
    -------
    tests : list of ndarray
        Every sample is in one of them.
    trained : ndarray of bool of shape (n_folds, n_folds)
        Whether fold f trains on the samples of tests[b].
    """
    codes = None if is_whole(samples) else np.asarray(samples)
    n = int(samples) if codes is None else len(codes)
    require_folds(cv)
    if is_whole(cv):
        smallest = n if codes is None else int(np.bincount(codes).min())
        if smallest < (2 if fewer else cv):
            raise InputError(too_few(codes, smallest, 2 if fewer else cv, cv, advice))
        splitter = KFold if codes is None else StratifiedKFold
        cv = splitter(min(cv, smallest), shuffle=True, random_state=random_generator(random_state))
    with as_input_error("cv: "):
        X = np.zeros((n, 1)) if X is None else X
        pairs = cv.split(X, codes) if hasattr(cv, "split") else cv
        parts = [(np.asarray(a, dtype=np.intp), np.asarray(b, dtype=np.intp)) for a, b in pairs]
    tests = [test for _, test in parts]
    if not tests or not np.array_equal(np.sort(np.concatenate(tests)), np.arange(n)):
        raise InputError(
            f"cv={cv!r} does not put every sample into exactly one test fold; use KFold "
            "or StratifiedKFold."
        )
    block = np.empty(n, dtype=np.intp)
    for b, test in enumerate(tests):
        block[test] = b
    sizes = np.bincount(block)
    trained = np.zeros((len(tests), len(tests)), dtype=bool)
    for i, (train, test) in enumerate(parts):
        counts = np.bincount(block[np.setdiff1d(train, test)], minlength=len(tests))
        if not np.isin(counts / sizes, (0, 1)).all() or not counts.any():
            raise InputError(some_left_out(i, len(train), n - len(test)))
        trained[i] = counts > 0
    return tests, trained


def some_left_out(fold: int, n_train: int, n_out: int) -> str:
    """Describe a fold that does not train on all samples outside its test part."""
    return (
        f"cv: fold {fold} trains on {n_train} of the {n_out} samples outside its test part, but "
        "all of them are used here. Use KFold or StratifiedKFold, or choose the regularisation "
        "with GridSearchCV."
    )


def too_few(codes: np.ndarray | None, smallest: int, needed: int, cv: int, advice: str) -> str:
    """Describe a class, or a data set, with too few samples."""
    found = f"{smallest} sample{'s' if smallest != 1 else ''}"
    if codes is not None:
        found = f"{codes.max() + 1} classes, the smallest with {found}"
    per_class = " per class" if codes is not None else ""
    return f"{found}: {cv}-fold cross-validation needs at least {needed}{per_class}. {advice}"
