"""Critical-difference picture: mean ranks on a line, groups without significant difference."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from learnkernels.inspection.displays.style import BLUE, GREY, INK

__all__ = ["draw_ranks"]

STEP = 0.45  # between two labels, in units of the vertical axis
GAP = 0.28  # between two groups


def draw_ranks(
    ranks: Mapping[str, float], groups: list[list[str]], difference: float, path: Path
) -> None:
    """Draw the picture and write it to a file.

    Parameters
    ----------
    ranks : dict of str to float
        Mean rank of each model, the best first.
    groups : list of list of str
        Models to join by a bar.
    difference : float
        The critical difference.
    path : Path
        Output file.
    """
    count = len(ranks)
    below = GAP * (len(groups) + 1)
    depth = below + STEP * ceil(count / 2)
    figure = Figure(figsize=(8.5, 0.62 * (depth + 1.4)), layout="constrained")
    ax = figure.add_subplot()
    draw_axis(ax, count)
    draw_difference(ax, difference)
    for number, group in enumerate(groups, 1):
        ends = [ranks[group[0]] - 0.04, ranks[group[-1]] + 0.04]
        ax.plot(ends, [-GAP * number] * 2, color=GREY, lw=4, solid_capstyle="round")
    for place, (name, rank) in enumerate(ranks.items()):
        draw_label(ax, name, rank, place, count, below)
    ax.set(xlim=(-0.6, count + 1.6), ylim=(-depth - 0.1, 1.3))
    ax.set_axis_off()
    figure.savefig(path, dpi=130)


def draw_axis(ax: Axes, count: int) -> None:
    """Draw the line of ranks from 1 to the number of models."""
    ax.plot([1, count], [0, 0], color=INK, lw=1)
    for rank in range(1, count + 1):
        ax.plot([rank, rank], [0, 0.12], color=INK, lw=1)
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom", color=INK, fontsize=9)


def draw_difference(ax: Axes, difference: float) -> None:
    """Draw the critical difference as a length above the line of ranks."""
    ax.plot([1, 1 + difference], [0.85, 0.85], color=INK, lw=1.5)
    for end in (1, 1 + difference):
        ax.plot([end, end], [0.77, 0.93], color=INK, lw=1.5)
    text = f"critical difference {difference:.2f}"
    ax.text(1 + difference + 0.1, 0.85, text, ha="left", va="center", color=INK, fontsize=9)


def draw_label(ax: Axes, name: str, rank: float, place: int, count: int, below: float) -> None:
    """Draw a line from a rank to its name: the better half at the left, the others at the right."""
    left = place < ceil(count / 2)
    row = place if left else count - 1 - place
    height = -below - STEP * (row + 0.5)
    end, side = (0.7, "right") if left else (count + 0.3, "left")
    colour = BLUE if name == "default" else INK
    ax.plot([rank, rank, end], [0, height, height], color=colour, lw=1)
    ax.plot(rank, 0, "o", color=colour, ms=4)
    text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
    weight = "bold" if name == "default" else "normal"
    ax.text(
        end - 0.08 if left else end + 0.08, height, text, ha=side, va="center", color=colour,
        fontsize=10, fontweight=weight,
    )  # fmt: skip
