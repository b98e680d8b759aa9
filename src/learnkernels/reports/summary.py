"""A fitted model and its data as a dictionary of plain values: the one source of every report."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.validation import check_is_fitted, column_or_1d

from learnkernels.checks import as_input_error, is_whole
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.targets import looks_like_classes
from learnkernels.progress import shown
from learnkernels.reports.scores import UNTRAINABLE, fitted_value, last_step, scores
from learnkernels.reports.stability import shares, shares_of_halves
from learnkernels.version import versions
from learnkernels.weights import as_method

__all__ = ["summary"]

# Of the shares on random halves.
LOW, HIGH = 0.05, 0.95
# A kernel with less than this share of a half is not counted as chosen there.
CHOSEN = 1e-3
MOST_ELEMENTS = 10_000


def summary(
    model, X, y, *, title: str = "", folds: int = 5, draws: int = 50, seed: int = 0, verbose=False
) -> dict[str, Any]:
    """What a reader of a report wants to know.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator, or a pipeline that ends with one.
    X, y
        The data it was trained on.
    title : str, default=""
        What the data is called.
    folds : int, default=5
        Of the scores on unseen samples; 0 leaves them out.
    draws : int, default=50
        Random halves from which the weights are learned again; 0 leaves them out.
    seed : int, default=0
        Of folds and halves.
    verbose : bool, default=False
        Show progress on a terminal.

    Returns
    -------
    dict
        Plain strings, numbers and lists, ready for JSON.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.reports import summary
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = summary(lk.KernelClassifier(kernels="linear").fit(X, y), X, y, draws=2)
    >>> found["kernels"][0]["name"], found["score"]["rivals"]["learned"]["mean"] < 0.1
    ('linear', True)
    """
    searched = hasattr(model, "best_estimator_")
    model = getattr(model, "best_estimator_", model)
    fitted = last_step(model)
    if not isinstance(fitted, BaseKernelEstimator):
        raise InputError(
            f"a report needs a fitted KernelClassifier, KernelRegressor or KernelLearner, or a "
            f"pipeline that ends with one; found {type(fitted).__name__}."
        )
    check_is_fitted(fitted)
    check_numbers(folds, draws, seed)
    y, target = target_of(fitted, y)
    inner = model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X
    with shown(verbose) as progress:
        fitted._again(inner, y)  # whether this is the training data, before all work
        progress.say("guarantees")
        guarantees = attempted(lambda: fitted.guarantees(inner, y, random_state=seed).to_dict())
        halves, made = drawn(fitted, inner, y, draws, seed, progress)
        score = None
        if folds and hasattr(fitted, "predict"):
            score = attempted(lambda: scores(model, X, y, folds, seed, progress))
    aligned = fitted.kernel_alignments_
    return plain(
        {
            "title": title,
            "task": task_of(fitted, y, target),
            "data": {"samples": len(y), "columns": columns_of(fitted, X)},
            "model": model_of(model, fitted) | {"searched": searched},
            "score": score,
            "alignment": {
                "learned": fitted.alignment_,
                "best_alone": aligned.max(),
                "best_alone_kernel": str(fitted.kernel_names_[aligned.argmax()]),
            },
            "kernels": kernels_of(fitted, halves),
            "views": views_of(fitted, halves),
            "halves": made,
            "certificate": certificate_of(fitted),
            "guarantees": guarantees,
            "made": {
                "date": datetime.now(UTC).date().isoformat(),
                "folds": folds,
                "draws": draws,
                "seed": seed,
                "versions": versions(),
            },
        }
    )


def check_numbers(folds: int, draws: int, seed: int) -> None:
    for name, value in (("folds", folds), ("draws", draws)):
        if not (is_whole(value) and value >= 0 and value != 1):
            raise InputError(f"{name}={value!r}; it must be 0, or a whole number of at least 2.")
    if not (is_whole(seed) and 0 <= seed < 2**32):
        raise InputError(f"seed={seed!r}; it must be a whole number from 0 to 2^32 - 1.")


def attempted(part: Callable[[], dict]) -> dict[str, Any]:
    """A part of the summary, or the reason why there is none."""
    try:
        return part()
    except UNTRAINABLE as error:
        return {"reason": " ".join(str(error).split())}


def drawn(fitted, X, y, draws, seed, progress) -> tuple[np.ndarray | None, dict[str, Any]]:
    """Shares on random halves, if they could be learned, and what is to be said of them."""
    if not draws:
        return None, {"draws": 0}
    try:
        halves, unproved = shares_of_halves(fitted, X, y, draws, seed, progress)
    except UNTRAINABLE as error:
        return None, {"draws": 0, "reason": " ".join(str(error).split())}
    return halves, {"draws": draws, "unproved": unproved}


def target_of(fitted, y) -> tuple[Any, str]:
    """The target as the model saw it, and its name."""
    name = getattr(y, "name", None)
    if hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    if hasattr(fitted, "classes_"):
        with as_input_error("y: "):
            y = column_or_1d(y)
    return y, "" if name is None else str(name)


def task_of(fitted, y, target: str) -> dict[str, Any]:
    """What is predicted."""
    values = np.asarray(y)
    if hasattr(fitted, "classes_"):
        counts = [(values == label).sum() for label in fitted.classes_]
        classes = [
            {"name": str(label), "samples": count}
            for label, count in zip(fitted.classes_, counts, strict=True)
        ]
        return {"kind": "classification", "target": target, "classes": classes}
    if getattr(fitted, "task", "") == "classification" or (
        getattr(fitted, "task", "") == "auto" and looks_like_classes(values)
    ):
        return {"kind": "alignment", "target": target or "classes"}
    values = values.astype(float)
    kind = "regression" if hasattr(fitted, "predict") else "alignment"
    numbers = {"mean": values.mean(), "std": values.std(), "min": values.min(), "max": values.max()}
    return {"kind": kind, "target": target, "outputs": values[:1].size} | numbers


def columns_of(fitted, X) -> int | None:
    """Columns of a table; None for texts in a list and stacks of Gram matrices."""
    shape = getattr(X, "shape", None)
    if shape is None:
        return None if isinstance(X[0], str) else fitted.n_features_in_
    return int(shape[1]) if len(shape) == 2 else None


def model_of(model, fitted) -> dict[str, Any]:
    """The estimator as its author wrote it, and all its parameters."""
    method = as_method(fitted.method)
    tuned = getattr(fitted, "machine", "alignment") != "alignment"
    parameters = {
        name: code_of(value)
        for name, value in model.get_params(deep=True).items()
        if not hasattr(value, "get_params") and not name.endswith(("steps", "transformers"))
    }
    return {
        "estimator": type(fitted).__name__,
        "method": fitted.method if isinstance(fitted.method, str) else method.name,
        "two_stage": not method.one_stage,
        "regularization": {
            "name": "C" if hasattr(fitted, "C_") else "alpha",
            "value": fitted_value(fitted) if tuned else None,
        },
        "chosen_from": chosen_from(fitted),
        "code": code_of(model),
        "parameters": parameters,
        "method_parameters": {name: repr(value) for name, value in method.get_params().items()},
    }


def code_of(value: Any) -> str:
    """An estimator or parameter as code, uncut; scikit-learn's own form leaves out what is long."""
    printer = _EstimatorPrettyPrinter(
        compact=True, indent=1, indent_at_name=True, n_max_elements_to_show=MOST_ELEMENTS
    )
    return printer.pformat(value)


def chosen_from(fitted) -> int:
    """How many values of the regularisation there were to choose from."""
    tried = getattr(fitted, "C_scores_", getattr(fitted, "alpha_errors_", None))
    return 1 if tried is None else len(tried)


def kernels_of(fitted, halves) -> list[dict[str, Any]]:
    """The base kernels, the heaviest first."""
    share = shares(fitted.weights_)
    found = []
    for k in np.lexsort((-fitted.kernel_alignments_, -np.abs(share))).tolist():
        found.append(
            {
                "name": str(fitted.kernel_names_[k]),
                "view": str(fitted.kernel_views_[k]),
                "weight": fitted.weights_[k],
                "share": share[k],
                "alignment": fitted.kernel_alignments_[k],
            }
            | sureness(share[k], None if halves is None else halves[:, k])
        )
    return found


def views_of(fitted, halves) -> list[dict[str, Any]]:
    """The views, the heaviest first: sums over the sizes of their kernels' shares."""
    share = shares(fitted.weights_)
    found = []
    for view in dict.fromkeys(fitted.kernel_views_):
        mine = fitted.kernel_views_ == view
        drawn = None if halves is None else np.abs(halves[:, mine]).sum(axis=1)
        total = np.abs(share[mine]).sum()
        found.append(
            {"name": str(view), "kernels": mine.sum(), "share": total} | sureness(total, drawn)
        )
    return sorted(found, key=lambda one: -abs(one["share"]))


def sureness(share: float, drawn: np.ndarray | None) -> dict[str, float]:
    """An interval for a share, and how many random halves gave one.

    It holds both where the shares of the halves lie, and their spread around the share: half of the
    samples may give other shares than all of them (kernels of noise get more), but vary as much.
    """
    if drawn is None:
        return {}
    low, middle, high = np.quantile(drawn, [LOW, 0.5, HIGH])
    least = 0.0 if share >= 0 and (drawn >= 0).all() else -1.0
    around = np.clip([share + low - middle, share + high - middle], least, 1.0)
    return {
        "low": min(low, around[0]),
        "high": max(high, around[1]),
        "chosen": np.mean(np.abs(drawn) > CHOSEN),
    }


def certificate_of(fitted) -> dict[str, Any]:
    certificate = fitted.certificate_
    machine = [one.gap for one in getattr(fitted, "machine_certificates_", ())]
    return {
        "status": certificate.status,
        "primal": certificate.primal,
        "dual": certificate.dual,
        "gap": certificate.gap,
        "iterations": certificate.iterations,
        "gaps": list(certificate.gaps),
        "machine_gap": max(machine) if machine else None,
    }


def plain(value: Any) -> Any:
    """The same in Python's own types; numbers that are none become None."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
