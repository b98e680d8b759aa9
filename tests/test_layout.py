"""Where tests are and what they are called: the rules of tests/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
PACKAGE = ROOT / "src" / "learnkernels"
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def listed_properties() -> set[str]:
    """Return the files and folders in the table of tests/README.md, relative to tests/."""
    return set(ROW.findall((TESTS / "README.md").read_text(encoding="utf-8")))


def folders() -> Iterator[Path]:
    """Yield the folders of tests."""
    for path in sorted(TESTS.iterdir()):
        if path.is_dir() and any(path.glob("*.py")):
            yield path


def sources_of(folder: Path) -> Path:
    """Return the folder of sources that a folder of tests belongs to; it may not exist."""
    name = folder.relative_to(TESTS)
    return PACKAGE / name if (PACKAGE / name).is_dir() else ROOT / name


def source_names(folder: Path) -> set[str]:
    """Return the names of a folder, and of the modules and packages in it, without underscores."""
    paths = [folder, *(path for path in folder.rglob("*") if path.is_dir() or path.suffix == ".py")]
    return {path.stem.strip("_") for path in paths}


def test_every_package_has_a_folder_of_tests():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages <= {folder.name for folder in folders() if any(folder.glob("test_*.py"))}


def test_folders_are_named_after_sources_or_listed_as_properties():
    properties = listed_properties()
    for folder in folders():
        assert sources_of(folder).is_dir() or f"{folder.name}/" in properties, folder.name


def test_files_are_named_after_sources_or_listed_as_properties():
    properties = listed_properties()
    unexplained = []
    for path in sorted(TESTS.rglob("test_*.py")):
        name = path.relative_to(TESTS).as_posix()
        named_after_source = path.stem.removeprefix("test_") in source_names(
            sources_of(path.parent)
        )
        if not (named_after_source or {name, f"{path.parent.name}/"} & properties):
            unexplained.append(name)
    assert not unexplained, f"rename, or list in tests/README.md: {', '.join(unexplained)}"


def test_listed_properties_exist():
    missing = [name for name in listed_properties() if not (TESTS / name).exists()]
    assert not missing, f"remove from tests/README.md: {', '.join(missing)}"
