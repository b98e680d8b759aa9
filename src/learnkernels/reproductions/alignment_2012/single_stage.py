"""Section 5.1, figure 3: weights of the one-stage algorithm regularised by alignment."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from learnkernels.inspection import compare
from learnkernels.methods import AlignF, AlignSingle
from learnkernels.reproductions.alignment_2012.comparisons import FOLD_OVERLAP
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, needed, sample
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
    interval,
)

# Repetitions of each data set.
REPETITIONS = {"kinematics": 5, "ionosphere": 10}
TUNED = "align-single, tuned"
# gamma, the reward of alignment: at 1e-3 the loss is the larger term, at 1e5 the alignment is.
STRENGTHS = (1e-3, 1e-1, 1e1, 1e3, 1e5)
# gamma / gamma2, and gamma1.
RATIOS = (1e2, 1e3, 1e4)
NORMS = (0.0, 1.0)


def plan(quick: bool) -> list[dict[str, Any]]:
    options = {"size": 60, "step": 4} if quick else {"size": 1000}
    return [
        {"data": data, "repetition": repetition} | options
        for data, repetitions in REPETITIONS.items()
        for repetition in range(1 if quick else repetitions)
    ]


def run(data: str, repetition: int, size: int, random_state: int, step: int = 1) -> dict[str, Any]:
    """Compute errors and mean weights of both algorithms, tuned on the validation folds.

    The one-stage algorithm is run for each gamma alone as well, for every `step`-th of them and of
    the ratios.
    """
    problem = PROBLEMS[data]
    X, y = sample(data, random_state, repetition, size)
    by_strength = {
        f"gamma={strength:g}": candidates(strength, RATIOS[::step])
        for strength in STRENGTHS[::step]
    }
    methods = {"alignf": [AlignF()], **by_strength}
    found = compare(
        X, y, methods, kernels=problem.kernels, task=problem.task,
        random_state=integer_seed(random_state, repetition),
    )  # fmt: skip
    return {
        result.method: {
            "errors": result.errors,
            "validation": result.validation_errors,
            "weights": result.weights_mean,
        }
        for result in found.methods
    }


def candidates(strength: float, ratios: tuple[float, ...]) -> list[AlignSingle]:
    """Return the one-stage algorithms with one gamma; the validation fold chooses one."""
    return [
        AlignSingle(gamma=strength, gamma1=norm, gamma2=strength / ratio)
        for ratio, norm in product(ratios, NORMS)
    ]


PROTOCOL = Protocol("single_stage_2012", plan, run, needed, revision=3)


def figure_3(pieces: list[Piece]) -> Outcome:
    """Return tables, claims and panels of figure 3."""
    grids, claims, panels = [], [], []
    for data in REPETITIONS:
        results = [with_tuned(p.result) for p in pieces if p.parameters["data"] == data]
        grids += tables_of(data, results)
        claims += claims_of(data, results)
        panels.append(panel_of(data, results))
    return Outcome(grids, claims, panels)


def with_tuned(result: dict[str, Any]) -> dict[str, Any]:
    """Add the one-stage algorithm with the gamma of the lowest mean validation error."""
    found = [name for name in result if name != "alignf"]
    best = min(found, key=lambda name: np.mean(result[name]["validation"]))
    return result | {TUNED: result[best] | {"gamma": best}}


def correlations(results: list[dict[str, Any]], method: str) -> np.ndarray:
    """Return the correlation of the weights with those of alignf in each repetition."""
    return np.array(
        [np.corrcoef(r["alignf"]["weights"], r[method]["weights"])[0, 1] for r in results]
    )


def tables_of(data: str, results: list[dict[str, Any]]) -> list[ResultTable]:
    """Return the errors and the agreement with alignf of each gamma, and the weights."""
    errors = {name: np.array([r[name]["errors"] for r in results]) for name in results[0]}
    values = {
        name: {
            "RMSE": Value(float(found.mean()), float(found.std(axis=1, ddof=1).mean())),
            "correlation with alignf": Value(float(correlations(results, name).mean())),
            "chosen": Value(float(np.mean([r[TUNED]["gamma"] == name for r in results]))),
        }
        for name, found in errors.items()
    }
    for name in ("alignf", TUNED):
        del values[name]["chosen"]
    low = PROBLEMS[data].low
    weights = {name: np.array([r[name]["weights"] for r in results]) for name in ("alignf", TUNED)}
    shares = {
        f"2^{low + k}": {
            name: Value(float(found[:, k].mean()), float(found[:, k].std()))
            for name, found in weights.items()
        }
        for k in range(weights["alignf"].shape[1])
    }
    return [
        ResultTable(
            f"{data}: test error, correlation of the weights with those of alignf, and share of "
            "the repetitions in which validation chooses the gamma",
            "", values,
        ),
        ResultTable(f"{data}: share of each kernel in the combination", "gamma", shares),
    ]  # fmt: skip


def claims_of(data: str, results: list[dict[str, Any]]) -> list[Claim]:
    """Return the paper's two claims on a data set."""
    agreement = interval(correlations(results, TUNED))
    mine, theirs = (np.ravel([r[name]["errors"] for r in results]) for name in (TUNED, "alignf"))
    excess = interval(mine - theirs, FOLD_OVERLAP)
    return [
        Claim(
            f"{data}: the weights of both algorithms nearly coincide (correlation above 0.9)",
            agreement.low > 0.9, f"correlation {agreement.shown()}",
        ),
        Claim(
            f"{data}: the one-stage algorithm does not err significantly less than alignf",
            excess.high >= 0, f"one-stage minus alignf, with its 95 % interval: {excess.shown(4)}",
        ),
    ]  # fmt: skip


def panel_of(data: str, results: list[dict[str, Any]]) -> Panel:
    """Return the scatter plot of the mean weights."""
    x, y = (np.mean([r[name]["weights"] for r in results], axis=0) for name in ("alignf", TUNED))
    largest = float(max(x.max(), y.max()))
    lines = [
        Series("equal weights", [0.0, largest], [0.0, largest], "diagonal"),
        Series("a kernel", x.tolist(), y.tolist(), "points"),
    ]
    return Panel(data, "weight by alignf", "weight by the one-stage algorithm", lines)
