"""Predictions of Dask arrays and frames: lazy, computed by the workers that have the chunks."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.kernels.tables import is_frame, n_rows

# Attributes that no prediction reads, and that grow with the number of training samples; and those
# that only standard deviations and intervals read.
NOT_READ, UNCERTAINTY = ("_coefficients", "subsample_", "selection_"), ("_posterior",)
# Name of the column of predictions in a frame.
PREDICTION = "prediction"


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask array or frame."""
    return hasattr(X, "__dask_graph__")


def on_worker(model: Any, uncertainty: bool = True) -> Any:
    """Return a copy of an estimator for the workers: one thread, and only what they read.

    Parameters
    ----------
    model : fitted estimator
    uncertainty : bool
        Whether standard deviations or intervals will be predicted.
    """
    found = copy(model)
    for name in (*NOT_READ, *(() if uncertainty else UNCERTAINTY)):
        found.__dict__.pop(name, None)
    found.backend, found.n_jobs, found.verbose = None, 1, False
    return found


@dataclass(frozen=True)
class Result:
    """One result of a method that predicts.

    Attributes
    ----------
    like : ndarray of shape (0, ...)
        The result for no samples, which has its type and number of columns.
    columns : list or None
        Names of the columns in a frame; None for a series.
    """

    like: np.ndarray
    columns: list[Any] | None = None

    @classmethod
    def of(cls, n_columns: int | None, columns: list[Any]) -> Result:
        """Return a result of real numbers: one for each sample if `n_columns` is None."""
        if n_columns is None:
            return cls(np.empty(0))
        return cls(np.empty((0, n_columns)), columns)

    def as_pandas(self, values: np.ndarray, index: Any) -> Any:
        """Return the result as a series, or as a frame if it has columns."""
        import pandas as pd

        if self.columns is None:
            return pd.Series(values, index=index, name=PREDICTION)
        return pd.DataFrame(
            values.reshape(len(values), len(self.columns)), index=index, columns=self.columns
        )


@dataclass(frozen=True)
class ChunkPrediction:
    """A method of an estimator on the rows of a chunk."""

    method: str
    options: dict[str, Any]
    which: int  # result of a method that returns several
    result: Result

    def __call__(self, X: Any, model: Any) -> np.ndarray:
        """Return predictions of an array."""
        if n_rows(X) == 0:
            return self.result.like
        found = getattr(model, self.method)(X, **self.options)
        return found[self.which] if isinstance(found, tuple) else found

    def framed(self, X: Any, model: Any) -> Any:
        """Return predictions of a frame, with its index."""
        return self.result.as_pandas(self(X, model), X.index)


def lazy_prediction(model: Any, method: str, X: Any, *results: Result, **options: Any) -> Any:
    """Return the predictions of a Dask array or frame as lazy ones with the same chunks.

    Parameters
    ----------
    model : fitted estimator
    method : str
        Name of the method that predicts a chunk.
    X : Dask array or frame
    *results : Result
        What the method returns.
    **options
        Of the method.

    Returns
    -------
    Dask array, series or frame; a tuple of them if there are several results
    """
    from dask.delayed import delayed

    require_columns(model, X)
    uncertainty = len(results) > 1 or method == "predict_interval"
    # One node of the graph, which all chunks share.
    sent = delayed(on_worker(model, uncertainty), traverse=False)
    predict = predict_frame if is_frame(X) else predict_array
    found = [
        predict(X, ChunkPrediction(method, options, which, result), sent)
        for which, result in enumerate(results)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def require_columns(model: Any, X: Any) -> None:
    """Raise if no chunk of a Dask array can be predicted; frames are checked by chunk."""
    if is_frame(X):
        return
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise InputError(
            f"X is a Dask array of shape {X.shape}; expected (n_samples, {model.n_features_in_}), "
            "the features that the model was trained on. Select these columns."
        )
    if X.dtype.kind not in "biuf" and not model._reads_tables:
        raise InputError(
            f"X is a Dask array of type {X.dtype}; expected numbers. Convert it with "
            "X.astype(float)."
        )


def predict_array(X: Any, chunk: ChunkPrediction, sent: Any) -> Any:
    """Return predictions of a Dask array as a Dask array."""
    import dask.array as da

    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    like = chunk.result.like
    axes = tuple(range(2, 1 + like.ndim))  # of the columns of the result
    blockwise: Any = da.blockwise
    return blockwise(
        chunk, (0, *axes), X, (0, 1), sent, None, concatenate=True,
        new_axes=dict(zip(axes, like.shape[1:], strict=True)), dtype=like.dtype, meta=like,
        token=chunk.method,
    )  # fmt: skip


def predict_frame(X: Any, chunk: ChunkPrediction, sent: Any) -> Any:
    """Return predictions of a Dask frame as a lazy series, or a frame for several columns."""
    meta = chunk.result.as_pandas(chunk.result.like, X._meta.index[:0])
    return X.map_partitions(chunk.framed, sent, meta=meta, enforce_metadata=False)
