"""Section 5.2, tables 3 and 5: a rank-one kernel for each of 4,000 bigrams of reviews."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnkernels as lk
from learnkernels import datasets
from learnkernels.inspection import compare
from learnkernels.methods import L2Ridge
from learnkernels.reproductions.alignment_2012.comparisons import (
    agreement,
    error_and_alignment,
    means_of,
    result_of,
    significance,
)
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Piece,
    Protocol,
    ResultTable,
    integer_seed,
    paper_numbers,
    within_two_deviations,
)

DOMAINS = ("books", "dvd", "electronics", "kitchen")
TASKS = ("regression", "classification")
METHODS = ["unif", "1-stage", "align"]
N_BIGRAMS = 4000
REPETITIONS = 3
TITLES = {
    "regression": ("regression: RMSE of the rating", "regression: centered alignment, test fold"),
    "classification": ("classification: errors", "classification: centered alignment, test fold"),
}
# Radii of l2-krr around uniform weights, relative to the norm of the uniform weights.
RADII = (0.1, 1.0, 10.0)


def plan(quick: bool) -> list[dict[str, Any]]:
    if quick:
        return [
            {"task": task, "data": "kitchen", "repetition": 0, "bigrams": 200} for task in TASKS
        ]
    return [
        {"task": task, "data": domain, "repetition": repetition, "bigrams": N_BIGRAMS}
        for repetition in range(REPETITIONS)
        for task in TASKS
        for domain in DOMAINS
    ]


def run(task: str, data: str, repetition: int, bigrams: int, random_state: int) -> dict[str, Any]:
    """Compare the three methods in one five-fold cross-validation."""
    table = datasets.load(f"sentiment_ngrams_{data}")
    X = datasets.bigram_counts(table["ngrams"], bigrams)
    y = table["rating" if task == "regression" else "label"].to_numpy()
    methods = {
        "unif": "unif",
        "1-stage": l2_around_uniform(bigrams) if task == "regression" else "l1-svm",
        "align": "align",
    }
    folds = integer_seed(random_state, repetition)
    return result_of(
        compare(X, y, methods, kernels=lk.per_feature(), task=task, random_state=folds)
    )


def l2_around_uniform(p: int) -> list[L2Ridge]:
    """Return l2-krr with uniform mu0, as in section 5.2; the validation fold chooses the radius."""
    return [L2Ridge(radius=share / np.sqrt(p), mu0=1 / p) for share in RADII]


def needed(parameters: dict[str, Any]) -> str:
    return f"sentiment_ngrams_{parameters['data']}"


PROTOCOL = Protocol("bigrams_2012", plan, run, needed)


def grouped(pieces: list[Piece], task: str) -> dict[str, list[Piece]]:
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.parameters["task"] == task:
            groups.setdefault(piece.parameters["data"], []).append(piece)
    return groups


def table_3(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 3."""
    paper = paper_numbers(__package__, "table 3")
    grids: list[ResultTable] = []
    claims = []
    for task, spared in zip(TASKS, (0, 1), strict=True):
        groups = grouped(pieces, task)
        grids += error_and_alignment(groups, METHODS, paper[task], TITLES[task])
        means = {
            domain: (means_of(group, "align")[0].ours, means_of(group, "unif")[0].ours)
            for domain, group in groups.items()
        }
        below = sum(align < unif for align, unif in means.values())
        claims.append(
            Claim(
                f"{task}: align errs less than unif in all domains{' but one' * spared}",
                below >= len(means) - spared,
                ", ".join(
                    f"{d} {align:.3f} against {unif:.3f}" for d, (align, unif) in means.items()
                ),
            )
        )
    return Outcome(grids, [*claims, within_two_deviations(grids)])


def table_5(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 5."""
    paper = paper_numbers(__package__, "table 5")
    grids = [
        grid
        for task in TASKS
        for grid in significance(grouped(pieces, task), METHODS, paper[task], f", {task}")
    ]
    return Outcome(grids, [agreement(grids)])
