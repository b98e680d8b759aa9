"""Links from the page "From the papers to the code" to the lines that compute each equation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import learnkernels
from learnkernels.version import __version__

PAGE = "paper_to_code"
ROOT = Path(learnkernels.__file__).parents[1]
SOURCES = f"https://github.com/learnkernels/learnkernels/blob/v{__version__}/src"
NAME = re.compile(r"`((?:[a-z_0-9]+\.)+\w+)`")


def link_lines(app: Any, page: str, content: list[str]) -> None:
    """Replace names in the last column of the tables by links to their lines."""
    if page == PAGE:
        content[0] = "\n".join(linked(line) for line in content[0].split("\n"))


def linked(line: str) -> str:
    """Return a row of a table with links in its last column, and any other line as it is."""
    start, bar, last = line.rstrip(" |").rpartition(" | ")
    if not (line.startswith("| ") and bar):
        return line
    return f"{start}{bar}{NAME.sub(lambda match: link(match[1]), last)} |"


def link(name: str) -> str:
    """Return a link to the line of a name relative to learnkernels."""
    file, line = place(name)
    return f"[`{name}`]({SOURCES}/{file}#L{line})"


def place(name: str) -> tuple[str, int]:
    """Return file and line of a function, or of the method of a class that computes its result."""
    found: Any = resolve_name(f"learnkernels.{name}")
    if inspect.isclass(found) and "learn" in vars(found):
        found = found.learn
    for wrapped in ("function", "py_func"):  # compiled functions, before and after the first call
        found = getattr(found, wrapped, found)
    file = Path(inspect.getsourcefile(found) or "").relative_to(ROOT)
    return file.as_posix(), inspect.getsourcelines(found)[1]
