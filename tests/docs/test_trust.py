"""The tests that docs/trust.md names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
NAMED = re.findall(r"^\| .+ \| `(tests/[\w/]+\.py)::(test_\w+)` \|$", TEXT, re.MULTILINE)


def names_in(path: Path) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_has_a_test():
    rows = TEXT.partition("## Tests\n")[2].count("\n| ") - 1  # without the header
    assert len(NAMED) == rows > 40


def test_tests_that_the_page_names_exist():
    missing = [f"{file}::{name}" for file, name in NAMED if name not in names_in(ROOT / file)]
    assert not missing
