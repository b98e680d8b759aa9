"""Compute all results of a report as a dictionary of plain values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from learnkernels.checks import as_input_error, is_whole
from learnkernels.errors import InputError
from learnkernels.estimators import refit
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.search import fitted_regularization
from learnkernels.estimators.transformer import looks_like_classes
from learnkernels.gram import CenteredKernels
from learnkernels.inspection.stability import (
    grouped,
    interchangeable_pairs,
    interval_entries,
    shares,
    shares_on_halves,
)
from learnkernels.methods import as_method
from learnkernels.progress import report, showing
from learnkernels.reporting.formatting import Summary
from learnkernels.reporting.scores import (
    FIT_ERRORS,
    cross_validated_errors,
    final_estimator,
)
from learnkernels.version import versions

MAX_ELEMENTS = 10_000


def summary(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    title: str = "",
    cv: int = 5,
    draws: int = 50,
    random_state: int = 0,
    verbose: bool = False,
) -> Summary:
    """Compute all results of a report.

    Parameters
    ----------
    model, X, y, sample_weight, title, cv, draws, random_state, verbose
        As in `report`.

    Returns
    -------
    dict
        Plain strings, numbers and lists, ready for JSON.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.reporting import summary
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier("linear", "unif", C=1).fit(X, y)
    >>> found = summary(model, X, y, cv=3, draws=2)
    >>> found["kernels"][0]["name"], found["score"]["results"]["learned"]["mean"] < 0.1
    ('linear', True)
    """
    searched = hasattr(model, "best_estimator_")
    model = getattr(model, "best_estimator_", model)
    fitted = final_estimator(model)
    if not isinstance(fitted, BaseKernelEstimator):
        raise InputError(
            f"no report for {type(fitted).__name__}: pass a fitted KernelClassifier, "
            "KernelRegressor or KernelLearner, or a pipeline that ends with one."
        )
    check_is_fitted(fitted)
    check_parameters(cv, draws, random_state)
    y, target = validated_target(fitted, y)
    X, y, w = weighted_samples(model, X, y, sample_weight)
    inner = model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X
    with showing(verbose):
        kernels = refit(fitted, inner, y, w).kernels  # raises if this is not the training data
        report("guarantees")
        guarantees = or_reason(
            lambda: fitted.guarantees(inner, y, random_state=random_state).to_dict()
        )
        halves, drawn = weights_on_halves(fitted, inner, y, draws, random_state, w)
        score = None
        if cv and hasattr(fitted, "predict"):
            score = or_reason(lambda: cross_validated_errors(model, X, y, cv, random_state, w))
    alignments = fitted.kernel_alignments_
    found: Summary = to_plain(
        {
            "title": title,
            "task": describe_target(fitted, y, target),
            "data": {"samples": len(y), "columns": count_columns(fitted, X)},
            "model": describe_estimator(model, fitted) | {"searched": searched},
            "score": score,
            "alignment": {
                "learned": fitted.alignment_,
                "best_base": alignments.max(),
                "best_base_kernel": str(fitted.kernel_names_[alignments.argmax()]),
            },
            "kernels": kernel_entries(fitted, drawn),
            "views": view_entries(fitted, drawn),
            "interchangeable": interchangeable_entries(fitted, drawn, kernels),
            "halves": halves,
            "certificate": certificate_entry(fitted),
            "selection": fitted.selection_.to_dict() if hasattr(fitted, "selection_") else None,
            "guarantees": guarantees,
            "created": {
                "date": datetime.now(UTC).date().isoformat(),
                "folds": cv,
                "draws": draws,
                "random_state": random_state,
                "versions": versions(),
            },
        }
    )
    return found


def check_parameters(cv: int, draws: int, random_state: int) -> None:
    """Raise if a parameter of `report` is not valid."""
    for name, value in (("cv", cv), ("draws", draws)):
        if not (is_whole(value) and value >= 0 and value != 1):
            raise InputError(
                f"{name}={value!r} is not valid; expected an integer of at least 2, or 0 to skip "
                "this part of the report."
            )
    if not (is_whole(random_state) and 0 <= random_state < 2**32):
        raise InputError(
            f"random_state={random_state!r} is not valid; expected an integer from 0 to 2^32 - 1."
        )


def or_reason(compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a part of the summary, or the reason why it cannot be computed."""
    try:
        return compute()
    except FIT_ERRORS as error:
        return {"reason": " ".join(str(error).split())}


def weighted_samples(
    model: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Any, np.ndarray | None]:
    """Return the samples of positive weight, and their weights; None if there are no weights."""
    if sample_weight is None:
        return X, y, None
    with as_input_error():
        w = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    kept = np.flatnonzero(w)
    if len(kept) < len(w):
        X, y = _safe_split(model, X, y, kept, kept)
    return X, y, w[kept]


def weights_on_halves(
    fitted: Any, X: Any, y: Any, draws: int, random_state: int, w: np.ndarray | None
) -> tuple[dict[str, Any], np.ndarray | None]:
    """Return an entry on the random halves, and the relative weights learned on them.

    The weights have shape (draws, n_kernels). They are None if there are no halves.
    """
    if not draws:
        return {"draws": 0, "unconverged": 0}, None
    try:
        drawn, unconverged = shares_on_halves(fitted, X, y, draws, random_state, w)
    except FIT_ERRORS as error:
        return {"draws": 0, "reason": " ".join(str(error).split())}, None
    return {"draws": draws, "unconverged": unconverged}, drawn


def validated_target(fitted: Any, y: Any) -> tuple[Any, str]:
    """Return the target as the estimator reads it, and its name."""
    name = getattr(y, "name", None)
    if hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    if hasattr(fitted, "classes_"):
        with as_input_error("y: "):
            y = column_or_1d(y)
    return y, "" if name is None else str(name)


def describe_target(fitted: Any, y: Any, target: str) -> dict[str, Any]:
    """Return the kind of task, and the classes or the distribution of the target."""
    values = np.asarray(y)
    if hasattr(fitted, "classes_"):
        classes = [
            {"name": str(label), "samples": (values == label).sum()} for label in fitted.classes_
        ]
        return {"kind": "classification", "target": target, "classes": classes}
    task = getattr(fitted, "task", "")
    if task == "classification" or (task == "auto" and looks_like_classes(values)):
        return {"kind": "alignment", "target": target or "classes"}
    values = values.astype(float)
    kind = "regression" if hasattr(fitted, "predict") else "alignment"
    numbers = {"mean": values.mean(), "std": values.std(), "min": values.min(), "max": values.max()}
    return {"kind": kind, "target": target, "outputs": values[:1].size} | numbers


def count_columns(fitted: Any, X: Any) -> int | None:
    """Return the number of columns; None for a list of strings or a stack of Gram matrices."""
    shape = getattr(X, "shape", None)
    if shape is None:
        return None if isinstance(X[0], str) else int(fitted.n_features_in_)
    return int(shape[1]) if len(shape) == 2 else None


def describe_estimator(model: Any, fitted: Any) -> dict[str, Any]:
    """Return the code and all parameters of the model."""
    method = as_method(fitted.method)
    tuned = getattr(fitted, "machine", "alignment") != "alignment"
    parameters = {
        name: code_of(value)
        for name, value in model.get_params(deep=True).items()
        if not hasattr(value, "get_params") and not name.endswith(("steps", "transformers"))
    }
    compared = ("C_scores_", "C_errors_", "alpha_scores_", "alpha_errors_")
    errors = next((getattr(fitted, one) for one in compared if hasattr(fitted, one)), None)
    return {
        "estimator": type(fitted).__name__,
        "method": fitted.method if isinstance(fitted.method, str) else method.name,
        "two_stage": not method.one_stage,
        "regularization": {
            "name": "C" if hasattr(fitted, "C_") else "alpha",
            "value": fitted_regularization(fitted) if tuned else None,
        },
        "n_candidates": 1 if errors is None else len(errors),
        "code": code_of(model),
        "parameters": parameters,
        "method_parameters": {name: repr(value) for name, value in method.get_params().items()},
    }


def code_of(value: Any) -> str:
    """Return an estimator or parameter as code; unlike ``repr``, long lists are not shortened."""
    printer = _EstimatorPrettyPrinter(
        compact=True, indent=1, indent_at_name=True, n_max_elements_to_show=MAX_ELEMENTS
    )
    return str(printer.pformat(value))


def kernel_entries(fitted: Any, drawn: np.ndarray | None) -> list[dict[str, Any]]:
    """Return the base kernels in the order of their weights, the largest first."""
    share = shares(fitted.weights_)
    order = np.lexsort((-fitted.kernel_alignments_, -np.abs(share)))
    return [
        {
            "name": str(fitted.kernel_names_[k]),
            "view": str(fitted.kernel_views_[k]),
            "weight": fitted.weights_[k],
            "share": share[k],
            "alignment": fitted.kernel_alignments_[k],
        }
        | ({} if drawn is None else interval_entries(share[k], drawn[:, k]))
        for k in order
    ]


def view_entries(fitted: Any, drawn: np.ndarray | None) -> list[dict[str, Any]]:
    """Return the views in the order of the sums of their absolute weights, the largest first."""
    views = fitted.kernel_views_
    totals = np.abs(grouped(shares(fitted.weights_), views))
    sums = None if drawn is None else np.abs(grouped(drawn, views))
    found = []
    for k, view in enumerate(dict.fromkeys(views)):
        entry = {"name": str(view), "kernels": (views == view).sum(), "share": totals[k]}
        found.append(entry | ({} if sums is None else interval_entries(totals[k], sums[:, k])))
    return sorted(found, key=lambda entry: -abs(entry["share"]))


def interchangeable_entries(
    fitted: Any, drawn: np.ndarray | None, kernels: CenteredKernels
) -> list[dict[str, Any]]:
    """Return the pairs of views that carry the same information."""
    if drawn is None:
        return []
    found = interchangeable_pairs(fitted.kernel_views_, drawn, kernels.statistics.inner)
    return [asdict(pair) for pair in found]


def certificate_entry(fitted: Any) -> dict[str, Any]:
    """Return the certificate of the weights, and the largest duality gap of the machine."""
    certificate = fitted.certificate_
    names = ("status", "primal", "dual", "gap", "iterations")
    gaps = [machine.gap for machine in getattr(fitted, "machine_certificates_", ())]
    return {name: getattr(certificate, name) for name in names} | {
        "is_local": certificate.is_local,
        "gaps": list(certificate.gaps),
        "machine_gap": max(gaps, default=None),
    }


def to_plain(value: Any) -> Any:
    """Convert to Python's own types; infinite numbers and NaN become None."""
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
