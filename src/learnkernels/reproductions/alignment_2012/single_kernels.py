"""Section 2, table 1 and figure 2: correlation of a kernel's alignment with its accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnkernels as lk
from learnkernels.inspection import compare
from learnkernels.reproductions.alignment_2012.comparisons import FOLD_OVERLAP
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, needed, sample
from learnkernels.reproductions.experiment import (
    Claim,
    Interval,
    Outcome,
    Panel,
    Piece,
    Protocol,
    ResultTable,
    Series,
    Value,
    integer_seed,
    interval,
    paper_numbers,
)

NOTIONS = ("centered", "not centered")
REPETITIONS = 10
QUICK_SIZE = 100


def plan(quick: bool) -> list[dict[str, Any]]:
    size, repetitions = (QUICK_SIZE, 1) if quick else (1000, REPETITIONS)
    return [
        {"data": data, "repetition": repetition, "size": size}
        for data in PROBLEMS
        for repetition in range(repetitions)
    ]


def run(data: str, repetition: int, size: int, random_state: int) -> dict[str, Any]:
    """Compute the cross-validated accuracy and both alignments of each Gaussian alone."""
    problem = PROBLEMS[data]
    X, y = sample(data, random_state, repetition, size)
    folds = integer_seed(random_state, repetition)
    signs = y if problem.task == "regression" else np.where(y == np.unique(y)[1], 1.0, -1.0)
    target = np.outer(signs, signs)
    found: dict[str, list[float]] = {name: [] for name in ("accuracy", *NOTIONS)}
    for kernel in problem.kernels:
        comparison = compare(
            X, y, ["unif"], kernels=[kernel], task=problem.task, random_state=folds
        )
        found["accuracy"].append(1 - comparison.methods[0].error_mean)
        K = kernel(X)
        found["centered"].append(float(lk.alignment(K, target)))
        found["not centered"].append(float(lk.alignment(K, target, centered=False)))
    return found


PROTOCOL = Protocol("single_kernels_2012", plan, run, needed)


def means_of(pieces: list[Piece], data: str, name: str) -> np.ndarray:
    """Return the mean over the repetitions for each kernel, shape (n_kernels,)."""
    values = [p.result[name] for p in pieces if p.parameters["data"] == data]
    return np.asarray(np.mean(values, axis=0))


def table_1(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 1."""
    paper = paper_numbers(__package__, "table 1")
    values: dict[str, dict[str, Value]] = {notion: {} for notion in NOTIONS}
    for notion in NOTIONS:
        for data in PROBLEMS:
            accuracies = means_of(pieces, data, "accuracy")
            ours = np.corrcoef(means_of(pieces, data, notion), accuracies)[0, 1]
            values[notion][data] = Value(float(ours), None, paper[notion][data])
    return Outcome(
        [ResultTable("Correlation over the base kernels", "alignment", values)],
        correlation_claims(pieces),
    )


def correlation_claims(pieces: list[Piece]) -> list[Claim]:
    """Return the claims on the correlations, with intervals over the repetitions."""
    centered, other = (
        {data: correlations(pieces, data, notion) for data in PROBLEMS} for notion in NOTIONS
    )
    found = {data: interval(centered[data], FOLD_OVERLAP) for data in PROBLEMS}
    leads = {data: interval(centered[data] - other[data], FOLD_OVERLAP) for data in PROBLEMS}
    older = interval(other["splice"], FOLD_OVERLAP)
    return [
        Claim(
            "centered alignment goes with accuracy: every correlation is above 0.85",
            all(value.low > 0.85 for value in found.values()), listed(found),
        ),
        Claim(
            "centered alignment goes with accuracy better than the older notion on every set",
            all(lead.low > 0 for lead in leads.values()), f"higher by: {listed(leads)}",
        ),
        Claim("on splice the older notion goes the wrong way", older.high < 0, older.shown()),
    ]  # fmt: skip


def correlations(pieces: list[Piece], data: str, notion: str) -> np.ndarray:
    """Return the correlation over the kernels in each repetition, shape (n_repetitions,)."""
    mine = [piece.result for piece in pieces if piece.parameters["data"] == data]
    return np.array([np.corrcoef(r[notion], r["accuracy"])[0, 1] for r in mine])


def listed(found: dict[str, Interval]) -> str:
    """List the intervals of the data sets."""
    return ", ".join(f"{data} {value.shown()}" for data, value in found.items())


def figure_2(pieces: list[Piece]) -> Outcome:
    """Return tables, claims and panels of figure 2."""
    panels = []
    for data in ("splice", "kinematics"):
        accuracies = means_of(pieces, data, "accuracy")
        axis = "accuracy" if PROBLEMS[data].task == "classification" else "1 - RMSE"
        lines = [
            Series(notion, accuracies.tolist(), means_of(pieces, data, notion).tolist(), "points")
            for notion in NOTIONS
        ]
        panels.append(Panel(data, axis, "alignment with the target", lines))
    values = {
        f"{data} 2^{PROBLEMS[data].low + k}": {
            name: Value(float(means_of(pieces, data, name)[k])) for name in ("accuracy", *NOTIONS)
        }
        for data in ("splice", "kinematics")
        for k in range(len(PROBLEMS[data].gammas))
    }
    return Outcome([ResultTable("Every base kernel alone", "gamma", values)], panels=panels)
