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
    lower_everywhere,
    result_of,
    significance,
)
from learnkernels.reproductions.experiment import (
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
# In regression "1-stage" is l2-krr with mu0 = 0, as in 2012; this is l2-krr as in 2010.
UNIFORM = "1-stage, mu0 uniform"
N_BIGRAMS = 4000
REPETITIONS = 1
TITLES = {
    "regression": ("regression: RMSE of the rating", "regression: centered alignment, test fold"),
    "classification": ("classification: errors", "classification: centered alignment, test fold"),
}
# Radii of l2-krr around uniform weights, relative to the norm of the uniform weights.
RADII = (0.1, 1.0, 10.0)


def plan(quick: bool) -> list[dict[str, Any]]:
    if quick:
        return [
            {"task": task, "data": "kitchen", "repetition": 0, "bigrams": 100, "step": 5}
            for task in TASKS
        ]
    return [
        {"task": task, "data": domain, "repetition": repetition, "bigrams": N_BIGRAMS}
        for repetition in range(REPETITIONS)
        for task in TASKS
        for domain in DOMAINS
    ]


def run(
    task: str, data: str, repetition: int, bigrams: int, random_state: int, step: int = 1
) -> dict[str, Any]:
    """Compare the methods in one five-fold cross-validation of every `step`-th review."""
    table = datasets.load(f"sentiment_ngrams_{data}")[::step]
    X = datasets.bigram_counts(table["ngrams"], bigrams)
    y = table["rating" if task == "regression" else "label"].to_numpy()
    methods: dict[str, Any] = {
        "unif": "unif",
        # With mu0 = 0 only the ratio of radius and alpha matters: alpha alone is chosen.
        "1-stage": "l2-krr" if task == "regression" else "l1-svm",
        "align": "align",
    }
    if task == "regression":
        methods[UNIFORM] = l2_around_uniform(bigrams)
    folds = integer_seed(random_state, repetition)
    return result_of(
        compare(X, y, methods, kernels=lk.per_feature(), task=task, random_state=folds)
    )


def l2_around_uniform(p: int) -> list[L2Ridge]:
    """Return l2-krr with uniform mu0, as in 2010; the validation fold chooses the radius."""
    return [L2Ridge(radius=share / np.sqrt(p), mu0=1 / p) for share in RADII]


def needed(parameters: dict[str, Any]) -> str:
    return f"sentiment_ngrams_{parameters['data']}"


PROTOCOL = Protocol("bigrams_2012", plan, run, needed, revision=2)


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
        methods = list(paper[task]["error"])
        grids += error_and_alignment(groups, methods, paper[task], TITLES[task])
        claims.append(
            lower_everywhere(
                f"{task}: align errs less than unif in all domains{' but one' * spared}",
                groups, "align", "unif", spared,
            )
        )  # fmt: skip
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
