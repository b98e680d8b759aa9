"""Positions and texts of the pictures of held-out predictions; the templates draw them."""

from __future__ import annotations

import math
from typing import Any

from learnkernels.reporting.formatting import Summary

# A confusion matrix of more classes is not legible; pairs of classes are listed instead.
MAX_MATRIX, MAX_PAIRS = 15, 10
# Radius of the largest circle of the calibration plot, in percent of its width.
RADIUS = 4.0


def pictures(summary: Summary) -> dict[str, Any]:
    """Return the pictures that apply to the task; None for the others.

    Returns
    -------
    dict
        ``scores``, ``classes``, ``confusion``, ``confused``, ``calibration`` and ``residuals``.
    """
    details = (summary["score"] or {}).get("details") or {}
    scores = {name: value for name, value in details.get("scores", {}).items() if value is not None}
    return {
        "scores": {name: f"{value:.4g}" for name, value in scores.items()},
        "classes": details.get("classes", []),
        "confusion": confusion(details),
        "confused": confused(details),
        "calibration": calibration(details.get("calibration"), details.get("classes", [])),
        "residuals": residuals(details.get("residuals")),
    }


def confusion(details: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of the confusion matrix, with the fraction of the row in each cell."""
    matrix = details.get("confusion")
    if not matrix or len(matrix) > MAX_MATRIX:
        return None
    rows = []
    for k, (one, counts) in enumerate(zip(details["classes"], matrix, strict=True)):
        total = sum(counts) or 1
        cells = [
            {"count": count, "fraction": count / total, "correct": k == column}
            for column, count in enumerate(counts)
        ]
        rows.append({"name": one["name"], "cells": cells})
    return rows


def confused(details: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pairs of classes that are confused most often, if there is no matrix."""
    matrix = details.get("confusion") or []
    if len(matrix) <= MAX_MATRIX:
        return []
    names = [one["name"] for one in details["classes"]]
    pairs = [
        {"true": names[i], "predicted": names[j], "count": count}
        for i, row in enumerate(matrix)
        for j, count in enumerate(row)
        if i != j and count
    ]
    return sorted(pairs, key=lambda pair: -pair["count"])[:MAX_PAIRS]


def calibration(
    bins: list[dict[str, float]] | None, classes: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the circles of the calibration plot, in percent of its width and height."""
    if not bins:
        return None
    largest = max(one["samples"] for one in bins)
    circles = [
        {
            "x": f"{100 * one['predicted']:.1f}",
            "y": f"{100 - 100 * one['observed']:.1f}",
            "r": f"{max(RADIUS * math.sqrt(one['samples'] / largest), 1.0):.2f}",
            "tip": f"predicted {one['predicted']:.2f}, observed {one['observed']:.2f}, "
            f"{one['samples']:,} samples",
        }
        for one in bins
    ]
    total = sum(one["samples"] for one in bins)
    gap = sum(one["samples"] * abs(one["predicted"] - one["observed"]) for one in bins) / total
    event = f"class {classes[1]['name']}" if len(classes) == 2 else "the predicted class"
    return {"circles": circles, "event": event, "gap": f"{gap:.3f}"}


def residuals(points: list[list[float]] | None) -> dict[str, Any] | None:
    """Return the points of the residual plot, in percent of its width and height."""
    if not points:
        return None
    predicted, errors = zip(*points, strict=True)
    across, up = axis_ticks(list(predicted), zero=False), axis_ticks([*errors, 0.0], zero=False)
    return {
        "points": [(position(x, across), f"{100 - float(position(e, up)):.1f}") for x, e in points],
        "zero": f"{100 - float(position(0.0, up)):.1f}",
        "x_ticks": [{"at": position(tick, across), "text": f"{tick:g}"} for tick in across],
        "y_ticks": [
            {"at": f"{100 - float(position(tick, up)):.1f}", "text": f"{tick:g}"} for tick in up
        ],
    }


def axis_ticks(values: list[float], zero: bool = True) -> list[float]:
    """Return three to five round numbers around the values; with `zero`, from 0 if that is near."""
    low, top = min(values), max(values)
    if zero:
        low = 0.0 if low < top / 2 else low
    least = max((top - low) / 4, 1e-3 * max(abs(top), abs(low))) or 0.25
    power = 10.0 ** math.floor(math.log10(least))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= least)
    first, last = math.floor(low / step), math.ceil(top / step)
    return [index * step for index in range(first, max(last, first + 1) + 1)]


def position(value: float, ticks: list[float]) -> str:
    """Return the position of a value on the axis, in percent of its length."""
    return f"{100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}"
