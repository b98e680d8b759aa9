"""Fitted models and their data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk

HOSTILE = '<script>alert("x")</script> `a` | b & c'


@pytest.fixture
def views(rng):
    """Return a table of two views, one of them noise, with markup in its names."""
    X = rng.standard_normal((90, 6))
    table = pd.DataFrame(X, columns=[f"{HOSTILE} {k}" for k in range(6)])
    label = np.where(X[:, 0] + X[:, 1] > 0, "<b>yes</b>", "no")
    kernels = [
        lk.on(list(table.columns[:3]), [lk.gaussians([0.1, 1.0]), lk.linear()], name="<i>true</i>"),
        lk.on(list(table.columns[3:]), lk.gaussians([0.1, 1.0]), name="noise"),
    ]
    model = lk.KernelClassifier(kernels, C=[0.1, 1.0], method="alignf").fit(table, label)
    return model, table, pd.Series(label, name="<u>kind</u>")


@pytest.fixture
def many(rng):
    """300 kernels of one column each, of which five carry signal."""
    X = rng.standard_normal((150, 300))
    y = X[:, :5] @ [3.0, 3.0, 3.0, 3.0, 3.0] + rng.standard_normal(150)
    model = make_pipeline(
        StandardScaler(), lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0)
    )
    return model.fit(X, y), X, y
