"""Section 2: does the alignment of a kernel go with its accuracy? Table 1 and figure 2."""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels.inspect import compare
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, needed, sample
from learnkernels.reproductions.experiment import (
    Claim,
    Grid,
    Line,
    Outcome,
    Panel,
    Piece,
    Protocol,
    Value,
    paper_numbers,
    random_state,
)

__all__ = ["PROTOCOL", "figure_2", "table_1"]

NOTIONS = ("centered", "not centered")
REPETITIONS = 10
QUICK_SIZE = 300


def plan(quick: bool) -> list[dict]:
    size, repetitions = (QUICK_SIZE, 1) if quick else (1000, REPETITIONS)
    return [
        {"data": data, "repetition": repetition, "size": size}
        for data in PROBLEMS
        for repetition in range(repetitions)
    ]


def run(data: str, repetition: int, size: int, seed: int) -> dict:
    """Each Gaussian alone: accuracy in five-fold cross-validation, and both alignments."""
    problem = PROBLEMS[data]
    X, y = sample(data, seed, repetition, size)
    folds = random_state(seed, repetition)
    signs = y if problem.task == "regression" else np.where(y == np.unique(y)[1], 1.0, -1.0)
    target = np.outer(signs, signs)
    found: dict[str, list[float]] = {name: [] for name in ("accuracy", *NOTIONS)}
    for kernel in problem.kernels:
        comparison = compare(X, y, ["unif"], kernels=[kernel], task=problem.task, seed=folds)
        found["accuracy"].append(1 - comparison.methods[0].error_mean)
        K = kernel(X)
        found["centered"].append(float(lk.alignment(K, target)))
        found["not centered"].append(float(lk.alignment(K, target, centered=False)))
    return found


PROTOCOL = Protocol("single_kernels_2012", plan, run, needed)


def means_of(pieces: list[Piece], data: str, name: str) -> np.ndarray:
    """Of each kernel over the repetitions, shape (n_kernels,)."""
    return np.mean([p.result[name] for p in pieces if p.parameters["data"] == data], axis=0)


def table_1(pieces: list[Piece]) -> Outcome:
    paper = paper_numbers(__package__, "table 1")
    values: dict[str, dict[str, Value]] = {notion: {} for notion in NOTIONS}
    for notion in NOTIONS:
        for data in PROBLEMS:
            accuracies = means_of(pieces, data, "accuracy")
            ours = np.corrcoef(means_of(pieces, data, notion), accuracies)[0, 1]
            values[notion][data] = Value(float(ours), None, paper[notion][data])
    centered, other = values.values()
    claims = [
        Claim(
            "centered alignment goes with accuracy: every correlation is above 0.85",
            all(value.ours > 0.85 for value in centered.values()),
        ),
        Claim(
            "centered alignment goes with accuracy better than the older notion on every set",
            all(centered[data].ours > other[data].ours for data in PROBLEMS),
        ),
        Claim(
            "on splice the older notion goes the wrong way", other["splice"].ours < 0,
            f"correlation {other['splice'].ours:.2f}",
        ),
    ]  # fmt: skip
    return Outcome([Grid("Correlation over the base kernels", "alignment", values)], claims)


def figure_2(pieces: list[Piece]) -> Outcome:
    panels = []
    for data in ("splice", "kinematics"):
        accuracies = means_of(pieces, data, "accuracy")
        axis = "accuracy" if PROBLEMS[data].task == "classification" else "1 - RMSE"
        lines = [
            Line(notion, accuracies.tolist(), means_of(pieces, data, notion).tolist(), "points")
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
    return Outcome([Grid("Every base kernel alone", "gamma", values)], panels=panels)
