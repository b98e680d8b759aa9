"""Write a summary as one HTML page that loads no other file."""

from __future__ import annotations

import math
from typing import Any

from learnkernels.reporting.formatting import (
    MISCLASSIFICATION,
    Summary,
    code_name,
    error_text,
    escape_control_characters,
    percent,
    weight_text,
)
from learnkernels.reporting.statements import (
    compare_errors,
    describe_difference,
    difference_text,
    equal_weights,
    statements,
)
from learnkernels.templates import render

# Rows in the table of kernels; a page with more is slow to open.
MAX_ROWS = 1000

STATUS = {
    "optimal": "Optimal weights",
    "closed form": "Closed-form weights",
    "undefined: uniform weights": "Alignment undefined",
    "stochastic": "No optimality bound",
    "not converged": "Not converged",
    "stationary": "Stationary weights",
    "average of stationary and uniform weights": "Average with uniform weights",
}


def to_html(summary: Summary) -> str:
    """Return the report as a page for light and dark, wide and narrow screens and for paper.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    str
        HTML.
    """
    summary = escape_control_characters(summary)
    text = statements(summary)
    page = {
        "text": text,
        "cards": cards(summary, text),
        "plot": score_plot(summary),
        "views": with_bars(summary["views"]),
        "kernels": kernel_rows(summary["kernels"][:MAX_ROWS]),
        "n_kernels": len(summary["kernels"]),
        "hidden_weight": percent(sum(abs(k["share"]) for k in summary["kernels"][MAX_ROWS:])),
    }
    return render("report.html", **(summary | page))


def cards(summary: Summary, text: dict[str, str]) -> list[dict[str, Any]]:
    """Return the three answers at the top of the page."""
    entry = (summary["views"] if len(summary["views"]) > 1 else summary["kernels"])[0]
    largest = f"{percent(entry['share'])} {code_name(entry['name'])}"
    verdict, answer = uniform_answer(summary)
    converged = summary["certificate"]["status"] != "not converged"
    return [
        {
            "question": "Which kernels?",
            "answer": "Equal weights" if equal_weights(summary) else largest,
            "tone": "",
            "statements": [text["kernels"]],
        },
        {
            "question": "Better than uniform weights?",
            "answer": answer,
            "tone": {"lower": "good", "higher": "bad"}.get(verdict, ""),
            "statements": [text["error"], text["difference"]],
        },
        {
            "question": "Can I trust it?",
            "answer": certificate_answer(summary),
            "tone": "good" if converged else "bad",
            "statements": [text["certificate"], text["alignment"]],
        },
    ]


def uniform_answer(summary: Summary) -> tuple[str, str]:
    """Return the comparison with uniform weights: the verdict, and a few words."""
    verdict, result = compare_errors(summary, "uniform weights")
    if verdict in ("", "unclear"):
        return verdict, "No significant difference" if verdict else "Not compared"
    size, unit = difference_text(result["difference"], result, summary["score"]["measure"])
    return verdict, f"Error {verdict} by {size.lstrip('+-')}{unit}"


def certificate_answer(summary: Summary) -> str:
    """Return the status of the certificate in a few words."""
    status: str = summary["certificate"]["status"]
    method = summary["model"]["method"]
    if method == "single":
        return "Selected by cross-validation"
    if method == "dc" and status == "optimal":
        return "Stationary weights"
    return STATUS.get(status, status)


def score_plot(summary: Summary) -> dict[str, Any] | None:
    """Return the positions and texts of the plot of errors: one row per model, one mark per fold.

    None if there are no errors to plot.
    """
    score = summary["score"] or {}
    results = score.get("results", {})
    known = {name: result for name, result in results.items() if "errors" in result}
    if not known:
        return None
    measure = score["measure"]
    ticks = axis_ticks([error for result in known.values() for error in result["errors"]])
    percents = measure == MISCLASSIFICATION
    notes = [
        f"{name}: {result['reason']}" for name, result in results.items() if "reason" in result
    ]
    unconverged = sum(result["unconverged"] for result in known.values())
    notes += [f"{unconverged} of these fits did not converge."] if unconverged else []
    difference = describe_difference(summary, "best single kernel")
    return {
        "rows": [score_row(name, result, measure, ticks) for name, result in known.items()],
        "ticks": [
            {
                "left": position(tick, ticks),
                "text": f"{100 * tick:g} %" if percents else f"{tick:g}",
            }
            for tick in ticks
        ],
        "constant": "most frequent class" if percents else "mean",
        "dummy": error_text(score["dummy"], measure),
        "statements": [difference] if difference else [],
        "notes": notes,
    }


def score_row(
    name: str, result: dict[str, Any], measure: str, ticks: list[float]
) -> dict[str, Any]:
    """Return the marks of one model: a circle per fold and a bar at the mean."""
    texts = [error_text(error, measure) for error in result["errors"]]
    mean, std = error_text(result["mean"], measure), error_text(result["std"], measure)
    marks = [
        {"kind": "fold", "left": position(error, ticks), "tip": f"fold {fold}, {text}"}
        for fold, (error, text) in enumerate(zip(result["errors"], texts, strict=True), start=1)
    ]
    tip = f"mean {mean}, standard deviation {std}"
    marks.append({"kind": "mean", "left": position(result["mean"], ticks), "tip": tip})
    return {
        "label": "learned weights" if name == "learned" else name,
        "learned": name == "learned",
        "description": f"folds: {', '.join(texts)}",
        "marks": marks,
        "mean": mean,
    }


def axis_ticks(values: list[float]) -> list[float]:
    """Return three to five round numbers around the values; from 0 unless that is far away."""
    top = max(values) or 1.0
    low = 0.0 if min(values) < top / 2 else min(values)
    least = max((top - low) / 4, 1e-3 * top)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= least)
    first, last = math.floor(low / step), math.ceil(top / step)
    return [index * step for index in range(first, max(last, first + 1) + 1)]


def position(value: float, ticks: list[float]) -> str:
    """Return the position of a value on the axis, in percent of its length."""
    return f"{100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}"


def with_bars(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add to kernels or views the lengths of their bars, in percent of the longest, and texts."""
    ends = ("share", "low", "high")
    longest = max(abs(entry.get(end, 0.0)) for entry in entries for end in ends) or 1.0
    return [
        entry
        | {
            "width": f"{100 * abs(entry['share']) / longest:.2f}",
            "interval": error_bar(entry, longest),
            "weight_text": percent(entry["share"]),
            "tip": weight_tip(entry),
        }
        for entry in entries
    ]


def error_bar(entry: dict[str, Any], longest: float) -> tuple[str, str] | None:
    """Return the left end and the width of an error bar over absolute weights."""
    if "low" not in entry or not (entry["low"] or entry["high"]):
        return None
    left, right = sorted((abs(entry["low"]), abs(entry["high"])))
    left = 0.0 if entry["low"] * entry["high"] < 0 else left
    return f"{100 * left / longest:.2f}", f"{100 * (right - left) / longest:.2f}"


def weight_tip(entry: dict[str, Any]) -> str:
    """Return the lines that are shown when the pointer is over a bar."""
    lines = [f"{entry['name']}: weight {weight_text(entry)}"]
    if "weight" in entry:
        lines.append(f"before normalisation: {entry['weight']:.6g}")
    if "selected" in entry:
        lines.append(f"selected in {100 * entry['selected']:.0f} % of random halves")
    return "\n".join(lines)


def kernel_rows(kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the table of kernels."""
    rows = with_bars([entry | {"alignment": entry["alignment"] or 0.0} for entry in kernels])
    best = max(row["alignment"] for row in rows) or 1.0
    for row in rows:
        row["alignment_fraction"] = max(row["alignment"] / best, 0.0)
        row["alignment_tip"] = f"{row['name']}: alignment {row['alignment']:.4f}"
    return rows
