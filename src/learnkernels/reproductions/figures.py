"""Pictures of an outcome, from its numbers alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from learnkernels.errors import InputError
from learnkernels.inspect.displays.style import COLOURS, GREY, MARKERS, tidy
from learnkernels.reproductions.experiment import Line, Panel

__all__ = ["draw"]

DASHES = ("-", "--", ":", "-.")
BAND = "#f0b849"
WIDE = 4.6
HIGH = 4.0


def draw(panels: list[Panel], path: Path, columns: int = 4) -> None:
    """Draw panels side by side and write them to a file.

    Parameters
    ----------
    panels : list of Panel
    path : Path
        PNG, SVG or PDF by its ending.
    columns : int
        Most panels in a row.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError(
            "pictures need matplotlib: pip install 'learnkernels[report]', or use --no-figures."
        ) from error
    high = -(-len(panels) // columns)
    wide = -(-len(panels) // high)
    figure, axes = plt.subplots(
        high, wide, figsize=(WIDE * wide, HIGH * high), squeeze=False, layout="constrained"
    )
    try:
        for ax in axes.flat[len(panels) :]:
            ax.set_axis_off()
        for panel, ax in zip(panels, axes.flat, strict=False):
            draw_panel(panel, ax)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}.") from error
    finally:
        plt.close(figure)


def draw_panel(panel: Panel, ax) -> None:
    bars = [line for line in panel.lines if line.kind == "bars"]
    for number, line in enumerate(panel.lines):
        colour = COLOURS[number % len(COLOURS)]
        marker = MARKERS[number % len(MARKERS)]
        if line.kind == "bars":
            draw_bars(line, ax, bars.index(line), len(bars), colour)
        elif line.kind == "points":
            ax.plot(line.x, line.y, marker, color=colour, ms=5, alpha=0.8, label=line.label)
        elif line.kind == "curve":
            ax.plot(line.x, line.y, DASHES[number % len(DASHES)], color=colour, label=line.label)
        elif line.kind == "band":
            ax.plot(line.x, line.y, color=BAND, lw=6, label=line.label)
        elif line.kind == "diagonal":
            ax.plot(line.x, line.y, ":", color=GREY, lw=1, label=line.label)
        else:
            ax.errorbar(
                line.x, line.y, line.spread, fmt=marker + "-", color=colour, ms=4, capsize=2,
                label=line.label,
            )  # fmt: skip
    ax.set_title(panel.title, loc="left", fontsize=10)
    ax.set_xlabel(panel.x)
    ax.set_ylabel(panel.y)
    tidy(ax)
    if len(panel.lines) > 1:
        ax.legend(
            frameon=False, fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.24)
        )


def draw_bars(line: Line, ax, place: int, n_lines: int, colour: str) -> None:
    """Bars of several lines stand side by side at each name."""
    width = 0.8 / n_lines
    centres = np.arange(len(line.x)) + (place - (n_lines - 1) / 2) * width
    ax.bar(centres, line.y, width, color=colour, yerr=line.spread, label=line.label)
    ax.set_xticks(range(len(line.x)), line.x)
