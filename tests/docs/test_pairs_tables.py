"""The tables of the page on pairs are made from the results of the benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[2] / "docs"


def test_tables_contain_the_numbers_of_the_results(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    from pairs_tables import write_pair_tables

    write_pair_tables(DOCS / "results", tmp_path)
    found = json.loads((DOCS / "results" / "pairs.json").read_text(encoding="utf-8"))
    page = (DOCS / "pairs.md").read_text(encoding="utf-8")
    for path in tmp_path.iterdir():
        assert f"measured/{path.name}" in page
    rmse = np.mean([fold["rmse"] for fold in found["folds"]["alignf"]["folds"]])
    assert f"{rmse:.4f}" in (tmp_path / "pairs_folds.md").read_text(encoding="utf-8")
    settings = (tmp_path / "pairs_settings.md").read_text(encoding="utf-8")
    assert settings.count("\n") == 2 + 3 * len(found["settings"])
