"""Fixtures for tests of data sets."""

import pytest


@pytest.fixture
def no_files(monkeypatch, tmp_path):
    """Set an empty cache and no directory of local copies."""
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    return tmp_path
