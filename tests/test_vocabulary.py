"""Names of modules, classes and functions use the standard terms of the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests")
# No word of a name is one of these.
INVENTED_WORDS = frozenset(
    """
    eyes hear heard hears news nobody places room rooms said say says seat seats sentence
    sentences slot slots somebody tell telling tells told unheard whoever whose
    """.split()  # noqa: SIM905
)
# No module has one of these names: they do not say what is in it.
VAGUE_MODULE_NAMES = frozenset(
    """
    coded derived heard inner names neutral oracle pieces seal sending sums telling trust words work
    """.split()  # noqa: SIM905
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words(name: str) -> set[str]:
    """Return the lower-case words of a name in snake case or camel case."""
    return {word.lower() for word in WORD.findall(name)}


def files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).rglob("*.py"))


def names_in(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of the module and of each class and function in it."""
    yield 1, path.parent.name if path.stem == "__init__" else path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name


def test_words_splits_snake_case_and_camel_case():
    assert words("test_JSONReport_seats2") == {"test", "json", "report", "seats"}


def test_names_contain_no_invented_words():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files()
        for line, name in names_in(path)
        if words(name) & INVENTED_WORDS
    ]
    assert not found, "\n".join(found)


def test_module_names_state_their_content():
    modules = [path for path in (ROOT / "src").rglob("*") if path.suffix in ("", ".py")]
    found = [str(path.relative_to(ROOT)) for path in modules if path.stem in VAGUE_MODULE_NAMES]
    assert not found, "\n".join(found)
