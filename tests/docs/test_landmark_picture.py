"""The picture of errors against the numbers of landmarks and samples."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def picture(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(DOCS))
    spec = importlib.util.spec_from_file_location("landmark_picture", DOCS / "landmark_picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_curves_are_in_ascending_order(picture):
    entries = {
        "m=1000, default": {"error": 0.1}, "m=200, default": {"error": 0.2},
        "m=200, Nystroem": {"error": 0.4}, "n=2000, landmarks": {"error": 0.3},
    }  # fmt: skip
    assert picture.curves(entries, "m") == {
        "default": [(200, 0.2), (1000, 0.1)],
        "Nystroem": [(200, 0.4)],
    }


def test_picture_is_written(picture, tmp_path):
    picture.write_landmarks(DOCS / "results", tmp_path / "pieces")
    assert (tmp_path / "pieces" / "landmarks.png").stat().st_size > 1000
