"""Read tables from files and prepare them for the kernels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from learnkernels._warnings import warn
from learnkernels.cli.files import (
    check_csv,
    check_memory,
    first_bytes,
    is_parquet,
    open_text,
    read_header,
)
from learnkernels.errors import InputError
from learnkernels.estimators.preprocessing import TablePreprocessor
from learnkernels.estimators.transformer import looks_like_classes
from learnkernels.execution import require_memory
from learnkernels.plurals import count_text

# The default from pandas 3 on.
PANDAS_2 = int(pd.__version__.partition(".")[0]) < 3
EXACT_FLOATS: dict[str, Any] = {"float_precision": "round_trip"} if PANDAS_2 else {}
# Bytes per entry of a one-hot encoded category: in the table, and in the samples of the kernels.
ENCODED_BYTES = 16
# A column of text is probably numeric up to this part of cells that are not numbers, and an
# identifier above these numbers of different values: absolute, and relative to the rows.
MAX_WRONG = 0.2
MIN_VALUES, MAX_DISTINCT = 20, 0.5


def read_table(path: str, sep: str = ",", encoding: str = "utf-8") -> pd.DataFrame:
    """Read a CSV (plain or compressed) or Parquet file.

    Parameters
    ----------
    path : str
        The file; its format is detected from its first bytes. CSV has a header row.
    sep : str, default=","
        Separator of the columns of a CSV file.
    encoding : str, default="utf-8"
        Encoding of a CSV file.
    """
    first, sep = first_bytes(path), separator(sep)
    with translated(path, encoding):
        table = read_parquet(path) if is_parquet(first) else read_csv(path, first, sep, encoding)
    require_rows(len(table), path)
    return checked_table(table, path)


@contextmanager
def translated(path: str, encoding: str) -> Iterator[None]:
    """Turn the errors of readers into errors that say how to fix the file."""
    try:
        yield
    except (InputError, GeneratorExit):
        raise
    except ImportError as error:
        raise InputError(
            f"reading {path!r} needs pyarrow, which is not installed; run pip install "
            "'learnkernels[parquet]'."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path!r} is not text in {encoding.upper()}; pass its encoding, such as --encoding "
            "latin-1, or convert it to UTF-8."
        ) from error
    except Exception as error:  # readers raise many types for damaged files
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise unreadable(path, reason) from error


def require_rows(n: int, path: str) -> None:
    """Raise if a table has no rows."""
    if n == 0:
        raise InputError(f"{path!r} has a header but no rows; expected one row per sample.")


def unreadable(path: str, reason: str) -> InputError:
    """Return the error of a file that is not a table."""
    return InputError(f"{path!r} cannot be read as a table: {reason.removesuffix('.')}.")


def checked_table(table: pd.DataFrame, path: str) -> pd.DataFrame:
    """Return a table with unique texts as names of its columns."""
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        duplicates = table.columns[table.columns.duplicated()].tolist()
        raise InputError(
            f"{path!r} has several columns of the same name: {duplicates[:5]}; rename them."
        )
    return table


def separator(text: str) -> str:
    r"""Return the separator that an option names; the two characters ``\t`` are a tab."""
    sep = "\t" if text == r"\t" else text
    if len(sep) != 1 or sep in '"\r\n':
        raise InputError(
            f"--sep {text!r} is not a separator; expected one character such as ';' or '\\t'."
        )
    return sep


def read_parquet(path: str) -> pd.DataFrame:
    """Read a Parquet file after checking that the table fits into memory."""
    from pyarrow.parquet import read_metadata

    shape = read_metadata(path)
    check_memory(path, shape.num_rows, shape.num_columns)
    # Raises if a page differs from its checksum; the format has them as an option.
    return pd.read_parquet(path, engine="pyarrow", page_checksum_verification=True)


def read_csv(path: str, first: bytes, sep: str = ",", encoding: str = "utf-8") -> pd.DataFrame:
    """Read a CSV file with a valid header; the type of a column is inferred from all its cells."""
    check_csv(path, first, sep, encoding)
    with open_text(path, first, sep, encoding) as text, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells without a column name
        names, lines = read_header(text, path, sep)
        try:
            table = pd.read_csv(
                text, sep=sep, header=None, names=names, index_col=False, low_memory=False,
                **EXACT_FLOATS,
            )  # fmt: skip
            return table.copy()  # contiguous: the reader allocates each column separately
        except pd.errors.EmptyDataError:
            return pd.DataFrame(columns=names)
        except pd.errors.ParserError as error:
            raise unreadable(path, parser_message(error, lines)) from error


def parser_message(error: pd.errors.ParserError, lines: int) -> str:
    """Return the message of pandas, with line numbers that count the `lines` of the header."""
    text = str(error).strip()
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", text):
        names, line, cells = map(int, found.groups())
        return (
            f"line {line + lines} has {count_text(cells, 'cell')}, but there are "
            f"{count_text(names, 'column')}"
        )
    if found := re.search(r"EOF inside string starting at row (\d+)", text):
        return f"a quote that is opened in line {int(found[1]) + 1 + lines} is never closed"
    return text.removeprefix("Error tokenizing data. C error: ").splitlines()[0].removesuffix(".")


def number_columns(X: pd.DataFrame) -> list[str]:
    """Return the names of numeric columns; all others are categories."""
    return list(X.select_dtypes("number", exclude="timedelta").columns)


def convert_columns(X: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Convert the columns `numbers` to floats and all others to text, with NaN if missing."""
    wanted = set(numbers)
    plain = [name for name in number_columns(X) if name in wanted]
    floats = X[plain].astype(float)  # all at once, because a table may have many columns
    rest = X.columns.difference(plain, sort=False)
    others = {name: convert_column(X[name], name in wanted) for name in rest}
    return pd.concat([floats, pd.DataFrame(others, index=X.index)], axis=1)[list(X.columns)]


def convert_column(column: pd.Series, number: bool) -> pd.Series:
    """Convert one column to floats or text."""
    if not number:
        text = column.map(str, na_action="ignore").astype(object)
        return text.where(column.notna(), np.nan)
    values = pd.to_numeric(column, errors="coerce").astype(float)
    lost = int(values.isna().sum() - column.isna().sum())
    if lost:
        raise InputError(
            f"column {column.name!r} contains text in {count_text(lost, 'row')}, but the model was "
            "trained on numbers; write numbers, or leave these cells empty."
        )
    return values


def split_target(table: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and target; raise if target values are missing."""
    if target not in table.columns:
        raise InputError(
            f"there is no column {target!r}; the columns are {column_list(table)}. Choose one of "
            f"them as the target.{header_hint(table)}"
        )
    y = table[target]
    if y.isna().any():
        raise InputError(
            f"the target {target!r} is missing in {int(y.isna().sum())} of "
            f"{count_text(len(y), 'row')}; remove rows without a target."
        )
    X = table.drop(columns=target)
    if X.shape[1] == 0:
        raise InputError(
            f"the file has no column besides the target {target!r}; features are needed."
        )
    return X, y


def task_of_target(y: pd.Series, task: str) -> str:
    """Return `task`, or the task inferred from the target if it is "auto"."""
    numeric = pd.api.types.is_numeric_dtype(y) and not pd.api.types.is_bool_dtype(y)
    if task == "regression" and not numeric:
        raise InputError(
            f"the target {y.name!r} contains text, but regression needs numbers; "
            "pass --task classification."
        )
    if task == "classification" and numeric and (y % 1 != 0).any():
        first = y[y % 1 != 0].iloc[0]
        raise InputError(
            f"the target {y.name!r} contains numbers that are not integers, such as {first}, but "
            "classification needs class labels; pass --task regression."
        )
    if task != "auto":
        return task
    classes = not numeric or looks_like_classes(y.to_numpy(dtype=float))
    return "classification" if classes else "regression"


def target_values(y: pd.Series, task: str) -> np.ndarray:
    """Return the target as floats for regression, or as class labels."""
    if task == "regression":
        return np.asarray(y.to_numpy(dtype=float))
    if pd.api.types.is_numeric_dtype(y):
        return np.asarray(y.to_numpy())
    return np.asarray(y.map(str).to_numpy(dtype=object))


def check_missing(X: pd.DataFrame, allowed: bool, advice: str = "Fill these cells") -> None:
    """Raise if values are missing and this is not allowed, or if values are infinite.

    Parameters
    ----------
    X : DataFrame
    allowed : bool
    advice : str, default="Fill these cells"
        How to accept missing values, the end of the message.
    """
    missing = X.isna().sum()
    missing = missing[missing > 0]
    if len(missing) and not allowed:
        found = ", ".join(f"{name!r} ({count})" for name, count in missing.head(5).items())
        more = f" and {count_text(len(missing) - 5, 'more column')}" if len(missing) > 5 else ""
        raise InputError(f"values are missing in {found}{more}. {advice}.")
    numbers = X[number_columns(X)]
    infinite = numbers.columns[np.isinf(numbers.to_numpy(dtype=float)).any(axis=0)].tolist()
    if infinite:
        raise InputError(f"columns {infinite[:5]} contain infinite values; replace or remove them.")


def warn_about_categories(X: pd.DataFrame, texts: Sequence[str]) -> None:
    """Warn of one-hot encoded columns that are probably numbers, or identifiers.

    Parameters
    ----------
    X : DataFrame
        Converted columns: floats and texts.
    texts : sequence of str
        Columns of texts and sequences, which are not encoded.
    """
    for name in X.columns.difference([*number_columns(X), *texts], sort=False):
        column = X[name].dropna()
        wrong = column[pd.to_numeric(column, errors="coerce").isna()]
        if 0 < len(wrong) <= MAX_WRONG * len(column):
            warn(
                f"column {name!r} is one-hot encoded, because {len(wrong)} of "
                f"{count_text(len(column), 'value')} {'is' if len(wrong) == 1 else 'are'} not a "
                f"number, the first in row {X.index.get_loc(wrong.index[0]) + 1}: "
                f"{wrong.iloc[0]!r}. Write a number, or leave the cell empty and pass --impute.",
                UserWarning,
            )
        elif column.nunique() > max(MIN_VALUES, MAX_DISTINCT * len(column)):
            warn(
                f"column {name!r} is one-hot encoded, and {column.nunique():,} of "
                f"{count_text(len(column), 'value')} are different (the first is "
                f"{column.iloc[0]!r}). Remove the column if it is an identifier, or pass it with "
                "--text.",
                UserWarning,
            )


def preprocessing(
    X: pd.DataFrame, raw: bool, impute: bool, kept: Sequence[str] = ()
) -> TablePreprocessor:
    """Return the transformer of tables like X.

    Numeric columns are standardised (unless `raw`) and all others one-hot encoded. With `impute`,
    missing numbers are replaced by the median and missing categories by the most frequent one. The
    columns `kept` (texts, sequences) are not changed.
    """
    numbers = [name for name in number_columns(X) if name not in kept]
    others = {*numbers, *kept}
    # The categories of the whole table, so that every fold is encoded with the same columns.
    categories = {
        name: sorted(X[name].dropna().unique().tolist()) for name in X.columns if name not in others
    }
    check_encoding(len(X), {name: len(values) for name, values in categories.items()})
    return TablePreprocessor(numbers, categories, list(kept), not raw, impute)


def check_encoding(n: int, counts: dict[str, int]) -> None:
    """Raise if the one-hot encoding does not fit into memory.

    Parameters
    ----------
    n : int
        Number of rows.
    counts : dict
        Number of different values of each categorical column.
    """
    if counts:
        name = max(counts, key=counts.__getitem__)
        require_memory(
            ENCODED_BYTES * n * sum(counts.values()),
            "one-hot encoded categories",
            f"{name!r} has {counts[name]:,} different values in {n:,} rows: remove the column, "
            "group rare values, pass it with --text, or write its numbers with a decimal point",
        )


def header_hint(table: pd.DataFrame) -> str:
    """Return a hint if all column names are numbers, so that the header may be missing."""
    numbers = pd.to_numeric(pd.Series(table.columns), errors="coerce").notna()
    return " All names are numbers: is the header missing?" if numbers.all() else ""


def column_list(table: pd.DataFrame) -> str:
    """Return the names of at most ten columns."""
    names = [repr(str(name)) for name in table.columns]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
