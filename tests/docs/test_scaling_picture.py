"""The picture of time and memory against the number of samples."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def picture(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(DOCS))
    spec = importlib.util.spec_from_file_location("scaling_picture", DOCS / "scaling_picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_points_are_in_ascending_order_and_positive(picture):
    entries = {
        "n=2000, SVC": {"seconds": 3.0, "megabytes": 20.0},
        "n=1000, SVC": {"seconds": 1.0, "megabytes": 0.0},
        "n=1000, default, 1,000 landmarks": {"seconds": 2.0, "megabytes": 5.0},
    }
    assert picture.points(entries, "SVC", "seconds") == [(1000, 1.0), (2000, 3.0)]
    assert picture.points(entries, "SVC", "megabytes") == [(1000, 1.0), (2000, 20.0)]
    assert picture.points(entries, "default", "seconds") == []


def test_every_model_has_a_label(picture):
    assert picture.LABELS.keys() == picture.SIZES.keys()


def test_picture_is_written(picture, tmp_path):
    picture.write_scaling(DOCS / "results", tmp_path / "pieces")
    assert (tmp_path / "pieces" / "scaling.png").stat().st_size > 1000
