"""Check the built documentation: no page may load more than 1 MB."""

from __future__ import annotations

import re
import sys
from pathlib import Path

LIMIT = 1_000_000
LOADED = re.compile(r"""<(?:img|script)[^>]*\ssrc="([^"#?]+)|<link[^>]*\shref="([^"#?]+\.css)""")


def main() -> None:
    (folder,) = map(Path, sys.argv[1:])
    sizes = {page: page_bytes(page) for page in folder.rglob("*.html")}
    heavy = [f"{page}: {size / 1e6:.2f} MB" for page, size in sizes.items() if size > LIMIT]
    if heavy or not sizes:
        raise SystemExit("pages over 1 MB:\n" + "\n".join(heavy) if heavy else "no pages.")
    largest = max(sizes, key=sizes.__getitem__)
    print(f"{len(sizes)} pages, the largest {sizes[largest] / 1e6:.2f} MB: {largest}")


def page_bytes(page: Path) -> int:
    """Return the bytes of a page with its local pictures, scripts and style sheets."""
    names = {a or b for a, b in LOADED.findall(page.read_text(encoding="utf-8"))}
    files = {(page.parent / name).resolve() for name in names if "://" not in name}
    return page.stat().st_size + sum(file.stat().st_size for file in files if file.is_file())


if __name__ == "__main__":
    main()
