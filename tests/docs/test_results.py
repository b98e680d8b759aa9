"""Results that the documentation shows were made with the current series of versions."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

FILES = sorted((Path(__file__).parents[2] / "docs" / "results").glob("*.json"))
OLDEST = Version("0.2.0.dev0")


def versions_in(content: object) -> Iterator[Version]:
    """Yield the versions of the library in all entries with versions."""
    if isinstance(content, dict):
        if "learnkernels" in content.get("versions", {}):
            yield Version(content["versions"]["learnkernels"])
        for value in content.values():
            yield from versions_in(value)
    elif isinstance(content, list):
        for value in content:
            yield from versions_in(value)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_result_names_the_version_that_made_it_which_is_not_older_than_0_2(file):
    found = list(versions_in(json.loads(file.read_text(encoding="utf-8"))))
    assert found and min(found) >= OLDEST
