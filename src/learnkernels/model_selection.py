"""Folds of pairs of objects that state what is new in the test part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from learnkernels.checks import random_generator, require_choice, require_whole
from learnkernels.errors import InputError

SETTINGS = ("pair", "left", "right", "both")


class PairFold(BaseCrossValidator):
    """Folds of pairs of objects, for X of shape (n_pairs, 2) as in `pairs`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds; of each side if both are split.
    setting : {"pair", "left", "right", "both"}, default="pair"
        What is new in a test part. ``"pair"``: the pair, while both of its objects may occur in
        training pairs (repeated pairs are in one fold). ``"left"`` or ``"right"``: also the left
        or the right object. ``"both"``: both objects; there are n_splits^2 folds, and pairs with
        one new object are in neither part.
    random_state : int, RandomState or None, default=0
        Shuffles the pairs or the objects.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.model_selection import PairFold
    >>> X = np.argwhere(np.ones((6, 4)))
    >>> for setting in ("pair", "left", "right", "both"):
    ...     train, test = next(iter(PairFold(2, setting).split(X)))
    ...     known = [np.isin(X[test, side], X[train, side]).any() for side in (0, 1)]
    ...     print(setting, len(train), len(test), *map(bool, known))
    pair 12 12 True True
    left 12 12 False True
    right 12 12 True False
    both 6 6 False False
    """

    def __init__(self, n_splits: int = 5, setting: str = "pair", random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.setting = setting
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups
            Not read.

        Returns
        -------
        int
        """
        return int(self.n_splits) ** (2 if self.setting == "both" else 1)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the training and the test pairs of each fold.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2)
            The left and the right object of each pair.
        y, groups
            Not read.

        Yields
        ------
        train, test : ndarray
            Positions in X.
        """
        require_whole("PairFold", "n_splits", self.n_splits, 2)
        require_choice("setting", self.setting, SETTINGS)
        pairs = np.asarray(X)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InputError(
                f"PairFold needs X of shape (n_pairs, 2), found {pairs.shape}; pass the left and "
                "the right object of each pair."
            )
        random = random_generator(self.random_state)
        if self.setting == "pair":
            parts = [self.fold_of(np.unique(pairs, axis=0, return_inverse=True)[1], random)]
        else:
            sides = {"left": [0], "right": [1], "both": [0, 1]}[self.setting]
            parts = [
                self.fold_of(np.unique(pairs[:, side], return_inverse=True)[1], random)
                for side in sides
            ]
        for folds in np.ndindex(*[int(self.n_splits)] * len(parts)):
            tested = np.array([part == fold for part, fold in zip(parts, folds, strict=True)])
            train, test = np.flatnonzero(~tested.any(axis=0)), np.flatnonzero(tested.all(axis=0))
            if not (len(train) and len(test)):
                raise InputError(
                    f"PairFold({self.n_splits}, {self.setting!r}): fold {folds} has {len(train)} "
                    f"training pairs and {len(test)} test pairs; both parts need some: lower "
                    "n_splits, or choose another setting."
                )
            yield train, test

    def fold_of(self, codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        """Return the fold of each pair, shape (n_pairs,), from the code of its group."""
        codes = codes.ravel()  # NumPy 2.0 returns a column for unique rows
        n = int(codes.max(initial=-1)) + 1
        if n < self.n_splits:
            raise InputError(
                f"PairFold got n_splits={self.n_splits}, but there are only {n} different "
                f"{'pairs' if self.setting == 'pair' else 'objects'} to split; lower n_splits."
            )
        return np.asarray((random.permutation(n) % self.n_splits)[codes])
