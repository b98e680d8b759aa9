"""Committed results, and the pages generated from them."""

import json
import sys
from pathlib import Path

import pytest

from learnkernels.reproductions import EXPERIMENTS, outcome_of

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "results"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_result_of_full_run_is_complete(name):
    found = json.loads((RESULTS / f"{name}.json").read_text())
    assert (found["experiment"], found["mode"]) == (name, "full")
    assert found["title"] == EXPERIMENTS[name].title
    assert found["pieces"] == len(EXPERIMENTS[name].protocol.plan(False))
    assert outcome_of(found).tables
    assert (RESULTS / f"{name}.json").stat().st_size < 50_000


def test_pages_contain_every_table_and_figure(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.delitem(sys.modules, "reproduction_pages", raising=False)
    from reproduction_pages import write_pages

    write_pages(RESULTS, tmp_path / "pages")
    text = "".join(page.read_text() for page in (tmp_path / "pages").glob("*.md"))
    for name, experiment in EXPERIMENTS.items():
        assert f"## {experiment.title}" in text and f"reproduce {name} --random-state 0" in text
        panels = outcome_of(json.loads((RESULTS / f"{name}.json").read_text())).panels
        assert (tmp_path / "pages" / f"{name}.png").exists() == bool(panels)
