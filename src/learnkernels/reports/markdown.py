"""A summary as Markdown."""

from __future__ import annotations

import re
from typing import Any

from learnkernels.reports.words import (
    NAMELESS,
    alignment_sentence,
    chosen_sentence,
    difference_sentence,
    error_text,
    kernels_sentence,
    proof_sentence,
    readable,
    score_sentence,
    share_text,
    task_sentence,
    without_marks,
)

__all__ = ["to_markdown"]

# What Markdown would take for emphasis, links, HTML, formulas or cells; an underscore between
# letters is none.
ACTIVE = re.compile(r"[\\*\[\]<>&~$|#]|(?<![^\W_])_|_(?![^\W_])")
# Kernels in the table; all are in the JSON form.
MOST = 100


def to_markdown(summary: dict[str, Any]) -> str:
    """The report as text that reads well raw and rendered.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    str
        Markdown.
    """
    summary = readable(summary)
    parts = [
        headline(summary), scores(summary), views(summary), kernels(summary), trust(summary),
        origin(summary),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(summary) -> str:
    title = plain_text(summary["title"] or summary["model"]["estimator"])
    sentences = [task_sentence(summary), kernels_sentence(summary), score_sentence(summary)]
    text = "\n".join(f"- {prose(sentence)}" for sentence in sentences if sentence)
    return f"# Learned kernel: {title}\n\n{text}"


def scores(summary) -> str:
    score = summary["score"]
    if score is None or "rivals" not in score:
        return ""
    rows = [
        (name, error_text(one["mean"], score["measure"]), error_text(one["std"], score["measure"]))
        for name, one in score["rivals"].items()
        if "mean" in one
    ]
    rows.append(("nothing learned", error_text(score["trivial"], score["measure"]), ""))
    notes = [
        f"- {name}: {plain_text(one['reason'])}"
        for name, one in score["rivals"].items()
        if "reason" in one
    ]
    unproved = sum(one.get("unproved", 0) for one in score["rivals"].values())
    notes += [f"- {unproved} of these fits ended above their tolerance."] if unproved else []
    notes += [
        f"- {difference_sentence(summary, name)}"
        for name in score["rivals"]
        if name != "learned" and difference_sentence(summary, name)
    ]
    head = f"## On unseen samples\n\n{table(('', score['measure'], 'spread of the folds'), rows)}"
    return "\n\n".join([head, "\n".join(notes)]) if notes else head


def views(summary) -> str:
    if len(summary["views"]) < 2:
        return ""
    rows = [(full_name(one), one["kernels"], share_text(one)) for one in summary["views"]]
    return f"## Views\n\n{table(('view', 'kernels', 'share'), rows)}"


def kernels(summary) -> str:
    shown = summary["kernels"][:MOST]
    rows = [
        (full_name(one), share_text(one), chosen_text(one), number(one["alignment"]))
        for one in shown
    ]
    left = len(summary["kernels"]) - len(shown)
    more = f"\n\n{left:,} more kernels have smaller weights." if left else ""
    made = summary["halves"]
    drawn = " (90 % of random halves)" if made["draws"] else ""
    head = ("kernel", f"share{drawn}", "chosen in halves", "alignment alone")
    if "reason" in made:
        more += f"\n\nNot learned again from halves: {plain_text(made['reason'])}"
    if made.get("unproved"):
        more += f"\n\n{made['unproved']} halves ended above the tolerance."
    return f"## Kernels\n\n{table(head, rows)}{more}"


def full_name(one: dict) -> str:
    return "`" + (one["name"].replace("`", "'") or NAMELESS) + "`"


def trust(summary) -> str:
    said = prose(f"{proof_sentence(summary)} {alignment_sentence(summary)}")
    said = f"## Can I trust it\n\n{said}"
    if "reason" in summary["guarantees"]:
        return f"{said}\n\nNo guarantees: {plain_text(summary['guarantees']['reason'])}"
    rows = [
        (
            one["name"],
            number(one["value"]),
            ("says nothing here; " if one["vacuous"] else "") + one["sentence"],
        )
        for one in summary["guarantees"]["entries"]
    ]
    return f"{said}\n\n{table(('guarantee', 'value', 'how to read it'), rows)}"


def origin(summary) -> str:
    made = summary["made"]
    versions = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    return (
        f"## How it was made\n\n{prose(chosen_sentence(summary))}\n\n"
        f"{fenced(summary['model']['code'])}\n\n"
        f"{made['date']}, {versions}; {made['folds']} folds, {made['draws']} random halves, seed "
        f"{made['seed']}."
    )


def prose(sentence: str) -> str:
    """A sentence whose words are no Markdown, besides what stands in backticks."""
    parts = sentence.split("`")
    parts[::2] = [ACTIVE.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def plain_text(text: str) -> str:
    """Words of others, in which nothing is Markdown."""
    return prose(" ".join(without_marks(text).split()))


def fenced(code: str) -> str:
    """A block of code, whatever backticks it holds."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{code}\n{fence}"


def table(head: tuple, rows: list[tuple]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(one) for one in line) + " |" for line in lines)


def cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def chosen_text(one: dict) -> str:
    return f"{100 * one['chosen']:.0f} %" if "chosen" in one else ""


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
