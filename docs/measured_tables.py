"""Tables that pages include, from the numbers of the benchmarks in docs/results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from benchmarks import compare_revisions
from benchmarks.methods import geometric, ratios
from scipy.stats import t as student

from learnkernels.reproductions.experiment import interval

__all__ = ["write_tables"]

SHORT = {
    "heart_statlog": "heart",
    "breast_cancer_wisconsin": "breast",
    "german_numeric": "german",
    "splice_binary_train": "splice",
}


def write_tables(results: Path, tables: Path) -> None:
    """Write each table as a piece of Markdown.

    Parameters
    ----------
    results : Path
        Folder with methods.json, noise.json, cost.json, precision.json, targets.json,
        himalaya_gallery.json, uncertainty.json, views.json, million.json and history.json.
    tables : Path
        Folder to write to.
    """
    tables.mkdir(exist_ok=True)
    methods = json.loads((results / "methods.json").read_text(encoding="utf-8"))
    noise = json.loads((results / "noise.json").read_text(encoding="utf-8"))
    cost = json.loads((results / "cost.json").read_text(encoding="utf-8"))
    precision = json.loads((results / "precision.json").read_text(encoding="utf-8"))
    targets = json.loads((results / "targets.json").read_text(encoding="utf-8"))
    gallery = json.loads((results / "himalaya_gallery.json").read_text(encoding="utf-8"))
    uncertainty = json.loads((results / "uncertainty.json").read_text(encoding="utf-8"))
    history = json.loads((results / "history.json").read_text(encoding="utf-8"))
    views = json.loads((results / "views.json").read_text(encoding="utf-8"))
    million = json.loads((results / "million.json").read_text(encoding="utf-8"))
    for name, text in (
        ("history", history_tables(history)),
        ("cost", cost_table(cost)),
        ("cost_model", model_table(cost)),
        ("methods", summary_table(methods["sets"])),
        ("methods_by_set", table_by_set(methods["sets"])),
        ("noise", noise_table(noise)),
        ("precision", precision_table(precision["families"], "kernels")),
        ("precision_by_data", precision_table(by_data(precision["families"]), "data")),
        ("targets", targets_table(targets["models"])),
        ("himalaya_gallery", himalaya_table(gallery)),
        ("uncertainty", uncertainty_table(uncertainty["tables"])),
        ("views", views_table(views["sets"])),
        ("million", million_table(million["entries"])),
        ("missing_view", missing_view_table(views["sets"])),
    ):
        (tables / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def methods_of(sets: dict) -> list[str]:
    return list(dict.fromkeys(name for one in sets.values() for name in one["methods"]))


def summary_table(sets: dict) -> str:
    """One row a method, the lowest error first."""

    def mean(method, what):
        return geometric(ratios(sets, method, what))

    rows = []
    for method in sorted(methods_of(sets), key=lambda name: mean(name, "errors")):
        errors = ratios(sets, method, "errors")
        lower = f"{sum(error < 0.995 for error in errors)} of {len(errors)}"
        rows.append(
            [
                f"[`{method}`](methods/{'lp-svm' if method == 'l2-svm' else method}.md)",
                f"{mean(method, 'errors'):.3f}",
                "" if method == "unif" else interval_of_mean(errors),
                f"{min(errors):.2f} to {max(errors):.2f}",
                "" if method == "unif" else lower,
                f"{mean(method, 'seconds'):.2g}" if mean(method, "seconds") < 10 else
                f"{mean(method, 'seconds'):.0f}",
            ]
        )  # fmt: skip
    head = [
        "method", "error, of `unif`'s", "95 % interval", "lowest to highest", "lower on",
        "time, of `unif`'s",
    ]  # fmt: skip
    return table(head, rows)


def interval_of_mean(ratios: list[float]) -> str:
    """Format the 95 % interval of a geometric mean over data sets."""
    found = interval(np.log(ratios))
    return f"{np.exp(found.low):.2f} to {np.exp(found.high):.2f}"


def table_by_set(sets: dict) -> str:
    """One row a method, one column a data set: mean errors, the lowest in bold."""
    best = {name: min(mean_errors(one).values()) for name, one in sets.items()}
    rows = []
    for method in methods_of(sets):
        cells = [f"`{method}`"]
        for name, one in sets.items():
            error = mean_errors(one).get(method)
            cells.append("" if error is None else emphasised(error, error == best[name]))
        rows.append(cells)
    return table(["", *(SHORT.get(name, name) for name in sets)], rows)


def mean_errors(one: dict) -> dict[str, float]:
    return {method: float(np.mean(found["errors"])) for method, found in one["methods"].items()}


def emphasised(value: float, best: bool) -> str:
    text = f"{value:.1f}" if value > 1 else f"{value:.3f}".removeprefix("0")
    return f"**{text}**" if best else text


def noise_table(noise: dict) -> str:
    """One row a data set and method: the error beside so many views of noise."""
    rows = []
    for name, one in noise["sets"].items():
        for method, errors in one["errors"].items():
            rows.append(
                [
                    SHORT.get(name, name),
                    f"`{method}`",
                    *(f"{e:.3f}".removeprefix("0") for e in errors),
                ]
            )
    head = ["data", "views:", *(f"{count} of noise" for count in noise["views"])]
    return table(head, rows)


STATISTICS = ("M", "a", "traces")
RIDGE = ("1e-08", "1e-04", "1e+00")


def by_data(families: dict) -> dict:
    """Return the same rows, by kind of data first; sequences are of no kind."""
    kinds = list(families["gaussian"])
    every = [name for name, rows in families.items() if len(rows) == len(kinds)]
    return {kind: {name: families[name][kind] for name in every} for kind in kinds}


def precision_table(rows: dict, what: str) -> str:
    """Worst relative errors, in brackets those of plain NumPy on what we do not refuse."""
    lines = []
    for name, cells in rows.items():
        taken = [cell for cell in cells.values() if cell["M"][0] is not None]
        refused = [other for other, cell in cells.items() if cell["M"][0] is None]
        line = [f"`{name}`" if what == "kernels" else name, worst_of(taken, STATISTICS)]
        line += [worst_of(taken, [f"ridge {alpha}"]) for alpha in RIDGE]
        lines.append([*line, ", ".join(refused)])
    head = [what, "statistics", *(f"ridge, alpha {float(alpha):g}" for alpha in RIDGE), "refused"]
    return table(head, lines)


def worst_of(cells: list[dict], names) -> str:
    if not cells:
        return ""
    ours, theirs = (max(cell[name][who] for cell in cells for name in names) for who in (0, 1))
    return f"{ours:.0e} ({'none' if theirs == 1 else f'{theirs:.0e}'})"


def model_seconds(cost: dict, n: float, p: float) -> float:
    """Return the CPU seconds of a pass on the processor that the model was fitted on."""
    c0, c1, c2 = (1e-9 * c for c in cost["nanoseconds"])
    return n**2 / 2 * (c0 + c1 * p + c2 * p**2)


def cost_table(cost: dict) -> str:
    """Measured passes beside the model."""
    rows = [
        [f"{n:,}", str(p), f"{took:.2f} s", f"{model_seconds(cost, n, p):.2f} s"]
        for n, p, took in cost["points"]
    ]
    return table(["n", "kernels", "CPU time", "model"], rows)


def model_table(cost: dict) -> str:
    """Return a table of predicted times of long passes."""
    d = cost["columns"]
    rows = []
    for n in (1e4, 1e5, 1e6, 1e7):
        for p in (10, 100, 1000):
            hours = model_seconds(cost, n, p) / 3600
            total = 8 * (p + 2) * n
            rows.append(
                [
                    f"{n:,.0f}", f"{p:,}", f"{n**2 * (2 * d + 2 * p + p**2) / 2:.1e}",
                    f"{hours:,.2g}" if 0.01 <= hours < 100 else
                    f"{hours:,.0f}" if hours >= 100 else f"{3600 * hours:.2g} s",
                    size(8 * n * d), size(total), size(8 * n * d + 3 * total),
                ]
            )  # fmt: skip
    head = ["n", "kernels", "operations", "core hours", "X, to each worker", "a total", "worker"]
    return table(head, rows)


def size(n_bytes: float) -> str:
    for unit, bytes_of_it in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if n_bytes < 1000 * bytes_of_it:
            return f"{n_bytes / bytes_of_it:.3g} {unit}"
    return f"{n_bytes / 1e12:.3g} TB"


def targets_table(models: dict) -> str:
    """One row a model of many targets: means over the seeds, and the ratio of the times."""
    names = {
        "shared": '`weights="shared"`',
        "per_target": '`weights="per_target"`',
        "himalaya": "himalaya, random search",
    }
    seconds = {name: np.mean([one["cpu_seconds"] for one in models[name]]) for name in names}
    rows = [
        [
            label,
            f"{np.mean([one['r2'] for one in models[name]]):.4f}",
            f"{seconds[name]:.1f} s",
            f"{seconds['himalaya'] / seconds[name]:.0f}",
        ]
        for name, label in names.items()
    ]
    return table(["model", "mean R²", "CPU time", "times as fast as himalaya"], rows)


def himalaya_table(found: dict) -> str:
    """One row for each example of himalaya's gallery and model: means over the seeds."""
    names = {
        "KernelRidgeCV": "himalaya, `KernelRidgeCV`",
        "random_search": "himalaya, random search",
        "hyper_gradient": "himalaya, gradient",
        "shared": '`weights="shared"`',
        "per_target": '`weights="per_target"`',
    }
    rows = []
    for title, models in found["examples"].items():
        samples, targets = found["sizes"][title]
        example = f"{title} ({samples:,} samples, {targets} targets)"
        for name, label in names.items():
            means = {key: np.mean([one[key] for one in models[name]]) for key in models[name][0]}
            lowest = min(one["r2_lowest"] for one in models[name])
            rows.append(
                [
                    example if name == "KernelRidgeCV" else "", label,
                    f"{means['r2']:.3f}", f"{means['r2_median']:.3f}", f"{lowest:.2f}",
                    f"{means['cpu_seconds']:.1f} s", f"{means['megabytes']:.0f} MB",
                ]
            )  # fmt: skip
    head = ["example", "model", "mean R²", "median R²", "lowest R²", "CPU time", "extra memory"]
    return table(head, rows)


def uncertainty_table(tables: dict) -> str:
    """One row a table, and their means: coverage, width and log-likelihood of both models."""
    models = ("learnkernels", "GaussianProcessRegressor")

    def row(name: str, values: dict) -> list[str]:
        ours, theirs = (values[model] for model in models)
        return [
            name,
            *(f"{100 * one['coverage']:.1f} %" for one in (ours, theirs)),
            *(f"{one['width']:.2f}" for one in (ours, theirs)),
            *(f"{one['log_likelihood']:.2f}" for one in (ours, theirs)),
        ]

    means = {
        model: {
            key: np.mean([values[model][key] for values in tables.values()])
            for key in ("coverage", "width", "log_likelihood")
        }
        for model in models
    }
    head = ["table", "coverage", "GP", "width", "GP", "log-likelihood", "GP"]
    rows = [row(name, values) for name, values in tables.items()]
    return table(head, [*rows, row("mean", means)])


def history_tables(history: list[dict]) -> str:
    """One table a comparison of two revisions, the last first."""
    parts = []
    for one in reversed(history):
        origin = f"Measured on {one['date']}, medians of {one['rounds']} rounds:"
        parts += [origin, "\n".join(compare_revisions.table(one))]
    return "\n\n".join(parts)


def million_table(entries: list[dict]) -> str:
    """One row a fit: where its rows are, time, memory and error."""
    rows = [
        [
            f"{one['n']:,}", one["rows"], f"{one['processor_seconds']:.0f} s",
            f"{one['megabytes']} MB", f"{one['rmse']:.3f}" if "rmse" in one else "",
            f"{100 * one['error']:.1f} %" if "error" in one else "",
        ]
        for one in entries
    ]  # fmt: skip
    return table(["rows", "read from", "CPU time", "memory", "RMSE", "misclassified"], rows)


def views_table(sets: dict) -> str:
    """One row a data set and setting: mean accuracies, the highest in bold."""
    rows = []
    for name, one in sets.items():
        for setting, models in one["settings"].items():
            others = {m: np.array(a) for m, a in models.items() if not m.startswith("view ")}
            alone = [float(np.mean(a)) for m, a in models.items() if m.startswith("view ")]
            means = {model: float(np.mean(found)) for model, found in others.items()}
            best = round(max([*means.values(), *alone]), 3)
            rival = max((m for m in others if m != "auto"), key=means.__getitem__)
            cells = [emphasised(mean, round(mean, 3) == best) for mean in means.values()]
            cells.append(emphasised(max(alone), round(max(alone), 3) == best) if alone else "")
            rows.append([name, setting, *cells, with_margin(others["auto"] - others[rival])])
    head = [*next(iter(next(iter(sets.values()))["settings"].values()))]
    models = [f"`{name}`" if name == "auto" else name for name in head if "view " not in name]
    return table(["data", "setting", *models, "best view", "`auto` minus best other"], rows)


def missing_view_table(sets: dict) -> str:
    """One row a data set: mean accuracy over views that are missing in the test part."""
    rows = []
    for name, one in sets.items():
        kept, never = (
            np.mean([found[how] for found in one["missing_view"].values()], axis=0)
            for how in ("trained with it", "trained without it")
        )
        worst = min(one["missing_view"], key=lambda view: np.mean(differences(one, view)))
        rows.append([
            name, str(len(one["views"])), str(one["splits"]),
            emphasised(float(np.mean(one["settings"]["complete"]["auto"])), best=False),
            emphasised(float(kept.mean()), best=False), emphasised(float(never.mean()), best=False),
            with_margin(kept - never), f"{np.mean(differences(one, worst)):+.3f} ({worst})",
        ])  # fmt: skip
    head = ["data", "views", "splits", "complete", "one view missing", "trained without it"]
    return table([*head, "difference", "largest loss"], rows)


def differences(one: dict, view: str) -> np.ndarray:
    """Return accuracy of the model with a view minus that of the one without it, by split."""
    found = one["missing_view"][view]
    return np.subtract(found["trained with it"], found["trained without it"])


def with_margin(differences: np.ndarray) -> str:
    """Return the mean and its 95 % interval by Student's t over the splits."""
    n = len(differences)
    half = student.ppf(0.975, n - 1) * np.std(differences, ddof=1) / np.sqrt(n)
    return f"{round(np.mean(differences), 3) + 0.0:+.3f} ± {half:.3f}"
