"""Tables of the page on pairs, from docs/results/pairs.json."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from measured_tables import table

__all__ = ["write_pair_tables"]

NEW = {"pair": "the pair", "left": "the drug", "right": "the cell line", "both": "both"}
NAMES = {
    "means": "means of the objects", "unif": "`unif`", "auto": "`auto`", "alignf": "`alignf`",
    "pairwiseMKL": "pairwiseMKL",
}  # fmt: skip


def write_pair_tables(results: Path, tables: Path) -> None:
    """Write each table as a piece of Markdown.

    Parameters
    ----------
    results : Path
        Folder with pairs.json.
    tables : Path
        Folder to write to.
    """
    tables.mkdir(exist_ok=True)
    found = json.loads((results / "pairs.json").read_text(encoding="utf-8"))
    for name, text in (
        ("pairs_settings", settings_table(found["settings"])),
        ("pairs_weights", weights_table(found["settings"])),
        ("pairs_folds", folds_table(found["folds"])),
        ("pairs_times", times_table(found["folds"]["times"])),
    ):
        (tables / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def mean(one: dict, what: str) -> float:
    return float(np.mean([fold[what] for fold in one["folds"]]))


def settings_table(settings: dict) -> str:
    """One row for each setting and model: RMSE, Pearson correlation, methods chosen."""
    rows = []
    for setting, found in settings.items():
        models = [name for name in found if name in NAMES]
        chosen = [fold["chosen"] for fold in found["auto"]["folds"]]
        counts = ", ".join(f"`{m}` {chosen.count(m)}" for m in dict.fromkeys(chosen))
        for name in models:
            one = found[name]
            rows.append(
                [
                    NEW[setting] if name == models[0] else "", NAMES[name],
                    f"{mean(one, 'rmse'):.3f}", f"{mean(one, 'pearson'):.3f}",
                    counts if name == "auto" else "",
                ]
            )  # fmt: skip
    head = ["new in the test part", "model", "RMSE", "Pearson", "chosen in so many folds"]
    return table(head, rows)


def weights_table(settings: dict) -> str:
    """One row for each setting: kernels with most weight, on average over the folds."""
    rows = [
        [NEW[setting], ", ".join(f"{name} {w:.2f}" for name, w in found["weights"].items())]
        for setting, found in settings.items()
    ]
    return table(["new in the test part", "kernels with most weight (`auto`)"], rows)


def folds_table(folds: dict) -> str:
    """One row for each model: mean and largest difference from pairwiseMKL over the folds."""
    other = np.array([fold["rmse"] for fold in folds["pairwiseMKL"]["folds"]])
    rows = []
    for name in folds:
        if name == "times":
            continue
        own = np.array([fold["rmse"] for fold in folds[name]["folds"]])
        lower = "" if name == "pairwiseMKL" else f"{int((own < other).sum())} of {len(own)}"
        pearson = mean(folds[name], "pearson")
        rows.append([NAMES[name], f"{own.mean():.4f}", f"{pearson:.4f}", lower])
    return table(["model", "RMSE", "Pearson", "RMSE below pairwiseMKL in"], rows)


def times_table(times: dict) -> str:
    """Processor times of one outer fold, as ratios too."""
    rows = [["weights of all kernels alone, `alignf`", f"{times['weights']:.2f} s", ""]]
    for name in ("unif", "alignf", "pairwiseMKL", "pairwiseMKL, loops over pairs"):
        rows.append(
            [NAMES.get(name, name), f"{times[name]:.1f} s", f"{times[name] / times['alignf']:.0f}"]
        )
    return table(["one outer fold, alpha chosen", "processor time", "of `alignf`'s"], rows)
