"""Compare the headline ratios of another revision with those of the working tree.

``python -m benchmarks.compare_revisions v0.1.0`` checks the revision out into a temporary folder
and runs the benchmarks of this tree with both libraries in turn, in this environment. ``--record``
adds the result to docs/results/history.json, which the documentation shows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from learnkernels.version import versions

ROOT = Path(__file__).parents[1]
ROUNDS = 3
HISTORY = ROOT / "docs" / "results" / "history.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare_revisions")
    parser.add_argument("revision", help="a tag, a branch or a commit of git")
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that it runs")
    parser.add_argument("--record", action="store_true", help=f"add the result to {HISTORY.name}")
    options = parser.parse_args()
    rounds = 1 if options.quick else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, "other")
        git("worktree", "add", "--detach", "--quiet", str(other), options.revision)
        try:
            earlier = version_of(other)
            runs = [
                (ratios(other, options.quick), ratios(ROOT, options.quick)) for _ in range(rounds)
            ]
        finally:
            git("worktree", "remove", "--force", str(other))
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
        "revision": git("rev-parse", "--short", options.revision),
        "earlier": earlier,
        "rounds": rounds,
        "ratios": medians(runs),
    }
    if options.record:
        record(found, HISTORY)
    for line in table(found):
        print(line)


def version_of(tree: Path) -> str:
    """Return the version of the library in a tree."""
    code = "import learnkernels; print(learnkernels.__version__)"
    return run([sys.executable, "-c", code], tree).strip()


def ratios(tree: Path, quick: bool) -> dict[str, float]:
    """Return the headline ratios of the library in a tree, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.headline", *(["--quick"] if quick else [])]
    return json.loads(run(command, tree))


def run(command: list[str], tree: Path) -> str:
    """Return what a command prints that imports the library of a tree."""
    path = {"PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | path, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def medians(runs: list[tuple[dict[str, float], dict[str, float]]]) -> dict[str, list[float]]:
    """Return the median ratios of the earlier revision and of the working tree."""
    return {
        name: [round(float(np.median([run[which][name] for run in runs])), 4) for which in (0, 1)]
        for name in runs[0][0]
    }


def table(found: dict[str, Any]) -> list[str]:
    """Return a Markdown table with the ratios of both, and their quotient."""
    earlier = f"{found['earlier']} ({found['revision']})"
    now = found["versions"]["learnkernels"]
    lines = [f"| CPU time / that of | {earlier} | {now} | {now} / {found['earlier']} |"]
    lines.append("|---|---|---|---|")
    for name, (before, after) in found["ratios"].items():
        lines.append(f"| {name} | {before:.3f} | {after:.3f} | {after / before:.2f} |")
    return lines


def record(found: dict[str, Any], file: Path) -> None:
    """Add a comparison to the history, in place of one of the same two revisions."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    kept = [one for one in kept if pair(one) != pair(found)]
    file.write_text(json.dumps([*kept, found], indent=1) + "\n", encoding="utf-8")


def pair(found: dict[str, Any]) -> tuple[str, str]:
    """Return the revision and the version that a comparison is about."""
    return found["revision"], found["versions"]["learnkernels"]


def git(*arguments: str) -> str:
    """Return what a command of git prints."""
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
