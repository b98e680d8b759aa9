"""Tables that pages include, from the source: methods and supported versions."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from learnkernels.methods import METHODS
from measured_tables import table

__all__ = ["write_source_tables"]

# Two strings of one class share a page.
SHARED_PAGES = {"l2-svm": "lp-svm"}
METHOD_PAGES = Path(__file__).parent / "methods"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


def write_source_tables(pyproject: Path, tables: Path) -> None:
    """Write each table as Markdown.

    Parameters
    ----------
    pyproject : Path
        The file pyproject.toml.
    tables : Path
        Folder to write to.
    """
    tables.mkdir(exist_ok=True)
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    for name, text in (("methods", method_table()), ("versions", version_table(project))):
        (tables / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def method_table() -> str:
    """Return a table of strings, classes, parameters with defaults, and tasks of all methods."""
    rows = [method_row(name) for name in METHODS]
    return table(["`method=`", "class", "parameters and defaults", "task"], rows)


def method_row(name: str) -> list[str]:
    """Return the cells of one method."""
    method = METHODS[name]()
    kind = type(method)
    defaults = inspect.signature(kind).parameters
    parameters = method.get_params(deep=False)
    page = SHARED_PAGES.get(name, name)
    string = f"`{name}`"
    return [
        f"[{string}](methods/{page}.md)" if (METHOD_PAGES / f"{page}.md").exists() else string,
        f"{{class}}`~learnkernels.methods.{kind.__name__}`",
        ", ".join(f"`{key}={parameters[key]!r}`" for key in defaults) or "none",
        " and ".join(method.tasks),
    ]


def version_table(project: dict[str, Any]) -> str:
    """Return a table of the supported versions of Python and of the main dependencies."""
    requirements = [Requirement(text) for text in project["dependencies"]]
    found = {one.name: bounds(str(one.specifier)) for one in requirements}
    rows = [["Python", bounds(project["requires-python"])]]
    return table(["package", "versions"], rows + [[name, found[name]] for name in LIBRARIES])


def bounds(specifier: str) -> str:
    """Return version bounds, the lower one first."""
    return ", ".join(f"`{part}`" for part in sorted(specifier.split(","), reverse=True))
