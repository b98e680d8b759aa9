"""The command line: arguments, exit status, and errors as one line."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

import learnkernels
from learnkernels.cli import commands
from learnkernels.cli.datasets import add_datasets
from learnkernels.cli.reproduce import add_reproduce
from learnkernels.names import printable
from learnkernels.weights import METHODS

__all__ = ["main"]

INTERRUPTED = 130
# A name in a file may be long, and a sentence may hold ten.
LONGEST_MESSAGE = 2000
# What libraries below us raise for input that cannot be used, besides our own InputError.
BAD_INPUT = (ValueError, TypeError, OSError, ArithmeticError, MemoryError, ImportError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 on success, 2 on bad use or bad input."""
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = one_line_warning
            options.run(options)
        sys.stdout.flush()  # a full disk is an error of ours, not of the interpreter's end
    except KeyboardInterrupt as stop:
        print(f"learnkernels: stopped. {one_line(stop)}".rstrip(), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; nothing more to say
        return 0
    except BAD_INPUT as error:
        print(f"learnkernels: {one_line(error)}", file=sys.stderr)
        return 2
    return 0


def one_line_warning(message, category, filename, lineno, file=None, line=None):
    print(f"learnkernels: warning: {one_line(message)}", file=sys.stderr)


def one_line(message) -> str:
    """What is to be said, without what names from a file would make the terminal do."""
    text = printable(" ".join(str(message).split()))
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="learnkernels", description="Learn the kernel instead of choosing it."
    )
    top.add_argument("--version", action="version", version=learnkernels.__version__)
    subparsers = top.add_subparsers(required=True, metavar="command")

    fit = subparsers.add_parser("fit", help="learn a kernel on a table and show it")
    add_data_options(fit)
    fit.add_argument("--method", default="alignf", help=f"one of {', '.join(METHODS)}")
    fit.add_argument("--save", metavar="FILE", help="keep the model for 'predict'")
    fit.set_defaults(run=commands.run_fit)

    predict = subparsers.add_parser("predict", help="predict a new table with a saved model")
    predict.add_argument("model", help="file written by 'fit --save'")
    predict.add_argument("data", help="CSV or Parquet file with the columns of the training table")
    predict.add_argument("--output", metavar="FILE", help="CSV to write (default: the terminal)")
    predict.set_defaults(run=commands.run_predict)

    report = subparsers.add_parser("report", help="a page on a saved model and its training data")
    report.add_argument("model", help="file written by 'fit --save'")
    report.add_argument("data", help="CSV or Parquet file that the model was trained on")
    report.add_argument(
        "--output", metavar="FILE", default="report.html", help=".html, .md or .json (%(default)s)"
    )
    report.add_argument("--title", help="what the data is called (default: the file's name)")
    report.add_argument(
        "--folds", type=int, default=5, help="of the scores on unseen samples; 0: none (default 5)"
    )
    report.add_argument(
        "--draws", type=int, default=50,
        help="random halves that show how sure the weights are; 0: none (default 50)",
    )  # fmt: skip
    report.add_argument("--seed", type=int, default=0, help="of folds and halves (default 0)")
    report.set_defaults(run=commands.run_report)

    compare = subparsers.add_parser("compare", help="compare methods by cross-validation")
    add_data_options(compare)
    compare.add_argument(
        "--methods", default="unif,align,alignf", help=f"comma-separated, of {', '.join(METHODS)}"
    )
    compare.add_argument("--folds", type=int, default=5, help="folds (default 5)")
    compare.add_argument("--seed", type=int, default=0, help="shuffles the folds (default 0)")
    compare.add_argument("--json", metavar="FILE", help="write JSON; - is the terminal")
    compare.set_defaults(run=commands.run_compare)

    add_reproduce(subparsers)
    add_datasets(subparsers)

    demo = subparsers.add_parser("demo", help="the whole job on data that ships with scikit-learn")
    demo.add_argument(
        "--output", metavar="FOLDER", default="learnkernels-demo", help="for report and model"
    )
    demo.set_defaults(run=commands.run_demo)
    return top


def add_data_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", help="CSV (plain or packed) or Parquet file with a header row")
    command.add_argument("--target", required=True, help="the column to predict")
    command.add_argument(
        "--task", choices=["auto", "classification", "regression"], default="auto",
        help="auto: text, or at most 20 whole numbers, are classes",
    )  # fmt: skip
    command.add_argument(
        "--kernels", metavar="LIST",
        help="for example gaussians:-3..3,polynomials:2..3,linear (gamma = 2^-3 to 2^3); "
        "default: ten Gaussians around the median distance, and linear",
    )  # fmt: skip
    command.add_argument(
        "--text", metavar="COLUMN", action="append", default=[],
        help="a column of texts: a kernel for each of its 4000 most frequent pairs of words; may "
        "be given several times, like the next two",
    )  # fmt: skip
    command.add_argument(
        "--sequence", metavar="COLUMN", action="append", default=[],
        help="a column of DNA or protein sequences: spectrum and weighted-degree kernels",
    )  # fmt: skip
    command.add_argument(
        "--view", metavar="PREFIX", action="append", default=[],
        help="columns whose names begin so are a source of their own, with its own kernels",
    )  # fmt: skip
    command.add_argument(
        "--missing", choices=["error", "neutral"], default="error",
        help="neutral: samples without any value in a view stand at the view's mean",
    )  # fmt: skip
    command.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="run on the workers of a Dask cluster, tcp://host:8786 for one; default: all cores "
        "of this machine",
    )  # fmt: skip
    command.add_argument(
        "--raw", action="store_true",
        help="leave numbers as they are (default: standardise; text is always one-hot encoded)",
    )  # fmt: skip
    command.add_argument(
        "--impute", action="store_true",
        help="fill missing values: median for numbers, most frequent for categories",
    )  # fmt: skip
