"""The statements of a report in plain text, with names and code in backticks."""

from __future__ import annotations

import math
import re
from typing import Any

from learnkernels.inspection.stability import interchange_text
from learnkernels.plurals import count_text
from learnkernels.reporting.formatting import (
    CONSTANT,
    MISCLASSIFICATION,
    Summary,
    code_name,
    error_text,
    escape_control_characters,
    join,
    weight_text,
)
from learnkernels.solvers import AVERAGE, NOT_STATIONARY, STATIONARY

MAX_NAMES = 3
BASELINES = ("uniform weights", "best single kernel", CONSTANT)
LABELS = {
    "learned": "the learned weights",
    "best single kernel": "the best single kernel",
    CONSTANT: "a constant prediction",
}
# The criterion for which the weights of a method are optimal.
CRITERIA = {
    "alignf": "the alignment with the target",
    "align-linear": "the alignment with the target",
    "l1-krr": "the objective of ridge on the training samples",
    "l2-krr": "the objective of ridge on the training samples",
    "l1-svm": "the objective of the SVM on the training samples",
    "l2-svm": "the objective of the SVM on the training samples",
    "lp-svm": "the objective of the SVM on the training samples",
}
# Names of kernels, and what they mean.
KERNELS = (
    (r"\bgaussian\(([^)]*)\)", "k(x, z) = exp(-gamma |x - z|²) with gamma = {}"),
    (r"\blaplacian\(([^)]*)\)", "k(x, z) = exp(-gamma |x - z|₁) with gamma = {}"),
    (r"\bpolynomial\(degree=(\d+)[^)]*\)", "k(x, z) = (gamma x·z + coef0)^{}"),
    (r"\blinear\b()", "k(x, z) = x·z"),
    (r"\bspectrum\((\d+)\)", "number of common substrings of length {}"),
    (r"\bweighted_degree\((\d+)[^)]*\)", "common substrings of up to {} letters at one position"),
    (r"^(x\[\d+\])$", "product of the values of column {}"),
)


def statements(summary: Summary) -> dict[str, str]:
    """Return the statements of a report by topic.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    dict of str to str
        ``task``, ``error``, ``difference`` (from uniform weights), ``constant`` (difference from a
        constant prediction), ``never`` (classes that are never predicted), ``kernels``,
        ``interchangeable`` (views that carry the same information), ``names`` (of kernels),
        ``certificate``, ``alignment`` and ``model``. A topic that was not computed is an empty
        string.
    """
    return {
        "task": describe_task(summary),
        "error": describe_error(summary["score"]),
        "difference": describe_difference(summary, "uniform weights"),
        "constant": describe_difference(summary, CONSTANT),
        "never": describe_never_predicted(summary),
        "kernels": describe_kernels(summary),
        "interchangeable": describe_interchangeable(summary),
        "names": describe_names(summary),
        "certificate": describe_certificate(summary),
        "alignment": describe_alignment(summary),
        "model": describe_model(summary["model"]),
    }


def text_lines(summary: Summary) -> list[str]:
    """Return at most five lines of plain text: task, error, difference, kernels, certificate."""
    text = statements(escape_control_characters(summary))
    text["error"] = " ".join(filter(None, (text["error"], text["never"])))
    text["kernels"] = " ".join(filter(None, (text["kernels"], text["interchangeable"])))
    lines = [text[topic] for topic in ("task", "error", "difference", "kernels")]
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


def describe_interchangeable(summary: Summary) -> str:
    """Return which views carry the same information, if any."""
    return " ".join(
        interchange_text(code_name(pair["first"]), code_name(pair["second"]), "Views", pair)
        for pair in summary["interchangeable"][:MAX_NAMES]
    )


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
    labels = LABELS | {CONSTANT: constant_name(measure)}
    errors = [
        f"{error_text(result['mean'], measure)} with {labels.get(name, name)}"
        for name, result in score["results"].items()
        if "mean" in result
    ]
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
    uniform = summary["model"]["method"] == "unif" and baseline != CONSTANT
    if "difference" not in result or uniform:
        return "", result
    return result["verdict"], result


def difference_text(value: float, result: dict[str, Any], measure: str) -> tuple[str, str]:
    """Return a signed difference of errors, and its unit."""
    if measure != MISCLASSIFICATION and not result["mean"]:
        return f"{value:+.3g}", ""
    text = f"{100 * value:+.1f}"
    unit = " percentage points" if measure == MISCLASSIFICATION else " %"
    return "0.0" if text[1:] == "0.0" else text, unit


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
        f"{start}: error {mean}{unit} (95 % interval {low} to {high}; lower in "
        f"{result['folds_lower']} of {folds} folds).{advice}"
    )


def constant_name(measure: str) -> str:
    """Return the name of the constant prediction."""
    return "the most frequent class" if measure == MISCLASSIFICATION else "the mean of the target"


def describe_never_predicted(summary: Summary) -> str:
    """Return which classes are never predicted, if any."""
    details = (summary["score"] or {}).get("details") or {}
    names = details.get("never_predicted", [])
    if not names:
        return ""
    shown = [code_name(name) for name in names[:MAX_NAMES]]
    more = [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    kind, verb = ("Class", "is") if len(names) == 1 else ("Classes", "are")
    return (
        f"{kind} {join(shown + more)} {verb} never predicted for held-out samples. Pass "
        '`class_weight="balanced"` to the estimator if it matters as much as the others.'
    )


def describe_names(summary: Summary) -> str:
    """Return what the names of kernels mean, with one name of each kind as an example."""
    found = []
    for pattern, meaning in KERNELS:
        names = (re.search(pattern, kernel["name"]) for kernel in summary["kernels"])
        first = next(filter(None, names), None)
        if first:
            found.append(f"{code_name(first[0])}: {meaning.format(first[1])}")
    if any("learned metric: " in kernel["name"] for kernel in summary["kernels"]):
        found.append("`learned metric`: the kernel on columns scaled by how much the target varies")
    return f"{'; '.join(found)}." if found else ""


def describe_certificate(summary: Summary) -> str:
    """Return the status of the optimisation of the weights."""
    found, method = summary["certificate"], summary["model"]["method"]
    gap = math.inf if found["gap"] is None else found["gap"]
    iterations = count_text(found["iterations"], "iteration")
    criterion = CRITERIA.get(method, f"the objective of {code_name(method)}")
    if method == "single":
        return "The kernel was selected by cross-validation; there is no optimality certificate."
    if method == "dc" and found["status"] == "optimal":
        return (
            f"The weights are stationary: a further iteration lowers the objective by at most "
            f"{gap:.1e} of its value ({iterations}). The problem is not convex, so this may be a "
            "local optimum."
        )
    distance = f"relative duality gap {gap:.1e}"
    if found["is_local"]:
        distance = f"a gradient step changes a weight by up to {gap:.1e} of their sum"
    known = {
        "optimal": f"The weights are optimal for {criterion} (relative duality gap {gap:.1e}, "
        f"{iterations}), which is not the held-out error.",
        "closed form": "The weights have a closed form.",
        "undefined: uniform weights": "The alignment is undefined, so the weights are uniform.",
        STATIONARY: "The weights are stationary for the leave-one-out error of ridge: a gradient "
        f"step changes none by more than {gap:.1e} of their sum ({iterations}). The problem is not "
        "convex, so this may be a local optimum.",
        NOT_STATIONARY: "The steps ended because the leave-one-out error of ridge hardly fell any "
        f"more ({iterations}). The weights are not shown to be stationary: a gradient step changes "
        f"a weight by up to {gap:.1e} of their sum. The problem is not convex, so there may be "
        "better ones.",
        AVERAGE: "The weights are the average of the learned and of uniform weights, because their "
        "leave-one-out errors are within one standard error.",
        "stochastic": f"The weights come from a stochastic method without an optimality bound "
        f"({iterations}).",
        "not converged": f"Not converged after {iterations}: {distance}. Increase `max_iter`.",
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
