"""The HTML report in a browser: `make browser` installs Chromium and runs these tests."""

from __future__ import annotations

import re

import pytest

import learnkernels as lk
from tests.browsers import browser as browser  # a fixture
from tests.browsers import needs_browser, violations

pytestmark = needs_browser

OVERFLOWING = """() => Array.from(document.querySelectorAll("main *"))
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
    .map((one) => one.outerHTML.slice(0, 100))"""


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a report; fail on messages and on requests for other files."""
    messages, requests = [], []

    def open_report(model, X, y, width=1400, scheme="light"):
        path = lk.report(model, X, y, title="a page", draws=4, cv=2).save(tmp_path / "r.html")
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: messages.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_report
    assert messages == []
    own = (tmp_path / "r.html").as_uri()
    assert {url for url in requests if not url.startswith("data:")} == {own}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
@pytest.mark.parametrize("data", ["views", "many"])
def test_page_fits_width(data, width, scheme, opened, request):
    page = opened(*request.getfixturevalue(data), width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOWING) == []
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("data", ["views", "many"])
def test_page_is_accessible_by_the_rules_of_axe(data, scheme, opened, request):
    assert violations(opened(*request.getfixturevalue(data), scheme=scheme)) == []


def test_cards_are_on_the_first_screen(views, opened):
    page = opened(*views)
    for question in ("How good is it?", "Which kernels?", "Can I trust it?"):
        card = page.locator(".card", has_text=question)
        box = card.bounding_box()
        assert box["y"] + box["height"] < 900


def test_table_of_kernels_sorts_and_expands(many, opened):
    page = opened(*many)
    table = page.locator("table.kernels[data-long]")
    shown = table.locator("tbody tr:visible")
    assert shown.count() == 15
    page.get_by_role("button", name="Show all 300 rows").click()
    assert shown.count() == 300

    def column(at):
        return table.locator(f"tbody tr td:nth-child({at})").evaluate_all(
            "cells => cells.map((cell) => cell.dataset.value)"
        )

    page.get_by_role("button", name="alignment").click()
    values = [float(value) for value in column(6)]
    assert values == sorted(values, reverse=True)
    page.get_by_role("button", name="alignment").click()
    assert [float(value) for value in column(6)] == sorted(values)
    page.get_by_role("button", name=re.compile("^kernel")).click()
    assert column(1) == [f"x[{k}]" for k in range(300)]


def test_tooltip_follows_pointer_and_focus(views, opened):
    page = opened(*views)
    tip = page.locator("#tip")
    assert not tip.is_visible()
    page.locator(".scores .learned .mean").hover()
    assert "this model: mean" in tip.inner_text()
    page.locator("table.kernels .bar[tabindex]").first.focus()
    assert "weight" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1400
