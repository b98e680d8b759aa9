"""Arguments of all commands."""

from __future__ import annotations

import argparse
from typing import Any

import learnkernels
from learnkernels.cli import commands
from learnkernels.cli.datasets import add_datasets
from learnkernels.cli.reproduce import add_reproduce
from learnkernels.inspection.compare import CHEAP
from learnkernels.methods import METHODS


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; without a command it prints the help."""
    top = argparse.ArgumentParser(
        prog="learnkernels", description="Learn the kernel instead of choosing it."
    )
    top.add_argument("--version", action="version", version=learnkernels.__version__)
    top.set_defaults(run=lambda _: top.print_help())
    subparsers = top.add_subparsers(metavar="command")
    add_fit(subparsers)
    add_predict(subparsers)
    add_report(subparsers)
    add_compare(subparsers)
    add_reproduce(subparsers)
    add_datasets(subparsers)
    add_demo(subparsers)
    return top


def add_fit(subparsers: Any) -> None:
    """Add the command `fit`."""
    fit = subparsers.add_parser("fit", help="learn a kernel from a table")
    add_data_options(fit)
    fit.add_argument(
        "--method", default="auto", help=f"one of {', '.join(METHODS)} (default %(default)s)"
    )
    add_model_options(fit)
    fit.add_argument("--save", metavar="FILE", help="save the model for 'predict' and 'report'")
    fit.set_defaults(run=commands.run_fit)


def add_predict(subparsers: Any) -> None:
    """Add the command `predict`."""
    predict = subparsers.add_parser("predict", help="predict a new table with a saved model")
    predict.add_argument("model", help="file written by 'fit --save'")
    predict.add_argument("data", help="CSV or Parquet file with the columns of the training table")
    add_separator(predict)
    predict.add_argument(
        "--proba", action="store_true", help="add a column with the probability of each class"
    )
    predict.add_argument(
        "--std", action="store_true", help="add a column with the standard deviation (regression)"
    )
    predict.add_argument(
        "--interval", type=float, metavar="COVERAGE",
        help="add columns with the lower and upper end of an interval that contains this part of "
        "new targets, for example 0.9 (regression)",
    )  # fmt: skip
    predict.add_argument("--output", metavar="FILE", help="output CSV (default: standard output)")
    predict.set_defaults(run=commands.run_predict)


def add_report(subparsers: Any) -> None:
    """Add the command `report`."""
    report = subparsers.add_parser("report", help="write a report on a saved model")
    report.add_argument("model", help="file written by 'fit --save'")
    report.add_argument("data", help="CSV or Parquet file that the model was trained on")
    add_separator(report)
    report.add_argument(
        "--output", metavar="FILE", default="report.html",
        help="output file: .html, .md or .json (default %(default)s)",
    )  # fmt: skip
    report.add_argument("--title", help="title of the report (default: the name of the file)")
    report.add_argument(
        "--cv", type=int, default=5,
        help="number of cross-validation folds, 0 for no cross-validation (default 5)",
    )  # fmt: skip
    report.add_argument(
        "--draws", type=int, default=50,
        help="number of random halves for the intervals of the weights, 0 for no intervals "
        "(default 50)",
    )  # fmt: skip
    add_random_state(report, "folds and halves")
    report.set_defaults(run=commands.run_report)


def add_compare(subparsers: Any) -> None:
    """Add the command `compare`."""
    compare = subparsers.add_parser("compare", help="compare methods by cross-validation")
    add_data_options(compare)
    which = compare.add_mutually_exclusive_group()
    which.add_argument(
        "--all", action="store_true", help="compare all methods that fit the task, also slow ones"
    )
    which.add_argument(
        "--methods", metavar="LIST", default=",".join(CHEAP),
        help=f"comma-separated list of {', '.join(METHODS)} (default %(default)s)",
    )  # fmt: skip
    compare.add_argument(
        "--cv", type=int, default=5, help="number of cross-validation folds (default 5)"
    )
    add_random_state(compare, "folds")
    compare.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    compare.set_defaults(run=commands.run_compare)


def add_demo(subparsers: Any) -> None:
    """Add the command `demo`."""
    demo = subparsers.add_parser("demo", help="run all steps on a data set of scikit-learn")
    demo.add_argument(
        "--output", metavar="DIRECTORY", default="learnkernels-demo",
        help="directory for the report and the model (default %(default)s)",
    )  # fmt: skip
    demo.set_defaults(run=commands.run_demo)


def add_separator(command: argparse.ArgumentParser) -> None:
    """Add the options --sep and --encoding."""
    command.add_argument(
        "--sep", default=",", help=r"column separator of CSV files, such as ';' or '\t' (default ,)"
    )
    command.add_argument(
        "--encoding", default="utf-8",
        help="encoding of CSV files, such as latin-1 or cp1252 (default %(default)s)",
    )  # fmt: skip


def add_random_state(command: argparse.ArgumentParser, purpose: str) -> None:
    """Add the option --random-state."""
    command.add_argument(
        "--random-state", type=int, default=0, help=f"random seed of the {purpose} (default 0)"
    )


def add_model_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the estimator."""
    regularisation = command.add_mutually_exclusive_group()
    regularisation.add_argument(
        "--C", metavar="VALUES",
        help="regularisation of a classifier or of --machine svr: a number, or several separated "
        "by commas to choose from (default: chosen by held-out error)",
    )  # fmt: skip
    regularisation.add_argument(
        "--alpha", metavar="VALUES", help="the same for ridge regression; larger is stronger"
    )
    command.add_argument(
        "--machine", choices=["auto", "svm", "svr", "ridge", "alignment"], default="auto",
        help="predictor that is trained with the learned kernel (default auto)",
    )  # fmt: skip
    command.add_argument(
        "--epsilon", type=float,
        help="residual that --machine svr does not penalise, in standard deviations of the target "
        "(default 0.1)",
    )  # fmt: skip
    command.add_argument(
        "--scoring", help="score of scikit-learn that chooses C or alpha, such as roc_auc or r2"
    )
    command.add_argument(
        "--class-weight", choices=["balanced"], help="give all classes the same total weight"
    )
    command.add_argument(
        "--components", type=int, metavar="M",
        help="use M random samples (landmarks) to span the predictor of a large table",
    )  # fmt: skip
    command.add_argument(
        "--max-memory", metavar="BYTES",
        help="bound of Gram matrices, such as 1GB, 2GiB (2 * 2^30 bytes) or 1e9 (default 8GB)",
    )  # fmt: skip
    command.add_argument(
        "--subsample", metavar="ROWS",
        help="learn the kernel from this many rows (or auto), and train on all with --components; "
        "Parquet files are then read in parts (default with --components: auto if the file does "
        "not fit --max-memory)",
    )  # fmt: skip
    command.add_argument(
        "--checkpoint", metavar="FILE",
        help="save unfinished sums to FILE, so that the same command continues after an interrupt",
    )  # fmt: skip
    command.add_argument("--n-jobs", type=int, help="number of threads (default: all cores)")


def add_data_options(command: argparse.ArgumentParser) -> None:
    """Add the options of commands that train on a table."""
    command.add_argument("data", help="CSV (plain or compressed) or Parquet file with a header")
    add_separator(command)
    command.add_argument("--target", required=True, help="column to predict")
    command.add_argument(
        "--task", choices=["auto", "classification", "regression"], default="auto",
        help="auto (default): classification if the target is text, or integers with two different "
        "values, or at most 20 that occur five times on average",
    )  # fmt: skip
    command.add_argument(
        "--kernels", metavar="LIST",
        help="for example gaussians:-3..3,polynomials:2..3,linear (gamma = 2^-3 to 2^3, degrees 2 "
        "and 3); default: Gaussian, Laplacian and linear kernels on standardised columns",
    )  # fmt: skip
    command.add_argument(
        "--text", metavar="COLUMN", action="append", default=[],
        help="column of texts: one kernel for each of its 4000 most frequent pairs of words; this "
        "and the next four options can be repeated",
    )  # fmt: skip
    command.add_argument(
        "--sequence", metavar="COLUMN", action="append", default=[],
        help="column of DNA or protein sequences: spectrum and weighted-degree kernels",
    )  # fmt: skip
    command.add_argument(
        "--date", metavar="COLUMN", action="append", default=[],
        help="column of dates that are not written as 2024-02-29",
    )  # fmt: skip
    command.add_argument(
        "--drop", metavar="COLUMN", action="append", default=[], help="column to leave out"
    )
    command.add_argument(
        "--view", metavar="PREFIX", action="append", default=[],
        help="columns with this prefix form a view with its own kernels",
    )  # fmt: skip
    command.add_argument(
        "--missing", choices=["error", "neutral"], default="error",
        help="neutral: samples may have no value in a view; they get the view's mean in training "
        "and are predicted by their other views",
    )  # fmt: skip
    command.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="address of a Dask scheduler, such as tcp://host:8786 (default: use all cores of "
        "this machine)",
    )  # fmt: skip
    command.add_argument(
        "--raw", action="store_true",
        help="do not standardise the columns (categories become zeros and ones)",
    )  # fmt: skip
