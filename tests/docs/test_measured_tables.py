"""The tables of the pages are made from the results of the benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[2] / "docs"


def test_table_of_the_examples_of_himalaya_contains_the_numbers_of_the_results(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    from measured_tables import himalaya_table

    found = json.loads((DOCS / "results" / "himalaya_gallery.json").read_text(encoding="utf-8"))
    lines = himalaya_table(found).splitlines()
    assert len(lines) == 2 + sum(len(models) for models in found["examples"].values())
    for title, models in found["examples"].items():
        at = next(k for k, line in enumerate(lines) if f"| {title} (" in line)
        own = "\n".join(lines[at : at + len(models)])
        for rows in models.values():
            assert f"{np.mean([row['r2'] for row in rows]):.3f}" in own
