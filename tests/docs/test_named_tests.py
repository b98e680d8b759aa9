"""The tests that pages of the documentation name exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("trust.md", "deploy.md")
}


def named(text: str) -> list[tuple[str, str]]:
    """Return files and names of the tests in the rows of a table."""
    return re.findall(r"^\| .+ \| `(tests/[\w/]+\.py)::(test_\w+)` \|$", text, re.MULTILINE)


def names_in(path: Path) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_has_a_test():
    text = PAGES["trust.md"]
    rows = text.partition("## Tests\n")[2].count("\n| ") - 1  # without the header
    assert len(named(text)) == rows > 40


def test_every_row_of_the_comparison_of_estimators_has_a_test():
    _, _, compared = PAGES["deploy.md"].partition("## Compared with other estimators\n")
    needed = re.findall(r"^\| ([^|]+) \| yes \|", compared, re.MULTILINE)
    tested = re.findall(r"^\| ([^|]+) \| `tests/", compared, re.MULTILINE)
    assert needed == tested and len(needed) == 9


@pytest.mark.parametrize("page", PAGES)
def test_tests_that_the_page_names_exist(page):
    found = named(PAGES[page])
    missing = [f"{file}::{name}" for file, name in found if name not in names_in(ROOT / file)]
    assert found and not missing
