"""Pieces of the page on the benchmark `tables`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from benchmarks import tables
from benchmarks.tables_models import MODELS
from benchmarks.tables_protocol import FURTHER, SPLITS, TABLES

# Pieces of other files than tables.json.
OTHER_FILES = (
    "tables_large.md", "tables_landmark_choice.md", "tables_landmark_classes.md",
    "tables_landmark_several.md", "tables_landmark_subsample.md", "tables_further_ratios.md",
    "tables_further_errors.md",
)  # fmt: skip
DOCS = Path(__file__).parents[2] / "docs"
INCLUDED = re.compile(r"\{include\} measured/(tables_\w+\.md)")


@pytest.fixture
def page(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    for name in ("tables_page", "measured_tables", "rank_picture"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import tables_page

    return tables_page


def full_results() -> dict:
    """Return results of every model; the default has half the error of others but on two tables."""
    random, results = np.random.default_rng(0), tables.empty()
    for table in TABLES:
        for number in SPLITS:
            for model in MODELS:
                value = 0.2 if model == "default" else 0.4 + 0.01 * random.uniform()
                if table in ("wine", "vowel") and model == "forest":
                    value = 0.1
                results["entries"][tables.key(table, number, model)] = {
                    "error": value, "seconds": 1.0 if model == "grid" else 0.25
                }  # fmt: skip
    results["origins"] = {model: tables.origin() for model in MODELS}
    results["times"] = {"bike": {"default": 1.0, "grid": 8.0}}
    return results


def pieces_of(page: ModuleType, results: dict, folder: Path) -> dict[str, str]:
    tables.write(results, folder / "tables.json")
    page.write_pieces(folder, folder / "pieces")
    found = (folder / "pieces").glob("*.md")
    return {file.name: file.read_text(encoding="utf-8") for file in found}


def test_page_includes_every_piece(page, tmp_path):
    included = set(INCLUDED.findall((DOCS / "tables.md").read_text(encoding="utf-8")))
    assert included == pieces_of(page, tables.empty(), tmp_path).keys()


def test_pieces_without_results_are_marked(page, tmp_path):
    found = pieces_of(page, tables.empty(), tmp_path)
    del found["tables_halves.md"]
    assert set(found.values()) == {page.NOT_MEASURED + "\n"}


def test_pieces_of_full_results(page, tmp_path, monkeypatch):
    monkeypatch.setitem(page.REASONS, "wine", "steps")
    monkeypatch.setitem(page.REASONS, "bike", "no loss there")
    found = pieces_of(page, full_results(), tmp_path)
    assert "Not measured" not in "".join(
        text for name, text in found.items() if name not in OTHER_FILES
    )
    assert (tmp_path / "pieces" / "tables_ranks.png").exists()
    losses = found["tables_losses.md"]
    assert losses.count("2.000 (3 of 3)") == 2 and "steps" in losses and "bike" not in losses
    assert "| bike | 1.00 | 8.00 | 0.125 |" in found["tables_times.md"]
    assert "**.200**" in found["tables_regression.md"]


def test_ratios_are_shown_for_both_halves(page, tmp_path):
    results = full_results()
    for table in TABLES:
        for number in SPLITS:
            half = 0.3 if table in page.DESIGN else 0.1
            results["entries"][tables.key(table, number, "default")]["error"] = half
            results["entries"][tables.key(table, number, "unif")]["error"] = 0.2
    row = next(
        line
        for line in pieces_of(page, results, tmp_path)["tables_ratios.md"].splitlines()
        if "| both | `unif` |" in line
    )
    assert "**0.866** | 1.500 | 0.500 | 1.500" in row and "12 of 24" in row


def test_further_tables_show_mean_median_and_worst_table(page, tmp_path):
    results = tables.empty()
    for table, value in zip(FURTHER[:3], (0.1, 0.2, 0.8), strict=True):
        for number in SPLITS:
            results["entries"][tables.key(table, number, "default")] = {"error": value}
            results["entries"][tables.key(table, number, "grid")] = {"error": 0.4}
    tables.write(results, tmp_path / "tables_more.json")
    found = pieces_of(page, tables.empty(), tmp_path)
    expected = f"| grid search | **0.630** | 0.500 | 2.000 ({FURTHER[2]}) | 2 of 3 |"
    assert expected in found["tables_further_ratios.md"]
    assert f"| {FURTHER[2]} | .800 | **.400** |" in found["tables_further_errors.md"]


def test_reasons_name_known_tables(page):
    assert page.REASONS.keys() <= set(TABLES)


def test_large_table_shows_ratios_of_error_time_and_memory(page):
    entry = {
        "n": 36000, "n_components": 2000,
        "default": {"error": 0.09, "seconds": 5.0, "megabytes": 100},
        "nystroem": [{"error": 0.1, "seconds": 2.0, "megabytes": 400}] * 5,
    }  # fmt: skip
    text = page.large_table({"kin40k": entry})
    expected = (
        "| kin40k | 36,000 | 0.0900 | 0.1000 | 0.900 | 5 | 10 | 2 | 0.50 | 100 | 400 | 0.25 |"
    )
    assert expected in text
