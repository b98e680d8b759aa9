"""Pages of the documentation in a browser, by the rules of axe: `make docs browser`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browsers import browser as browser  # a fixture
from tests.browsers import needs_browser, violations

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"

pytestmark = [
    needs_browser,
    pytest.mark.skipif(not SITE.is_dir(), reason="the documentation is not built: 'make docs'"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    [
        "index", "tables", "which_method", "paper_to_code", "scaling", "glossary",
        "gallery/plot_tutorial", "api/learnkernels.KernelClassifier", "methods/alignf",
    ],
)  # fmt: skip
def test_page_is_accessible_by_the_rules_of_axe(name, scheme, browser):
    page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme=scheme)
    page.goto((SITE / f"{name}.html").as_uri())
    assert violations(page) == []
