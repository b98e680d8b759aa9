"""Pieces of the page on the benchmark `tables`, from its results in docs/results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.landmark_choice import CHOICES, COMPONENTS
from benchmarks.landmark_choice import TABLES as TABLES_OF_CHOICE
from benchmarks.landmark_classes import (
    DESIGNED_WITH,
    KEPT_ASIDE,
    MACHINES,
    SEVERAL_DESIGNED_WITH,
    SEVERAL_KEPT_ASIDE,
    SEVERAL_MACHINES,
    SUBSAMPLED_DESIGNED_WITH,
    SUBSAMPLED_KEPT_ASIDE,
)
from benchmarks.landmark_classes import key as class_key
from benchmarks.ranking import (
    critical_difference,
    friedman_p_value,
    geometric_mean,
    groups,
    mean_ranks,
    ratios,
)
from benchmarks.tables import (
    COMPARISONS,
    complete_models,
    key,
    mean_errors,
    of_task,
    read,
)
from benchmarks.tables_large import (
    best_width,
    is_complete,
    megabytes_of_widths,
    memory_ratio,
    ratio,
    seconds_of_one,
    seconds_of_widths,
    time_ratio,
)
from benchmarks.tables_models import COMPETITORS, MODELS
from benchmarks.tables_protocol import DESIGN, FURTHER, SPLITS, TABLES, task_of

from measured_tables import emphasised, table
from rank_picture import draw_ranks

__all__ = ["write_pieces"]

Errors = dict[str, dict[str, float]]

NOT_MEASURED = "*Not measured yet.*"
LABELS = {
    "default": "default",
    "grid": "grid search",
    "forest": "forest",
    "boosting": "boosting",
    "xrfm": "xRFM",
}
# Why the default has a higher error than a competitor on a table. A reason is shown in the list of
# losses as long as the default loses there.
REASONS = {
    "parkinsons": "several recordings of each of 42 people: trees find a person by thresholds of a "
    "few columns, sums of smooth kernels do not",
    "segment": "some classes are separated by a threshold of one column",
    "ring": "two classes with the same center: one Gaussian of the right width is nearly optimal",
    "vowel": "330 test rows: within chance",
    "mammographic": "277 test rows: within chance",
    "bupa": "115 test rows: within chance",
    "australian": "230 test rows: within chance",
    "magic": "close",
    "titanic": "three columns with few values: all models are close",
    "skillcraft": "close: a noisy target",
}


def write_pieces(results: Path, pieces: Path) -> None:
    """Write the pieces of Markdown and the picture that docs/tables.md includes.

    Parameters
    ----------
    results : Path
        Folder with tables.json, tables_large.json, tables_more.json, landmark_classes.json and
        landmark_choice.json; what is missing in them is marked.
    pieces : Path
        Folder to write to.
    """
    pieces.mkdir(exist_ok=True)
    found, large = read(results / "tables.json"), read(results / "tables_large.json")
    errors = mean_errors(found["entries"])
    further = mean_errors(read(results / "tables_more.json")["entries"], tables=FURTHER)
    classes = read(results / "landmark_classes.json")["entries"]
    for name, text in (
        ("tables_origin", origin_line(found["origins"], errors)),
        ("tables_ratios", ratio_table(errors)),
        ("tables_models", model_table(errors, found["entries"])),
        ("tables_ranks", rank_piece(errors, pieces / "tables_ranks.png")),
        ("tables_regression", error_table(of_task(errors, "regression"))),
        ("tables_classification", error_table(of_task(errors, "classification"))),
        ("tables_losses", loss_table(errors, found["entries"])),
        ("tables_times", time_table(found["times"])),
        ("tables_large", large_table(large["entries"])),
        (
            "tables_landmark_classes",
            classes_table(classes, DESIGNED_WITH, KEPT_ASIDE, MACHINES),
        ),
        (
            "tables_landmark_several",
            classes_table(classes, SEVERAL_DESIGNED_WITH, SEVERAL_KEPT_ASIDE, SEVERAL_MACHINES),
        ),
        (
            "tables_landmark_subsample",
            classes_table(
                classes, SUBSAMPLED_DESIGNED_WITH, SUBSAMPLED_KEPT_ASIDE, SEVERAL_MACHINES, True
            ),
        ),
        (
            "tables_landmark_choice",
            choice_table(read(results / "landmark_choice.json")["entries"]),
        ),
        ("tables_further_ratios", further_ratios(further)),
        ("tables_further_errors", further_errors(further)),
        ("tables_halves", halves()),
    ):
        (pieces / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def label(model: str) -> str:
    return LABELS.get(model, f"`{model}`")


def measured_models(errors: Errors) -> list[str]:
    """Return the models with results on at least one table."""
    return [model for model in MODELS if any(model in row for row in errors.values())]


def origin_line(origins: dict, errors: Errors) -> str:
    """Return a sentence with dates, versions and models that are missing."""
    if not origins:
        return NOT_MEASURED
    dates = sorted(one["date"] for one in origins.values())
    when = dates[0] if dates[0] == dates[-1] else f"from {dates[0]} to {dates[-1]}"
    newest: dict[str, str] = {}
    for one in sorted(origins.values(), key=lambda one: one["date"]):
        newest |= one["versions"]
    text = f"Measured {when}; " + ", ".join(f"{name} {number}" for name, number in newest.items())
    complete = complete_models(errors) if len(errors) == len(TABLES) else []
    missing = [label(model) for model in MODELS if model not in complete]
    return text + (f". Not measured on all tables yet: {', '.join(missing)}." if missing else ".")


def halves() -> str:
    """Return a list of the tables on which the defaults were designed, and of the others."""
    aside = [name for name in TABLES if name not in DESIGN]
    return f"- Design: {', '.join(sorted(DESIGN))}.\n- Kept aside: {', '.join(sorted(aside))}."


def ratio_table(errors: Errors) -> str:
    """One row a comparison: geometric means over all tables and over both halves, and the worst."""
    rows = []
    for task, model, references in COMPARISONS:
        found = ratios(of_task(errors, task), model, references)
        if found:
            kept_aside = [value for name, value in found.items() if name not in DESIGN]
            design = [value for name, value in found.items() if name in DESIGN]
            worst = max(found, key=lambda name: found[name])
            rows.append(
                [
                    "both" if task == "all" else task,
                    "the better of " * (len(references) > 1) + " and ".join(map(label, references)),
                    f"**{geometric_mean(found.values()):.3f}**",
                    mean_of(design),
                    mean_of(kept_aside),
                    f"{found[worst]:.3f} ({worst})",
                    f"{sum(value < 1 for value in found.values())} of {len(found)}",
                ]
            )
    head = ["task", "against", "all tables", "design", "kept aside", "worst table", "lower on"]
    return table(head, rows) if rows else NOT_MEASURED


def further_ratios(errors: Errors) -> str:
    """One row a comparison on the further tables: mean, median, the worst table."""
    rows = []
    for references in (["grid"], ["forest", "boosting"], ["unif"]):
        found = ratios(errors, "default", references)
        if found:
            worst = max(found, key=lambda name: found[name])
            rows.append(
                [
                    "the better of " * (len(references) > 1) + " and ".join(map(label, references)),
                    f"**{geometric_mean(found.values()):.3f}**",
                    f"{np.median(list(found.values())):.3f}",
                    f"{found[worst]:.3f} ({worst})",
                    f"{sum(value < 1 for value in found.values())} of {len(found)}",
                ]
            )
    head = ["against", "mean", "median", "worst table", "lower on"]
    return table(head, rows) if rows else NOT_MEASURED


def further_errors(errors: Errors) -> str:
    """One row a further table: the mean error of each model, the lowest in bold."""
    models = measured_models(errors)
    rows = [[name, *cells_of(row, models)] for name, row in errors.items()]
    return table(["table", *map(label, models)], rows) if rows else NOT_MEASURED


def mean_of(values: list[float]) -> str:
    return f"{geometric_mean(values):.3f}" if values else ""


def model_table(errors: Errors, entries: dict) -> str:
    """One row a model: mean rank, error and time relative to the grid search."""
    models = complete_models(errors)
    if "grid" not in models:
        return NOT_MEASURED
    rows = []
    for model, rank in mean_ranks(errors, models).items():
        by_task = (
            geometric_mean(ratios(of_task(errors, task), model, ["grid"]).values())
            for task in ("classification", "regression")
        )
        time = geometric_mean(
            seconds(entries, name, model) / seconds(entries, name, "grid") for name in errors
        )
        rows.append([label(model), f"{rank:.2f}", *(f"{e:.3f}" for e in by_task), f"{time:.3f}"])
    head = ["model", "mean rank", "classification error", "regression RMSE", "time"]
    return table(head, rows)


def seconds(entries: dict, name: str, model: str) -> float:
    """Return the median time of a fit over the splits of a table."""
    return float(np.median([entries[key(name, number, model)]["seconds"] for number in SPLITS]))


def rank_piece(errors: Errors, picture: Path) -> str:
    """Draw the mean ranks, and return the picture with the result of the tests."""
    models = complete_models(errors)
    if len(models) < 3:
        return NOT_MEASURED
    ranks, difference = mean_ranks(errors, models), critical_difference(len(models), len(errors))
    names = {model: label(model).strip("`") for model in models}
    draw_ranks(
        {names[model]: rank for model, rank in ranks.items()},
        [[names[model] for model in group] for group in groups(ranks, difference)],
        difference,
        picture,
    )
    p_value = friedman_p_value(errors, models)
    return (
        f"![Mean ranks of the models, with the critical difference](measured/{picture.name})\n\n"
        f"{len(models)} models on {len(errors)} tables: critical difference {difference:.2f} at "
        f"level 0.05; Friedman's test of equal ranks has p = {p_value:.1g}."
    )


def error_table(errors: Errors) -> str:
    """One row a table: the mean error of each model, the lowest in bold."""
    models = measured_models(errors)
    rows = []
    for name, row in errors.items():
        rows.append([name, "" if name in DESIGN else "yes", *cells_of(row, models)])
    return table(["table", "kept aside", *map(label, models)], rows) if rows else NOT_MEASURED


def cells_of(row: dict[str, float], models: list[str]) -> list[str]:
    """Return the errors of some models on one table, the lowest in bold."""
    lowest = min(row.values())
    return [emphasised(row[m], row[m] == lowest) if m in row else "" for m in models]


def loss_table(errors: Errors, entries: dict) -> str:
    """One row a table on which a competitor has a lower error, the largest loss first."""
    competitors = [model for model in measured_models(errors) if model in COMPETITORS]
    losses: dict[str, dict[str, float]] = {}
    for competitor in competitors:
        for name, value in ratios(errors, "default", [competitor]).items():
            if value > 1:
                losses.setdefault(name, {})[competitor] = value
    if not losses:
        return NOT_MEASURED if "default" not in measured_models(errors) else "No table."
    rows = []
    for name in sorted(losses, key=lambda name: -max(losses[name].values())):
        cells = [
            f"{losses[name][model]:.3f} ({splits_lost(entries, name, model)} of {len(SPLITS)})"
            if model in losses[name]
            else ""
            for model in competitors
        ]
        rows.append([name, task_of(name), *cells, REASONS.get(name, "")])
    return table(["table", "task", *map(label, competitors), "reason"], rows)


def splits_lost(entries: dict, name: str, competitor: str) -> int:
    """Return the number of splits on which the default has a higher error."""
    return sum(
        entries[key(name, number, "default")]["error"]
        > entries[key(name, number, competitor)]["error"]
        for number in SPLITS
    )


def time_table(times: dict) -> str:
    """One row a table: seconds of the default fit and of the grid search, in one run."""
    if not times:
        return NOT_MEASURED
    rows = [
        [name, f"{one['default']:.2f}", f"{one['grid']:.2f}", f"{one['default'] / one['grid']:.3f}"]
        for name, one in times.items()
    ]
    mean = geometric_mean(one["default"] / one["grid"] for one in times.values())
    rows.append(["geometric mean", "", "", f"**{mean:.3f}**"])
    return table(["table", "default, s", "grid search, s", "ratio"], rows)


def classes_table(
    entries: dict, design: tuple[str, ...], kept_aside: tuple[str, ...],
    machines: tuple[str, str], subsampled: bool = False,
) -> str:  # fmt: skip
    """One row a table: the SVM with landmarks, the default, and ridge."""
    rows = []
    for name in (*design, *kept_aside):
        keys = [class_key(name, machine, subsampled) for machine in machines]
        if keys[-1] not in entries:
            continue
        svm, ridge = (entries[one] for one in keys)
        rows.append(
            [
                name, f"{svm['n']:,}", "design" if name in design else "kept aside",
                f"{svm['error']:.4f}", f"{ridge['error']:.4f}", f"{svm['log_loss']:.4f}",
                f"{ridge['log_loss']:.4f}", f"{svm['seconds']:.1f}", f"{ridge['seconds']:.1f}",
            ]
        )  # fmt: skip
    head = [
        "table", "n", "used for", "SVM, error", "ridge, error", "SVM, log loss", "ridge, log loss",
        "SVM, s", "ridge, s",
    ]  # fmt: skip
    return table(head, rows) if rows else NOT_MEASURED


def choice_table(entries: dict) -> str:
    """One row for each table and number of landmarks: the mean error of each way to choose them."""
    rows = []
    for name in TABLES_OF_CHOICE:
        for m in COMPONENTS:
            found = [entries.get(f"{name}, m={m}, {choice}") for choice in CHOICES]
            if all(found):
                means = [sum(one["errors"]) / len(one["errors"]) for one in found]
                seconds = [f"{one['choice']:.1f}" for one in found[1:]]
                rows.append([name, f"{m:,}", *(f"{mean:.4f}" for mean in means), *seconds])
    head = ["table", "m", *CHOICES, *(f"{choice}, s" for choice in list(CHOICES)[1:])]
    return table(head, rows) if rows else NOT_MEASURED


def large_table(entries: dict) -> str:
    """One row a table: the default with landmarks, against Nystroem and a linear model."""
    entries = {name: entry for name, entry in entries.items() if is_complete(entry)}
    if not entries:
        return NOT_MEASURED
    rows = []
    for name, entry in entries.items():
        ours = entry["default"]
        rows.append(
            [
                name, f"{entry['n']:,}", f"{ours['error']:.4f}", f"{best_width(entry):.4f}",
                f"{ratio(entry):.3f}", f"{ours['seconds']:.0f}", f"{seconds_of_widths(entry):.0f}",
                f"{seconds_of_one(entry):.0f}", f"{time_ratio(entry):.2f}",
                f"{ours['megabytes']:.0f}", f"{megabytes_of_widths(entry):.0f}",
                f"{memory_ratio(entry):.2f}",
            ]
        )  # fmt: skip
    means = [
        geometric_mean(of(entry) for entry in entries.values())
        for of in (ratio, time_ratio, memory_ratio)
    ]
    error, time, memory = (f"**{mean:.3f}**" for mean in means)
    rows.append(["geometric mean", "", "", "", error, "", "", "", time, "", "", memory])
    head = [
        "table", "n", "default, error", "Nystroem, error", "ratio", "default, s",
        "Nystroem, five widths, s", "one width, s", "ratio", "default, MB", "Nystroem, MB", "ratio",
    ]  # fmt: skip
    return table(head, rows)
