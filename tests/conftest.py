"""Data for tests: small made-up problems, and the genuine sets where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def classes(rng):
    """120 samples of two classes in five dimensions."""
    X = rng.standard_normal((120, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(120) > 0, "yes", "no")
    return X, y


@pytest.fixture
def curve(rng):
    """100 samples of a smooth function in three dimensions."""
    X = rng.standard_normal((100, 3))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(100)


@pytest.fixture(scope="session")
def genuine():
    """A function from the name of a genuine data set to its table; skips where there is none."""
    folder = os.environ.get("LEARNKERNELS_DATA")

    def table(name: str) -> pd.DataFrame:
        if not folder:
            pytest.skip("genuine data not at hand: set LEARNKERNELS_DATA to its folder")
        return pd.read_csv(Path(folder, f"{name}.csv.gz"))

    return table
