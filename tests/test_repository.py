"""The workflows use targets that the Makefile has, and actions of fixed versions."""

from __future__ import annotations

import re
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
