"""Tables that are read in parts, so that they need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError, InputTypeError, RowError
from learnkernels.kernels import tables
from learnkernels.kernels.tables import is_frame, is_lazy

# Rows that are read at once to draw a subsample, or to predict.
ROWS = 65_536
# Rows of a batch of a Parquet file, and earlier rows that are kept for tasks in parallel.
BATCH, KEPT = 8192, 65_536


class Parts(Protocol):
    """Rows of a table, read when they are needed."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def read(self, rows: slice) -> Any:
        """Return a range of rows as an array or frame in memory."""

    def take(self, index: np.ndarray) -> Any:
        """Return some rows, given in ascending order."""


@dataclass(frozen=True)
class RowsInMemory:
    """An array, `numpy.memmap`, sparse matrix or frame."""

    X: Any

    @property
    def n_rows(self) -> int:
        return tables.n_rows(self.X)

    def read(self, rows: slice) -> Any:
        return tables.rows(self.X, rows)

    def take(self, index: np.ndarray) -> Any:
        return tables.rows(self.X, index)


@dataclass(frozen=True)
class SlicedRows:
    """An array of Zarr, HDF5 or Dask, or a `ParquetTable`: anything that is read by slices."""

    X: Any

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def read(self, rows: slice) -> Any:
        found = self.X[rows]
        found = found.compute() if hasattr(found, "__dask_graph__") else found
        return found if is_frame(found) else np.asarray(found)

    def take(self, index: np.ndarray) -> Any:
        if hasattr(self.X, "__dask_graph__"):  # other rows stay where they are
            return np.asarray(self.X[index].compute())
        return taken(self, index)


class PartitionedRows:
    """A frame of Dask; the partition that was read last is kept."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.starts = np.cumsum([0, *X.map_partitions(len).compute()])
        self.n_rows = int(self.starts[-1])
        self.last: tuple[int, Any] = -1, None

    def read(self, rows: slice) -> Any:
        first, last = np.searchsorted(self.starts, [rows.start, rows.stop - 1], "right") - 1
        found = []
        for k in range(first, last + 1):
            start, frame = self.starts[k], self.partition(k)
            found.append(frame.iloc[max(rows.start - start, 0) : rows.stop - start])
        return joined(found)

    def partition(self, k: int) -> Any:
        """Return one partition in memory."""
        last, frame = self.last
        if last != k:
            frame = self.X.get_partition(int(k)).compute()
            self.last = k, frame
        return frame

    def take(self, index: np.ndarray) -> Any:
        from dask.delayed import delayed

        at = np.split(index, np.searchsorted(index, self.starts[1:-1]))
        some = zip(range(len(at)), at, self.starts, strict=False)
        found = [
            delayed(tables.rows)(self.X.get_partition(k), inside - start)
            for k, inside, start in some
            if len(inside)
        ]
        return joined(delayed(list)(found).compute())  # other rows stay where they are


class ParquetTable:
    """The columns of a Parquet file, of which only some rows are in memory at a time.

    Parameters
    ----------
    path : path-like
    columns : list of str

    Attributes
    ----------
    shape : tuple of (int, int)
    """

    def __init__(self, path: str, columns: list[str]) -> None:
        self.path, self.columns = path, columns
        with open_file(path) as file:
            groups = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        self.starts = np.cumsum([0, *groups])
        self.shape = int(self.starts[-1]), len(columns)
        self._reset()

    def _reset(self) -> None:
        self._lock = Lock()
        self._recent: list[tuple[int, Any]] = []  # first row, frame
        self._next = 0
        self._batches: Iterator[Any] = iter(())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._reset()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Any:
        """Return a range of rows as a frame; ranges in ascending order are fast."""
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            raise InputError(
                f"{rows!r} is not a range of rows; pass a range such as X[:1000], or X[:] for the "
                "whole table as a frame."
            )
        start, stop, _ = rows.indices(len(self))
        if stop <= start:
            with open_file(self.path) as file:
                return file.schema_arrow.empty_table().select(self.columns).to_pandas()
        with self._lock:
            try:
                return joined(self._pieces(start, stop))
            except BaseException:  # the batches are not at the next row any more
                self._recent = []
                raise

    def _pieces(self, start: int, stop: int) -> list[Any]:
        """Return the frames of a range of rows; read on until its end."""
        if not self._recent or not self._recent[0][0] <= start <= self._next:
            self._restart(start)
        while self._next < stop:
            frame = next(self._batches)
            self._recent.append((self._next, frame))
            self._next += len(frame)
        found = [
            frame.iloc[max(start - first, 0) : stop - first]
            for first, frame in self._recent
            if first < stop and first + len(frame) > start
        ]
        while self._recent[0][0] + len(self._recent[0][1]) < self._next - KEPT:
            self._recent.pop(0)
        return found

    def _restart(self, row: int) -> None:
        """Start to read at the row group that contains a row."""
        group = min(int(np.searchsorted(self.starts, row, "right")) - 1, len(self.starts) - 2)
        self._recent = []
        self._next, self._batches = int(self.starts[group]), batches(self, group)


def open_parquet(path: Any, target: str | list[str]) -> tuple[ParquetTable, np.ndarray]:
    """Open a Parquet file whose rows are read when they are needed.

    Parameters
    ----------
    path : path-like
        The file. Many row groups of moderate size (some 10,000 rows) take the least memory.
    target : str or list of str
        Name of the column to predict, or of several.

    Returns
    -------
    X : ParquetTable
        All other columns. `fit` with ``subsample=`` and `predict` read it in parts, other functions
        as a whole.
    y : ndarray of shape (n_rows,) or (n_rows, n_targets)
        The targets, in memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, pandas as pd
    >>> import learnkernels as lk
    >>> values = np.random.default_rng(0).standard_normal((3000, 2))
    >>> table = pd.DataFrame(values, columns=["a", "b"])
    >>> table["y"] = np.sin(table["a"]) + table["b"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "big.parquet")
    ...     table.to_parquet(path, row_group_size=1000)
    ...     X, y = lk.open_parquet(path, target="y")
    ...     model = lk.KernelRegressor(subsample=500, n_components=100).fit(X, y)
    >>> X.shape
    (3000, 2)
    >>> bool(model.score(table[["a", "b"]], y) > 0.99)
    True
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise InputError(f"path={path!r}; expected the path of a Parquet file.")
    path = os.fsdecode(path)
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise InputError("target is empty; pass the name of a column, or a list of names.")
    with open_file(path) as file:
        index = (file.schema_arrow.pandas_metadata or {}).get("index_columns", [])
        names = [name for name in file.schema_arrow.names if name not in index]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"{path!r} has several columns {twice!r}; rename them.")
        missing = [name for name in targets if name not in names]
        if missing:
            listed = ", ".join(map(repr, names[:10]))
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            raise InputError(
                f"{path!r} has no column {missing[0]!r}; its columns are {listed}{more}. Pass one "
                "of them as target=."
            )
        y = file.read(columns=targets, use_threads=False).to_pandas()[targets].to_numpy()
    columns = [name for name in names if name not in targets]
    if not len(y) or not columns:
        what = "no rows" if not len(y) else "only columns of the target"
        raise InputError(f"{path!r} has {what}; pass a file with rows and other columns.")
    return ParquetTable(path, columns), y[:, 0] if isinstance(target, str) else y


def open_file(path: str) -> Any:
    """Return an open Parquet file, whose pages are compared with their checksums.

    It is read by one thread: an error in one of several threads may crash the interpreter (pyarrow
    15 to 18 at least).
    """
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise InputError(
            "Parquet files need pyarrow; install it with pip install 'learnkernels[parquet]'."
        ) from error
    try:
        return ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path!r}; check the path.") from error
    except (ValueError, OSError) as error:
        raise InputError(
            f"{path!r} cannot be read as a Parquet file ({error}). Pass a Parquet file; "
            "pandas.DataFrame.to_parquet writes one."
        ) from error


def batches(table: ParquetTable, group: int) -> Iterator[Any]:
    """Yield the rows of a Parquet file as frames, from a row group on."""
    with open_file(table.path) as file:
        groups = list(range(group, file.num_row_groups))
        for batch in file.iter_batches(
            BATCH, row_groups=groups, columns=table.columns, use_threads=False
        ):
            yield batch.to_pandas().reset_index(drop=True)


def require_one_table(X: Any) -> None:
    """Raise if X is a group of tables or arrays: an HDF5 file, a Zarr group, a dictionary."""
    if hasattr(X, "shape") or not hasattr(X, "keys"):
        return
    with as_input_error("X: "):
        names = list(X.keys())
    library = type(X).__module__.partition(".")[0]
    what = f"X is a {type(X).__name__}{'' if library == 'builtins' else f' of {library}'}"
    if not names:
        raise InputTypeError(f"{what} without entries; expected one table: pass an array.")
    listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    advice = f"one of them, such as X[{names[0]!r}]"
    if isinstance(X, dict) and np.asarray(X[names[0]], dtype=object).ndim == 1:
        advice = "pandas.DataFrame(X)"
    raise InputTypeError(f"{what} with the entries {listed}; expected one table: pass {advice}.")


def as_parts(X: Any) -> Parts:
    """Return the rows of a table, read when they are needed."""
    require_one_table(X)
    if sparse.issparse(X):
        return RowsInMemory(X.tocsr())
    if isinstance(X, list | tuple):
        with as_input_error("X: "):
            return RowsInMemory(np.asarray(X))
    if not is_lazy(X):
        return RowsInMemory(X)
    if not is_frame(X) and np.isnan(X.shape[0]):
        raise InputError(
            "the chunks of X have unknown lengths; call X.compute_chunk_sizes() before."
        )
    if hasattr(X, "__dask_graph__") and is_frame(X):
        return PartitionedRows(X)
    return SlicedRows(X)


def state_of(X: Any) -> list[int]:
    """Return size and time of the last change of a file with rows; an empty list without a file."""
    file = X.path if isinstance(X, ParquetTable) else getattr(X, "filename", None)
    if not isinstance(file, str | os.PathLike):
        return []
    found = Path(file).stat()
    return [found.st_size, found.st_mtime_ns]


def ranges_of(n: int) -> list[slice]:
    """Divide n rows into ranges of at most `ROWS` rows."""
    return [slice(start, min(start + ROWS, n)) for start in range(0, max(n, 1), ROWS)]


def by_parts(function: Callable[[Any], Any], X: Any) -> list[Any]:
    """Apply a function to each part of a table that is not in memory, and return the results."""
    parts, found = as_parts(X), []
    for rows in ranges_of(parts.n_rows):
        with counting_rows_from(rows.start):
            found.append(function(parts.read(rows)))
    return found


@contextmanager
def counting_rows_from(start: int) -> Iterator[None]:
    """Change the number of the row in errors about rows of X from `start` on."""
    try:
        yield
    except RowError as error:
        if not start:
            raise
        raise error.with_row(start + error.row) from error


@contextmanager
def counting_rows_of(index: np.ndarray) -> Iterator[None]:
    """Change the number of the row in errors about the rows `index` of X."""
    try:
        yield
    except RowError as error:
        raise error.with_row(int(index[error.row])) from error


def taken(parts: Parts, index: np.ndarray) -> Any:
    """Return some rows, given in ascending order, by reading all rows once."""
    found = []
    for rows in ranges_of(parts.n_rows):
        inside = index[np.searchsorted(index, rows.start) : np.searchsorted(index, rows.stop)]
        if len(inside):
            found.append(tables.rows(parts.read(rows), inside - rows.start))
    return joined(found)


def joined(found: list[Any]) -> Any:
    """Concatenate arrays or pandas frames along the rows."""
    if len(found) == 1:
        return found[0].reset_index(drop=True) if is_frame(found[0]) else found[0]
    if not is_frame(found[0]):
        return np.concatenate(found)
    import pandas as pd

    return pd.concat(found, ignore_index=True)
