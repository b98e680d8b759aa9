"""Print the oldest versions that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def constraints(pyproject: dict[str, Any]) -> Iterator[str]:
    """``name==lower bound`` of every dependency, also those of the extras and of the tests."""
    project = pyproject["project"]
    extras = project["optional-dependencies"].values()
    for named in (project["dependencies"], *extras, pyproject["dependency-groups"]["test"]):
        yield from map(oldest, named)


def oldest(dependency: str) -> str:
    requirement = Requirement(dependency)
    bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
    if len(bounds) != 1:
        raise SystemExit(f"{dependency!r} in {PYPROJECT.name} should have one lower bound, >=.")
    return f"{requirement.name}=={bounds[0]}"


if __name__ == "__main__":
    print(*constraints(tomllib.loads(PYPROJECT.read_text())), sep="\n")
