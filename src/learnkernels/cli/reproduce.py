"""The command `learnkernels reproduce`: run experiments of the papers."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.table import Table

from learnkernels.cli.show import console
from learnkernels.errors import InputError
from learnkernels.plurals import count_text
from learnkernels.reproductions import EXPERIMENTS, outcome_of, reproduce
from learnkernels.reproductions.experiment import ResultTable, Value


def run_reproduce(options: Namespace) -> None:
    """Run one experiment or all; list the experiments if no name is given."""
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
    """Treat SIGTERM like Ctrl-C: stop the workers and print how to continue."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_all(options: Namespace) -> None:
    """Run every experiment, and raise at the end if some could not be run."""
    failed, started = [], set()
    for name, experiment in EXPERIMENTS.items():
        fresh = options.fresh and experiment.protocol.name not in started
        started.add(experiment.protocol.name)
        try:
            run_one(name, Namespace(**vars(options) | {"fresh": fresh}))
        except InputError as error:
            print(f"learnkernels: {name}: {error}", file=sys.stderr)
            failed.append(name)
    if failed:
        raise InputError(
            f"these experiments could not be run: {', '.join(failed)}. See the errors above."
        )


def run_one(name: str, options: Namespace) -> None:
    """Run an experiment and print its tables and claims."""
    found = reproduce(
        name, quick=options.quick, random_state=options.random_state, n_jobs=options.n_jobs,
        folder=options.output, fresh=options.fresh, figures=not options.no_figures, verbose=True,
    )  # fmt: skip
    mode, state = found["mode"], found["random_state"]
    pieces = count_text(found["pieces"], "piece")
    print(f"{found['title']}\n{mode} mode, random state {state}, {pieces}")
    outcome = outcome_of(found)
    for table in outcome.tables:
        console().print(rich_table(table))
    for claim in outcome.claims:
        detail = f" ({claim.detail})" if claim.detail else ""
        print(f"{'yes' if claim.holds else 'NO '}  {claim.text}{detail}")
    path = Path(options.output) / f"{mode}-{state}" / name
    print(f"numbers: {path}.json")
    if outcome.panels and not options.no_figures:
        print(f"figure:  {path}.png")
    print()


def experiments_table() -> Table:
    """Return a table of all experiments."""
    table = Table(title="experiments", caption="run: learnkernels reproduce NAME, or all")
    table.add_column("name")
    table.add_column("table or figure")
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title)
    return table


def rich_table(results: ResultTable) -> Table:
    """Return our numbers, each with the paper's number below if it is published."""
    table = Table(title=results.title)
    table.add_column(results.corner)
    for column in results.columns:
        table.add_column(column, justify="right")
    for row, values in results.values.items():
        cells = [cell(values.get(column), results.digits) for column in results.columns]
        table.add_row(row, *cells)
    if results.has_paper:
        table.caption = "second line: published number"
    return table


def cell(value: Value | None, digits: int) -> str:
    """Format our number and the published one."""
    if value is None:
        return ""
    return f"{value.shown(digits)}\n{value.paper_shown(digits)}".rstrip()


def add_reproduce(subparsers: Any) -> None:
    """Add the command and its arguments."""
    command = subparsers.add_parser("reproduce", help="run experiments of the papers")
    command.add_argument(
        "name", nargs="?", help="name of an experiment, or all (default: list the experiments)"
    )
    command.add_argument(
        "--quick", action="store_true", help="run a short version that takes seconds to minutes"
    )
    command.add_argument(
        "--n-jobs", type=int, default=1, help="number of processes, -1 for all cores (default 1)"
    )
    command.add_argument("--random-state", type=int, default=0, help="random seed (default 0)")
    command.add_argument(
        "--output", metavar="DIRECTORY", default="learnkernels-reproductions",
        help="directory for results and figures; an interrupted run continues from it "
        "(default %(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--fresh", action="store_true", help="ignore cached results of earlier runs"
    )
    command.add_argument("--no-figures", action="store_true", help="do not draw figures")
    command.set_defaults(run=run_reproduce)
