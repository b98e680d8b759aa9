"""Read tables from files and prepare them for the kernels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from reprlib import repr as shortened
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
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.transformer import looks_like_classes
from learnkernels.kernels.encoding import MAX_WRONG
from learnkernels.kernels.tables import first_nested
from learnkernels.plurals import count_text

# The default from pandas 3 on.
PANDAS_2 = int(pd.__version__.partition(".")[0]) < 3
EXACT_FLOATS: dict[str, Any] = {"float_precision": "round_trip"} if PANDAS_2 else {}


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
        raise InputError(
            f"{path!r} has a header but no rows; expected one row per sample. Add rows, or pass "
            "another file."
        )


def unreadable(path: str, reason: str) -> InputError:
    """Return the error of a file that is not a table."""
    return InputError(
        f"{path!r} cannot be read as a table: {reason.removesuffix('.')}. Check the file, or pass "
        "--sep or --encoding."
    )


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
            f"--sep {text!r} is not a separator; expected one character: pass ';' or '\\t'."
        )
    return sep


def read_parquet(path: str) -> pd.DataFrame:
    """Read a Parquet file after checking that the table fits into memory."""
    from pyarrow.parquet import read_metadata

    shape = read_metadata(path)
    check_memory(path, shape.num_rows, shape.num_columns)
    # Raises if a page differs from its checksum; the format has them as an option. With several
    # threads of pyarrow (15 to 18 at least), this error may crash the interpreter.
    return pd.read_parquet(
        path, engine="pyarrow", page_checksum_verification=True, use_threads=False
    )


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


def without_columns(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the table without the columns of --drop."""
    check_columns(table, names, "--drop")
    return table.drop(columns=list(names))


def check_columns(table: pd.DataFrame, names: Sequence[str], option: str) -> None:
    """Raise if a column of an option does not exist."""
    for name in names:
        if name not in table.columns:
            raise InputError(
                f"there is no column {name!r} for {option}; the columns are {column_list(table)}. "
                "Choose one of them."
            )


def as_texts(X: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the table with these columns as texts, None where missing."""
    texts = {name: X[name].map(str, na_action="ignore") for name in names if name in X.columns}
    return X.assign(**{name: column.astype(object) for name, column in texts.items()})


def as_dates(X: pd.DataFrame, names: Sequence[str], advice: str) -> pd.DataFrame:
    """Return the table with these columns as dates; the advice ends an error about numbers."""
    return X.assign(**{name: dates_of(X[name], advice) for name in names if name in X.columns})


def dates_of(column: pd.Series, advice: str) -> pd.Series:
    """Return one column as dates; raise for numbers, and for a text that is none."""
    if pd.api.types.is_numeric_dtype(column) and column.notna().any():
        raise InputError(
            f"column {column.name!r} contains numbers, not dates. Write dates such as 2024-02-29, "
            f"{advice}."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the first date decides on the format
            return pd.to_datetime(column)
    except (ValueError, TypeError, OverflowError) as error:
        reason = str(error).splitlines()[0].partition(". ")[0]
        raise InputError(
            f"column {column.name!r} cannot be read as dates: {reason}. Write dates such as "
            "2024-02-29, all in one format."
        ) from error


def split_target(table: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and target, without the rows that have no target."""
    if target not in table.columns:
        raise InputError(
            f"there is no column {target!r}; the columns are {column_list(table)}. Choose one of "
            f"them as the target.{header_hint(table)}"
        )
    known = table[target].notna()
    if not known.any():
        raise InputError(f"the target {target!r} is missing in every row; choose another one.")
    if not known.all():
        warn(
            f"{count_text(int((~known).sum()), 'row')} of {len(table):,} without a target "
            f"({target!r}) {'is' if (~known).sum() == 1 else 'are'} left out.",
            TableWarning,
        )
        table = table[known].reset_index(drop=True)
    y = table[target]
    X = table.drop(columns=target)
    if X.shape[1] == 0:
        raise InputError(
            f"the file has no column besides the target {target!r}; features are needed: add "
            "columns, or choose another target."
        )
    return X, y


def task_of_target(y: pd.Series, task: str) -> str:
    """Return `task`, or the task inferred from the target if it is "auto"."""
    numeric = is_number(y)
    if not numeric:
        require_single_values(y)
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
    if not numeric:
        require_labels(y)
    classes = not numeric or looks_like_classes(y.to_numpy(dtype=float))
    return "classification" if classes else "regression"


def require_single_values(y: pd.Series) -> None:
    """Raise if cells of a target contain several values."""
    nested = first_nested(y.to_numpy(dtype=object))
    if nested is not None:
        raise InputError(
            f"cells of the target {y.name!r} contain several values (the first is "
            f"{shortened(nested)}); expected a number or a class label: choose another target."
        )


def require_labels(y: pd.Series) -> None:
    """Raise if a target of text consists of numbers, except for a few cells."""
    text = y.map(str)
    wrong = text[pd.to_numeric(text, errors="coerce").isna()]
    if 0 < len(wrong) <= MAX_WRONG * len(y) and y.nunique() > MAX_WRONG * len(y):
        raise InputError(
            f"the target {y.name!r} contains text in {len(wrong)} of {len(y)} rows, such as "
            f"{wrong.iloc[0]!r}, and numbers in all others; correct these cells or leave them "
            "empty, or pass --task classification if they are class labels."
        )


def is_number(y: pd.Series) -> bool:
    """Return whether a column contains numbers, not booleans."""
    return pd.api.types.is_numeric_dtype(y) and not pd.api.types.is_bool_dtype(y)


def target_values(y: pd.Series, task: str) -> np.ndarray:
    """Return the target as floats for regression, or as class labels."""
    if task == "regression":
        return np.asarray(y.to_numpy(dtype=float))
    if pd.api.types.is_numeric_dtype(y):
        return np.asarray(y.to_numpy())
    return np.asarray(y.map(str).to_numpy(dtype=object))


def check_infinite(X: pd.DataFrame) -> None:
    """Raise if values are infinite."""
    numbers = X.select_dtypes("number", exclude="timedelta")
    infinite = numbers.columns[np.isinf(numbers.to_numpy(dtype=float)).any(axis=0)].tolist()
    if infinite:
        raise InputError(
            f"columns {infinite[:5]} contain infinite values; expected finite numbers: "
            "replace or remove them."
        )


def header_hint(table: pd.DataFrame) -> str:
    """Return a hint if all column names are numbers, so that the header may be missing."""
    numbers = pd.to_numeric(pd.Series(table.columns), errors="coerce").notna()
    return " All names are numbers: is the header missing?" if numbers.all() else ""


def column_list(table: pd.DataFrame) -> str:
    """Return the names of at most ten columns."""
    names = [repr(str(name)) for name in table.columns]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
