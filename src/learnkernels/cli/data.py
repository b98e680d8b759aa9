"""Tables from files, and what stands between a table and the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from learnkernels.errors import InputError
from learnkernels.estimators.targets import looks_like_classes

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


def read_table(path: str) -> pd.DataFrame:
    """A CSV (plain or gzip) or Parquet file as a table.

    Parameters
    ----------
    path : str
        The file; ``.parquet`` and ``.pq`` are Parquet, all else is CSV with a header row.
    """
    parquet = Path(path).suffix in (".parquet", ".pq")
    try:
        table = pd.read_parquet(path) if parquet else pd.read_csv(path)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path!r}.") from error
    except ImportError as error:
        missing = "pyarrow: pip install 'learnkernels[parquet]'" if parquet else f"more: {error}"
        raise InputError(f"reading {path!r} needs {missing}.") from error
    except Exception as error:  # damaged archives, encodings, directories: whatever a reader says
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"{path!r} cannot be read as a table: {reason}.") from error
    if table.empty:
        raise InputError(f"{path!r} holds no rows.")
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()].tolist()
        raise InputError(f"{path!r} has several columns of the same name: {twice[:5]}.")
    return table


def number_columns(X: pd.DataFrame) -> list[str]:
    """Columns that hold numbers; all others are categories."""
    return list(X.select_dtypes("number", exclude="timedelta").columns)


def tidied(X: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Numbers as floats and categories as text, missing values as NaN, whatever they came as."""
    tidy = {}
    for name in X.columns:
        if name in numbers:
            tidy[name] = pd.to_numeric(X[name], errors="coerce").astype(float)
            lost = int(tidy[name].isna().sum() - X[name].isna().sum())
            if lost:
                raise InputError(
                    f"column {name!r} holds text in {lost} rows, where the model wants numbers."
                )
        else:
            text = X[name].map(str, na_action="ignore").astype(object)
            tidy[name] = text.where(X[name].notna(), np.nan)
    return pd.DataFrame(tidy)


def split_target(table: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target; rows without a target are refused."""
    if target not in table.columns:
        raise InputError(f"there is no column {target!r}; the columns are {shortened(table)}.")
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
    infinite = [name for name in number_columns(X) if np.isinf(X[name]).any()]
    if infinite:
        raise InputError(f"columns {infinite[:5]} hold infinite values; all must be finite.")


def preprocessing(X: pd.DataFrame, raw: bool, impute: bool, kept: Sequence[str] = ()):
    """The transformer between a table like X and the kernels.

    Numeric columns are standardised and all others one-hot encoded; `raw` leaves numbers as they
    are. With `impute`, missing numbers become the median and categories the most frequent value.
    The columns `kept` (texts, sequences) stay as they are.
    """
    numbers = [name for name in number_columns(X) if name not in kept]
    categories = [name for name in X.columns if name not in numbers and name not in kept]
    for_numbers = [] if raw else [StandardScaler()]
    # All values of the table: every part of it that is encoded gets the same columns.
    values = [np.sort(X[name].dropna().unique()) for name in categories]
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


def shortened(table: pd.DataFrame) -> str:
    names = [repr(str(name)) for name in table.columns]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
