"""A real browser for tests of pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

needs_browser = pytest.mark.skipif(
    "LEARNKERNELS_BROWSER" not in os.environ,
    reason="no browser: 'make browser' installs Chromium and runs these tests",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        path = os.environ["LEARNKERNELS_BROWSER"]
        found = player.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def violations(page: Any) -> list[tuple[str, str]]:
    """Return the rules of accessibility that a page violates, with its first element each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
