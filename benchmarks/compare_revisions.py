"""Compare the headline ratios of another revision with those of the working tree.

``python -m benchmarks.compare_revisions v0.1.0`` checks the revision out into a temporary folder
and runs the benchmarks of this tree with both libraries in turn, in this environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare_revisions")
    parser.add_argument("revision", help="a tag, a branch or a commit of git")
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that it runs")
    options = parser.parse_args()
    rounds = 1 if options.quick else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, "other")
        git("worktree", "add", "--detach", "--quiet", str(other), options.revision)
        try:
            runs = [
                (ratios(other, options.quick), ratios(ROOT, options.quick)) for _ in range(rounds)
            ]
        finally:
            git("worktree", "remove", "--force", str(other))
    for line in table(options.revision, runs):
        print(line)


def ratios(tree: Path, quick: bool) -> dict[str, float]:
    """Return the headline ratios of the library in a tree, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.headline", *(["--quick"] if quick else [])]
    path = {"PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | path, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def table(revision: str, runs: list[tuple[dict[str, float], dict[str, float]]]) -> list[str]:
    """Return a Markdown table with the median ratios of both, and their quotient."""
    lines = [f"| time divided by that of | {revision} | now | now / {revision} |"]
    lines.append("|---|---|---|---|")
    for name in runs[0][0]:
        before, now = np.median([[old[name], new[name]] for old, new in runs], axis=0)
        lines.append(f"| {name} | {before:.3f} | {now:.3f} | {now / before:.2f} |")
    return lines


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
