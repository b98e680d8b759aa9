"""Download tables from OpenML through scikit-learn, in the layout of the catalogue's files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

# The six views of the digits in the order of the file, and their OpenML identifiers.
VIEWS = {"fou": 14, "fac": 12, "kar": 16, "pix": 20, "zer": 22, "mor": 18}


def openml_table(number: int, labels: Mapping[str, object] | None = None) -> pd.DataFrame:
    """Download a table, with the column to predict last and renamed to target.

    Parameters
    ----------
    number : int
        OpenML identifier.
    labels : mapping or None, default=None
        New names of class labels; a label that is not a key keeps its name.
    """
    from sklearn.datasets import fetch_openml

    found = fetch_openml(data_id=number, as_frame=True)
    target, ours = found.target, labels or {}
    if not pd.api.types.is_numeric_dtype(target):
        target = target.astype(str).map(lambda label: ours.get(label, label))
    return found.data.astype(float).assign(target=target)


def openml_digits() -> pd.DataFrame:
    """Download the six views of the digits as one table, with 200 samples per digit."""
    features = []
    for view, number in VIEWS.items():
        table = openml_table(number).drop(columns="target")
        names = [f"{view}_{column + 1:03d}" for column in range(table.shape[1])]
        features.append(table.set_axis(names, axis=1))
    target = pd.Series(np.arange(len(features[0])) // 200, name="target")
    return pd.concat([*features, target], axis=1)
