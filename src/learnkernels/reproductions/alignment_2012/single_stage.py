"""Section 5.1, figure 3: weights of the one-stage algorithm regularised by alignment."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from learnkernels.inspection import compare
from learnkernels.methods import AlignF, AlignSingle
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, sample
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Panel,
    Piece,
    Protocol,
    ResultTable,
    Series,
    Value,
    integer_seed,
)

DATA = "kinematics"
# Strength of the regulariser, and of its terms relative to each other.
STRENGTHS = (1e2, 1e4, 1e6)
RATIOS = (1e2, 1e3, 1e4)
NORMS = (0.0, 1.0)
REPETITIONS = 10


def plan(quick: bool) -> list[dict[str, Any]]:
    size, repetitions = (300, 1) if quick else (1000, REPETITIONS)
    return [{"repetition": repetition, "size": size} for repetition in range(repetitions)]


def run(repetition: int, size: int, random_state: int) -> dict[str, Any]:
    """Compute errors and mean weights of both algorithms, tuned on the validation folds."""
    problem = PROBLEMS[DATA]
    X, y = sample(DATA, random_state, repetition, size)
    tuned = [
        AlignSingle(gamma=strength, gamma1=norm, gamma2=strength / ratio)
        for strength, ratio, norm in product(STRENGTHS, RATIOS, NORMS)
    ]
    folds = integer_seed(random_state, repetition)
    methods: dict[str, list[Any]] = {"alignf": [AlignF()], "align-single": tuned}
    found = compare(X, y, methods, kernels=problem.kernels, task=problem.task, random_state=folds)
    return {
        result.method: {
            "error": result.error_mean,
            "error spread": result.error_std,
            "weights": result.weights_mean,
        }
        for result in found.methods
    }


PROTOCOL = Protocol(
    "single_stage_2012", plan, run, lambda parameters: PROBLEMS[DATA].data, revision=2
)


def figure_3(pieces: list[Piece]) -> Outcome:
    """Return tables, claims and panels of figure 3."""
    weights = {
        method: np.array([piece.result[method]["weights"] for piece in pieces])
        for method in ("alignf", "align-single")
    }
    x, y = (weights[method].mean(axis=0) for method in ("alignf", "align-single"))
    agreement = float(np.corrcoef(x, y)[0, 1])
    errors = {
        method: Value(
            float(np.mean([piece.result[method]["error"] for piece in pieces])),
            float(np.mean([piece.result[method]["error spread"] for piece in pieces])),
        )
        for method in weights
    }
    best = {method: value.ours for method, value in errors.items()}
    low = PROBLEMS[DATA].low
    values = {
        f"2^{low + k}": {
            method: Value(float(found[:, k].mean()), float(found[:, k].std()))
            for method, found in weights.items()
        }
        for k in range(len(x))
    }
    largest = float(max(x.max(), y.max()))
    lines = [
        Series("equal weights", [0.0, largest], [0.0, largest], "diagonal"),
        Series("a kernel", x.tolist(), y.tolist(), "points"),
    ]
    return Outcome(
        [
            ResultTable("Share of each kernel in the combination", "gamma", values),
            ResultTable("Test error (RMSE)", "", {"kinematics": errors}),
        ],
        [
            Claim(
                "the weights of both algorithms nearly coincide (correlation above 0.9)",
                agreement > 0.9, f"correlation {agreement:.3f}",
            ),
            Claim(
                "the one-stage algorithm does not err much less than alignf (within a deviation)",
                best["align-single"] > best["alignf"] - (errors["alignf"].spread or 0),
            ),
        ],
        [Panel("kinematics", "weight by alignf", "weight by the one-stage algorithm", lines)],
    )  # fmt: skip
