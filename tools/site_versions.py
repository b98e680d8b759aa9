"""Write versions.json, the list of releases that pages of the documentation link to."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version


def main() -> None:
    (site,) = map(Path, sys.argv[1:])
    text = json.dumps(site_versions(site))
    (site / "versions.json").write_text(text + "\n", encoding="utf-8")
    print(f"{site / 'versions.json'}: {text}")


def site_versions(site: Path) -> dict[str, Any]:
    """Return the tags of releases that have a folder of pages, newest first.

    ``newest`` is the newest of them that is not a pre-release, or None.
    """
    found = {page.parent.name: version(page.parent.name) for page in site.glob("v*/index.html")}
    known = {tag: number for tag, number in found.items() if number is not None}
    tags = sorted(known, key=known.__getitem__, reverse=True)
    stable = [tag for tag in tags if not known[tag].is_prerelease]
    return {"newest": stable[0] if stable else None, "releases": tags}


def version(tag: str) -> Version | None:
    """Return the version of a tag such as v0.2.0, or None for other names."""
    try:
        return Version(tag)
    except InvalidVersion:
        return None


if __name__ == "__main__":
    main()
