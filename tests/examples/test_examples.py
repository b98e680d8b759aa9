"""Every example runs, short, on the genuine data and finds what it says it finds."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import learnkernels as lk

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = [
    "cancer_three_omics",
    "digits_six_views",
    "promoters_small",
    "promoters_tss",
    "sentiment_words",
]


@pytest.fixture
def run(monkeypatch):
    """A function from an example's name to the variables that its short run ends with."""
    monkeypatch.setenv("LEARNKERNELS_QUICK", "1")

    def variables(name: str) -> dict:
        return runpy.run_path(str(FOLDER / f"{name}.py"))

    return variables


@pytest.fixture
def run_on_data(genuine, run):
    """The same where the genuine data is at hand; skips where it is not."""
    genuine("promoters")
    return run


def test_digits_are_read_better_from_six_views_than_from_the_best_one(run_on_data):
    found = run_on_data("digits_six_views")
    assert found["weights"].sum(axis=1).to_numpy() == pytest.approx(1)
    means = found["scores"].mean()
    assert means["alignf, six views"] > max(0.95, means["best single view"])


def test_tumours_are_told_apart_without_the_protein_view(run_on_data):
    found = run_on_data("cancer_three_omics")
    assert found["weights"].sum() == pytest.approx(1)
    assert not any(name.startswith("protein:") for name in found["new"])
    assert found["accuracy"]["alignf, three views"] > 0.85  # half of them are of one class
    assert found["scores"].mean().min() > 0.8


def test_starts_of_genes_are_found_mostly_by_words_at_their_places(run_on_data):
    found = run_on_data("promoters_tss")
    weights, scores = found["weights"], found["scores"]
    assert weights[["l1-svm", "alignf"]].sum().to_numpy() == pytest.approx(1)
    assert weights["l1-svm"].idxmax() == "places near start"
    assert scores["AUC"].min() > 0.9
    assert scores["AUC"]["l1-svm, all views"] > scores["AUC"]["best single view"]


def test_promoters_are_found_from_seventy_sequences(run_on_data):
    found = run_on_data("promoters_small")
    assert found["weights"].sum().to_numpy() == pytest.approx(1)
    means = found["scores"].mean()
    assert means["accuracy"].min() > 0.8
    assert means["AUC"]["l1-svm"] > 0.95


def test_reviews_are_judged_by_words_that_judge(run_on_data):
    found = run_on_data("sentiment_words")
    assert found["weights"].sum().to_numpy() == pytest.approx(1)
    assert "text: easy to" in found["heaviest"]["align"].index[:3]
    assert found["scores"].mean().min() > 0.65
    test, truth = found["test"], found["y_test"]
    by_pipeline = found["pipeline"].score(test["text"], truth)
    assert by_pipeline == pytest.approx(found["alone"]["text"].score(test, truth))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_without_its_data_says_what_to_set(name, run, monkeypatch, tmp_path):
    def offline(**options):
        raise OSError("offline")

    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(lk.InputError, match="LEARNKERNELS_DATA"):
        run(name)
