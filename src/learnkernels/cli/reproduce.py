"""`learnkernels reproduce`: a paper's experiment, its numbers beside ours."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.table import Table

from learnkernels.cli.show import console
from learnkernels.errors import InputError
from learnkernels.reproductions import EXPERIMENTS, outcome_of, reproduce
from learnkernels.reproductions.experiment import Grid, Value

__all__ = ["add_reproduce"]


def run_reproduce(options: Namespace) -> None:
    """Run one experiment, or all; without a name, say which there are."""
    if options.name is None:
        console().print(experiments_table())
        return
    with termination_as_interrupt():
        if options.name == "all":
            run_all(options)
        else:
            run_one(options.name, options)


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """A request to end stops workers and says how to go on, as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_all(options: Namespace) -> None:
    """Every experiment; those that cannot be run are named at the end."""
    failed, begun = [], set()
    for name, experiment in EXPERIMENTS.items():
        fresh = options.fresh and experiment.protocol.name not in begun
        begun.add(experiment.protocol.name)
        try:
            run_one(name, Namespace(**vars(options) | {"fresh": fresh}))
        except InputError as error:
            print(f"learnkernels: {name}: {error}", file=sys.stderr)
            failed.append(name)
    if failed:
        raise InputError(f"not run: {', '.join(failed)}; the reasons are above.")


def run_one(name: str, options: Namespace) -> None:
    found = reproduce(
        name, quick=options.quick, seed=options.seed, jobs=options.jobs, folder=options.output,
        fresh=options.fresh, figures=not options.no_figures, verbose=True,
    )  # fmt: skip
    print(f"{found['title']}\n{found['mode']} mode, seed {found['seed']}, {found['pieces']} pieces")
    outcome = outcome_of(found)
    for grid in outcome.grids:
        console().print(grid_table(grid))
    for claim in outcome.claims:
        detail = f" ({claim.detail})" if claim.detail else ""
        print(f"{'yes' if claim.holds else 'NO '}  {claim.text}{detail}")
    place = Path(options.output) / f"{found['mode']}-{found['seed']}" / name
    print(f"numbers: {place}.json")
    if outcome.panels and not options.no_figures:
        print(f"figure:  {place}.png")
    print()


def experiments_table() -> Table:
    table = Table(title="learnkernels reproduce NAME, or all")
    table.add_column("name")
    table.add_column("what it shows")
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title)
    return table


def grid_table(grid: Grid) -> Table:
    """Ours, and below it the paper's number, where there is one."""
    table = Table(title=grid.title)
    table.add_column(grid.corner)
    for column in grid.columns:
        table.add_column(column, justify="right")
    for row, values in grid.values.items():
        cells = [cell(values.get(column), grid.digits) for column in grid.columns]
        table.add_row(row, *cells)
    if grid.has_paper:
        table.caption = "second line: the paper"
    return table


def cell(value: Value | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value.shown(digits)}\n{value.paper_shown(digits)}".rstrip()


def add_reproduce(subparsers) -> None:
    """The command and its arguments."""
    command = subparsers.add_parser(
        "reproduce", help="run a paper's experiment, its numbers beside ours"
    )
    command.add_argument("name", nargs="?", help="a table or figure, or all; without: a list")
    command.add_argument("--quick", action="store_true", help="a short run, in minutes at most")
    command.add_argument("--jobs", type=int, default=1, help="processes at work (default 1)")
    command.add_argument("--seed", type=int, default=0, help="of all randomness (default 0)")
    command.add_argument(
        "--output", metavar="FOLDER", default="learnkernels-reproductions",
        help="for finished pieces, numbers and figures; a stopped run goes on from there",
    )  # fmt: skip
    command.add_argument("--fresh", action="store_true", help="do finished pieces again")
    command.add_argument("--no-figures", action="store_true", help="numbers only")
    command.set_defaults(run=run_reproduce)
