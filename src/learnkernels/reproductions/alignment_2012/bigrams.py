"""Section 5.2: a rank-one kernel for each of 4,000 bigrams of reviews, tables 3 and 5."""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels import datasets
from learnkernels.inspect import compare
from learnkernels.methods import L2Ridge
from learnkernels.reproductions.alignment_2012.comparisons import (
    agreement,
    error_and_alignment,
    kept_of,
    means_of,
    significance,
)
from learnkernels.reproductions.experiment import (
    Claim,
    Grid,
    Outcome,
    Piece,
    Protocol,
    paper_numbers,
    random_state,
    within_two_deviations,
)

__all__ = ["PROTOCOL", "table_3", "table_5"]

DOMAINS = ("books", "dvd", "electronics", "kitchen")
TASKS = ("regression", "classification")
METHODS = ["unif", "1-stage", "align"]
N_BIGRAMS = 4000
REPETITIONS = 3
TITLES = {
    "regression": ("regression: RMSE of the rating", "regression: centered alignment, test fold"),
    "classification": ("classification: errors", "classification: centered alignment, test fold"),
}
# Distances of the weights of l2-krr from uniform weights, in lengths of these.
RADII = (0.1, 1.0, 10.0)


def plan(quick: bool) -> list[dict]:
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


def run(task: str, data: str, repetition: int, bigrams: int, seed: int) -> dict:
    """One five-fold cross-validation of the three methods."""
    table = datasets.load(f"sentiment_ngrams_{data}")
    X = datasets.bigram_counts(table["ngrams"], bigrams)
    y = table["rating" if task == "regression" else "label"].to_numpy()
    methods = {
        "unif": "unif",
        "1-stage": l2_around_uniform(bigrams) if task == "regression" else "l1-svm",
        "align": "align",
    }
    folds = random_state(seed, repetition)
    return kept_of(compare(X, y, methods, kernels=lk.per_feature(), task=task, seed=folds))


def l2_around_uniform(p: int) -> list[L2Ridge]:
    """l2-krr with mu0 uniform, as in section 5.2; of several radii the validation fold chooses."""
    return [L2Ridge(radius=share / np.sqrt(p), mu0=1 / p) for share in RADII]


def needed(parameters: dict) -> str:
    return f"sentiment_ngrams_{parameters['data']}"


PROTOCOL = Protocol("bigrams_2012", plan, run, needed)


def grouped(pieces: list[Piece], task: str) -> dict[str, list[Piece]]:
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.parameters["task"] == task:
            groups.setdefault(piece.parameters["data"], []).append(piece)
    return groups


def table_3(pieces: list[Piece]) -> Outcome:
    paper = paper_numbers(__package__, "table 3")
    grids: list[Grid] = []
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
    paper = paper_numbers(__package__, "table 5")
    grids = [
        grid
        for task in TASKS
        for grid in significance(grouped(pieces, task), METHODS, paper[task], f", {task}")
    ]
    return Outcome(grids, [agreement(grids)])
