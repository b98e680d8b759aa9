"""The numbers of the paper are those of the benchmarks, and its references exist."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS, PAPER = ROOT / "docs", ROOT / "paper"

pytestmark = pytest.mark.skipif(not PAPER.exists(), reason="the sdist has no paper")


@pytest.fixture
def measured(monkeypatch, tmp_path) -> str:
    monkeypatch.syspath_prepend(DOCS)
    for name in ("tables_page", "measured_tables", "rank_picture"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    from tables_page import write_pieces

    write_pieces(DOCS / "results", tmp_path)
    return (tmp_path / "tables_ratios.md").read_text(encoding="utf-8")


def test_ratios_of_the_paper_are_measured(measured):
    text = (PAPER / "paper.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (\d\.\d{3}) \| (\d\.\d{3}) \|$", text, re.MULTILINE)
    assert len(rows) == 3
    assert all(f"**{ratio}**" in measured for row in rows for ratio in row)
    for worst in re.findall(r"(\d\.\d{3})\s\((\w+)\)", text):
        assert "{} ({})".format(*worst) in measured


def test_references_of_the_paper_are_in_its_bibliography():
    text = (PAPER / "paper.md").read_text(encoding="utf-8")
    bibliography = (PAPER / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+\d{4})", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
