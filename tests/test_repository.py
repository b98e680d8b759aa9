"""Workflows, the recipe and the Dockerfile match the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
MAKE = re.compile(r"run: make \"?([\w-]+)")
USES = re.compile(r"uses: (\S+)(.*)")

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the sdist has no workflows")


def make_targets() -> set[str]:
    rules = re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    return {target for rule in rules for target in rule.split()}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_runs_targets_of_the_makefile(path):
    used = set(MAKE.findall(path.read_text(encoding="utf-8")))
    # The name of a version is a value of the matrix.
    assert used - {"versions-"} <= make_targets()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_commits_with_their_version_as_comment(path):
    for action, comment in USES.findall(path.read_text(encoding="utf-8")):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_requirements_of_the_conda_recipe_are_those_of_the_project():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    required = {line.replace(" >=", ">=") for line in re.findall(r"- (\w\S* >=\d\S+)", run)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert required == set(project["dependencies"])
    assert f'python_min: "{project["requires-python"].removeprefix(">=")}"' in recipe


def test_dockerfile_copies_files_that_exist_and_are_sent_to_docker():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [line.split()[1:-1] for line in re.findall(r"^COPY (?!--).*", text, re.MULTILINE)]
    files = {name for line in copied for name in line}
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M)
    assert files == set(allowed)
    assert all((ROOT / name).exists() for name in files)


def test_dockerfile_starts_the_service_of_the_example():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    factory = re.search(r"--factory app:(\w+)", text)
    app = (ROOT / "examples" / "serving" / "app.py").read_text(encoding="utf-8")
    assert factory and f"def {factory[1]}(" in app
    assert "--save model.lk" in text and "MODEL=model.lk" in text
