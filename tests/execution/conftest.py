"""Fixtures: the Dask cluster, samples, a progress display."""

from __future__ import annotations

import os

import numpy as np
import pytest

from learnkernels.progress import DISPLAY
from tests.execution.cluster import Gate, RecordingDisplay, shared_client


@pytest.fixture(scope="session")
def client():
    return shared_client()


@pytest.fixture
def samples(rng):
    """900 samples of two classes in six dimensions."""
    X = rng.standard_normal((900, 6))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(900) > 0, 1, -1)


@pytest.fixture
def set_tile_rows(monkeypatch):
    """Return a function that sets the rows of a tile, so that small data has many items."""
    return lambda rows: monkeypatch.setattr("learnkernels.gram.tiles.passes.ROWS", rows)


@pytest.fixture
def gate(tmp_path):
    folder = tmp_path / "gate"
    folder.mkdir()
    return Gate(folder, os.getpid())


@pytest.fixture
def display():
    """Return a progress display that records its calls."""
    display = RecordingDisplay()
    token = DISPLAY.set(display)
    yield display
    DISPLAY.reset(token)
