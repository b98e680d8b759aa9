"""Sizes of pages of the documentation."""

from tools.check_site import page_bytes


def test_size_of_a_page_includes_what_it_loads_once(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"0" * 1000)
    (tmp_path / "style.css").write_bytes(b"0" * 100)
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="stylesheet" href="style.css?v=1"><img alt="" src="picture.png">'
        '<img src="picture.png"><script src="https://example.org/x.js"></script>'
        '<a href="other.html">'
    )
    assert page_bytes(page) == page.stat().st_size + 1100
