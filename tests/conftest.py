"""Settings and data for tests: small synthetic problems, and real data sets where available."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

# The same examples in every run, unless `make fuzz` asks for many new ones.
settings.register_profile(
    "tests", deadline=None, derandomize="LEARNKERNELS_CASES" not in os.environ
)
settings.load_profile("tests")


COMPILATION = pytest.StashKey[subprocess.Popen[bytes]]()
# Folders of long tests, which start first so that all processes end at about the same time.
LONG = ("examples", "docs", "benchmarks", "reproductions", "cli", "execution")


def pytest_configure(config: pytest.Config) -> None:
    """Compile while the processes of pytest-xdist collect the tests, which compiles nothing."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        command, folder = [sys.executable, "-m", "tests.compile"], Path(__file__).parents[1]
        config.stash[COMPILATION] = subprocess.Popen(command, cwd=folder)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any) -> None:
    """Wait for the compiled functions, so that the processes only read the cache in tests."""
    process = node.config.stash.get(COMPILATION, None)
    if process is not None and process.wait():
        raise RuntimeError("`python -m tests.compile` failed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders of long tests first."""
    items.sort(key=lambda item: not item.nodeid.startswith(tuple(f"tests/{one}" for one in LONG)))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their number: compressed ones contain the time, and ids must be equal."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def no_plain_progress(monkeypatch):
    """Print no lines of progress, which depend on how long a fit takes."""
    monkeypatch.setattr("learnkernels.progress.INTERVAL", float("inf"))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def classes(rng):
    """Return 120 samples of two classes in five dimensions."""
    X = rng.standard_normal((120, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(120) > 0, "yes", "no")
    return X, y


@pytest.fixture
def curve(rng):
    """Return 100 samples of a smooth function in three dimensions."""
    X = rng.standard_normal((100, 3))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(100)


@pytest.fixture(scope="session")
def genuine():
    """Return a function that loads a real data set by name, or skips the test without data."""
    folder = os.environ.get("LEARNKERNELS_DATA")

    def table(name: str) -> pd.DataFrame:
        if not folder:
            pytest.skip("no real data: set LEARNKERNELS_DATA to its folder")
        return pd.read_csv(Path(folder, f"{name}.csv.gz"))

    return table
