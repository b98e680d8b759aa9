"""What matters in a summary, as sentences; names stand in backticks."""

from __future__ import annotations

import math
from typing import Any

from learnkernels.inspect.displays.style import shortened
from learnkernels.names import printable

__all__ = [
    "NAMELESS",
    "alignment_sentence",
    "all_alike",
    "better",
    "chosen_sentence",
    "difference_sentence",
    "error_text",
    "heaviest",
    "in_words",
    "joined",
    "kernels_sentence",
    "name_of",
    "percent",
    "proof",
    "proof_sentence",
    "readable",
    "score_sentence",
    "share_text",
    "task_sentence",
    "without_marks",
]

MOST_NAMES = 3
ROUNDING = 1e-12
NAMELESS = "(no name)"
Summary = dict[str, Any]


def in_words(summary: Summary) -> list[str]:
    """Five lines: the task, which kernels, how good, how much better, whether to trust it."""
    summary = readable(summary)
    lines = [
        task_sentence(summary),
        kernels_sentence(summary),
        score_sentence(summary),
        difference_sentence(summary),
        f"{proof_sentence(summary)} {alignment_sentence(summary)}",
    ]
    return [line.replace("`", "") for line in lines if line]


def readable(value: Any, lines: bool = False) -> Any:
    """A summary whose texts keep to their place in every form; only code has several lines."""
    if isinstance(value, dict):
        return {readable(key): readable(one, lines or key == "model") for key, one in value.items()}
    if isinstance(value, list):
        return [readable(one, lines) for one in value]
    if not isinstance(value, str):
        return value
    return "\n".join(map(printable, value.split("\n"))) if lines else printable(value)


def name_of(name: str) -> str:
    """A name that comes from the data, marked as one."""
    return "`" + (shortened(name).replace("`", "'") or NAMELESS) + "`"


def without_marks(reason: str) -> str:
    """A sentence of another part of the library, in which nothing is code."""
    return reason.replace("`", "'")


def task_sentence(summary: Summary) -> str:
    task, data = summary["task"], summary["data"]
    target = name_of(task["target"]) if task["target"] else ""
    if task["kind"] == "classification":
        classes = f"{len(task['classes'])} classes"
        what = f"{target} ({classes})" if target else f"one of {classes}"
    else:
        outputs = task.get("outputs", 1)
        what = target or ("a number" if outputs == 1 else f"{outputs} numbers")
    verb = "Follows" if task["kind"] == "alignment" else "Predicts"
    columns = f"{data['columns']:,} columns of " if data["columns"] else ""
    return (
        f"{verb} {what} from {columns}{data['samples']:,} samples, with "
        f"{many(len(summary['kernels']), 'base kernel')}{of_views(summary)}."
    )


def of_views(summary: Summary) -> str:
    views = len(summary["views"])
    return f" of {views} views" if views > 1 else ""


def kernels_sentence(summary: Summary) -> str:
    """Which views and kernels have the weight, and how sure that is."""
    kernels, views = summary["kernels"], summary["views"]
    used = [kernel for kernel in kernels if kernel["share"]]
    if all_alike(summary):
        return f"All {len(kernels)} kernels have the same weight."
    sentence = f"{len(used):,} of {many(len(kernels), 'base kernel')} have a weight: "
    if len(used) == 1:
        sentence = f"1 of {many(len(kernels), 'base kernel')} has the weight: "
    sentence += listed(used) + "."
    if len(views) > 1:
        return f"Of the views, {listed(views)}. {sentence}"
    return sentence


def all_alike(summary: Summary) -> bool:
    weights = [kernel["weight"] for kernel in summary["kernels"]]
    return len(weights) > 1 and max(weights) - min(weights) <= 1e-12 * max(map(abs, weights))


def listed(entries: list[dict]) -> str:
    """The heaviest, each with its share and the interval of it."""
    shown = [f"{name_of(one['name'])} {share_text(one)}" for one in entries[:MOST_NAMES]]
    left = len(entries) - len(shown)
    return joined([*shown, f"{left:,} more"] if left else shown)


def share_text(entry: dict) -> str:
    """A share and its interval, all with the same digits."""
    share, low, high = (100 * entry.get(name, entry["share"]) for name in ("share", "low", "high"))
    digits = digits_of(max(abs(low), abs(high)))
    text = f"{share:.{digits}f} %"
    return f"{text} ({low:.{digits}f} to {high:.{digits}f} %)" if "low" in entry else text


def percent(share: float) -> str:
    return f"{100 * share:.{digits_of(100 * abs(share))}f} %"


def digits_of(size: float) -> int:
    """Decimals for a number of percent: two digits of what is small."""
    return 0 if size >= 9.5 or not size else 1 if size >= 0.95 else 2


def heaviest(summary: Summary) -> dict:
    """The heaviest view, or kernel where there is one view."""
    return (summary["views"] if len(summary["views"]) > 1 else summary["kernels"])[0]


def error_text(value: float, measure: str) -> str:
    """An error: percent of samples, or a number in units of the target."""
    return f"{100 * value:.1f} %" if measure == "misclassified" else f"{value:.4g}"


def score_sentence(summary: Summary) -> str:
    """Errors on unseen samples, of all rivals."""
    score = summary["score"]
    if score is None:
        return ""
    if "reason" in score:
        return f"No score: {without_marks(score['reason'])}"
    rivals, measure = score["rivals"], score["measure"]
    if "reason" in rivals["learned"]:
        return f"No score: {without_marks(rivals['learned']['reason'])}"
    classes = measure == "misclassified"
    verb = "misclassifies" if classes else "has a root mean squared error of"
    others = [
        f"{name} {error_text(rival['mean'], measure)}"
        for name, rival in rivals.items()
        if name != "learned" and "mean" in rival
    ]
    others.append(
        f"always {'the most frequent class' if classes else 'the mean'} "
        f"{error_text(score['trivial'], measure)}"
    )
    return (
        f"On samples it has not seen ({score['folds']} folds) it {verb} "
        f"{error_text(rivals['learned']['mean'], measure)}; {joined(others)}."
    )


def rival(summary: Summary, name: str = "uniform weights") -> dict | None:
    """A rival whose difference from the learned kernel is known."""
    score = summary["score"]
    if score is None or "rivals" not in score or summary["model"]["method"] == "unif":
        return None
    found = score["rivals"][name]
    return found if "difference" in found else None


def better(summary: Summary, name: str = "uniform weights") -> tuple[str, str]:
    """The verdict against a rival, ``"lower"``, ``"higher"``, ``"unclear"`` or ``""``; its size."""
    found = rival(summary, name)
    if found is None:
        return "", ""
    size = size_text(found["difference"], found, summary)
    if found["low"] == found["high"]:  # folds that do not vary tell nothing about chance
        return "unclear", size
    if found["high"] < 0:
        return "lower", size
    return ("higher" if found["low"] > 0 else "unclear"), size


def size_text(value: float, found: dict, summary: Summary) -> str:
    """A difference of errors: percentage points, or percent of the rival's error."""
    if summary["score"]["measure"] == "misclassified":
        return f"{100 * abs(value):.1f} points"
    return f"{100 * abs(value) / found['mean']:.1f} %" if found["mean"] else f"{abs(value):.3g}"


def difference_sentence(summary: Summary, name: str = "uniform weights") -> str:
    """How the error differs from a rival's, and whether chance explains it."""
    found = rival(summary, name)
    if found is None:
        return ""

    def signed(value):
        size = size_text(value, found, summary)
        return size if size.startswith("0.0 ") else f"{'+' if value > 0 else '-'}{size}"

    the = "the " if name.startswith("best") else ""
    if found["low"] == found["high"] == 0:
        return f"Error against {the}{name}: the same in every fold."
    chance = {
        "lower": "more than chance explains",
        "higher": "more than chance explains" + ": better not learned" * (not the),
        "unclear": "which chance may explain",
    }[better(summary, name)[0]]
    return (
        f"Error against {the}{name}: {signed(found['difference'])} (90 % interval: "
        f"{signed(found['low'])} to {signed(found['high'])}), {chance}; lower in "
        f"{found['folds_won']} of {summary['score']['folds']} folds."
    )


def proof(summary: Summary) -> str:
    """The certificate in two or three words."""
    status = summary["certificate"]["status"]
    known = {
        "optimal": "Weights proved optimal",
        "closed form": "Weights from a formula",
        "undefined: uniform weights": "Nothing to learn from",
        "stochastic": "Weights without a bound",
        "not converged": "Weights not proved",
    }
    if summary["model"]["method"] == "dc" and status == "optimal":
        return "No better weights nearby"
    if summary["model"]["method"] == "single":
        return "Chosen by cross-validation"
    return known.get(status, status)


def proof_sentence(summary: Summary) -> str:
    """What the certificate proves."""
    found = summary["certificate"]
    gap = math.inf if found["gap"] is None else found["gap"]
    steps = many(found["iterations"], "step")
    share = "rounding" if gap < ROUNDING else f"{gap:.1e} of the objective"
    if summary["model"]["method"] == "dc" and found["status"] == "optimal":
        return (
            f"After {steps} a further one could not lower the objective by more than {gap:.1e} of "
            "it; the problem is not convex, so better weights may lie elsewhere."
        )
    if summary["model"]["method"] == "single":
        return "The kernel was chosen by cross-validation; there is no optimum to prove."
    sentences = {
        "optimal": f"The weights are proved optimal: none are better by more than {share} "
        f"({steps}).",
        "closed form": "The weights come from a formula; there is no iteration to distrust.",
        "stochastic": f"The weights come from a stochastic method that has no bound ({steps}).",
        "not converged": f"The weights are not proved optimal: after {steps} others may be better "
        f"by {gap:.1e} of the objective; raise max_iter.",
    }
    return sentences.get(found["status"], f"The certificate says: {found['status']}.")


def alignment_sentence(summary: Summary) -> str:
    """The alignment with its bootstrap interval, beside the best base kernel's."""
    found = summary["alignment"]
    entries = {entry["name"]: entry for entry in summary["guarantees"].get("entries", [])}
    interval = ""
    if entries:
        low, high = (entries[f"alignment, {end}"]["value"] for end in ("lowest", "highest"))
        interval = f" (bootstrap: {low:.3f} to {high:.3f})"
    return (
        f"The learned kernel's alignment with the target is {found['learned']:.3f}{interval}; the "
        f"best base kernel alone, {name_of(found['best_alone_kernel'])}, has "
        f"{found['best_alone']:.3f}."
    )


def chosen_sentence(summary: Summary) -> str:
    """Method and regularisation."""
    model = summary["model"]
    search = " The parameters were found by a search on the same data." if model["searched"] else ""
    value, tried = model["regularization"], model["chosen_from"]
    how = f", chosen from {tried} values inside the fit" if tried > 1 else ""
    setting = f" with {value['name']} = {value['value']:g}{how}" if value["value"] else ""
    return f"{model['estimator']}, weights by {name_of(model['method'])}{setting}.{search}"


def many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def joined(parts: list[str]) -> str:
    """Parts with commas, and an and before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
