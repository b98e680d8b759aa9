"""Tables of OpenML, brought by scikit-learn, in the form of our files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

__all__ = ["digits_of_openml", "table_of_openml"]

# The six views of the digits, in the order of the file, and their OpenML numbers.
VIEWS = {"fou": 14, "fac": 12, "kar": 16, "pix": 20, "zer": 22, "mor": 18}


def table_of_openml(number: int, labels: Mapping[str, object] | None = None) -> pd.DataFrame:
    """A data set by its number, the column to predict last and called target.

    `labels` are our names of theirs; a label that is not in it keeps its name.
    """
    from sklearn.datasets import fetch_openml

    found = fetch_openml(data_id=number, as_frame=True)
    target, ours = found.target, labels or {}
    if not pd.api.types.is_numeric_dtype(target):
        target = target.astype(str).map(lambda label: ours.get(label, label))
    return found.data.astype(float).assign(target=target)


def digits_of_openml() -> pd.DataFrame:
    """The six views of the digits side by side, columns named by view; 200 of each digit."""
    features = []
    for view, number in VIEWS.items():
        table = table_of_openml(number).drop(columns="target")
        names = [f"{view}_{column + 1:03d}" for column in range(table.shape[1])]
        features.append(table.set_axis(names, axis=1))
    target = pd.Series(np.arange(len(features[0])) // 200, name="target")
    return pd.concat([*features, target], axis=1)
