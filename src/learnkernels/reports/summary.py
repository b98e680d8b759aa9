"""A fitted model and its data as a dictionary of plain values: the one source of every report."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import is_whole
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.progress import shown
from learnkernels.reports.scores import last_step, scores
from learnkernels.reports.stability import shares, shares_of_halves
from learnkernels.version import versions
from learnkernels.weights import as_method

__all__ = ["summary"]

# Of the shares on random halves.
LOW, HIGH = 0.05, 0.95
# A kernel with less than this share of a half is not counted as chosen there.
CHOSEN = 1e-3


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
    model = getattr(model, "best_estimator_", model)
    fitted = last_step(model)
    if not isinstance(fitted, BaseKernelEstimator):
        raise InputError(
            f"a report needs a fitted KernelClassifier, KernelRegressor or KernelLearner, or a "
            f"pipeline that ends with one; found {type(fitted).__name__}."
        )
    check_is_fitted(fitted)
    for name, value in (("folds", folds), ("draws", draws)):
        if not (is_whole(value) and value >= 0 and value != 1):
            raise InputError(f"{name}={value!r}; it must be 0, or a whole number of at least 2.")
    inner = model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X
    with shown(verbose) as progress:
        progress.say("guarantees")
        guarantees = fitted.guarantees(inner, y, random_state=seed)
        halves = None
        if draws:
            halves = shares_of_halves(fitted, inner, y, draws, seed, progress)
        score = None
        if folds and hasattr(fitted, "predict"):
            score = scored(model, X, y, folds, seed, progress)
    return plain(
        {
            "title": title,
            "task": task_of(fitted, y),
            "data": {"samples": len(y), "columns": columns_of(X)},
            "model": model_of(model, fitted),
            "score": score,
            "alignment": {
                "learned": fitted.alignment_,
                "best_alone": fitted.kernel_alignments_.max(),
                "best_alone_kernel": str(fitted.kernel_names_[fitted.kernel_alignments_.argmax()]),
            },
            "kernels": kernels_of(fitted, halves),
            "views": views_of(fitted, halves),
            "certificate": certificate_of(fitted),
            "guarantees": guarantees.to_dict(),
            "made": {
                "date": datetime.now(UTC).date().isoformat(),
                "folds": folds,
                "draws": draws,
                "seed": seed,
                "versions": versions(),
            },
        }
    )


def scored(model, X, y, folds, seed, progress) -> dict[str, Any]:
    try:
        return scores(model, X, y, folds, seed, progress)
    except InputError as error:
        return {"reason": str(error)}


def task_of(fitted, y) -> dict[str, Any]:
    """What is predicted."""
    target = str(getattr(y, "name", None) or "") if np.ndim(y) == 1 else ""
    values = np.asarray(y)
    if hasattr(fitted, "classes_"):
        counts = [(values == label).sum() for label in fitted.classes_]
        classes = [
            {"name": str(label), "samples": count}
            for label, count in zip(fitted.classes_, counts, strict=True)
        ]
        return {"kind": "classification", "target": target, "classes": classes}
    if not np.issubdtype(values.dtype, np.number):
        return {"kind": "alignment", "target": target}
    kind = "regression" if hasattr(fitted, "predict") else "alignment"
    numbers = {"mean": values.mean(), "std": values.std(), "min": values.min(), "max": values.max()}
    return {"kind": kind, "target": target, "outputs": values[:1].size} | numbers


def columns_of(X) -> int | None:
    """Columns of a table; None for texts in a list and stacks of Gram matrices."""
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else None


def model_of(model, fitted) -> dict[str, Any]:
    """The estimator as its author wrote it, and all its parameters."""
    method = as_method(fitted.method)
    value = getattr(fitted, "C_", getattr(fitted, "alpha_", None))
    parameters = fitted.get_params(deep=False)
    return {
        "estimator": type(fitted).__name__,
        "method": fitted.method if isinstance(fitted.method, str) else method.name,
        "two_stage": not method.one_stage,
        "regularization": {"name": "C" if hasattr(fitted, "C_") else "alpha", "value": value},
        "chosen_from": chosen_from(fitted),
        "code": repr(model),
        "parameters": {name: repr(value) for name, value in parameters.items()},
        "method_parameters": {name: repr(value) for name, value in method.get_params().items()},
    }


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
    """The views, the heaviest first: sums over their kernels."""
    share = shares(fitted.weights_)
    found = []
    for view in dict.fromkeys(fitted.kernel_views_):
        mine = fitted.kernel_views_ == view
        drawn = None if halves is None else halves[:, mine].sum(axis=1)
        total = share[mine].sum()
        found.append(
            {"name": str(view), "kernels": mine.sum(), "share": total} | sureness(total, drawn)
        )
    return sorted(found, key=lambda one: -abs(one["share"]))


def sureness(share: float, drawn: np.ndarray | None) -> dict[str, float]:
    """An interval for a share, and how many random halves gave one.

    The spread of the halves around their middle, put around the share: half of the samples may
    give other shares than all of them (kernels of noise get more), but they vary as much.
    """
    if drawn is None:
        return {}
    low, middle, high = np.quantile(drawn, [LOW, 0.5, HIGH])
    least = 0.0 if share >= 0 and (drawn >= 0).all() else -1.0
    ends = np.clip([share + low - middle, share + high - middle], least, 1.0)
    return {"low": ends[0], "high": ends[1], "chosen": np.mean(np.abs(drawn) > CHOSEN)}


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
