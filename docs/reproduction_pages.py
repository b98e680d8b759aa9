"""Pages on the reproductions: each paper's README, then the results that lie in docs/results."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from learnkernels.reproductions import EXPERIMENTS, outcome_of
from learnkernels.reproductions.experiment import Grid, Value
from learnkernels.reproductions.figures import draw

__all__ = ["write_pages"]


def write_pages(results: Path, pages: Path) -> None:
    """One page a paper, with its figures.

    Parameters
    ----------
    results : Path
        Folder with the JSON files of `learnkernels reproduce`.
    pages : Path
        Folder to write to.
    """
    pages.mkdir(exist_ok=True)
    by_paper: dict[str, list[str]] = {}
    for name, experiment in EXPERIMENTS.items():
        package = experiment.conclude.__module__.rpartition(".")[0]
        by_paper.setdefault(package, []).append(name)
    for package, names in by_paper.items():
        parts = [(files(package) / "README.md").read_text(encoding="utf-8")]
        for name in names:
            file = results / f"{name}.json"
            if file.exists():
                parts.append(section(json.loads(file.read_text(encoding="utf-8")), pages))
        page = pages / f"{package.rpartition('.')[2]}.md"
        page.write_text("\n".join(parts), encoding="utf-8")


def section(found: dict, pages: Path) -> str:
    """One experiment in Markdown; its figure beside the page."""
    outcome = outcome_of(found)
    name = found["experiment"]
    versions = ", ".join(f"{library} {version}" for library, version in found["versions"].items())
    lines = [
        f"## {found['title']}\n",
        f"`learnkernels reproduce {name} --seed {found['seed']}`, {found['pieces']} pieces, "
        f"{found['date']}; {versions}.\n",
    ]
    lines += [
        f"- {'Found' if claim.holds else '**Not found**'}: {claim.text}"
        + (f" ({claim.detail})" if claim.detail else "")
        for claim in outcome.claims
    ]
    lines += [table(grid) for grid in outcome.grids]
    if outcome.panels:
        draw(outcome.panels, pages / f"{name}.png")
        lines.append(f"\n![{found['title']}]({name}.png)\n")
    return "\n".join(lines)


def table(grid: Grid) -> str:
    """Ours, and below it the paper's."""
    rule = "|".join(["---", *["---:"] * len(grid.columns)])
    title = f"\n**{grid.title}**" + (" (below ours the paper's)" if grid.has_paper else "")
    rows = [
        " | ".join([row, *(cell(values.get(column), grid.digits) for column in grid.columns)])
        for row, values in grid.values.items()
    ]
    head = " | ".join([grid.corner, *grid.columns])
    return "\n".join([title, "", f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows), ""])


def cell(value: Value | None, digits: int) -> str:
    if value is None:
        return ""
    paper = value.paper_shown(digits)
    return value.shown(digits) + (f"<br>{paper}" if paper else "")
