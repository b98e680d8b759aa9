"""The command `learnkernels datasets`: list and download data sets."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from rich.table import Table

from learnkernels import datasets
from learnkernels.cli.show import console


def run_list(options: Namespace) -> None:
    """Print a table of all data sets."""
    table = Table(title="data sets")
    for column in ("name", "description", "availability", "source"):
        table.add_column(column)
    for name, data in datasets.DATASETS.items():
        table.add_row(name, data.about, datasets.availability(name), data.source)
    console().print(table)


def run_fetch(options: Namespace) -> None:
    """Download data sets unless they are available locally."""
    for name in options.names:
        print(f"{name}: {datasets.fetch(name)}")


def run_path(options: Namespace) -> None:
    """Print the path of a data set."""
    print(datasets.path(options.name))


def add_datasets(subparsers: Any) -> None:
    """Add the command and its arguments."""
    command = subparsers.add_parser(
        "datasets", help="list and download the data sets of the experiments"
    )
    actions = command.add_subparsers(required=True, metavar="list|fetch|path")
    actions.add_parser(
        "list", help="list all data sets and whether they are available"
    ).set_defaults(run=run_list)
    fetch = actions.add_parser("fetch", help="download data sets to the cache")
    fetch.add_argument("names", nargs="+", metavar="name", help="names of data sets")
    fetch.set_defaults(run=run_fetch)
    path = actions.add_parser("path", help="print the path of a data set; download it if necessary")
    path.add_argument("name", help="name of a data set")
    path.set_defaults(run=run_path)
