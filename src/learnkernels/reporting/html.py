"""Write a summary as one HTML page that loads no other file."""

from __future__ import annotations

from typing import Any

from learnkernels.reporting.formatting import (
    CONSTANT,
    MISCLASSIFICATION,
    Summary,
    code_name,
    error_text,
    escape_control_characters,
    percent,
    weight_text,
)
from learnkernels.reporting.pictures import axis_ticks, pictures, position
from learnkernels.reporting.statements import (
    BASELINES,
    compare_errors,
    constant_name,
    describe_difference,
    equal_weights,
    statements,
)
from learnkernels.solvers import NOT_STATIONARY
from learnkernels.templates import render

# Rows in the table of kernels; a page with more is slow to open.
MAX_ROWS = 1000
# The error of a constant prediction is drawn up to this multiple of the largest other error.
FAR = 4.0


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
        "pictures": pictures(summary),
        "guarantees": split_guarantees(summary["guarantees"]),
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
    problem = first_problem(summary)
    return [
        {
            "question": "How good is it?",
            "answer": error_answer(summary["score"]),
            "tone": error_tone(summary),
            "statements": [text["error"], text["difference"]],
        },
        {
            "question": "Which kernels?",
            "answer": "Equal weights" if equal_weights(summary) else largest,
            "tone": "",
            "statements": [text["kernels"]],
        },
        {
            "question": "Can I trust it?",
            "answer": problem or doubt(summary) or "No problem found",
            "tone": "bad" if problem else "",
            "statements": [text["never"], text["certificate"], text["alignment"]],
        },
    ]


def error_answer(score: dict[str, Any] | None) -> str:
    """Return the held-out error in a few words."""
    learned = (score or {}).get("results", {}).get("learned", {})
    if score is None or "mean" not in learned:
        return "Not cross-validated"
    error = error_text(learned["mean"], score["measure"])
    if score["measure"] == MISCLASSIFICATION:
        return f"{error} misclassified"
    fit = score["details"]["scores"]["R²"]
    return f"RMSE {error}" + ("" if fit is None else f", R² {fit:.2f}")


def error_tone(summary: Summary) -> str:
    """Return "good" if the error is below that of a constant and not above a baseline's."""
    verdicts = {name: compare_errors(summary, name)[0] for name in BASELINES}
    if not verdicts[CONSTANT]:
        return ""
    bad = verdicts[CONSTANT] != "lower" or "higher" in verdicts.values()
    return "bad" if bad else "good"


def first_problem(summary: Summary) -> str:
    """Return the most important reason not to trust the model, in a few words, or nothing."""
    details = (summary["score"] or {}).get("details") or {}
    constant = compare_errors(summary, CONSTANT)[0]
    problems = {
        "The weights did not converge": summary["certificate"]["status"] == "not converged",
        "No better than a constant": constant in ("unclear", "higher"),
        "A class is never predicted": bool(details.get("never_predicted")),
        "Uniform weights are better": compare_errors(summary, "uniform weights")[0] == "higher",
        "A single kernel is better": compare_errors(summary, "best single kernel")[0] == "higher",
    }
    return next((problem for problem, found in problems.items() if found), "")


def doubt(summary: Summary) -> str:
    """Return what is not known about a model without a problem, in a few words, or nothing."""
    unknown = summary["certificate"]["status"] == NOT_STATIONARY
    return "The weights may not be the best" if unknown else ""


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
    learned = [error for name in known if name != CONSTANT for error in known[name]["errors"]]
    constant = known.get(CONSTANT, {}).get("errors", [])
    near = not learned or max(constant, default=0.0) <= FAR * max(learned)
    ticks = axis_ticks(learned + constant if near else learned)
    percents = measure == MISCLASSIFICATION
    notes = [
        f"{name}: {result['reason']}" for name, result in results.items() if "reason" in result
    ]
    unconverged = sum(result["unconverged"] for result in known.values())
    if not near:
        notes.append(f"The error of a constant prediction ({constant_name(measure)}) is not drawn.")
    notes += [f"{unconverged} of these fits did not converge."] if unconverged else []
    differences = [describe_difference(summary, name) for name in (CONSTANT, "best single kernel")]
    return {
        "rows": [score_row(name, result, measure, ticks) for name, result in known.items()],
        "ticks": [
            {
                "left": position(tick, ticks),
                "text": f"{100 * tick:g} %" if percents else f"{tick:g}",
            }
            for tick in ticks
        ],
        "statements": [one for one in differences if one],
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
    if result["mean"] > ticks[-1]:  # a constant prediction, beyond the axis
        marks = []
    return {
        "label": {"learned": "this model", CONSTANT: constant_name(measure)}.get(name, name),
        "learned": name == "learned",
        "description": f"folds: {', '.join(texts)}",
        "marks": marks,
        "mean": mean,
    }


def split_guarantees(found: dict[str, Any]) -> dict[str, Any]:
    """Add to the guarantees those that are not vacuous, and those that are."""
    entries = found.get("entries", [])
    return found | {
        "useful": [entry for entry in entries if not entry["vacuous"]],
        "vacuous": [entry for entry in entries if entry["vacuous"]],
    }


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
