"""Every example runs in quick mode on real data and finds what its text states."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import learnkernels as lk

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = [
    "digits_six_views",
    "promoters_small",
    "promoters_tss",
    "sentiment_words",
]


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs an example in quick mode and returns its variables."""
    monkeypatch.setenv("LEARNKERNELS_QUICK", "1")

    def variables(name: str) -> dict:
        return runpy.run_path(str(FOLDER / f"{name}.py"))

    return variables


@pytest.fixture
def run_on_data(genuine, run):
    """Return the same function; skip the test without real data."""
    genuine("promoters")
    return run


def test_digits_six_views_score_above_best_single_view(run_on_data):
    found = run_on_data("digits_six_views")
    assert found["weights"].sum(axis=1).to_numpy() == pytest.approx(1)
    means = found["scores"].mean()
    assert means["alignf, six views"] > max(0.95, means["best single view"])


def test_promoters_tss_give_largest_weight_to_positional_view(run_on_data):
    found = run_on_data("promoters_tss")
    weights, scores = found["weights"], found["scores"]
    assert weights[["l1-svm", "alignf"]].sum().to_numpy() == pytest.approx(1)
    assert weights["l1-svm"].idxmax() == "positions near start"
    assert scores["AUC"].min() > 0.9
    assert scores["AUC"]["l1-svm, all views"] > scores["AUC"]["best single view"] - 0.005


def test_promoters_small_reach_stated_accuracy(run_on_data):
    found = run_on_data("promoters_small")
    assert found["weights"].sum().to_numpy() == pytest.approx(1)
    means = found["scores"].mean()
    assert means["accuracy"].min() > 0.8
    assert means["AUC"]["l1-svm"] > 0.95


# 400 reviews are few: uniform weights may be better than those of alignf, and the warning says so.
@pytest.mark.filterwarnings("ignore::learnkernels.errors.UniformBetterWarning")
def test_sentiment_words_give_large_weight_to_sentiment_phrases(run_on_data):
    found = run_on_data("sentiment_words")
    assert found["weights"].sum().to_numpy() == pytest.approx(1)
    assert "text: easy to" in found["heaviest"]["align"].index[:3]
    assert found["scores"].mean().min() > 0.65
    test, truth = found["test"], found["y_test"]
    by_pipeline = found["pipeline"].score(test["text"], truth)
    assert by_pipeline == pytest.approx(found["alone"]["text"].score(test, truth))


def test_picture_of_the_readme_is_drawn_from_stored_errors(genuine, tmp_path):
    genuine("kin8nm")
    runpy.run_path(str(FOLDER / "picture.py"))["main"](tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_without_data_names_environment_variable(name, run, monkeypatch, tmp_path):
    def offline(**options):
        raise OSError("offline")

    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(lk.InputError, match="LEARNKERNELS_DATA"):
        run(name)
