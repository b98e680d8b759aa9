"""Training samples with their targets, in an order that does not depend on that of the rows of X.

Samples are sorted by their values. Samples that are equal in X and y are merged to one of the sum
of their weights: then a sample of weight 2 and two equal samples give the same model, to the last
bit. Held-out errors leave out a merged sample whole, so that no copy of it is among the training
samples. If equal rows of X have different targets, this would leave the other targets alone, and
nothing is merged where errors are held out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets

from learnkernels._warnings import warn
from learnkernels.checks import as_input_error
from learnkernels.errors import InputError, TableWarning
from learnkernels.kernels import tables

# From this part of copies on there is a warning; fewer hardly change an error.
COPIES = 0.1


@dataclass(frozen=True)
class Rows:
    """Samples that the model is trained on, as rows of X.

    Attributes
    ----------
    samples : ndarray of shape (n_trained,)
        Rows of X; of equal samples that were merged, the first.
    weights : ndarray of shape (n_trained,)
        Sample weights.
    rank : ndarray of shape (n_trained,)
        Position of each in the order in which kernel families see them, whatever the folds are.
    spread : CSR or COO matrix of shape (n_samples, n_trained)
        Distributes the coefficient of a trained sample over the rows that were merged to it.
    """

    samples: np.ndarray
    weights: np.ndarray
    rank: np.ndarray
    spread: sparse.csr_array

    @classmethod
    def of(cls, X: Any, Y: np.ndarray, w: np.ndarray, kept: np.ndarray, merge: str) -> Rows:
        """Sort the samples by their values, and merge equal ones.

        Parameters
        ----------
        X : ndarray, CSR matrix, table or strings
            All samples.
        Y : ndarray of shape (n_kept, n_outputs)
            Targets or classes.
        w : ndarray of shape (n_kept,)
            Sample weights.
        kept : ndarray of shape (n_kept,)
            Rows of X that the others are about.
        merge : {"always", "unambiguous", "never"}
            Whether to merge samples that are equal in X and y; ``"unambiguous"`` merges unless
            samples that are equal in X have different targets.
        """
        by_X = ranks((column[kept] for column in columns_of(X)), len(kept))
        rank = ranks([by_X, *Y.T], len(kept))
        order = np.argsort(rank, kind="stable")
        first = np.diff(rank[order], prepend=-1) > 0
        ambiguous = merge == "unambiguous" and first.sum() > len(np.unique(by_X))
        if merge == "never" or ambiguous or first.sum() < 2:
            return cls.as_given(w[order], kept[order], X.shape[0])
        owner = np.cumsum(first) - 1
        weights = np.bincount(owner, w[order])
        parts = w[order] / weights[owner], (kept[order], owner)
        spread = sparse.csr_array(parts, shape=(X.shape[0], len(weights)))
        return cls(kept[order[first]], weights, np.arange(len(weights)), spread)

    @classmethod
    def as_given(cls, w: np.ndarray, kept: np.ndarray, n: int) -> Rows:
        """Return these rows of X, of n in all, in this order."""
        ones = np.ones(len(kept)), (kept, np.arange(len(kept)))
        return cls(kept, w, np.arange(len(w)), sparse.csr_array(ones, shape=(n, len(kept))))

    def take(self, order: np.ndarray) -> Rows:
        """Return the trained samples in another order."""
        return Rows(
            self.samples[order], self.weights[order], self.rank[order], self.spread[:, order]
        )

    @contextmanager
    def explaining_count(self) -> Iterator[None]:
        """Add to an error about the number of samples that equal rows were merged, if any were."""
        try:
            yield
        except InputError as error:
            merged, n = self.spread.nnz, len(self.samples)
            if merged == n:
                raise
            text = f"{error} Equal rows count as one sample: {merged:,} rows are {n:,} samples."
            raise type(error)(text) from error


def warn_about_copies(X: Any, y: np.ndarray) -> None:
    """Warn if folds would test on copies of training samples.

    Parameters
    ----------
    X : ndarray, CSR matrix, table or strings
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
    """
    n = len(y)
    codes = np.unique(y, axis=0 if y.ndim > 1 else None, return_inverse=True)[1].ravel()
    copies = n - len(np.unique(ranks([*columns_of(X), codes], n)))
    if copies >= COPIES * n:
        warn(
            f"{copies:,} of {n:,} rows are copies of others, features and target: folds test on "
            "copies of training samples, so the error may be too low. Remove the copies if they "
            "are the same object, or pass folds that keep them together as cv=.",
            TableWarning,
        )


def columns_of(X: Any) -> Iterator[np.ndarray]:
    """Yield columns that describe each sample, every one of shape (n_samples,)."""
    if sparse.issparse(X):
        yield from entries_of(X)
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f":
        yield from X.T
    else:
        for position in range(tables.n_columns(X)):
            values = tables.column(X, position)
            if values.dtype.kind not in "biuf":
                values = np.array([f"{type(value).__name__} {value}" for value in values])
            yield values


def entries_of(X: Any) -> Iterator[np.ndarray]:
    """Yield columns that sort the rows of a CSR matrix as its dense columns would.

    They describe the first non-zero entry of each row, then the second, and so on. If all earlier
    entries are equal, the row with an entry in an earlier column is the smaller one if the entry is
    negative, and the larger one if it is positive.
    """
    X = X.copy()
    X.eliminate_zeros()
    counts = np.diff(X.indptr)
    for k in range(counts.max(initial=0)):
        has = counts > k
        at = X.indptr[:-1][has] + k
        position, value = np.zeros(len(counts)), np.zeros(len(counts))
        position[has] = np.sign(X.data[at]) * (X.shape[1] - X.indices[at])
        value[has] = X.data[at]
        yield position
        yield value


def ranks(columns: Iterable[np.ndarray], n: int) -> np.ndarray:
    """Return how many samples come before each in lexicographic order, the same for equal samples.

    Parameters
    ----------
    columns : iterable of ndarray of shape (n,)
        The first column decides, the second among samples that are equal in it, and so on.
    n : int
        Number of samples.
    """
    rank = np.zeros(n, dtype=np.intp)
    # Samples that are equal to another one in all columns so far, and the first of those.
    tied, head = np.arange(n), np.zeros(n, dtype=np.intp)
    for column in columns:
        if not len(tied):
            break
        if (column[tied] == column[head]).all():
            continue
        code = np.unique(column[tied], return_inverse=True)[1]
        order = np.lexsort((code, rank[tied]))
        tied, before, code = tied[order], rank[tied[order]], code[order]
        other = np.diff(before, prepend=-1) != 0  # begins another run of equal earlier columns
        begins = other | (np.diff(code, prepend=-1) != 0)
        at = np.arange(len(tied))
        start = np.maximum.accumulate(np.where(begins, at, 0))
        rank[tied] = before + start - np.maximum.accumulate(np.where(other, at, 0))
        length = np.diff(np.flatnonzero(np.append(begins, True)))
        several = np.repeat(length > 1, length)
        tied, head = tied[several], tied[start][several]
    return rank


@dataclass(frozen=True)
class Targets:
    """The targets of some samples, in the forms that the steps of a fit read.

    Attributes
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels or numbers, validated.
    alignment : ndarray of shape (n_samples, n_targets)
        The target of alignment.
    machine : ndarray of shape (n_samples, n_outputs)
        Targets of the machine: labels -1 and 1, or numbers.
    codes : ndarray of shape (n_samples,) or None
        Number of each sample's class; None for regression.
    """

    y: np.ndarray
    alignment: np.ndarray
    machine: np.ndarray
    codes: np.ndarray | None = None

    def take(self, index: np.ndarray) -> Targets:
        """Return those of some samples, in this order."""
        codes = None if self.codes is None else self.codes[index]
        return Targets(self.y[index], self.alignment[index], self.machine[index], codes)


def balanced_weights(counts: np.ndarray) -> np.ndarray:
    """Return the class weights of ``class_weight="balanced"``, both of shape (n_classes,)."""
    return np.asarray(counts.sum() / (len(counts) * counts))


def class_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order, and the number of each sample's class."""
    missing = (
        np.isnat(y) if y.dtype.kind in "mM" else y.dtype == object and map(tables.is_missing, y)
    )
    if missing is not False and any(missing):
        raise InputError("labels are missing in y; drop those samples.")
    try:
        with np.errstate(invalid="ignore"):  # numbers beyond the range of integers
            check_classification_targets(y)
    except ValueError as error:
        raise InputError(
            f"{str(error).split('. Maybe')[0]}. KernelClassifier needs class labels; use "
            "KernelRegressor, or discretise y."
        ) from error
    with as_input_error("y: "):
        return np.unique(y, return_inverse=True)


def class_targets(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the target of alignment and the labels -1 and 1 of the machine.

    For two classes both are one column of -1 and 1; for more, one column for each class: one-hot
    for alignment, -1 and 1 for the machine.
    """
    if n_classes == 2:
        signed = np.where(codes == 1, 1.0, -1.0)[:, None]
        return signed, signed
    return np.eye(n_classes)[codes], np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
