"""Tables in parts, so that predicting a file takes no more memory than some of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import pandas as pd

from learnkernels.cli.data import (
    EXACT_FLOATS,
    checked_table,
    parser_message,
    require_rows,
    separator,
    translated,
    unreadable,
)
from learnkernels.cli.files import (
    check_columns,
    check_csv,
    first_bytes,
    is_parquet,
    open_text,
    read_header,
)
from learnkernels.estimators.input.parts import ParquetTable

# Cells of one part.
CELLS = 500_000
# Bytes of memory that a fit takes for each cell: the table, arrays of float64 and copies of both.
BYTES_OF_CELL = 96


@dataclass(frozen=True)
class ConvertedTable:
    """A Parquet file whose rows are read when they are needed, converted as those of any table.

    Attributes
    ----------
    table : ParquetTable
    convert : callable
        Converts a frame of some rows.
    """

    table: ParquetTable
    convert: Callable[[pd.DataFrame], pd.DataFrame]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.table.shape

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: slice) -> pd.DataFrame:
        return self.convert(self.table[rows])


def table_parts(
    path: str, sep: str = ",", encoding: str = "utf-8", cells: int = CELLS
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a CSV or Parquet file in parts, with the column types of the whole file.

    Parameters
    ----------
    path, sep, encoding
        As in `read_table`.
    cells : int
        Number of cells of a part.
    """
    first, sep = first_bytes(path), separator(sep)
    found = 0
    with translated(path, encoding):
        parts = (
            parquet_parts(path, cells)
            if is_parquet(first)
            else csv_parts(path, first, sep, encoding, cells)
        )
        for part in parts:
            found += len(part)
            if len(part):
                yield checked_table(part, path)
    require_rows(found, path)


def bytes_in_memory(path: str) -> float:
    """Return an estimate of the bytes that a fit of a whole Parquet file takes for its cells."""
    from pyarrow.parquet import read_metadata

    with translated(path, "utf-8"):
        found = read_metadata(path)
    return float(BYTES_OF_CELL * found.num_rows * found.num_columns)


def parquet_parts(path: str, cells: int) -> Iterator[pd.DataFrame]:
    """Yield the rows of a Parquet file; at most one of its row groups is in memory."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    # Integers with missing cells stay integers, whether or not a part has missing cells.
    integers = {
        kind: pd.Int64Dtype()
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16())
    }
    with ParquetFile(path, page_checksum_verification=True) as file:
        columns = len(file.schema_arrow.names)
        check_columns(path, columns)
        size = max(cells // max(columns, 1), 1)
        for batch in file.iter_batches(size, use_threads=False):  # as in `data.read_parquet`
            yield batch.to_pandas(types_mapper=integers.get).reset_index(drop=True)


def csv_parts(
    path: str, first: bytes, sep: str, encoding: str, cells: int
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a CSV file; a pass before finds the type of each column."""
    check_csv(path, first, sep, encoding, whole=False)
    with open_text(path, first, sep, encoding, whole=False) as text:
        names, lines = read_header(text, path, sep)
        rows = max(cells // len(names), 1)
        types = column_types(read_parts(text, path, sep, names, lines, rows))
    with open_text(path, first, sep, encoding, whole=False) as text:
        read_header(text, path, sep)
        yield from read_parts(text, path, sep, names, lines, rows, types)


def read_parts(
    text: IO[str], path: str, sep: str, names: list[str], lines: int, rows: int,
    types: dict[str, Any] | None = None,
) -> Iterator[pd.DataFrame]:  # fmt: skip
    """Yield the rows behind the header, with types that are given or inferred from each part."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells without a column name
        try:
            yield from pd.read_csv(
                text, sep=sep, header=None, names=names, index_col=False, low_memory=False,
                dtype=types, chunksize=rows, **EXACT_FLOATS,
            )  # fmt: skip
        except pd.errors.EmptyDataError:
            return
        except pd.errors.ParserError as error:
            raise unreadable(path, parser_message(error, lines)) from error


def column_types(parts: Iterator[pd.DataFrame]) -> dict[str, Any] | None:
    """Return the types that pandas infers from all rows, for columns whose parts differ in type."""
    kinds: dict[str, set[str]] = {}
    for part in parts:
        for name, column in part.items():
            kind = pd.api.types.infer_dtype(column, skipna=True)
            missing = kind == "floating" and column.isna().all()
            kinds.setdefault(str(name), set()).add("empty" if missing else kind)
    found: dict[str, Any] = {}
    for name, seen in kinds.items():
        if seen <= {"integer", "floating", "empty"}:
            if len(seen) > 1:
                found[name] = float
        elif seen - {"empty"} != {"boolean"}:
            found[name] = object
    return found
