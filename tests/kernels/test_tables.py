"""Access to tables."""

import numpy as np
import pandas as pd

from learnkernels.kernels import tables


def test_samples_with_a_value_in_any_column_are_found_by_reading_as_few_columns_as_needed(
    monkeypatch,
):
    frame = pd.DataFrame({"a": [1.0, np.nan, np.nan], "b": [np.nan, "x", None], "c": [1, 2, 3]})
    assert tables.has_any(frame, [0, 1]).tolist() == [True, True, False]
    read = []
    column = tables.column
    monkeypatch.setattr(tables, "column", lambda X, k: read.append(k) or column(X, k))
    assert tables.has_any(frame, [2, 0, 1]).all() and read == [2]
