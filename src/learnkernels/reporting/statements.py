"""The statements of a report in plain text, with names and code in backticks."""

from __future__ import annotations

import math
from typing import Any

from learnkernels.plurals import count_text
from learnkernels.reporting.formatting import (
    MISCLASSIFICATION,
    Summary,
    code_name,
    error_text,
    escape_control_characters,
    join,
    weight_text,
)

MAX_NAMES = 3
BASELINES = ("uniform weights", "best single kernel")
LABELS = {"learned": "the learned weights", "best single kernel": "the best single kernel"}


def statements(summary: Summary) -> dict[str, str]:
    """Return the statements of a report by topic.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    dict of str to str
        ``task``, ``kernels``, ``error``, ``difference`` (from uniform weights), ``certificate``,
        ``alignment`` and ``model``. A topic that was not computed is an empty string.
    """
    return {
        "task": describe_task(summary),
        "kernels": describe_kernels(summary),
        "error": describe_error(summary["score"]),
        "difference": describe_difference(summary, "uniform weights"),
        "certificate": describe_certificate(summary),
        "alignment": describe_alignment(summary),
        "model": describe_model(summary["model"]),
    }


def text_lines(summary: Summary) -> list[str]:
    """Return at most five lines of plain text: task, kernels, error, difference, certificate."""
    text = statements(escape_control_characters(summary))
    lines = [text[topic] for topic in ("task", "kernels", "error", "difference")]
    lines.append(f"{text['certificate']} {text['alignment']}")
    return [line.replace("`", "") for line in lines if line]


def describe_task(summary: Summary) -> str:
    """Return the task and the size of the data."""
    task, data, views = summary["task"], summary["data"], len(summary["views"])
    kind = "alignment with" if task["kind"] == "alignment" else f"{task['kind']} of"
    text = f"{kind} {code_name(task['target'])}" if task["target"] else task["kind"]
    if "classes" in task:
        text += f", {count_text(len(task['classes']), 'class')}"
    if task.get("outputs", 1) > 1:
        text += f", {task['outputs']:,} targets"
    features = f"{count_text(data['columns'], 'feature')}, " if data["columns"] else ""
    of_views = f" in {views:,} views" if views > 1 else ""
    return (
        f"{text[0].upper()}{text[1:]}: {count_text(data['samples'], 'sample')}, {features}"
        f"{count_text(len(summary['kernels']), 'base kernel')}{of_views}."
    )


def describe_kernels(summary: Summary) -> str:
    """Return the views and kernels with the largest weights, and the intervals of the weights."""
    kernels, views = summary["kernels"], summary["views"]
    if equal_weights(summary):
        return f"All {len(kernels)} base kernels have the same weight."
    used = [kernel for kernel in kernels if kernel["share"]]
    verb = "has" if len(used) == 1 else "have"
    text = (
        f"{len(used):,} of {count_text(len(kernels), 'base kernel')} {verb} non-zero weight: "
        f"{list_weights(used)}."
    )
    return f"Weight by view: {list_weights(views)}. {text}" if len(views) > 1 else text


def equal_weights(summary: Summary) -> bool:
    """Return whether all of several kernels have the same weight."""
    weights = [kernel["weight"] for kernel in summary["kernels"]]
    return len(weights) > 1 and max(weights) - min(weights) <= 1e-12 * max(map(abs, weights))


def list_weights(entries: list[dict[str, Any]]) -> str:
    """Return the first names with their weights, and the number of further ones."""
    shown = [f"{code_name(entry['name'])} {weight_text(entry)}" for entry in entries[:MAX_NAMES]]
    more = len(entries) - len(shown)
    return join([*shown, f"{more:,} more"] if more else shown)


def describe_error(score: dict[str, Any] | None) -> str:
    """Return the cross-validated errors of the learned weights and of the baselines."""
    if score is None:
        return ""
    reason = score.get("reason") or score["results"]["learned"].get("reason")
    if reason:
        return f"Cross-validation failed: {reason.replace('`', chr(39))}"
    measure = score["measure"]
    errors = [
        f"{error_text(result['mean'], measure)} with {LABELS.get(name, name)}"
        for name, result in score["results"].items()
        if "mean" in result
    ]
    constant = "most frequent class" if measure == MISCLASSIFICATION else "mean"
    errors.append(f"{error_text(score['dummy'], measure)} when always predicting the {constant}")
    name = "error" if measure == MISCLASSIFICATION else measure
    return f"Cross-validated {name} ({score['folds']} folds): {join(errors)}."


def compare_errors(summary: Summary, baseline: str) -> tuple[str, dict[str, Any]]:
    """Compare the errors of the learned weights with those of a baseline.

    Returns
    -------
    verdict : {"lower", "higher", "unclear", ""}
        The error of the learned weights, if the difference is significant. An empty string if the
        two were not compared.
    result : dict
        The entry of the baseline.
    """
    score = summary["score"] or {}
    result: dict[str, Any] = score.get("results", {}).get(baseline, {})
    if "difference" not in result or summary["model"]["method"] == "unif":
        return "", result
    if result["low"] == result["high"]:  # no variance between the folds: nothing to test against
        return "unclear", result
    return "lower" if result["high"] < 0 else "higher" if result["low"] > 0 else "unclear", result


def difference_text(value: float, result: dict[str, Any], measure: str) -> tuple[str, str]:
    """Return a signed difference of errors, and its unit."""
    if measure != MISCLASSIFICATION and not result["mean"]:
        return f"{value:+.3g}", ""
    points = measure == MISCLASSIFICATION
    text = f"{100 * value / (1 if points else result['mean']):+.1f}"
    return "0.0" if text[1:] == "0.0" else text, " percentage points" if points else " %"


def describe_difference(summary: Summary, baseline: str) -> str:
    """Return the difference of the error from that of a baseline, and whether it is significant."""
    verdict, result = compare_errors(summary, baseline)
    if not verdict:
        return ""
    label = LABELS.get(baseline, baseline)
    if result["low"] == result["high"] == 0:
        return f"The error is the same as with {label} in every fold."
    uniform = baseline == "uniform weights"
    start = {
        "lower": f"Significantly lower error than with {label}",
        "higher": f"{label.capitalize()} {'are' if uniform else 'is'} significantly better here",
        "unclear": f"No significant difference from {label}",
    }[verdict]
    measure, folds = summary["score"]["measure"], summary["score"]["folds"]
    (mean, unit), (low, _), (high, _) = (
        difference_text(result[name], result, measure) for name in ("difference", "low", "high")
    )
    advice = ' Use `method="unif"`.' if verdict == "higher" and uniform else ""
    return (
        f"{start}: error {mean}{unit} (90 % interval {low} to {high}; lower in "
        f"{result['folds_lower']} of {folds} folds).{advice}"
    )


def describe_certificate(summary: Summary) -> str:
    """Return the status of the optimisation of the weights."""
    found, method = summary["certificate"], summary["model"]["method"]
    gap = math.inf if found["gap"] is None else found["gap"]
    iterations = count_text(found["iterations"], "iteration")
    if method == "single":
        return "The kernel was selected by cross-validation; there is no optimality certificate."
    if method == "dc" and found["status"] == "optimal":
        return (
            f"The weights are stationary: a further iteration lowers the objective by at most "
            f"{gap:.1e} of its value ({iterations}). The problem is not convex, so this may be a "
            "local optimum."
        )
    known = {
        "optimal": f"The weights are optimal for {code_name(method)} (relative duality gap "
        f"{gap:.1e}, {iterations}).",
        "closed form": "The weights have a closed form.",
        "undefined: uniform weights": "The alignment is undefined, so the weights are uniform.",
        "stationary": "The weights are stationary for the leave-one-out error of ridge: a gradient "
        f"step changes none by more than {gap:.1e} of their sum ({iterations}). The problem is not "
        "convex, so this may be a local optimum.",
        "average of stationary and uniform weights": "The weights are the average of those of "
        "smallest leave-one-out error and of uniform weights, because the two are within one standard error.",
        "stochastic": f"The weights come from a stochastic method without an optimality bound "
        f"({iterations}).",
        "not converged": f"Not converged after {iterations}: relative duality gap {gap:.1e}. "
        "Increase `max_iter`.",
    }
    return known.get(found["status"], f"Status of the certificate: {found['status']}.")


def describe_alignment(summary: Summary) -> str:
    """Return the alignment with its bootstrap interval, and that of the best base kernel."""
    found, guarantees = summary["alignment"], summary["guarantees"]
    interval = ""
    if "entries" in guarantees:
        values = {entry["name"]: entry["value"] for entry in guarantees["entries"]}
        interval = (
            f" ({100 * (1 - guarantees['delta']):g} % bootstrap interval "
            f"{values['alignment, lowest']:.3f} to {values['alignment, highest']:.3f})"
        )
    return (
        f"The alignment of the learned kernel with the target is {found['learned']:.3f}{interval}; "
        f"that of the best base kernel, {code_name(found['best_base_kernel'])}, is "
        f"{found['best_base']:.3f}."
    )


def describe_model(model: dict[str, Any]) -> str:
    """Return the estimator, the method and the regularisation parameter."""
    text = f"{model['estimator']} with method {code_name(model['method'])}"
    parameter = model["regularization"]
    if parameter["value"]:
        text += f" and {parameter['name']} = {parameter['value']:g}"
        if model["n_candidates"] > 1:
            text += f", chosen by held-out error from {model['n_candidates']} values"
    search = (
        " The parameters were chosen by a search on the same data." if model["searched"] else ""
    )
    return f"{text}.{search}"
