"""Pieces of the page on a billion rows, from docs/results/cost_model.json."""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.figure import Figure

from learnkernels.inspection.displays.style import COLOURS, GREY, MARKERS
from measured_tables import size, table

__all__ = ["write_billion_pieces"]


def write_billion_pieces(results: Path, pieces: Path) -> None:
    """Write tables and pictures.

    Parameters
    ----------
    results : Path
        Folder with cost_model.json.
    pieces : Path
        Folder to write to.
    """
    found = json.loads((results / "cost_model.json").read_text(encoding="utf-8"))
    pieces.mkdir(exist_ok=True)
    draw_times(found, pieces / "billion_times.png")
    draw_parts(found, pieces / "billion_parts.png")
    for name, text in (
        ("billion_points", points_table(found)),
        ("billion_costs", costs_table(found)),
        ("billion_simulated", simulated_table(found)),
    ):
        (pieces / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def points_table(found: dict) -> str:
    """One row a measurement: CPU time, and the error of the model."""
    errors = zip(found["row"]["sums errors"], found["row"]["predictions errors"], strict=True)
    rows = [
        [
            f"{one['n']:,}", str(one["m"]), f"{one['sums']:.2f} s", f"{sums:+.0%}",
            f"{one['predictions']:.2f} s", f"{predictions:+.0%}",
        ]
        for one, (sums, predictions) in zip(found["points"], errors, strict=True)
    ]  # fmt: skip
    head = ["rows", "landmarks", "sums", "model", "predictions", "model"]
    return table(head, rows)


def costs_table(found: dict) -> str:
    """One row a step: what is moved, computed and measured."""
    m, d, p = found["landmarks"], found["columns"], found["kernels"]
    sums, predictions = found["row"]["sums"], found["row"]["predictions"]
    total, tasks = found["totals"], found["tasks"]
    pairs = found["statistics"]["rows"] ** 2 / 2

    def per_row(costs: list[float]) -> str:
        return f"{1e6 * sum(c * m**k for k, c in enumerate(costs)):.3g} µs a row"

    rows = [
        ["statistics of the subsample", f"once, {pairs:.3g} pairs",
         f"{2 * d + 2 * p + p**2} a pair", f"{8 * d} bytes a row of the subsample",
         f"{found['statistics']['seconds']:.2g} s"],
        ["read", "each row", "", f"{8 * d} bytes a row",
         f"{1e6 * found['read']['seconds']:.3g} µs a row"],
        ["landmark sums", "each row", f"{m * (2 * d + 2 * p) + 4 * m * m:,} a row",
         "none: the chunk is there", per_row(sums)],
        ["join of two totals", "each chunk", f"{m * m:,}", size(total["bytes"]),
         f"{1e3 * (total['add'] + total['copy']):.2g} ms"],
        ["predictions (a product with the kernel)", "each row",
         f"{m * (2 * d + 2 * p + 2):,} a row", "8 bytes a row, if gathered", per_row(predictions)],
        ["scheduler and client", "each task", "", size(tasks["bytes"]),
         f"{1e3 * tasks['seconds']:.2g} ms"],
        ["solution", "once", f"{m**3:.0e}, times about 9", "", f"{total['solve']:.2g} s"],
    ]  # fmt: skip
    head = ["step", "how often", "operations", "bytes moved", "CPU time"]
    return table(head, rows)


def simulated_table(found: dict) -> str:
    """One row a size of the problem and of the cluster."""
    rows = [
        [
            f"{one['n']:.0e}".replace("e+0", "0^"), f"{one['workers']:,}",
            f"{one['chunk_rows']:,}", duration(one["seconds"]), f"{one['efficiency']:.0%}",
            one["bound"], f"{one['tasks']:,}", size(one["moved_bytes"]), size(one["graph_bytes"]),
        ]
        for one in found["simulated"]
    ]  # fmt: skip
    head = [
        "rows", "workers", "rows of a chunk", "time", "efficiency", "largest part", "tasks",
        "totals moved", "graph",
    ]  # fmt: skip
    return table(head, rows)


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def draw_times(found: dict, path: Path) -> None:
    """Draw the time against the number of workers, beside that of perfect division."""
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    ax = figure.add_subplot()
    for k, n in enumerate(sorted({one["n"] for one in found["simulated"]})):
        mine = [one for one in found["simulated"] if one["n"] == n]
        workers, seconds = [one["workers"] for one in mine], [one["seconds"] for one in mine]
        ideal = [one["seconds"] * one["efficiency"] for one in mine]
        ax.plot(workers, ideal, color=GREY, lw=1, ls=":")
        ax.plot(workers, seconds, color=COLOURS[k], marker=MARKERS[k], label=f"{n:,} rows")
    ax.set(xscale="log", yscale="log", xlabel="workers (cores)", ylabel="time of a fit, seconds")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=130)


def draw_parts(found: dict, path: Path) -> None:
    """Draw what bounds the time of the largest problem."""
    largest = max(one["n"] for one in found["simulated"])
    mine = [one for one in found["simulated"] if one["n"] == largest]
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    ax = figure.add_subplot()
    for k, name in enumerate(mine[0]["parts"]):
        values = [max(one["parts"][name], 1e-3) for one in mine]
        ax.plot(
            [one["workers"] for one in mine], values, color=COLOURS[k], marker=MARKERS[k],
            label=name,
        )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="workers (cores)", ylabel="seconds")
    ax.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=130)
