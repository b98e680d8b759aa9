"""What each command does: read, call the library, print."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.pipeline import Pipeline, make_pipeline

from learnkernels.cli.data import (
    check_missing,
    number_columns,
    preprocessing,
    read_table,
    split_target,
    target_values,
    task_of_target,
    tidied,
)
from learnkernels.cli.show import (
    comparison_table,
    console,
    views_table,
    weights_table,
)
from learnkernels.cli.views import has_views, kernels_of, own_columns
from learnkernels.errors import InputError
from learnkernels.estimators import KernelClassifier, KernelRegressor
from learnkernels.files import make_folder, replacing
from learnkernels.inspect import compare
from learnkernels.names import printable
from learnkernels.persistence import load, save
from learnkernels.reports import check_ending, report

__all__ = ["run_compare", "run_demo", "run_fit", "run_predict", "run_report"]

C_VALUES = [0.1, 1.0, 10.0, 100.0]
ALPHA_VALUES = [0.001, 0.01, 0.1, 1.0, 10.0]


def run_fit(options: Namespace) -> None:
    """Learn a kernel on a table, print it, and keep the model if asked."""
    keep_apart(options.save, options.data)
    X, y, task = data_of(options)
    model = make_pipeline(
        preprocessing(X, options.raw, options.impute, own_columns(options, X)),
        estimator(
            task, options.method, kernels_of(options, X), options.missing, backend_of(options)
        ),
    )
    model.fit(X, y)
    if options.save:
        save(saved_form(model, X, options.target, task), options.save)
    fitted = model[-1]
    print(f"{task} of {options.target!r} from {X.shape[1]} columns, {len(X)} rows")
    console().print(weights_table(fitted.kernel_names_, fitted.weights_, fitted.kernel_alignments_))
    if has_views(options):
        console().print(views_table(fitted.view_weights_))
    print(f"alignment of the learned kernel with the target: {fitted.alignment_:.4f}")
    print(f"weights {fitted.certificate_}")
    print(chosen(fitted))
    if options.save:
        print(f"model saved as {printable(options.save)}")


def run_predict(options: Namespace) -> None:
    """Predict a new table with a saved model: the table with a column more, as CSV.

    Cells and classes are written as they are, so that they can be compared with what was read.
    """
    keep_apart(options.output, options.model, options.data)
    saved = saved_model(options.model)
    table = read_table(options.data)
    if "prediction" in table.columns:
        raise InputError(f"{options.data!r} has a column 'prediction' already; rename it.")
    X = features_of(saved, table, options.data)
    predicted = table.copy()  # in one piece, whatever the reader made of it
    predicted["prediction"] = saved["model"].predict(X)
    if options.output:
        with replacing(options.output) as stream:
            predicted.to_csv(stream, index=False)
        return
    try:
        predicted.to_csv(sys.stdout, index=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write the predictions: {error.strerror or error}.") from error


def features_of(saved: dict, table, path: str):
    """The columns of a table that a saved model wants, as it wants them."""
    absent = [name for name in saved["columns"] if name not in table.columns]
    neutral = saved["model"][-1].missing == "neutral"
    if absent and not neutral:
        raise InputError(
            f"{path!r} lacks columns the model was trained on: {', '.join(absent[:10])}"
            f"{f' and {len(absent) - 10} more' if len(absent) > 10 else ''}."
        )
    X = tidied(table.reindex(columns=saved["columns"]), saved["numbers"])
    check_missing(X, neutral or any("imputer" in name for name in steps_of(saved["model"])))
    return X


def run_report(options: Namespace) -> None:
    """A report on a saved model and the table it was trained on: a page, and a few lines."""
    output = check_ending(options.output)  # before the work, not after it
    keep_apart(output, options.model, options.data)
    saved = saved_model(options.model)
    table = read_table(options.data)
    _, y = split_target(table, saved["target"])
    X = features_of(saved, table, options.data)
    values = pd.Series(target_values(y, saved["task"]), name=saved["target"])
    title = options.title or Path(options.data).name.partition(".")[0]
    found = report(
        saved["model"], X, values, title=title, folds=options.folds, draws=options.draws,
        seed=options.seed, verbose=True,
    )  # fmt: skip
    found.save(output)
    print(found)
    print(f"report: {printable(str(output))}")


def run_compare(options: Namespace) -> None:
    """Compare methods on a table; a table to read, or JSON."""
    keep_apart(options.json, options.data)
    X, y, task = data_of(options)
    comparison = compared(
        X, y, task, options.methods, kernels_of(options, X), options.folds, options.seed,
        preprocessing(X, options.raw, options.impute, own_columns(options, X)), options.missing,
        backend_of(options),
    )  # fmt: skip
    if options.json:
        text = json.dumps(comparison.to_dict(), indent=2)
        if options.json == "-":
            print(text)
            return
        with replacing(options.json) as stream:
            stream.write(f"{text}\n".encode())
    console().print(comparison_table(comparison))
    for method, count in comparison.unconverged.items():
        print(
            f"{method}: {count} fits ended above their tolerance, over all folds and values of the "
            "regularisation",
            file=sys.stderr,
        )
    for method, reason in comparison.not_applicable.items():
        print(f"{method}: {printable(reason)}", file=sys.stderr)


def data_of(options: Namespace):
    """Features, target and task that the arguments name, checked."""
    table, target = split_target(read_table(options.data), options.target)
    X = tidied(table, number_columns(table))
    check_missing(X, options.impute or options.missing == "neutral")
    task = task_of_target(target, options.task)
    return X, target_values(target, task), task


def saved_form(model, X, target: str, task: str) -> dict:
    """What `predict` and `report` want to find in a file."""
    model[-1].set_params(verbose=False, backend=None)  # those who load it decide anew
    return {
        "model": model,
        "columns": list(X.columns),
        "numbers": number_columns(X),
        "target": target,
        "task": task,
    }


def saved_model(path: str) -> dict:
    """What `saved_form` kept."""
    saved = load(path)
    wanted = {"model": Pipeline, "columns": list, "numbers": list, "target": str, "task": str}
    fits = isinstance(saved, dict) and all(
        isinstance(saved.get(name), kind) for name, kind in wanted.items()
    )
    if not (fits and hasattr(saved["model"][0], "transformers_")):
        raise InputError(
            f"{path!r} was not written by 'learnkernels fit --save'; a model of lk.save is used "
            "from Python, with lk.load, predict and lk.report."
        )
    return saved


def run_demo(options: Namespace) -> None:
    """The whole job on data that ships with scikit-learn."""
    X, y = load_digits(return_X_y=True, as_frame=True)
    kernels = ["gaussians", "laplacians", "polynomials", "linear"]
    print(f"handwritten digits of scikit-learn: {len(X)} images of 64 pixels, 10 classes")
    print("base kernels: Gaussians, Laplacians, polynomials and linear\n")
    prepare = preprocessing(X, raw=False, impute=False)
    comparison = compared(X, y, "classification", "unif,align,alignf", kernels, 5, 0, prepare)
    console().print(comparison_table(comparison))
    model = make_pipeline(prepare, estimator("classification", "alignf", kernels))
    model.fit(X, y)
    fitted = model[-1]
    console().print(weights_table(fitted.kernel_names_, fitted.weights_, fitted.kernel_alignments_))
    print(chosen(fitted))
    folder = Path(options.output)
    make_folder(folder)
    save(saved_form(model, X, "digit", "classification"), folder / "model.skops")
    found = report(model, X, y.rename("digit"), title="handwritten digits", draws=20, verbose=True)
    print(f"\n{found}\n")
    for ending in ("md", "json", "html"):
        path = found.save(folder / f"report.{ending}")
    print(f"model:  {folder / 'model.skops'}")
    print(f"report: {path}")


def backend_of(options: Namespace):
    """The address of a Dask scheduler, checked; None is this machine."""
    if options.scheduler is not None and "://" not in options.scheduler:
        raise InputError(
            f"--scheduler {options.scheduler}: expected an address such as tcp://host:8786, which "
            "'dask scheduler' prints."
        )
    return options.scheduler


def compared(X, y, task, methods, kernels, folds, seed, preprocess, missing="error", backend=None):
    names = [name.strip() for name in methods.split(",") if name.strip()]
    return compare(
        X, np.asarray(y), names, kernels=kernels, task=task, folds=folds, seed=seed,
        preprocess=preprocess, missing=missing, backend=backend, verbose=True,
    )  # fmt: skip


def estimator(task: str, method: str, kernels, missing: str = "error", backend=None):
    options = {"missing": missing, "backend": backend, "verbose": True}
    if task == "classification":
        return KernelClassifier(kernels, method, C=C_VALUES, **options)
    return KernelRegressor(kernels, method, alpha=ALPHA_VALUES, **options)


def chosen(fitted) -> str:
    """A sentence on the regularisation."""
    if isinstance(fitted, KernelClassifier):
        best = fitted.C_scores_.max()
        return f"C = {fitted.C_:g} by cross-validation (accuracy {best:.4f})"
    best = float(np.sqrt(fitted.alpha_errors_.min()))
    return f"alpha = {fitted.alpha_:g} on samples left out (root mean squared error {best:.4g})"


def steps_of(model) -> list[str]:
    """Names of the steps inside the preprocessing of a saved pipeline."""
    pipelines = (part for _, part, _ in model[0].transformers_)
    return [step for part in pipelines for step in getattr(part, "named_steps", {})]


def keep_apart(output: str | Path | None, *inputs: str) -> None:
    """Raise where a result would be written over a file that the command reads."""
    for path in inputs:
        if output and Path(output).exists() and Path(path).exists() and Path(output).samefile(path):
            raise InputError(f"{str(output)!r} would be written over {path!r}; name another file.")
