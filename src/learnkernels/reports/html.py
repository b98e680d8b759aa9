"""A summary as one HTML page that needs no other file: style and script stand inside it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

from learnkernels.inspect.displays.style import shortened
from learnkernels.reports.pieces import (
    bar,
    definitions,
    largest_of,
    marked,
    place,
    scientific,
    significant,
    sortable,
    thin_bar,
    tick_text,
    ticks_of,
    value_cell,
)
from learnkernels.reports.words import (
    alignment_sentence,
    all_alike,
    better,
    chosen_sentence,
    difference_sentence,
    error_text,
    heaviest,
    kernels_sentence,
    percent,
    proof,
    proof_sentence,
    readable,
    score_sentence,
    share_text,
    task_sentence,
)

__all__ = ["to_html"]

# Rows of the table of kernels; a page with more is slow to open. The JSON form has all.
MOST = 1000
Summary = dict[str, Any]


def to_html(summary: Summary) -> str:
    """The report as a page: no request leaves it; light, dark, narrow and on paper.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    str
        HTML.
    """
    summary = readable(summary)
    here = files(__package__)
    style = (here / "page.css").read_text(encoding="utf-8")
    script = (here / "page.js").read_text(encoding="utf-8")
    title = escape(summary["title"] or summary["model"]["estimator"])
    body = "\n".join(
        [
            f"<h1>Learned kernel: {title}</h1>",
            f'<p class="soft">{marked(task_sentence(summary))}</p>',
            cards(summary),
            scores(summary),
            views(summary),
            kernels(summary),
            trust(summary),
            data(summary),
            origin(summary),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # An address of our own would be looked for: this is none.
        f'<link rel="icon" href="data:,">\n<title>Learned kernel: {title}</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def cards(summary: Summary) -> str:
    """What a reader asks first: which kernels, how much better, can I trust it."""
    one = heaviest(summary)
    which = f"{percent(one['share'])} <code>{escape(shortened(one['name']))}</code>"
    if all_alike(summary):
        which = "All alike"
    verdict, size = better(summary)
    how_much = {
        "lower": f'<span class="good">{size} lower error</span>',
        "higher": f'<span class="bad">{size} higher error</span>',
        "unclear": "No clear difference",
        "": "Not compared",
    }[verdict]
    said = difference_sentence(summary)
    open_proof = summary["certificate"]["status"] == "not converged"
    return (
        '<section class="cards">'
        + card("Which kernels?", which, kernels_sentence(summary))
        + card("How much better than uniform weights?", how_much, score_sentence(summary), said)
        + card(
            "Can I trust it?",
            f'<span class="{"bad" if open_proof else "good"}">{proof(summary)}</span>',
            proof_sentence(summary),
            alignment_sentence(summary),
        )
        + "</section>"
    )


def card(question: str, answer: str, *sentences: str) -> str:
    said = "".join(f"<p>{marked(sentence)}</p>" for sentence in sentences if sentence)
    return f'<div class="card"><h3>{question}</h3><p class="big">{answer}</p>{said}</div>'


def scores(summary: Summary) -> str:
    """A dot for each fold, a bar for the mean, one line a rival."""
    score = summary["score"]
    if score is None or "rivals" not in score:
        return ""
    measure = score["measure"]
    known = {name: one for name, one in score["rivals"].items() if "errors" in one}
    if not known:
        return ""
    ticks = ticks_of([error for one in known.values() for error in one["errors"]])
    rows = "".join(score_row(name, one, measure, ticks) for name, one in known.items())
    axis = "".join(
        f'<span style="{place(tick, ticks)}">{tick_text(tick, measure)}</span>' for tick in ticks
    )
    missing = "".join(
        f'<p class="note">{escape(name)}: {escape(one["reason"])}</p>'
        for name, one in score["rivals"].items()
        if "reason" in one
    )
    unproved = sum(one["unproved"] for one in known.values())
    if unproved:
        missing += f'<p class="note">{unproved} of these fits ended above their tolerance.</p>'
    single = difference_sentence(summary, "best single kernel")
    of = "of samples misclassified" if measure == "misclassified" else measure
    return (
        "<section><h2>On samples it has not seen</h2>"
        f"<p>The same model, trained {score['folds']} times on {share_of(score['folds'])} of the "
        "samples and tested on the others, with the learned weights and with others. Lower is "
        f'better.</p><div class="scores">{rows}<div class="corner"></div>'
        f'<div class="axis" aria-hidden="true">{axis}</div><div></div></div>'
        f'<p class="note">{of}; a ring is a fold, the bar their mean. '
        f"{'The most frequent class' if measure == 'misclassified' else 'The mean'} alone: "
        f"{error_text(score['trivial'], measure)}. Uniform weights and the single kernel, of the "
        "best aligned ones, choose their own regularisation inside each fold.</p>"
        f"{f'<p>{marked(single)}</p>' if single else ''}{missing}</section>"
    )


def share_of(folds: int) -> str:
    return f"{100 * (folds - 1) / folds:.0f} %"


def score_row(name: str, one: dict, measure: str, ticks: list[float]) -> str:
    learned = name == "learned"
    label = f"{name} weights" if learned else name
    folds = "".join(
        f'<span class="fold" style="{place(error, ticks)}" '
        f'data-tip="{escape(label)}, fold {at + 1}: {error_text(error, measure)}"></span>'
        for at, error in enumerate(one["errors"])
    )
    mean = error_text(one["mean"], measure)
    return (
        f'<div class="label{" name-learned" if learned else ""}">{escape(label)}</div>'
        f'<div class="track{" learned" if learned else ""}" role="img" aria-label="folds: '
        f'{", ".join(error_text(error, measure) for error in one["errors"])}">{folds}'
        '<span class="mean" '
        f'style="{place(one["mean"], ticks)}" data-tip="{escape(label)}: mean {mean}, spread of '
        f'the folds {error_text(one["std"], measure)}"></span></div>'
        f'<div class="value">{mean}</div>'
    )


def tip_of(one: dict) -> str:
    lines = [f"{one['name']}: share {share_text(one)}"]
    if "weight" in one:
        lines.append(f"weight {one['weight']:.6g}")
    if "chosen" in one:
        lines.append(f"has a weight in {100 * one['chosen']:.0f} % of random halves")
    return "\n".join(lines)


def views(summary: Summary) -> str:
    """The views, where there are several."""
    found = summary["views"]
    if len(found) < 2:
        return ""
    largest = largest_of(found)
    rows = "".join(
        f'<tr><td class="name">{escape(one["name"])}</td>'
        f'<td class="plot">{bar(one, largest, tip_of(one))}</td>'
        f'<td class="number share">{percent(one["share"])}</td>'
        f'<td class="number aligned" data-head="kernels">{one["kernels"]:,}</td></tr>'
        for one in found
    )
    return (
        '<section><h2>Views</h2><table class="kernels"><thead><tr><th>view</th>'
        '<th>share of the learned kernel</th><th></th><th class="number">kernels</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></section>"
    )


def kernels(summary: Summary) -> str:
    """The kernels in a table that can be sorted."""
    shown = summary["kernels"][:MOST]
    drawn = "low" in shown[0]
    largest, best = largest_of(shown), max(one["alignment"] or 0.0 for one in shown) or 1.0
    rows = "".join(kernel_row(one, largest, best, drawn) for one in shown)
    heads = [sortable("kernel", "name")]
    heads += [sortable("share of the learned kernel", "number", "descending"), "<th></th>"]
    heads += [sortable("chosen", "number", numeric=True)] if drawn else []
    heads += ["<th></th>", sortable("alignment alone", "number", numeric=True)]
    left = len(summary["kernels"]) - len(shown)
    rest = sum(abs(one["share"]) for one in summary["kernels"][MOST:])
    more = f"<p>{left:,} more kernels share {percent(rest)}; JSON has them all.</p>" if left else ""
    made = summary["halves"]
    legend = (
        f"Whiskers: how sure a share is, 90 % of where it lies when the weights are learned from "
        f"{made['draws']} random halves of the samples; chosen: how many halves gave the kernel a "
        "weight. Kernels that are alike take each other's place, so look at their sum. "
        if drawn
        else ""
    )
    return (
        f'<section><h2>Kernels</h2><p class="note">{legend}Alignment alone: how well a kernel '
        "matches the target by itself, from 0 to 1. A kernel that is aligned and has no weight "
        "says nothing that a heavier one does not say.</p>"
        f'<table class="kernels" data-long><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}{halves_note(made)}</section>"
    )


def halves_note(made: dict) -> str:
    if "reason" in made:
        return f'<p class="note">Not learned again from halves: {escape(made["reason"])}</p>'
    if made.get("unproved"):
        return f'<p class="note">{made["unproved"]} halves ended above the tolerance.</p>'
    return ""


def kernel_row(one: dict, largest: float, best: float, drawn: bool) -> str:
    aligned = one["alignment"] or 0.0
    cells = [value_cell(escape(one["name"]), one["name"], "name")]
    cells.append(value_cell(bar(one, largest, tip_of(one)), abs(one["share"]), "plot"))
    cells.append(value_cell(percent(one["share"]), abs(one["share"]), "number share"))
    if drawn:
        cells.append(
            value_cell(f"{100 * one['chosen']:.0f} %", one["chosen"], "number halves", "chosen in")
        )
    thin = thin_bar(aligned / best, f"{one['name']}: alignment {aligned:.4f}")
    cells.append(f'<td class="thin" style="width: 12%" data-value="{aligned:.6g}">{thin}</td>')
    cells.append(value_cell(f"{aligned:.3f}", aligned, "number aligned", "alignment"))
    empty = "" if one["share"] else ' class="empty"'
    return f"<tr{empty}>{''.join(cells)}</tr>\n"


def trust(summary: Summary) -> str:
    """The certificate and the guarantees."""
    found = summary["certificate"]
    facts = [
        ("status", found["status"]),
        ("relative gap", scientific(found["gap"])),
        ("primal value", significant(found["primal"])),
        ("dual bound", significant(found["dual"])),
        ("steps", f"{found['iterations']:,}"),
        ("gap of the machine", scientific(found["machine_gap"])),
    ]
    computed = (
        " The gap is computed from the weights themselves: the objective at them, less a bound "
        "that no weights can pass."
        if found["status"] in ("optimal", "not converged")
        else ""
    )
    return (
        '<section><h2>Certificate and guarantees</h2><div class="two"><div>'
        f"<p>{marked(proof_sentence(summary))}{computed}</p></div>"
        f"{definitions(facts)}</div>{guarantees(summary['guarantees'])}</section>"
    )


def guarantees(found: dict) -> str:
    """What the papers promise, or why nothing can be."""
    if "reason" in found:
        return f"<p>No guarantees: {escape(found['reason'])}</p>"
    rows = "".join(guarantee_row(entry) for entry in found["entries"])
    return (
        '<table class="reading"><thead><tr><th>what the papers promise</th>'
        '<th class="number">value</th><th></th><th>how to read it</th></tr></thead>'
        f'<tbody>{rows}</tbody></table><p class="note">Bounds hold with probability '
        f"{1 - found['delta']:g} and for every distribution, so most say nothing at this "
        "number of samples; the score above says more.</p>"
    )


def guarantee_row(entry: dict) -> str:
    vacuous = entry["vacuous"]
    value = "" if entry["value"] is None else f"{entry['value']:.4g}"
    tip = escape(entry["sentence"])
    return (
        f'<tr class="{"says-nothing" * vacuous}">'
        f'<td><span tabindex="0" data-tip="{tip}">{escape(entry["name"])}</span></td>'
        f'<td class="number">{value}</td><td>{"<span class=tag>says nothing</span>" * vacuous}</td>'
        f"<td>{escape(entry['sentence'])}</td></tr>"
    )


def data(summary: Summary) -> str:
    """The samples and the target."""
    task = summary["task"]
    facts = [
        ("task", task["kind"]),
        ("target", task["target"] or None),
        ("samples", f"{summary['data']['samples']:,}"),
        ("columns", summary["data"]["columns"] and f"{summary['data']['columns']:,}"),
        ("base kernels", f"{len(summary['kernels']):,}"),
        ("views", f"{len(summary['views']):,}"),
    ]
    if "mean" in task:
        facts += [
            ("mean of the target", f"{task['mean']:.4g}"),
            ("standard deviation", f"{task['std']:.4g}"),
            ("range", f"{task['min']:.4g} to {task['max']:.4g}"),
        ]
    return (
        f'<section><h2>Data and task</h2><div class="two">{definitions(facts)}'
        f"{classes(task.get('classes', []))}</div></section>"
    )


def classes(found: list[dict]) -> str:
    """How many samples each class has."""
    if not found:
        return ""
    most, total = max(one["samples"] for one in found), sum(one["samples"] for one in found)
    rows = "".join(
        f'<tr><td class="name">{escape(one["name"])}</td><td class="plot">'
        f"{thin_bar(one['samples'] / most, class_tip(one))}</td>"
        f'<td class="number">{one["samples"]:,}</td>'
        f'<td class="number">{100 * one["samples"] / total:.1f} %</td></tr>'
        for one in found
    )
    head = '<th>class</th><th></th><th class="number">samples</th><th class="number">share</th>'
    return f"<table data-long><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def class_tip(one: dict) -> str:
    return f"{one['name']}: {one['samples']:,} samples"


def origin(summary: Summary) -> str:
    """What is needed to make it again."""
    model, made = summary["model"], summary["made"]
    versions = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    facts = list(model["parameters"].items())
    facts += [(f"method: {name}", value) for name, value in model["method_parameters"].items()]
    return (
        f"<section><h2>How to make it again</h2><p>{marked(chosen_sentence(summary))}</p>"
        f"<pre><code>{escape(model['code'])}</code></pre>"
        f"<details><summary>All parameters</summary>{definitions(facts)}</details>"
        f"<p>{made['folds']} folds, {made['draws']} random halves, seed {made['seed']}.</p>"
        "</section>"
        f"<footer>Made on {made['date']} with {escape(versions)}.</footer>"
    )
