"""Pages on the reproductions: the README of each paper and the results in docs/results."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from learnkernels.reproductions import EXPERIMENTS, outcome_of
from learnkernels.reproductions.experiment import ResultTable, Value
from learnkernels.reproductions.figures import draw

__all__ = ["write_pages"]


def write_pages(results: Path, pages: Path) -> None:
    """Write one page for each paper, with its figures.

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
    """Return one experiment as Markdown, and write its figure into the folder of the pages."""
    outcome = outcome_of(found)
    name = found["experiment"]
    versions = ", ".join(f"{library} {version}" for library, version in found["versions"].items())
    lines = [
        f"## {found['title']}\n",
        f"`learnkernels reproduce {name} --random-state {found['random_state']}`, "
        f"{found['pieces']} pieces, {found['date']}; {versions}.\n",
    ]
    lines += [
        f"- {'Found' if claim.holds else '**Not found**'}: {claim.text}"
        + (f" ({claim.detail})" if claim.detail else "")
        for claim in outcome.claims
    ]
    lines += [markdown(table) for table in outcome.tables]
    if outcome.panels:
        draw(outcome.panels, pages / f"{name}.png")
        lines.append(f"\n![{found['title']}]({name}.png)\n")
    return "\n".join(lines)


def markdown(table: ResultTable) -> str:
    """Return a table with our numbers, and the paper's below them."""
    rule = "|".join(["---", *["---:"] * len(table.columns)])
    title = f"\n**{table.title}**" + (" (below ours the paper's)" if table.has_paper else "")
    rows = [
        " | ".join([row, *(cell(values.get(column), table.digits) for column in table.columns)])
        for row, values in table.values.items()
    ]
    head = " | ".join([table.corner, *table.columns])
    return "\n".join([title, "", f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows), ""])


def cell(value: Value | None, digits: int) -> str:
    if value is None:
        return ""
    paper = value.paper_shown(digits)
    return value.shown(digits) + (f"<br>{paper}" if paper else "")
