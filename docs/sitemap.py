"""The list of all pages that search engines read."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def write_sitemap(app, exception) -> None:
    """Write sitemap.xml beside the pages when an HTML build has ended without error."""
    if exception or app.builder.format != "html":
        return
    pages = sorted(app.env.found_docs)
    urls = [app.config.html_baseurl + app.builder.get_target_uri(page) for page in pages]
    Path(app.outdir, "sitemap.xml").write_bytes(sitemap(urls))


def sitemap(urls: list[str]) -> bytes:
    """Return the XML of a sitemap."""
    root = ElementTree.Element("urlset", xmlns=NAMESPACE)
    for url in urls:
        ElementTree.SubElement(ElementTree.SubElement(root, "url"), "loc").text = url
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
