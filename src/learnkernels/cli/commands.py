"""The commands: read a table, call the library, print the result."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from learnkernels.cli.advice import as_options
from learnkernels.cli.data import (
    as_dates,
    as_texts,
    check_infinite,
    is_number,
    read_table,
    split_target,
    target_values,
    task_of_target,
    translated,
    without_columns,
)
from learnkernels.cli.files import first_bytes, is_parquet
from learnkernels.cli.model import bytes_of, model_options
from learnkernels.cli.show import (
    comparison_table,
    console,
    views_table,
    weights_table,
)
from learnkernels.cli.stream import ConvertedTable, bytes_in_memory, table_parts
from learnkernels.cli.views import has_views, kernels_of, text_columns
from learnkernels.errors import InputError
from learnkernels.escaping import printable
from learnkernels.estimators import KernelClassifier, KernelRegressor, open_parquet
from learnkernels.estimators.input.parts import ParquetTable
from learnkernels.estimators.search import regularization_name
from learnkernels.execution import format_bytes
from learnkernels.files import make_folder, replacing
from learnkernels.inspection import Comparison, compare
from learnkernels.machines import MAX_MEMORY
from learnkernels.methods import METHODS
from learnkernels.persistence import load, save
from learnkernels.plurals import count_text
from learnkernels.reporting import check_ending, report

# Rows that show the types of the columns.
FIRST_ROWS = 1000


def run_fit(options: Namespace) -> None:
    """Learn a kernel on a table, print it, and save the model if asked for."""
    check_output(options.save, options.data)
    check_output(options.checkpoint, options.data)
    if options.save and options.checkpoint and is_same_file(options.save, options.checkpoint):
        raise InputError(
            f"--save and --checkpoint name the same file {options.save!r}; expected two files, "
            "because the model would replace the sums. Pass another file to --checkpoint."
        )
    in_file = is_parquet(first_bytes(options.data))
    if in_file and options.subsample is None and exceeds_memory(options):
        print(
            f"a fit of the whole table {printable(options.data)} would take about "
            f"{format_bytes(bytes_in_memory(options.data))}, more than --max-memory: it is read "
            "in parts, as with --subsample auto.",
            file=sys.stderr,
        )
        options.subsample = "auto"
    lazy = in_file and options.subsample is not None
    X, y, task = lazy_data_of(options) if lazy else data_of(options)
    first: pd.DataFrame = X[:FIRST_ROWS] if lazy else X
    model = estimator(
        task, options.method, kernels_of(options, first), options.missing, backend_of(options),
        **model_options(options, task),
    )  # fmt: skip
    with advice_on_interrupt(options):
        fitted: Any = model.fit(X, y)
    if options.save:
        texts = [*options.text, *options.sequence]
        save(saved_form(fitted, first, options.target, task, texts, options.date), options.save)
    shape = f"{count_text(X.shape[1], 'column')}, {count_text(len(X), 'row')}"
    print(f"{task} of {options.target!r} from {shape}")
    if hasattr(fitted, "subsample_"):
        print(f"kernel learned from {count_text(len(fitted.subsample_), 'row')}")
    console().print(weights_table(fitted.kernel_names_, fitted.weights_, fitted.kernel_alignments_))
    if has_views(options):
        console().print(views_table(fitted.view_weights_))
    print(f"alignment of the learned kernel with the target: {fitted.alignment_:.4f}")
    print(f"weights: {fitted.certificate_}")
    print(chosen(fitted))
    if options.save:
        print(f"model: {printable(options.save)}")


@contextmanager
def advice_on_interrupt(options: Namespace) -> Iterator[None]:
    """Add to an interrupt how the next fit with a subsample can continue after one."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if options.subsample is None or options.checkpoint is not None:
            raise
        text = "With --checkpoint FILE, the same command continues after an interrupt."
        raise KeyboardInterrupt(text) from stop


def run_predict(options: Namespace) -> None:
    """Write a table with a column of predictions as CSV, some rows at a time.

    Cells and class labels are written unchanged, so that they equal those of the input.
    """
    check_output(options.output, options.model, options.data)
    saved = saved_model(options.model)
    parts = table_parts(options.data, options.sep, options.encoding)
    if options.output:
        with replacing(options.output) as stream:
            for k, part in enumerate(parts):
                with_predictions(saved, part, options).to_csv(stream, index=False, header=not k)
        return
    for k, part in enumerate(parts):
        predicted = with_predictions(saved, part, options)
        try:
            predicted.to_csv(sys.stdout, index=False, header=not k)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(
                f"cannot write the predictions to standard output: {error.strerror or error}. Pass "
                "--output FILE to write them to a file."
            ) from error


def with_predictions(
    saved: dict[str, Any], table: pd.DataFrame, options: Namespace
) -> pd.DataFrame:
    """Return some rows of a table with their predictions."""
    check_names(["prediction"], table, options.data)
    X = features_of(saved, table, options.data)
    predicted = table.copy()  # contiguous
    predicted["prediction"] = saved["model"].predict(X)
    if options.proba:
        add_probabilities(predicted, saved, X, options.data)
    if options.std or options.interval is not None:
        add_uncertainty(predicted, saved, X, options)
    return predicted


def add_probabilities(
    predicted: pd.DataFrame, saved: dict[str, Any], X: pd.DataFrame, path: str
) -> None:
    """Add a column with the probability of each class."""
    if saved["task"] != "classification":
        raise InputError("--proba is for classes, and the model is a regression; leave it out.")
    if not hasattr(saved["model"], "predict_proba"):
        raise InputError(
            "the model has no probabilities, because it was fitted with one C; fit it again with "
            "several, such as --C 0.1,1,10, or leave --proba out."
        )
    names = [f"probability of {label}" for label in saved["model"].classes_]
    check_names(names, predicted, path)
    predicted[names] = saved["model"].predict_proba(X)


def add_uncertainty(
    predicted: pd.DataFrame, saved: dict[str, Any], X: pd.DataFrame, options: Namespace
) -> None:
    """Add a column of standard deviations, and the lower and upper ends of intervals."""
    if saved["task"] != "regression":
        raise InputError(
            "--std and --interval are for regression, and the model predicts classes; pass --proba."
        )
    model = saved["model"]
    if options.std:
        check_names(["std"], predicted, options.data)
        predicted["std"] = model.predict(X, return_std=True)[1]
    if options.interval is not None:
        check_names(["lower", "upper"], predicted, options.data)
        predicted[["lower", "upper"]] = model.predict_interval(X, options.interval)


def check_names(names: list[str], table: pd.DataFrame, path: str) -> None:
    """Raise if a table has a column of one of these names."""
    twice = [name for name in names if name in table.columns]
    if twice:
        raise InputError(f"{path!r} already has a column {twice[0]!r}; rename it.")


def features_of(saved: dict[str, Any], table: pd.DataFrame, path: str) -> pd.DataFrame:
    """Return the columns of a table that a saved model needs, converted as in training."""
    model = saved["model"]
    columns = list(model.feature_names_in_)
    absent = [name for name in columns if name not in table.columns]
    if absent and model.missing != "neutral":
        raise InputError(
            f"{path!r} does not have all columns of the training table; missing: "
            f"{', '.join(absent[:10])}"
            f"{f' and {len(absent) - 10} more' if len(absent) > 10 else ''}. Add them, or use the "
            "table that belongs to this model."
        )
    X = table[[name for name in columns if name in table.columns]]
    X = as_dates(as_texts(X, saved["texts"]), saved["dates"], "as in the training table")
    check_infinite(X)
    return X


def run_report(options: Namespace) -> None:
    """Write a report on a saved model and its training table, and print a summary."""
    output = check_ending(options.output)  # before the computation
    check_output(output, options.model, options.data)
    saved = saved_model(options.model)
    table = read_table(options.data, options.sep, options.encoding)
    if saved["target"] not in table.columns:
        raise InputError(
            f"{options.data!r} has no column {saved['target']!r}, the target of the model; pass "
            "the table that the model was trained on."
        )
    table, y = split_target(table, saved["target"])
    X = features_of(saved, table, options.data)
    values = pd.Series(target_values(y, saved["task"]), name=saved["target"])
    title = options.title or Path(options.data).name.partition(".")[0]
    found = report(
        saved["model"], X, values, title=title, cv=options.cv, draws=options.draws,
        random_state=options.random_state, verbose=True,
    )  # fmt: skip
    found.save(output)
    print(found)
    print(f"report: {printable(str(output))}")


def run_compare(options: Namespace) -> None:
    """Compare methods on a table and print a table or JSON."""
    check_output(options.json, options.data)
    X, y, task = data_of(options)
    comparison = compared(
        X, y, task, "all" if options.all else options.methods, kernels_of(options, X), options.cv,
        options.random_state, options.missing, backend_of(options),
    )  # fmt: skip
    if options.json:
        text = json.dumps(comparison.to_dict(), indent=2)
        if options.json == "-":
            print(text)
            return
        with replacing(options.json) as stream:
            stream.write(f"{text}\n".encode())
    show_comparison(comparison)
    for method, count in comparison.unconverged.items():
        print(
            f"{method}: {count_text(count, 'fit')} did not converge, over all folds and values of "
            "the regularisation parameter.",
            file=sys.stderr,
        )
    for method, reason in comparison.not_applicable.items():
        print(f"{method}: {printable(as_options(reason))}", file=sys.stderr)


def show_comparison(comparison: Comparison) -> None:
    """Print a comparison as a table, and what its marks mean."""
    console().print(comparison_table(comparison))
    print(*comparison.notes, sep="\n")


def data_of(options: Namespace) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Read and check features, target and task."""
    check_options(options)
    table = without_columns(read_table(options.data, options.sep, options.encoding), options.drop)
    X, target = split_target(table, options.target)
    X = converted(X, options)
    return X, *target_of(target, options)


def exceeds_memory(options: Namespace) -> bool:
    """Return whether a Parquet file has to be read in parts, and the other options allow it."""
    allowed = (
        options.components is not None
        and options.machine in ("auto", "ridge", "svm")
        and options.method != "ensemble"
        and not options.date
        and options.scoring is None
    )
    return allowed and bytes_in_memory(options.data) > (bytes_of(options.max_memory) or MAX_MEMORY)


def lazy_data_of(options: Namespace) -> tuple[ConvertedTable, np.ndarray, str]:
    """Read the target of a Parquet file, and open its other columns."""
    check_options(options)
    if options.date:
        raise InputError(
            "--date reads the format from all rows, and these are read in parts; store dates as "
            "dates in the Parquet file, or leave --subsample out."
        )
    with translated(options.data, options.encoding):
        table, target = open_parquet(options.data, options.target)
    missing = int(pd.isna(target).sum())
    if missing:
        raise InputError(
            f"the target {options.target!r} is missing in {count_text(missing, 'row')}, and rows "
            "cannot be left out of a file that is read in parts; remove them from the file, or "
            "read it as a whole: leave --subsample out, and pass a --max-memory of more than "
            f"{format_bytes(bytes_in_memory(options.data))}."
        )
    columns = without_columns(table[:1], options.drop).columns.tolist()
    found = ConvertedTable(ParquetTable(table.path, columns), partial(converted, options=options))
    return found, *target_of(pd.Series(target, name=options.target), options)


def converted(X: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    """Return the features with texts and dates as the options say; raise if one is infinite."""
    texts = as_texts(X, text_columns(options, X))
    X = as_dates(texts, options.date, "or leave it out of --date")
    check_infinite(X)
    return X


def target_of(target: pd.Series, options: Namespace) -> tuple[np.ndarray, str]:
    """Return the values of the target, and the task."""
    task = task_of_target(target, options.task)
    integers = options.task == "auto" and is_number(target) and bool((target % 1 == 0).all())
    if integers and target.nunique() > 2:
        other = "classification" if task == "regression" else "regression"
        count = count_text(target.nunique(), "different integer")
        print(f"the target has {count}: {task}; pass --task {other} to change it.", file=sys.stderr)
    return target_values(target, task), task


def check_options(options: Namespace) -> None:
    """Raise if options do not fit together, or name an unknown method."""
    if options.missing == "neutral" and not has_views(options):
        raise InputError(
            "--missing neutral is for missing views, and no view is given; pass --view, --text or "
            "--sequence, or leave it out: single missing cells are allowed."
        )
    if options.target in options.drop:
        raise InputError(
            f"--drop contains the target {options.target!r}; leave it out of --drop, or choose "
            "another --target."
        )
    option = "--methods" if hasattr(options, "methods") else "--method"
    names = options.methods.split(",") if hasattr(options, "methods") else [options.method]
    for name in (name.strip() for name in names):
        if name and name not in METHODS:
            near = get_close_matches(name, METHODS, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise InputError(
                f"{option}: {name!r} is unknown; expected one of {', '.join(METHODS)}.{hint}"
            )


def saved_form(
    model: Any,
    X: pd.DataFrame,
    target: str,
    task: str,
    texts: Sequence[str] = (),
    dates: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the content of a model file that `predict`, `report` and services read."""
    numbers = [str(name) for name in X.columns if is_number(X[name])]
    # Set again by the command that loads it; no file of this fit is needed for predictions.
    model.set_params(verbose=False, backend=None)
    if hasattr(model, "checkpoint"):
        model.set_params(checkpoint=None)
    return {
        "model": model, "target": target, "task": task, "texts": list(texts), "dates": list(dates),
        "numbers": numbers,
    }  # fmt: skip


def saved_model(path: str) -> dict[str, Any]:
    """Load the content of a model file written by `fit --save`."""
    saved: Any = load(path)
    kinds = (KernelClassifier, KernelRegressor)
    types: dict[str, Any] = {
        "model": kinds,
        "target": str,
        "task": str,
        "texts": list,
        "dates": list,
        "numbers": list,
    }
    valid = isinstance(saved, dict) and all(
        isinstance(saved.get(name), kind) for name, kind in types.items()
    )
    if not (valid and is_table_model(saved)):
        raise InputError(
            f"{path!r} was not written by 'learnkernels fit --save'. Load a model of lk.save in "
            "Python with lk.load."
        )
    return saved


def is_table_model(saved: dict[str, Any]) -> bool:
    """Return whether the model belongs to its task, and has the columns that are listed."""
    model = saved["model"]
    columns = set(getattr(model, "feature_names_in_", ()))
    listed = {*saved["texts"], *saved["dates"], *saved["numbers"]}
    task = "classification" if isinstance(model, KernelClassifier) else "regression"
    return bool(columns) and listed <= columns and saved["task"] == task


def run_demo(options: Namespace) -> None:
    """Compare methods, fit, save and report: the slant of the digits of scikit-learn."""
    X, _ = load_digits(return_X_y=True, as_frame=True)
    y = slants(X)
    kernels = ["gaussians", "laplacians", "polynomials", "linear"]
    print(f"digits of scikit-learn: {len(X)} images of 64 pixels")
    print("target: slant, the columns by which a digit shifts from one row to the next")
    print("base kernels: Gaussians, Laplacians, polynomials and linear\n")
    comparison = compared(X, y, "regression", "unif,alignf,auto", kernels, 5, 0)
    show_comparison(comparison)
    uniform, _, learned = comparison.methods
    chance = "" if learned.against_unif == "better" else ", which may be chance"
    print(
        f"Learned weights (auto) have an RMSE of {learned.error_mean:.4f}, uniform weights "
        f"{uniform.error_mean:.4f}: {100 * (1 - learned.error_mean / uniform.error_mean):.0f} % "
        f"less{chance}. The report below uses other folds.\n"
    )
    model: Any = estimator("regression", "auto", kernels).fit(X, y)
    console().print(weights_table(model.kernel_names_, model.weights_, model.kernel_alignments_))
    print(chosen(model))
    folder = Path(options.output)
    make_folder(folder)
    save(saved_form(model, X, "slant", "regression"), folder / "model.lk")
    found = report(model, X, y, title="slant of handwritten digits", draws=10, verbose=True)
    print(f"\n{found}\n")
    for ending in ("md", "json", "html"):
        path = found.save(folder / f"report.{ending}")
    print(f"model:  {folder / 'model.lk'}")
    print(f"report: {path}")


def slants(pixels: pd.DataFrame) -> pd.Series:
    """Return the slant of each image: covariance of row and column / variance of the row.

    Pixels are weighted by their brightness.
    """
    rows, columns = np.divmod(np.arange(64), 8)
    weights = pixels.div(pixels.sum(axis=1), axis=0).to_numpy()  # (n_images, 64)
    down = rows - (weights @ rows)[:, None]
    right = columns - (weights @ columns)[:, None]
    covariance, variance = ((weights * down * other).sum(axis=1) for other in (right, down))
    return pd.Series(covariance / variance, name="slant")


def backend_of(options: Namespace) -> str | None:
    """Return the address of the Dask scheduler, or None for this machine."""
    if options.scheduler is not None and "://" not in options.scheduler:
        raise InputError(
            f"--scheduler {options.scheduler} is not an address; expected one such as "
            "tcp://host:8786. Pass the address that 'dask scheduler' prints."
        )
    return options.scheduler


def compared(
    X: pd.DataFrame,
    y: Any,
    task: str,
    methods: str,
    kernels: Any,
    cv: int,
    random_state: int,
    missing: str = "error",
    backend: str | None = None,
) -> Comparison:
    """Compare methods that are given as a comma-separated list, or as "all"."""
    names: Any = [name.strip() for name in methods.split(",") if name.strip()]
    names = "all" if names == ["all"] else names
    return compare(
        X, np.asarray(y), names, kernels=kernels, task=task, cv=cv, random_state=random_state,
        missing=missing, backend=backend, verbose=True,
    )  # fmt: skip


def estimator(
    task: str, method: str, kernels: Any, missing: str = "error", backend: str | None = None,
    **options: Any,
) -> KernelClassifier | KernelRegressor:  # fmt: skip
    """Return the estimator of a task."""
    kind = KernelClassifier if task == "classification" else KernelRegressor
    return kind(kernels, method, missing=missing, backend=backend, verbose=True, **options)


def chosen(fitted: KernelClassifier | KernelRegressor) -> str:
    """Describe the chosen regularisation parameter, and the candidates of the method."""
    parameter = regularization_name(fitted)
    given, used = getattr(fitted, parameter), getattr(fitted, f"{parameter}_")
    if used is None:
        return f"machine {fitted.machine!r} has no regularisation parameter"
    value = f"{parameter} = {used:.4g}"
    scores, errors = (getattr(fitted, f"{parameter}_{one}_", None) for one in ("scores", "errors"))
    if scores is not None:
        name = fitted.scoring or "accuracy"
        return f"{value}, chosen by cross-validation ({name} {scores.max():.4f})"
    if errors is not None:
        return f"{value}, chosen by held-out error (RMSE {np.sqrt(errors.min()):.4g})"
    how = ", learned together with the weights" if isinstance(given, str) else ""
    if how and getattr(fitted, "machine_", "") == "svm" and fitted.solver_ == "landmarks":
        how = ", chosen by held-out error and log loss"
    table = f"{fitted.selection_}\n" if hasattr(fitted, "selection_") else ""
    return f"{table}{value}{how}"


def check_output(output: str | Path | None, *inputs: str) -> None:
    """Raise if the output would overwrite an input file, or if its folder does not exist."""
    if output and not Path(output).parent.is_dir():
        raise InputError(
            f"cannot write {str(output)!r}: the folder {str(Path(output).parent)!r} does not "
            "exist. Create it, or choose another file."
        )
    for path in inputs:
        if output and is_same_file(output, path):
            raise InputError(
                f"{str(output)!r} would overwrite the input {path!r}; choose another file."
            )


def is_same_file(path: str | Path, other: str | Path) -> bool:
    """Return whether two paths name the same file, which need not exist."""
    if Path(path).exists() and Path(other).exists():
        return Path(path).samefile(other)  # also of hard links
    return Path(path).resolve() == Path(other).resolve()
