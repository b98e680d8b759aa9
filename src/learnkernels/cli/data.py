"""Tables from files, and what stands between a table and the kernels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from learnkernels.cli.files import (
    beginning_of,
    check_csv,
    check_room,
    header_of,
    is_parquet,
    opened,
)
from learnkernels.errors import InputError
from learnkernels.estimators.targets import looks_like_classes
from learnkernels.gram import require_memory

__all__ = [
    "check_missing",
    "number_columns",
    "preprocessing",
    "read_table",
    "split_target",
    "target_values",
    "task_of_target",
    "tidied",
]

# What later versions do without being asked.
OLD = int(pd.__version__.partition(".")[0]) < 3
TO_THE_LAST_DIGIT: dict[str, Any] = {"float_precision": "round_trip"} if OLD else {}
# Bytes for each one or zero of an encoded category: in the table, and in the kernels' samples.
ENCODED = 16


def read_table(path: str) -> pd.DataFrame:
    """A CSV (plain or packed by gzip) or Parquet file as a table.

    Parameters
    ----------
    path : str
        The file; its first bytes say what it is. CSV is UTF-8 with a header row.
    """
    first = beginning_of(path)
    try:
        table = read_parquet(path) if is_parquet(first) else read_csv(path, first)
    except InputError:
        raise
    except ImportError as error:
        raise InputError(
            f"reading {path!r} needs pyarrow: pip install 'learnkernels[parquet]'."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path!r} is not text in UTF-8 (Latin-1, or damaged?); save it as UTF-8 first."
        ) from error
    except Exception as error:  # damaged archives and tables: whatever a reader says
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"{path!r} cannot be read as a table: {reason.removesuffix('.')}."
        ) from error
    if table.empty:
        raise InputError(f"{path!r} holds no rows.")
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()].tolist()
        raise InputError(f"{path!r} has several columns of the same name: {twice[:5]}.")
    return table


def read_parquet(path: str) -> pd.DataFrame:
    """A Parquet file, if its shape has room; a billion equal values take few bytes of a file."""
    from pyarrow.parquet import read_metadata

    shape = read_metadata(path)
    check_room(path, shape.num_rows, shape.num_columns)
    return pd.read_parquet(path)


def read_csv(path: str, first: bytes) -> pd.DataFrame:
    """A CSV file whose header is as it should be; the whole column says of what type it is."""
    check_csv(path, first)
    with opened(path, first) as text, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells without a name
        names, lines = header_of(text, path)
        try:
            table = pd.read_csv(
                text, header=None, names=names, index_col=False, low_memory=False,
                **TO_THE_LAST_DIGIT,
            )  # fmt: skip
            return table.copy()  # in one piece: the reader leaves a piece for each column
        except pd.errors.EmptyDataError:
            return pd.DataFrame(columns=names)
        except pd.errors.ParserError as error:
            raise InputError(
                f"{path!r} cannot be read as a table: {said(error, lines)}."
            ) from error


def said(error: pd.errors.ParserError, lines: int) -> str:
    """What pandas says of a row, with the line of the file; it has seen none of the header."""
    text = str(error).strip()
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", text):
        names, line, cells = map(int, found.groups())
        return f"line {line + lines} has {cells:,} cells, and there are {names:,} columns"
    if found := re.search(r"EOF inside string starting at row (\d+)", text):
        return f"a quote that opens in line {int(found[1]) + 1 + lines} is never closed"
    return text.removeprefix("Error tokenizing data. C error: ").splitlines()[0].removesuffix(".")


def number_columns(X: pd.DataFrame) -> list[str]:
    """Columns that hold numbers; all others are categories."""
    return list(X.select_dtypes("number", exclude="timedelta").columns)


def tidied(X: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Numbers as floats and categories as text, missing values as NaN, whatever they came as."""
    wanted = set(numbers)
    plain = [name for name in number_columns(X) if name in wanted]
    floats = X[plain].astype(float)  # all at once: a table of genes has many columns
    rest = X.columns.difference(plain, sort=False)
    others = {name: one_tidied(X[name], name in wanted) for name in rest}
    return pd.concat([floats, pd.DataFrame(others, index=X.index)], axis=1)[list(X.columns)]


def one_tidied(column: pd.Series, number: bool) -> pd.Series:
    """A column of text as what it should be."""
    if not number:
        text = column.map(str, na_action="ignore").astype(object)
        return text.where(column.notna(), np.nan)
    values = pd.to_numeric(column, errors="coerce").astype(float)
    lost = int(values.isna().sum() - column.isna().sum())
    if lost:
        raise InputError(
            f"column {column.name!r} holds text in {lost} rows, where the model wants numbers."
        )
    return values


def split_target(table: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target; rows without a target are refused."""
    if target not in table.columns:
        raise InputError(
            f"there is no column {target!r}; the columns are {shortened(table)}{numbered(table)}."
        )
    y = table[target]
    if y.isna().any():
        raise InputError(
            f"the target {target!r} is missing in {int(y.isna().sum())} of {len(y)} rows; "
            "drop those rows first."
        )
    X = table.drop(columns=target)
    if X.shape[1] == 0:
        raise InputError(f"the file holds no column besides the target {target!r}.")
    return X, y


def task_of_target(y: pd.Series, task: str) -> str:
    """`task`, or what the target looks like if that is "auto"."""
    numeric = pd.api.types.is_numeric_dtype(y) and not pd.api.types.is_bool_dtype(y)
    if task == "regression" and not numeric:
        raise InputError(
            f"the target {y.name!r} holds text, which regression cannot use; "
            "use --task classification."
        )
    if task != "auto":
        return task
    classes = not numeric or looks_like_classes(y.to_numpy(dtype=float))
    return "classification" if classes else "regression"


def target_values(y: pd.Series, task: str) -> np.ndarray:
    """The target as numbers, or as classes: text stays text, numbers stay numbers."""
    if task == "regression":
        return y.to_numpy(dtype=float)
    if pd.api.types.is_numeric_dtype(y):
        return y.to_numpy()
    return y.map(str).to_numpy(dtype=object)


def check_missing(X: pd.DataFrame, allowed: bool) -> None:
    """Raise if values are missing and nobody asked to fill them, or to do without."""
    missing = X.isna().sum()
    missing = missing[missing > 0]
    if len(missing) and not allowed:
        found = ", ".join(f"{name!r} ({count})" for name, count in missing.head(5).items())
        more = f" and {len(missing) - 5} more columns" if len(missing) > 5 else ""
        raise InputError(
            f"values are missing in {found}{more}; use --impute (median for numbers, the most "
            "frequent value for categories), --missing neutral if whole views are, or fill them "
            "yourself."
        )
    numbers = X[number_columns(X)]
    infinite = numbers.columns[np.isinf(numbers.to_numpy(dtype=float)).any(axis=0)].tolist()
    if infinite:
        raise InputError(f"columns {infinite[:5]} hold infinite values; all must be finite.")


def preprocessing(X: pd.DataFrame, raw: bool, impute: bool, kept: Sequence[str] = ()):
    """The transformer between a table like X and the kernels.

    Numeric columns are standardised and all others one-hot encoded; `raw` leaves numbers as they
    are. With `impute`, missing numbers become the median and categories the most frequent value.
    The columns `kept` (texts, sequences) stay as they are.
    """
    numbers = [name for name in number_columns(X) if name not in kept]
    others = {*numbers, *kept}
    categories = [name for name in X.columns if name not in others]
    for_numbers = [] if raw else [StandardScaler()]
    # All values of the table: every part of it that is encoded gets the same columns.
    values = [np.sort(X[name].dropna().unique()) for name in categories]
    check_encoding(len(X), dict(zip(categories, map(len, values), strict=True)))
    for_categories = [
        OneHotEncoder(categories=values, handle_unknown="ignore", sparse_output=False)
    ]
    if impute:
        for_numbers.insert(0, SimpleImputer(strategy="median"))
        for_categories.insert(0, SimpleImputer(strategy="most_frequent"))
    return make_column_transformer(
        (make_pipeline(*for_numbers or ["passthrough"]), numbers),
        (make_pipeline(*for_categories), categories),
        ("passthrough", list(kept)),
        sparse_threshold=0,
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")


def check_encoding(n: int, counts: dict[str, int]) -> None:
    """Raise where a column for each value of each category has no room.

    Parameters
    ----------
    n : int
        Rows.
    counts : dict
        How many different values each category has.
    """
    if counts:
        name = max(counts, key=counts.__getitem__)
        require_memory(
            ENCODED * n * sum(counts.values()),
            "a column for each value of each category",
            f"{name!r} has {counts[name]:,} different values in {n:,} rows: drop it, group rare "
            "values, read it with --text, or write its numbers with a decimal point",
        )


def numbered(table: pd.DataFrame) -> str:
    """A hint where the first row may be data: wavelengths are names, but not of all columns."""
    numbers = pd.to_numeric(pd.Series(table.columns), errors="coerce").notna()
    return " (numbers: does the file lack a header?)" if numbers.all() else ""


def shortened(table: pd.DataFrame) -> str:
    names = [repr(str(name)) for name in table.columns]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
