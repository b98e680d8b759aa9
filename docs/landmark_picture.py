"""Picture of errors against the numbers of landmarks and samples, from docs/results."""

from __future__ import annotations

from pathlib import Path

from benchmarks.landmarks import OF_SIZES, TABLE
from benchmarks.tables import read
from matplotlib.figure import Figure

from learnkernels.inspection.displays.style import BLUE, GREY, ORANGE, tidy

__all__ = ["draw_landmarks", "write_landmarks"]

COLOURS = {"default": BLUE, "landmarks": BLUE, "Nystroem": GREY, "all samples": ORANGE}
LABELS = {
    "default": "default, n_components=m",
    "landmarks": f"default, n_components={OF_SIZES:,}",
    "Nystroem": "Nystroem, best of five widths",
    "all samples": "default, all samples",
}


def write_landmarks(results: Path, pieces: Path) -> None:
    """Draw the picture from landmarks.json."""
    pieces.mkdir(exist_ok=True)
    draw_landmarks(read(results / "landmarks.json")["entries"], pieces / "landmarks.png")


def curves(entries: dict, letter: str) -> dict[str, list[tuple[int, float]]]:
    """Return the points (m or n, error) of each model, in ascending order."""
    found: dict[str, list[tuple[int, float]]] = {}
    for key, entry in entries.items():
        size, model = key.split(", ", 1)
        if size.startswith(f"{letter}="):
            found.setdefault(model, []).append((int(size[2:]), entry["error"]))
    return {model: sorted(points) for model, points in found.items()}


def draw_landmarks(entries: dict, path: Path) -> None:
    """Draw error against m and error against n, side by side."""
    figure = Figure(figsize=(8.5, 3.4), layout="constrained")
    titles = {"m": f"table {TABLE}: landmarks", "n": "synthetic, 20 columns: samples"}
    for ax, (letter, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        ticks: set[int] = set()
        for model, points in curves(entries, letter).items():
            sizes, errors = zip(*points, strict=True)
            ticks.update(sizes)
            ax.plot(sizes, errors, "o-", color=COLOURS[model], label=LABELS[model])
        ax.set(xscale="log", xlabel=letter, ylabel="RMSE", title=title)
        ax.set_xticks(sorted(ticks), [f"{size:,}" for size in sorted(ticks)], fontsize=8)
        ax.minorticks_off()
        ax.legend(frameon=False, fontsize=8)
        tidy(ax)
    figure.savefig(path, dpi=130)
