"""What the command line prints: tables and bars."""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.table import Table

from learnkernels.inspect import Comparison
from learnkernels.names import printable

__all__ = ["comparison_table", "console", "views_table", "weights_table"]

BAR = 24
MOST_ROWS, MOST_BARS = 12, 40


def console() -> Console:
    """A console for tables: no markup in names, and room for them in pipes."""
    width = None if sys.stdout.isatty() else 110
    return Console(markup=False, highlight=False, width=width)


def comparison_table(comparison: Comparison) -> Table:
    """One row a method; a star where it beats uniform weights."""
    classes = comparison.task == "classification"
    table = Table(title=f"{comparison.task}, {comparison.n} samples")
    table.add_column("method")
    table.add_column("misclassified" if classes else "RMSE", justify="right")
    table.add_column("alignment", justify="right")
    table.add_column("heaviest kernels", no_wrap=True)
    table.add_column("seconds", justify="right")
    for row in comparison.methods:
        table.add_row(
            row.method + (" *" if row.beats_unif else ""),
            f"{row.error_mean:.4f} ± {row.error_std:.4f}",
            f"{row.alignment_mean:.3f} ± {row.alignment_std:.3f}",
            heaviest(comparison.kernels, row.weights_mean),
            f"{row.fit_seconds:.2f}",
        )
    for method in comparison.not_applicable:
        table.add_row(method, "not applicable", "", "", "")
    table.caption = "* errors below unif: paired one-sided t-test at 0.1"
    return table


def heaviest(names, weights, most=3) -> str:
    if max(weights) - min(weights) < 1e-9 * max(weights):
        return f"all {short(weights[0])}"
    order = sorted(range(len(names)), key=lambda k: -abs(weights[k]))[:most]
    heavy = max(abs(weight) for weight in weights) / 100
    return "\n".join(
        f"{short(weights[k])} {printable(names[k])}" for k in order if abs(weights[k]) >= heavy
    )


def short(weight: float) -> str:
    """Two decimals, or one digit of a small number."""
    return f"{weight:.2f}" if abs(weight) >= 0.01 else f"{weight:.0e}"


def weights_table(names, weights, alignments) -> Table:
    """The learned kernel: a bar for each weight, in the order of the kernels.

    Of a large family only the heaviest kernels are shown, and how many more there are.
    """
    shown = [k for k in range(len(names)) if len(names) <= MOST_ROWS or weights[k] != 0]
    if len(shown) > MOST_BARS:
        shown = sorted(shown, key=lambda k: -abs(weights[k]))[:MOST_BARS]
    table = Table(title="learned kernel")
    rest = np.delete(weights, shown)
    if rest.any():
        table.caption = f"{len(rest)} more kernels share {np.abs(rest).sum():.4f}"
    elif len(rest):
        table.caption = f"{len(rest)} more kernels have weight 0"
    table.add_column("kernel")
    table.add_column("weight", justify="right")
    table.add_column("")
    table.add_column("alignment alone", justify="right")
    bars = bars_of(weights[shown])
    for k, bar in zip(shown, bars, strict=True):
        table.add_row(printable(str(names[k])), f"{weights[k]:.4f}", bar, f"{alignments[k]:.3f}")
    return table


def views_table(views: dict[str, float]) -> Table:
    """The weight of each view, the sum over its kernels."""
    table = Table(title="views")
    table.add_column("view")
    table.add_column("weight", justify="right")
    table.add_column("")
    for (view, weight), bar in zip(views.items(), bars_of([*views.values()]), strict=True):
        table.add_row(printable(view), f"{weight:.4f}", bar)
    return table


def bars_of(weights) -> list[str]:
    """A bar for each weight, the largest the longest."""
    largest = max((abs(weight) for weight in weights), default=0.0) or 1.0
    block = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    return [block * round(BAR * abs(weight) / largest) for weight in weights]
