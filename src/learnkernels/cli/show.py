"""Tables that the command line prints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from learnkernels.escaping import printable
from learnkernels.inspection import Comparison
from learnkernels.inspection.comparison import marked_name, score_texts
from learnkernels.plurals import count_text

BAR_WIDTH = 24
MAX_FULL_ROWS, MAX_BARS = 12, 40


def console() -> Console:
    """Return a console without markup, 110 characters wide if standard output is a pipe."""
    width = None if sys.stdout.isatty() else 110
    return Console(markup=False, highlight=False, width=width)


def comparison_table(comparison: Comparison) -> Table:
    """Return a table with one row per method; marks are explained below it."""
    classes = comparison.task == "classification"
    table = Table(title=f"{comparison.task}, {count_text(comparison.n, 'sample')}")
    table.add_column("method")
    table.add_column("misclassified" if classes else "RMSE", justify="right")
    for name in comparison.baseline.scores:
        table.add_column(name, justify="right")
    table.add_column("alignment", justify="right")
    table.add_column("largest weights", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column("")
    table.add_row(comparison.baseline.method, *score_texts(comparison.baseline))
    for row in comparison.methods:
        table.add_row(
            marked_name(row),
            *score_texts(row),
            f"{row.alignment_mean:.3f}",
            largest_weights(comparison.kernels, row.weights_mean),
            f"{row.fit_seconds:.2f}",
            row.against_best,
        )
    for method in comparison.not_applicable:
        table.add_row(method, "not applicable")
    return table


def largest_weights(names: Sequence[str], weights: Sequence[float], n_shown: int = 3) -> str:
    """Return the largest weights and the names of their kernels, one per line."""
    if max(weights) - min(weights) < 1e-9 * max(weights):
        return f"all {short(weights[0])}"
    order = sorted(range(len(names)), key=lambda k: -abs(weights[k]))[:n_shown]
    smallest_shown = max(abs(weight) for weight in weights) / 100
    return "\n".join(
        f"{short(weights[k])} {printable(names[k])}"
        for k in order
        if abs(weights[k]) >= smallest_shown
    )


def short(weight: float) -> str:
    """Format a weight with two decimals, or one significant digit if it is small."""
    return f"{weight:.2f}" if abs(weight) >= 0.01 else f"{weight:.0e}"


def weights_table(names: Sequence[str], weights: np.ndarray, alignments: np.ndarray) -> Table:
    """Return a table of the weights in the order of the kernels.

    Of a large family only the kernels with the largest weights are shown.
    """
    shown = [k for k in range(len(names)) if len(names) <= MAX_FULL_ROWS or weights[k] != 0]
    if len(shown) > MAX_BARS:
        shown = sorted(shown, key=lambda k: -abs(weights[k]))[:MAX_BARS]
    table = Table(title="learned kernel")
    rest = np.delete(weights, shown)
    if rest.any():
        total = np.abs(rest).sum()
        table.caption = f"{count_text(len(rest), 'more kernel')} with a total weight of {total:.4f}"
    elif len(rest):
        table.caption = f"{count_text(len(rest), 'more kernel')} with weight 0"
    table.add_column("kernel")
    table.add_column("weight", justify="right")
    table.add_column("")
    table.add_column("own alignment", justify="right")
    bars = bars_of(weights[shown])
    for k, bar in zip(shown, bars, strict=True):
        table.add_row(printable(str(names[k])), f"{weights[k]:.4f}", bar, f"{alignments[k]:.3f}")
    return table


def views_table(views: dict[str, float]) -> Table:
    """Return a table of the weights of the views, each the sum over its kernels."""
    table = Table(title="views")
    table.add_column("view")
    table.add_column("weight", justify="right")
    table.add_column("")
    for (view, weight), bar in zip(views.items(), bars_of([*views.values()]), strict=True):
        table.add_row(printable(view), f"{weight:.4f}", bar)
    return table


def bars_of(weights: Iterable[float]) -> list[str]:
    """Return a bar for each weight, with lengths proportional to the absolute weights."""
    weights = list(weights)
    largest = max((abs(weight) for weight in weights), default=0.0) or 1.0
    block = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    return [block * round(BAR_WIDTH * abs(weight) / largest) for weight in weights]
