"""What the command line prints: tables and bars, and a line of progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from learnkernels.inspect import Comparison

__all__ = ["comparison_table", "status_line", "weights_table"]

BAR = 24
MOST_ROWS = 12


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
    if max(weights) - min(weights) < 1e-9:
        return f"all {weights[0]:.2f}"
    order = sorted(range(len(names)), key=lambda k: -abs(weights[k]))[:most]
    return "\n".join(f"{weights[k]:.2f} {names[k]}" for k in order if abs(weights[k]) >= 0.005)


def weights_table(names, weights, alignments) -> Table:
    """The learned kernel: a bar for each weight, in the order of the kernels.

    Of a large family only kernels with a weight are shown, and how many have none.
    """
    shown = [k for k in range(len(names)) if len(names) <= MOST_ROWS or weights[k] != 0]
    table = Table(title="learned kernel")
    if len(shown) < len(names):
        table.caption = f"{len(names) - len(shown)} more kernels have weight 0"
    table.add_column("kernel")
    table.add_column("weight", justify="right")
    table.add_column("")
    table.add_column("alignment alone", justify="right")
    largest = max(abs(weights)) or 1.0
    block = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    for k in shown:
        bar = block * round(BAR * abs(weights[k]) / largest)
        table.add_row(str(names[k]), f"{weights[k]:.4f}", bar, f"{alignments[k]:.3f}")
    return table


@contextmanager
def status_line(console: Console, message: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on, on a terminal; say nothing in a pipe."""
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(message) as status:
        yield lambda text: status.update(f"{message}: {text}")
