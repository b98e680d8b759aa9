"""All rows of a fit as chunks of Dask collections, which stay on the workers of a cluster.

This process gets numbers about each chunk (rows, weights, classes), the rows of the subsample, and
one total of the pass over all rows. Its memory does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import _check_sample_weight, _check_y

from learnkernels._warnings import suppressed
from learnkernels.checks import as_input_error
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.input.parts import joined
from learnkernels.estimators.input.samples import balanced_weights, class_codes
from learnkernels.estimators.outputs.lazy import is_dask, on_worker
from learnkernels.execution import Chunk, DaskChunks, digest, saving_backend
from learnkernels.kernels import tables
from learnkernels.kernels.tables import is_frame
from learnkernels.machines import ChunkRowSums
from learnkernels.plurals import count_text


@dataclass(frozen=True)
class ChunkNumbers:
    """Numbers about the targets and weights of a chunk.

    Attributes
    ----------
    kept : int
        Rows with a positive weight.
    total, low, high : float
        Sum, smallest and largest of the positive weights.
    targets : ndarray of shape (n_outputs,) or None
        Weighted sum of real targets.
    classes : ndarray of shape (n_found,) or None
        Labels of the rows that are kept, in order.
    counts, weights : ndarray of shape (n_found,) or None
        Rows of each label, and the sums of their weights.
    content : str
        A digest of targets and weights.
    """

    kept: int
    total: float
    low: float
    high: float
    targets: Any
    classes: Any
    counts: Any
    weights: Any
    content: str


class RowsOnWorkers:
    """Rows of a Dask array or frame, with their targets and weights.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
    X : Dask array or frame
    y, sample_weight : Dask array, series or frame, or values in memory
        Of the same rows. Dask arrays may have other chunks than X.
    client : distributed.Client, str or None
        As in `Dask`.
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> None:
        self.backend = DaskChunks(client)
        self.take_rows = partial(take_rows, is_classifier(model))
        X, lengths = chunks_of(X, self.backend)
        starts = np.cumsum([0, *lengths])
        y = pieces(y, "y", starts)
        w = [None] * len(lengths)
        if sample_weight is not None:
            w = pieces(sample_weight, "sample_weight", starts)
        parts = [one for one in zip(lengths, X, y, w, strict=True) if one[0]]
        self.starts = np.cumsum([0, *(rows for rows, *_ in parts)])
        self.n_rows = int(self.starts[-1])
        self.chunks = [Chunk(rows, tuple(values)) for rows, *values in parts]
        task = partial(chunk_numbers, is_classifier(model))
        labels = [Chunk(rows, (rows, *values)) for rows, _, *values in parts]
        self.numbers = list(self.backend.map(task, labels, "targets"))
        self.n_kept = sum(one.kept for one in self.numbers)
        low = min((one.low for one in self.numbers), default=1.0)
        high = max((one.high for one in self.numbers), default=1.0)
        model._check_weights(self.n_kept, low, high)
        self.weighted = low != 1 or high != 1 or self.n_kept < self.n_rows
        found = [one.classes for one in self.numbers if one.classes is not None]
        self.classes: Any = np.unique(np.concatenate(found)) if found else None
        self.counts: Any = self._class_counts()

    def _class_counts(self) -> np.ndarray | None:
        """Return how many rows of each class are kept, (n_chunks, n_classes), or None."""
        if self.classes is None:
            return None
        found = np.zeros((len(self.numbers), len(self.classes)), dtype=np.intp)
        for row, one in zip(found, self.numbers, strict=True):
            row[np.searchsorted(self.classes, one.classes)] = one.counts
        return found

    def class_counts(self) -> np.ndarray | None:
        """Return how many rows of each class are kept, (n_classes,); None for regression."""
        return None if self.counts is None else self.counts.sum(axis=0)

    def take(self, kept: np.ndarray, members: dict[int, np.ndarray]) -> tuple[Any, ...]:
        """Return rows in ascending order: their indices, X, y and weights.

        Parameters
        ----------
        kept : ndarray of int
            Positions among the rows that are kept.
        members : dict from the number of a class to ndarray of int
            Positions among the rows of this class that are kept.
        """
        wanted = split(kept, [one.kept for one in self.numbers])
        counts, labels = self.counts, self.classes
        of_class = {labels[k]: split(at, counts[:, k]) for k, at in members.items()}
        chosen = []
        for c, chunk in enumerate(self.chunks):
            some = [(label, parts[c]) for label, parts in of_class.items() if len(parts[c])]
            if some or len(wanted[c]):
                chosen.append((c, Chunk(chunk.rows, (wanted[c], some, *chunk.values))))
        found = list(self.backend.map(self.take_rows, [one for _, one in chosen], "subsample"))
        index = [self.starts[c] + one[0] for (c, _), one in zip(chosen, found, strict=True)]
        X = joined([one[1] for one in found])
        y, w = (np.concatenate([one[k] for one in found]) for k in (2, 3))
        return np.concatenate(index), X, y, w

    def read_all(self) -> tuple[Any, ...]:
        """Return all rows, for tables that are not larger than the subsample."""
        whole = [Chunk(one.rows, (None, [], *one.values)) for one in self.chunks]
        found = list(self.backend.map(self.take_rows, whole, "rows"))
        return joined([one[1] for one in found]), *(
            np.concatenate([one[k] for one in found]) for k in (2, 3)
        )

    def row_sums(self, model: Any) -> ChunkRowSums:
        """Return sums over the rows with targets of the machine, after the fit of the subsample."""
        factors = None
        if is_classifier(model):
            factors = self.class_factors(model)
            weights = np.zeros(len(self.classes))
            for one in self.numbers:
                weights[np.searchsorted(self.classes, one.classes)] += one.weights
            weights = weights * factors
            total = float(weights.sum())
            means = weights @ model._known_targets(self.classes).machine / total
        else:
            total = float(sum(one.total for one in self.numbers))
            means = np.sum([one.targets for one in self.numbers], axis=0) / total
        convert = partial(samples_of, on_worker(model, uncertainty=False), factors)
        content = [one.content for one in self.numbers]
        backend = saving_backend(self.backend, model.checkpoint, self.n_rows, content, factors)
        return ChunkRowSums(self.chunks, convert, total, means, backend)

    def class_factors(self, model: Any) -> np.ndarray:
        """Return the factor of the weights of each class, shape (n_classes,)."""
        if isinstance(model.class_weight, str):  # "balanced"
            return balanced_weights(self.counts.sum(axis=0))
        return np.asarray(model._class_weights(self.classes), dtype=float)


def chunks_of(X: Any, backend: DaskChunks) -> tuple[list[Any], list[int]]:
    """Return the chunks of rows of a Dask array or frame, and their lengths."""
    if is_frame(X):
        column = partitions(X[[X.columns[0]]])  # of a Parquet file, only this one is read
        lengths = backend.map(length, [Chunk(0, (one,)) for one in column], "rows")
        return partitions(X), list(lengths)
    require_known(X, "X")
    if X.ndim != 2:
        raise InputError(
            f"X is a Dask array with ndim={X.ndim}; expected samples in rows and features in "
            "columns. Reshape it to two dimensions."
        )
    X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    return X.to_delayed().ravel().tolist(), list(X.chunks[0])


def partitions(frame: Any) -> list[Any]:
    """Return the partitions of a Dask frame or series as `dask.delayed` values.

    Only the columns that are used are read. A whole optimisation could join partitions of a Parquet
    file, for X in another way than for y.
    """
    frame = frame.simplify() if hasattr(frame, "simplify") else frame
    return list(frame.to_delayed(optimize_graph=False))


def require_known(values: Any, name: str) -> None:
    """Raise if the lengths of the chunks of a Dask array are not known."""
    if np.isnan(values.shape[0]):
        raise InputError(
            f"the chunks of {name} have unknown lengths; call {name}.compute_chunk_sizes() before."
        )


def length(values: Any) -> int:
    """Return the number of rows of a chunk."""
    return tables.n_rows(values[0])


def pieces(values: Any, name: str, starts: np.ndarray) -> list[Any]:
    """Return the targets or weights of each chunk of X.

    Parameters
    ----------
    values : Dask array, series or frame, or values in memory
    name : str
        Name in messages.
    starts : ndarray of shape (n_chunks + 1,)
        First row of each chunk.
    """
    n = int(starts[-1])
    if is_dask(values) and hasattr(values, "npartitions") and not hasattr(values, "chunks"):
        found = partitions(values)
        if len(found) != len(starts) - 1:
            raise InputError(
                f"X has {count_text(len(starts) - 1, 'partition')} and {name} has {len(found)}; "
                f"expected the same rows in each: take {name} from the same frame as X, or call "
                "repartition on both with the same divisions."
            )
        return found
    if is_dask(values):
        require_known(values, name)
    else:
        values = values if hasattr(values, "iloc") else np.asarray(values)
    if len(values) != n:
        raise InputError(
            f"X has {count_text(n, 'row')} and {name} has {len(values)}; pass one value for each "
            "row."
        )
    if is_dask(values):
        rows = tuple(np.diff(starts).tolist())
        return values.rechunk((rows, *values.shape[1:])).to_delayed().ravel().tolist()
    return [tables.rows(values, slice(a, b)) for a, b in pairwise(starts)]


def split(positions: np.ndarray, counts: Any) -> list[np.ndarray]:
    """Return positions in each chunk, from ascending positions among the rows of all chunks."""
    ends = np.cumsum(counts)
    parts = np.split(positions, np.searchsorted(positions, ends[:-1]))
    return [part - start for part, start in zip(parts, ends - counts, strict=True)]


def targets_and_weights(y: Any, w: Any, classes: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the targets and weights of a chunk as arrays; labels are of one dimension."""
    y = np.asarray(y)
    y = y[:, 0] if classes and y.ndim == 2 and y.shape[1] == 1 else y
    return y, np.ones(len(y)) if w is None else np.asarray(w, dtype=float).ravel()


def chunk_numbers(classes: bool, values: tuple[Any, ...]) -> ChunkNumbers:
    """Check targets and weights of a chunk, on a worker, and return numbers about them.

    Parameters
    ----------
    classes : bool
        Whether the targets are labels.
    values : tuple of the number of rows of X, y, and weights or None
    """
    n, y, w = values
    for name, one in (("y", y), ("sample_weight", w)):
        if one is not None and len(one) != n:
            raise InputError(
                f"a partition of X has {count_text(n, 'row')} and that of {name} has {len(one)}; "
                f"expected the same rows in each; pass {name} from the same frame as X."
            )
    y, w = targets_and_weights(y, w, classes)
    with as_input_error():
        y = _check_y(y, multi_output=not classes, y_numeric=not classes)
        if w.any():  # scikit-learn refuses a chunk whose weights are all zero
            w = _check_sample_weight(w, np.broadcast_to(0.0, (n, 1)), ensure_non_negative=True)
    kept = np.flatnonzero(w)
    edges = (float(w[kept].min()), float(w[kept].max())) if len(kept) else (np.inf, -np.inf)
    about, content = (len(kept), float(w.sum()), *edges), digest(y, w)
    if not classes:
        targets = w @ np.asarray(y, dtype=float).reshape(n, -1)
        return ChunkNumbers(*about, targets, None, None, None, content)
    y, w = y[kept], w[kept]
    codes = class_codes(y)[1] if len(kept) else np.zeros(0, dtype=int)
    return ChunkNumbers(
        *about, None, np.unique(y), np.bincount(codes), np.bincount(codes, w), content
    )


def take_rows(classes: bool, values: Any) -> tuple[Any, ...]:
    """Return some rows of a chunk, on a worker: their indices, X, y and weights.

    The first two values are positions among the rows that are kept (None for all rows), and
    positions among those of each label.
    """
    wanted, members, X, y, w = values
    y, w = targets_and_weights(y, w, classes)
    if wanted is None:
        return np.arange(len(w)), X, y, w
    kept = np.flatnonzero(w)
    parts = [kept[wanted], *(kept[y[kept] == label][at] for label, at in members)]
    index = np.unique(np.concatenate(parts))
    return index, tables.rows(X, index), y[index], w[index]


def samples_of(
    model: Any, factors: np.ndarray | None, values: tuple[Any, ...]
) -> tuple[Callable[[slice], Any], np.ndarray, np.ndarray]:
    """Return a function that reads samples of a chunk, its targets and its weights, on a worker.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
        Fitted to the subsample.
    factors : ndarray of shape (n_classes,) or None
        Of the weights of each class.
    values : tuple of X, y and weights or None
    """
    X, y, w = values
    y, w = targets_and_weights(y, w, is_classifier(model))
    kept = np.flatnonzero(w)
    some = model._known_targets(y[kept]).machine
    Y = np.zeros((len(w), some.shape[1]))
    Y[kept] = some
    if factors is not None:
        w = w.copy()
        w[kept] *= factors[np.searchsorted(model.classes_, y[kept])]
    return partial(read_chunk, model, X), Y, w


def read_chunk(model: Any, X: Any, rows: slice) -> Any:
    """Return a range of rows of a chunk, validated for the kernels."""
    with suppressed(TableWarning):
        return model._validate(tables.rows(X, rows), reset=False)
