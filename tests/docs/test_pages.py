"""The pages of the documentation: their Python runs, and their tables are those of the code."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pytest

from learnkernels.weights.registry import METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What the build makes: API and reproductions from the code, the gallery from scripts.
MADE = ("_build", "api", "reproductions", "gallery", "measured")
PAGES = [ROOT / "README.md"] + [
    page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in MADE
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \|", re.MULTILINE)
# Two names of one class stand on one page.
SHARED = {"l2-svm": "lp-svm"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("page")  # dataclasses look for theirs
    monkeypatch.setitem(sys.modules, "page", module)
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        # Empty lines before the block, so that an error names the line of the page.
        before = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(before + block[1], page, "exec"), vars(module))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_page_with_its_parameters(name):
    text = (DOCS / "methods" / f"{SHARED.get(name, name)}.md").read_text(encoding="utf-8")
    method = METHODS[name]()
    assert f"lk.methods.{type(method).__name__}" in text
    told = {row[1]: row[2] for row in ROW.finditer(text)}
    taken = inspect.signature(type(method)).parameters.values()
    assert told.keys() == {parameter.name for parameter in taken}
    for parameter in taken:
        assert eval(told[parameter.name]) == parameter.default
