"""Section 5.1, tables 2 and 4: combinations of Gaussians on five data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.inspection import compare
from learnkernels.reproductions.alignment_2012.comparisons import (
    FOLD_OVERLAP,
    agreement,
    error_and_alignment,
    lower_everywhere,
    result_of,
    significance,
)
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, SIZE, needed, sample
from learnkernels.reproductions.experiment import (
    Claim,
    Interval,
    Outcome,
    Piece,
    Protocol,
    integer_seed,
    interval,
    paper_numbers,
    within_two_deviations,
)

METHODS = ["unif", "1-stage", "align", "alignf"]
REPETITIONS = 20
QUICK_SIZE = 100
TITLES = (
    "Test error: RMSE on kinematics and ionosphere, misclassification on the others",
    "Centered alignment of the learned kernel with the target, on the test fold",
)


def plan(quick: bool) -> list[dict[str, Any]]:
    repetitions, size = (1, {"size": QUICK_SIZE}) if quick else (REPETITIONS, {})
    return [
        {"data": data, "repetition": repetition} | size
        for data in PROBLEMS
        for repetition in range(repetitions)
    ]


def run(data: str, repetition: int, random_state: int, size: int = SIZE) -> dict[str, Any]:
    """Compare the four methods in one five-fold cross-validation."""
    problem = PROBLEMS[data]
    X, y = sample(data, random_state, repetition, size)
    one_stage = "l2-krr" if problem.task == "regression" else "l1-svm"
    methods = {"unif": "unif", "1-stage": one_stage, "align": "align", "alignf": "alignf"}
    folds = integer_seed(random_state, repetition)
    return result_of(
        compare(X, y, methods, kernels=problem.kernels, task=problem.task, random_state=folds)
    )


PROTOCOL = Protocol("gaussians_2012", plan, run, needed)


def grouped(pieces: list[Piece]) -> dict[str, list[Piece]]:
    return {
        data: [piece for piece in pieces if piece.parameters["data"] == data] for data in PROBLEMS
    }


def table_2(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 2."""
    groups = grouped(pieces)
    grids = error_and_alignment(groups, METHODS, paper_numbers(__package__, "table 2"), TITLES)
    below = lower_everywhere(
        "alignf errs less than unif on all five data sets", groups, "alignf", "unif"
    )
    leads = {data: alignment_lead(group) for data, group in groups.items()}
    aligned = Claim(
        "alignf has the highest alignment on all five data sets",
        all(lead.low > 0 for lead in leads.values()),
        "alignf minus the best of the others, with 95 % intervals: "
        + ", ".join(f"{data} {lead.shown()}" for data, lead in leads.items()),
    )
    return Outcome(grids, [below, aligned, within_two_deviations(grids)])


def alignment_lead(pieces: list[Piece]) -> Interval:
    """Return the alignment of alignf minus the highest mean alignment of another method."""
    found = {m: np.array([piece.result[m]["alignment"] for piece in pieces]) for m in METHODS}
    best = max(METHODS[:-1], key=lambda method: found[method].mean())
    return interval(found["alignf"] - found[best], FOLD_OVERLAP)


def table_4(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 4."""
    paper = paper_numbers(__package__, "table 4")
    grids = significance(grouped(pieces), METHODS, paper)
    return Outcome(grids, [agreement(grids)])
