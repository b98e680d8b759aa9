"""`learnkernels datasets`: which data sets there are, where they are, how to get them."""

from __future__ import annotations

from argparse import Namespace

from rich.table import Table

from learnkernels import datasets
from learnkernels.cli.show import console

__all__ = ["add_datasets"]


def run_list(options: Namespace) -> None:
    """All data sets in a table."""
    table = Table(title="data sets")
    for column in ("name", "what it is", "where", "source"):
        table.add_column(column)
    for name, data in datasets.DATASETS.items():
        table.add_row(name, data.about, datasets.whereabouts(name), data.source)
    console().print(table)


def run_fetch(options: Namespace) -> None:
    """Bring data sets to the cache unless they are at hand."""
    for name in options.names:
        print(f"{name}: {datasets.fetch(name)}")


def run_path(options: Namespace) -> None:
    """Where a data set lies."""
    print(datasets.path(options.name))


def add_datasets(subparsers) -> None:
    """The command and its arguments."""
    command = subparsers.add_parser("datasets", help="genuine data sets: list, fetch, path")
    actions = command.add_subparsers(required=True, metavar="list|fetch|path")
    actions.add_parser("list", help="all, and where they are").set_defaults(run=run_list)
    fetch = actions.add_parser("fetch", help="download to the cache what is not at hand")
    fetch.add_argument("names", nargs="+", metavar="name")
    fetch.set_defaults(run=run_fetch)
    path = actions.add_parser("path", help="the file of one, fetched if need be")
    path.add_argument("name")
    path.set_defaults(run=run_path)
