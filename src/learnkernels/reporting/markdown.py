"""Write a summary as Markdown.

Sentences contain code only in backticks. All other text from data is escaped by `escape_markup`.
"""

from __future__ import annotations

import re
from typing import Any

from learnkernels.reporting.formatting import (
    CONSTANT,
    NO_NAME,
    Summary,
    error_text,
    escape_control_characters,
    weight_text,
)
from learnkernels.reporting.statements import (
    BASELINES,
    constant_name,
    describe_difference,
    statements,
)

# Characters with a meaning in Markdown, HTML or formulas. An underscore between letters has none.
ACTIVE = re.compile(r"[\\*\[\]<>&~$|#]|(?<![^\W_])_|_(?![^\W_])")
# Rows in the table of kernels; the JSON report contains all kernels.
MAX_ROWS = 100


def to_markdown(summary: Summary) -> str:
    """Return the report as Markdown that is readable raw and rendered.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    str
        Markdown.
    """
    summary = escape_control_characters(summary)
    text = {topic: escape_markup(statement) for topic, statement in statements(summary).items()}
    title = escape_reason(summary["title"] or summary["model"]["estimator"])
    blocks = [f"# Learned kernel: {title}"]
    topics = ("task", "error", "never", "kernels", "interchangeable")
    blocks.append("\n".join(f"- {text[topic]}" for topic in topics if text[topic]))
    blocks += scores(summary) + held_out(summary["score"]) + views(summary["views"])
    blocks += kernels(summary) + ([text["names"]] if text["names"] else [])
    blocks += ["## Can I trust it?", f"{text['certificate']} {text['alignment']}"]
    if summary["selection"]:
        blocks.append(candidates(summary["selection"]))
    blocks += [guarantees(summary["guarantees"]), "## How to reproduce", text["model"]]
    blocks += [code_block(summary["model"]["code"]), settings(summary["created"])]
    return "\n\n".join(blocks) + "\n"


def scores(summary: Summary) -> list[str]:
    """Return the table of errors, and notes on it."""
    score = summary["score"]
    if score is None or "results" not in score:
        return []
    results, measure = score["results"], score["measure"]
    labels = {"learned": "this model", CONSTANT: constant_name(measure)}
    rows = [
        (
            labels.get(name, name),
            error_text(result["mean"], measure),
            error_text(result["std"], measure),
        )
        for name, result in results.items()
        if "mean" in result
    ]
    notes = [
        f"{name}: {escape_reason(result['reason'])}"
        for name, result in results.items()
        if "reason" in result
    ]
    unconverged = sum(result.get("unconverged", 0) for result in results.values())
    notes += [f"{unconverged} of these fits did not converge."] if unconverged else []
    notes += filter(None, (describe_difference(summary, name) for name in BASELINES))
    blocks = ["## How good is it?", table(("", measure, "standard deviation"), rows)]
    return [*blocks, "\n".join(f"- {note}" for note in notes)] if notes else blocks


def held_out(score: dict[str, Any] | None) -> list[str]:
    """Return scores of held-out predictions, and a table of the classes."""
    details = (score or {}).get("details") or {}
    values = [(name, number(value)) for name, value in details.get("scores", {}).items()]
    blocks = [table(("held-out predictions", ""), values)] if values else []
    rows = [
        (full_name(one), one["samples"], one["predicted"], number(one["recall"]),
         number(one["precision"]))
        for one in details.get("classes", [])
    ]  # fmt: skip
    return (
        [*blocks, table(("class", "samples", "predicted", "recall", "precision"), rows)]
        if rows
        else blocks
    )


def views(entries: list[dict[str, Any]]) -> list[str]:
    """Return the table of views, if there are several."""
    rows = [(full_name(entry), entry["kernels"], weight_text(entry)) for entry in entries]
    return ["## Views", table(("view", "kernels", "weight"), rows)] if len(rows) > 1 else []


def kernels(summary: Summary) -> list[str]:
    """Return the table of kernels, and notes on it."""
    halves, hidden = summary["halves"], len(summary["kernels"]) - MAX_ROWS
    rows = [
        (
            full_name(entry),
            weight_text(entry),
            f"{100 * entry['selected']:.0f} %" if "selected" in entry else "",
            number(entry["alignment"]),
        )
        for entry in summary["kernels"][:MAX_ROWS]
    ]
    interval = f" (90 % interval over {halves['draws']} random halves)" if halves["draws"] else ""
    blocks = [
        "## Which kernels?",
        table(("kernel", f"weight{interval}", "selected", "alignment"), rows),
    ]
    if hidden > 0:
        blocks.append(f"{hidden:,} more kernels have smaller weights.")
    if "reason" in halves:
        blocks.append(f"No intervals: {escape_reason(halves['reason'])}")
    elif halves["unconverged"]:
        blocks.append(f"Not converged on {halves['unconverged']} of the halves.")
    return blocks


def candidates(selection: dict[str, Any]) -> str:
    """Return the candidates of the method and their held-out errors as a table."""
    rows = [
        (one["question"], one["name"], number(one["error"]), number(one["standard_error"]),
         one["reason"])
        for one in selection["candidates"]
    ]  # fmt: skip
    return table(("for", "candidate", selection["criterion"], "standard error", "chosen"), rows)


def guarantees(found: dict[str, Any]) -> str:
    """Return the table of guarantees, or the reason why there is none."""
    if "reason" in found:
        return f"No guarantees: {escape_reason(found['reason'])}"
    rows = [
        (
            entry["name"],
            number(entry["value"]),
            escape_markup(entry["sentence"]),
        )
        for entry in found["entries"]
        if not entry["vacuous"]
    ]
    text = table(("quantity or bound", "value", "meaning"), rows)
    hidden = [one["name"] for one in found["entries"] if one["vacuous"]]
    hidden += [one["name"] for one in found["omitted"]]
    more = f"Vacuous, or not applicable: {escape_markup(', '.join(hidden))}." if hidden else ""
    return "\n\n".join(filter(None, (text, more, escape_markup(found["assumptions"]))))


def settings(created: dict[str, Any]) -> str:
    """Return the settings of the report and the versions."""
    versions = ", ".join(f"{name} {version}" for name, version in created["versions"].items())
    return (
        f"{created['folds']} folds, {created['draws']} random halves, "
        f"`random_state={created['random_state']}`. Created on {created['date']} with {versions}."
    )


def full_name(entry: dict[str, Any]) -> str:
    """Return a name as code."""
    return "`" + (entry["name"].replace("`", "'") or NO_NAME) + "`"


def escape_markup(statement: str) -> str:
    """Escape all Markdown of a statement except code in backticks."""
    parts = statement.split("`")
    parts[::2] = [ACTIVE.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def escape_reason(text: str) -> str:
    """Escape all Markdown of a text from data or from an error message, also backticks."""
    return escape_markup(" ".join(text.replace("`", "'").split()))


def code_block(code: str) -> str:
    """Return a fenced block of code; the fence is longer than all backticks in the code."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{code}\n{fence}"


def table(head: tuple[Any, ...], rows: list[tuple[Any, ...]]) -> str:
    """Return a table with escaped cells."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def cell(value: Any) -> str:
    """Return the text of a cell, in which a pipe does not end the cell."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def number(value: float | None) -> str:
    """Return a number, or an empty cell."""
    return "" if value is None else f"{value:.4g}"
