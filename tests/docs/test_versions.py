"""The list of versions on pages of the documentation, in a browser: `make docs browser`."""

from __future__ import annotations

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tools.site_versions import site_versions

from learnkernels import __version__
from tests.browsers import browser as browser  # a fixture
from tests.browsers import needs_browser, violations

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
NOTE = "p.other-version"

pytestmark = [
    needs_browser,
    pytest.mark.skipif(not SITE.is_dir(), reason="the documentation is not built: 'make docs'"),
]


@pytest.fixture
def site(tmp_path):
    """Serve the built pages as three versions; yield the folder and the address."""
    for path in SITE.iterdir():
        if path.name != "versions.json":
            (tmp_path / path.name).symlink_to(path)
    for tag in ("v0.9.0", "v0.10.0"):
        (tmp_path / tag).symlink_to(SITE)
    (tmp_path / "versions.json").write_text(json.dumps(site_versions(tmp_path)))
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield tmp_path, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def opened(browser):
    """Return a function that opens a page; fail on messages in the console."""
    messages, contexts = [], []

    def keep(message):
        if not message.location["url"].endswith("/favicon.ico"):  # the site has none
            messages.append(message.text)

    def open_page(url, **options):
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.on("console", keep)
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(url, wait_until="networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert messages == []


@pytest.mark.parametrize(
    ("name", "current", "old"),
    [
        ("methods/alignf.html", "development", False),
        ("v0.10.0/index.html", "0.10.0", False),
        ("v0.9.0/methods/alignf.html", "0.9.0", True),
    ],
)
def test_every_version_links_to_all_versions(name, current, old, site, opened):
    _, address = site
    page = opened(f"{address}/{name}")
    versions = page.locator(".versions")
    assert versions.locator("summary").inner_text() == f"Version: {current}"
    links = versions.locator("a").evaluate_all("all => all.map(one => one.href)")
    assert links == [f"{address}/", f"{address}/v0.10.0/", f"{address}/v0.9.0/"]
    assert all(page.request.get(link).ok for link in links)
    assert versions.locator("[aria-current]").text_content().split()[0] == current
    assert page.locator(NOTE).count() == old
    if old:
        text = "This page describes version 0.9.0. The newest release is 0.10.0."
        assert page.locator(NOTE).inner_text() == text
        assert page.locator(f"{NOTE} a").get_attribute("href") == f"{address}/v0.10.0/"


def test_list_of_versions_opens_and_links_by_keys(site, opened):
    _, address = site
    page = opened(f"{address}/v0.9.0/index.html")
    page.locator(".versions summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "0.10.0 (newest release)"
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/v0.10.0/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_list_and_note_are_accessible_by_the_rules_of_axe(scheme, site, opened):
    page = opened(f"{site[1]}/v0.9.0/index.html", color_scheme=scheme)
    page.locator(".versions summary").click()
    assert page.locator(NOTE).is_visible()
    assert violations(page) == []


@pytest.mark.parametrize("reason", ["no scripts", "local file", "no releases", "damaged list"])
def test_page_without_a_list_shows_the_version_of_the_build(reason, site, opened):
    folder, address = site
    if reason == "no releases":
        (folder / "versions.json").write_text(json.dumps(site_versions(folder / "methods")))
    elif reason == "damaged list":
        (folder / "versions.json").write_text("<html>")
    url = SITE.as_uri() if reason == "local file" else address
    page = opened(f"{url}/index.html", java_script_enabled=reason != "no scripts")
    assert page.locator(".versions").inner_text() == f"Version: {__version__}"
    assert page.locator(f"{NOTE}, .versions a").count() == 0


def test_page_is_complete_if_the_list_is_missing(site, browser):
    folder, address = site
    (folder / "versions.json").unlink()
    errors = []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/v0.9.0/index.html", wait_until="networkidle")
    assert page.locator(".versions").text_content() == f"Version: {__version__}"
    assert errors == []
    page.close()
