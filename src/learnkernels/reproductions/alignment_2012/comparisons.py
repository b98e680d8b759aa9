"""What tables 2 to 5 have in common: methods compared in repeated five-fold cross-validation.

Alignments are those of the test folds: only there do they come out as the paper prints them.

The paper made one cross-validation. Here it is repeated with other samples and folds, since one
alone says little about means that differ by less than their deviations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.inspect import Comparison
from learnkernels.inspect.comparison import errs_less
from learnkernels.reproductions.experiment import Claim, Grid, Piece, Value

__all__ = ["agreement", "error_and_alignment", "kept_of", "means_of", "significance"]


def kept_of(comparison: Comparison) -> dict[str, Any]:
    """What the tables read of a comparison."""
    return {
        result.method: {
            "errors": result.errors,
            "alignment": result.test_alignment_mean,
            "alignment spread": result.test_alignment_std,
        }
        for result in comparison.methods
    }


def means_of(pieces: list[Piece], method: str) -> tuple[Value, Value]:
    """Error and alignment over all repetitions, with the mean deviation between folds."""
    errors = np.array([piece.result[method]["errors"] for piece in pieces])
    alignments = [piece.result[method]["alignment"] for piece in pieces]
    spreads = [piece.result[method]["alignment spread"] for piece in pieces]
    return (
        Value(float(errors.mean()), float(errors.std(axis=1, ddof=1).mean())),
        Value(float(np.mean(alignments)), float(np.mean(spreads))),
    )


def error_and_alignment(
    groups: dict[str, list[Piece]], methods: list[str], paper: dict, titles: tuple[str, str]
) -> list[Grid]:
    """Two tables: methods by data sets.

    Parameters
    ----------
    groups : dict of str to list of Piece
        The repetitions of each data set.
    methods : list of str
    paper : dict
        ``paper[measure][method][data] = [mean, deviation]``.
    titles : tuple of str
        Of the errors and of the alignments.
    """
    grids = []
    for number, measure in enumerate(("error", "alignment")):
        values: dict[str, dict[str, Value]] = {}
        for method in methods:
            values[method] = {}
            for data, pieces in groups.items():
                ours = means_of(pieces, method)[number]
                values[method][data] = Value(ours.ours, ours.spread, *paper[measure][method][data])
        grids.append(Grid(titles[number], "method", values))
    return grids


def significance(
    groups: dict[str, list[Piece]], methods: list[str], paper: dict, task: str = ""
) -> list[Grid]:
    """For each data set, in what share of the repetitions the column's method beats the row's.

    A paired one-sided t-test over the folds at level 0.1, as in the paper, which prints 1 or 0.
    """
    return [
        Grid(
            f"{data}{task}: share of repetitions in which the column's method is significantly "
            "better than the row's",
            "worse / better",
            {
                worse: {
                    better: Value(
                        beaten(pieces, worse, better), None, float(better in paper[data][worse])
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


def beaten(pieces: list[Piece], worse: str, better: str) -> float:
    """Share of the repetitions."""
    return float(
        np.mean([errs_less(p.result[better]["errors"], p.result[worse]["errors"]) for p in pieces])
    )


def agreement(grids: list[Grid]) -> Claim:
    """In how many pairs the majority of repetitions says what the paper says."""
    values = [value for grid in grids for row in grid.values.values() for value in row.values()]
    ones = [value.ours >= 0.5 for value in values if value.paper]
    zeros = [value.ours < 0.5 for value in values if not value.paper]
    return Claim(
        "most repetitions find at least two thirds of the differences that the paper finds, and "
        "few others",
        sum(ones) >= 2 / 3 * len(ones) and sum(zeros) >= 0.9 * len(zeros),
        f"{sum(ones)} of the paper's {len(ones)}; not significant as in the paper {sum(zeros)} "
        f"of {len(zeros)}",
    )
