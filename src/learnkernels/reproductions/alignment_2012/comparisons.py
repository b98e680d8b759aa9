"""Tables 2 to 5: methods compared in repeated five-fold cross-validation.

Alignments are computed on the test folds; only these agree with the published ones.

The paper reports one cross-validation. Here it is repeated with other samples and folds, because
the means differ by less than their standard deviations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ttest_rel

from learnkernels.inspection import Comparison
from learnkernels.reproductions.experiment import (
    Claim,
    Interval,
    Piece,
    ResultTable,
    Value,
    interval,
)

# Of five folds one tests and three train.
FOLD_OVERLAP = 1 / 3
# Level of the paper's test.
LEVEL = 0.1


def result_of(comparison: Comparison) -> dict[str, Any]:
    """Return the errors and alignments of every method."""
    return {
        result.method: {
            "errors": result.errors,
            "alignment": result.test_alignment_mean,
            "alignment spread": result.test_alignment_std,
        }
        for result in comparison.methods
    }


def means_of(pieces: list[Piece], method: str) -> tuple[Value, Value]:
    """Return mean error and alignment, with the mean standard deviation between folds."""
    errors = np.array([piece.result[method]["errors"] for piece in pieces])
    alignments = [piece.result[method]["alignment"] for piece in pieces]
    spreads = [piece.result[method]["alignment spread"] for piece in pieces]
    return (
        Value(float(errors.mean()), float(errors.std(axis=1, ddof=1).mean())),
        Value(float(np.mean(alignments)), float(np.mean(spreads))),
    )


def excess(pieces: list[Piece], method: str, other: str) -> Interval:
    """Return the error of a method minus that of another, over all folds of all repetitions."""
    mine, theirs = (
        np.ravel([piece.result[name]["errors"] for piece in pieces]) for name in (method, other)
    )
    return interval(mine - theirs, FOLD_OVERLAP)


def lower_everywhere(
    text: str, groups: dict[str, list[Piece]], method: str, other: str, spared: int = 0
) -> Claim:
    """Claim that a method errs less than another on all data sets, or on all but a few."""
    found = {data: excess(pieces, method, other) for data, pieces in groups.items()}
    lower = sum(difference.high < 0 for difference in found.values())
    shown = ", ".join(f"{data} {difference.shown()}" for data, difference in found.items())
    return Claim(
        text, lower >= len(found) - spared,
        f"{method} minus {other}, with 95 % intervals: {shown}",
    )  # fmt: skip


def error_and_alignment(
    groups: dict[str, list[Piece]],
    methods: list[str],
    paper: dict[str, Any],
    titles: tuple[str, str],
) -> list[ResultTable]:
    """Return a table of errors and a table of alignments, methods by data sets.

    Parameters
    ----------
    groups : dict of str to list of Piece
        Repetitions of each data set.
    methods : list of str
    paper : dict
        ``paper[measure][method][data] = [mean, deviation]``.
    titles : tuple of str
        Titles of the two tables.
    """
    grids = []
    for number, measure in enumerate(("error", "alignment")):
        values: dict[str, dict[str, Value]] = {}
        for method in methods:
            values[method] = {}
            for data, pieces in groups.items():
                ours = means_of(pieces, method)[number]
                values[method][data] = Value(ours.ours, ours.spread, *paper[measure][method][data])
        grids.append(ResultTable(titles[number], "method", values))
    return grids


def significance(
    groups: dict[str, list[Piece]], methods: list[str], paper: dict[str, Any], task: str = ""
) -> list[ResultTable]:
    """Return for each data set how often the column's method is significantly better.

    Values are fractions of the repetitions. The test is a paired one-sided t-test over the folds at
    level 0.1, as in the paper, which reports 1 or 0.
    """
    return [
        ResultTable(
            f"{data}{task}: share of repetitions in which the column's method is significantly "
            "better than the row's",
            "worse / better",
            {
                worse: {
                    better: Value(
                        fraction_better(pieces, worse, better),
                        None,
                        float(better in paper[data][worse]),
                    )
                    for better in methods
                    if better != worse
                }
                for worse in methods
            },
            digits=2,
        )
        for data, pieces in groups.items()
    ]


def fraction_better(pieces: list[Piece], worse: str, better: str) -> float:
    """Return the fraction of repetitions in which one method is significantly better."""
    return float(
        np.mean([errs_less(p.result[better]["errors"], p.result[worse]["errors"]) for p in pieces])
    )


def errs_less(errors: ArrayLike, others: ArrayLike) -> bool:
    """Return whether errors are lower by the paper's test: paired, one-sided, at level 0.1."""
    difference = np.subtract(others, errors)
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():  # no variance to test against
        return bool(difference[0] > 0)
    return bool(ttest_rel(others, errors, alternative="greater").pvalue < LEVEL)


def agreement(grids: list[ResultTable]) -> Claim:
    """Count the pairs of methods for which most repetitions agree with the paper.

    Most repetitions are more than half of them; exactly half are most for neither side.
    """
    values = [value for grid in grids for row in grid.values.values() for value in row.values()]
    ones = [value.ours > 0.5 for value in values if value.paper]
    zeros = [value.ours < 0.5 for value in values if not value.paper]
    return Claim(
        "most repetitions find at least two thirds of the differences that the paper finds, and "
        "few others",
        sum(ones) >= 2 / 3 * len(ones) and sum(zeros) >= 0.9 * len(zeros),
        f"{sum(ones)} of the paper's {len(ones)}; not significant as in the paper {sum(zeros)} "
        f"of {len(zeros)}",
    )
