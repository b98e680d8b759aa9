"""Tables from files, and what stands between a table and the kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from learnkernels.errors import InputError

__all__ = ["check_missing", "preprocessing", "read_table", "split_target", "task_of_target"]

# A numeric target of whole numbers with at most this many values is taken as classes.
MOST_CLASSES = 20


def read_table(path: str) -> pd.DataFrame:
    """A CSV (plain or gzip) or Parquet file as a table.

    Parameters
    ----------
    path : str
        The file; ``.parquet`` and ``.pq`` are Parquet, all else is CSV with a header row.
    """
    try:
        if Path(path).suffix in (".parquet", ".pq"):
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path)
    except ImportError as error:
        raise InputError(
            "reading Parquet needs pyarrow: pip install 'learnkernels[parquet]'."
        ) from error
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path!r}.") from error
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "it is empty"
        raise InputError(f"{path!r} cannot be read as a table: {reason}.") from error
    if table.empty:
        raise InputError(f"{path!r} holds no rows.")
    return table


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
    if task != "auto":
        if task == "regression" and not pd.api.types.is_numeric_dtype(y):
            raise InputError(
                f"the target {y.name!r} holds text, which regression cannot use; "
                "use --task classification."
            )
        return task
    if not pd.api.types.is_numeric_dtype(y) or pd.api.types.is_bool_dtype(y):
        return "classification"
    whole = np.equal(np.mod(y, 1), 0).all()
    return "classification" if whole and y.nunique() <= MOST_CLASSES else "regression"


def check_missing(X: pd.DataFrame, impute: bool) -> None:
    """Raise if values are missing and nobody asked to fill them."""
    missing = X.isna().sum()
    missing = missing[missing > 0]
    if len(missing) and not impute:
        found = ", ".join(f"{name!r} ({count})" for name, count in missing.head(5).items())
        more = f" and {len(missing) - 5} more columns" if len(missing) > 5 else ""
        raise InputError(
            f"values are missing in {found}{more}; use --impute (median for numbers, the most "
            "frequent value for categories), or fill them yourself."
        )
    numbers = X.select_dtypes("number")
    infinite = [str(name) for name in numbers if np.isinf(numbers[name].astype(float)).any()]
    if infinite:
        raise InputError(f"columns {infinite[:5]} hold infinite values; all must be finite.")


def preprocessing(X: pd.DataFrame, raw: bool, impute: bool):
    """The transformer between a table like X and the kernels.

    Numeric columns are standardised and all others one-hot encoded; `raw` leaves numbers as they
    are. With `impute`, missing numbers become the median and categories the most frequent value.
    """
    numbers = list(X.select_dtypes("number").columns)
    categories = [name for name in X.columns if name not in numbers]
    for_numbers = [] if raw else [StandardScaler()]
    for_categories = [OneHotEncoder(handle_unknown="ignore", sparse_output=False)]
    if impute:
        for_numbers.insert(0, SimpleImputer(strategy="median"))
        for_categories.insert(0, SimpleImputer(strategy="most_frequent"))
    return make_column_transformer(
        (make_pipeline(*for_numbers or ["passthrough"]), numbers),
        (make_pipeline(*for_categories), categories),
        sparse_threshold=0,
    )


def shortened(table: pd.DataFrame) -> str:
    names = [repr(str(name)) for name in table.columns]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
