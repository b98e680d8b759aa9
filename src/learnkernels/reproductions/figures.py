"""Draw the figures of an outcome with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.inspection.displays.style import COLOURS, GREY, MARKERS, tidy
from learnkernels.reproductions.experiment import Panel, Series

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
        Output file; its suffix selects PNG, SVG or PDF.
    columns : int
        Maximum number of panels per row.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError(
            "figures need matplotlib, which is not installed. Run pip install "
            "'learnkernels[report]', or pass --no-figures (in Python, figures=False)."
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
        raise InputError(
            f"cannot write {str(path)!r}: {error.strerror or error}. Choose another folder."
        ) from error
    finally:
        plt.close(figure)


def draw_panel(panel: Panel, ax: Any) -> None:
    """Draw the series of a panel on axes."""
    bars = [line for line in panel.series if line.kind == "bars"]
    for number, line in enumerate(panel.series):
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
    if len(panel.series) > 1:
        ax.legend(
            frameon=False, fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.24)
        )


def draw_bars(line: Series, ax: Any, index: int, n_series: int, colour: str) -> None:
    """Draw one series of bars; bars of several series are side by side at each name."""
    width = 0.8 / n_series
    centres = np.arange(len(line.x)) + (index - (n_series - 1) / 2) * width
    ax.bar(centres, line.y, width, color=colour, yerr=line.spread, label=line.label)
    ax.set_xticks(range(len(line.x)), line.x)
