"""Picture of time and memory against the number of samples, from docs/results."""

from __future__ import annotations

from pathlib import Path

from benchmarks.scaling import SIZES
from benchmarks.tables import read
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from learnkernels.inspection.displays.style import BLUE, COLOURS, GREY, MARKERS, tidy

__all__ = ["draw_scaling", "write_scaling"]

LABELS = {
    "default": "default, all samples",
    "default, 1,000 landmarks": "default, n_components=1000",
    "SVC": "SVC, one Gaussian",
    "Nystroem + ridge": "Nystroem(1000) + ridge",
    "himalaya": "himalaya KernelRidge, one alpha",
    "boosting": "HistGradientBoosting",
}
QUANTITIES = {"seconds": "CPU time of a fit, s", "megabytes": "memory beyond the data, MB"}
# Smaller values are drawn there: the memory of a process is known to some megabytes only.
LEAST = {"seconds": 0.01, "megabytes": 1.0}


def write_scaling(results: Path, pieces: Path) -> None:
    """Draw the picture from scaling.json."""
    pieces.mkdir(exist_ok=True)
    draw_scaling(read(results / "scaling.json")["entries"], pieces / "scaling.png")


def points(entries: dict, model: str, quantity: str) -> list[tuple[int, float]]:
    """Return (n, seconds or megabytes) of a model, in ascending order."""
    found = []
    for key, entry in entries.items():
        size, _, name = key.partition(", ")
        if name == model:
            found.append((int(size.removeprefix("n=")), max(entry[quantity], LEAST[quantity])))
    return sorted(found)


def draw_scaling(entries: dict, path: Path) -> None:
    """Draw time and memory against n, side by side."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    for ax, (quantity, label) in zip(figure.subplots(1, 2), QUANTITIES.items(), strict=True):
        for k, model in enumerate(SIZES):
            found = points(entries, model, quantity)
            if found:
                ours = model.startswith("default")
                ax.plot(
                    *zip(*found, strict=True), marker=MARKERS[k], label=LABELS[model], markersize=5,
                    color=BLUE if ours else COLOURS[k], linestyle="-" if k else "--",
                )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="n", ylabel=label)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.grid(color=GREY, alpha=0.25, linewidth=0.6)
        tidy(ax)
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)
