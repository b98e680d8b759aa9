"""Results of a comparison of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnkernels.significance import paired_difference
from learnkernels.templates import render

# The meaning of the marks in a table.
MARKS = {
    "best": "best: lowest error",
    "worse": "worse: significantly higher error than the best",
    "*": "*: significantly lower error than unif",
}
TEST = "Significant: the 95 % interval of the mean difference over the samples does not contain 0."


@dataclass(frozen=True)
class BaselineResult:
    """Errors over all folds of a model or of a constant prediction.

    Attributes
    ----------
    method : str
        Name of the method; of the baseline ``"most frequent class"`` or ``"mean"``.
    error_mean, error_std : float
        Mean and standard deviation over the folds of the test error: misclassification rate, or
        root mean squared error.
    errors : list of float
        Test error of each fold.
    scores : dict of str to float or None
        For classes: mean over the folds of balanced accuracy, area under the ROC curve (each class
        against the rest) and log loss.
    """

    method: str
    error_mean: float
    error_std: float
    errors: list[float]
    scores: dict[str, float | None]


@dataclass(frozen=True)
class MethodResult(BaselineResult):
    """One method over all folds; has the attributes of `BaselineResult` too.

    Attributes
    ----------
    alignment_mean, alignment_std : float
        Centered alignment of the learned kernel on the training part.
    test_alignment_mean, test_alignment_std : float
        The same on the test part, where the weights have not seen the target.
    validation_errors : list of float
        Error of the chosen regularisation on the validation fold of each trial.
    weights_mean : list of float
        Mean share of each kernel: weights divided by the sum of their sizes.
    fit_seconds : float
        Mean time of a fit: the pass over pairs, the weights, the machine for every regularisation
        and, of several methods under one name, for each.
    against_best : {"best", "worse", ""}
        Whether the error is the lowest, or significantly higher than the lowest.
    against_unif : {"better", "worse", ""}
        Whether the error is significantly lower or higher than that of ``unif``.
    """

    alignment_mean: float
    alignment_std: float
    test_alignment_mean: float
    test_alignment_std: float
    validation_errors: list[float]
    weights_mean: list[float]
    fit_seconds: float
    against_best: str
    against_unif: str


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several methods on one data set.

    Attributes
    ----------
    task : {"classification", "regression"}
    n : int
        Number of samples.
    baseline : BaselineResult
        The most frequent class, or the mean of the target.
    methods : list of MethodResult
    kernels : list of str
        Names of the base kernels.
    not_applicable : dict of str to str
        Methods that make no sense for the task, and why.
    unconverged : dict of str to int
        How many fits of a method, over all folds and values of the regularisation, ended above
        their tolerance; extreme values are hard to solve and seldom chosen.
    """

    task: str
    n: int
    baseline: BaselineResult
    methods: list[MethodResult]
    kernels: list[str]
    not_applicable: dict[str, str]
    unconverged: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain lists and numbers."""
        return asdict(self)

    @property
    def best(self) -> str:
        """The method with the lowest error."""
        return next(one.method for one in self.methods if one.against_best == "best")

    @property
    def notes(self) -> list[str]:
        """Return the meaning of the numbers and marks of the table."""
        return [
            f"Mean ± standard deviation over {len(self.baseline.errors)} test folds.",
            f"{'; '.join(MARKS.values())}.",
            TEST,
        ]

    def __repr__(self) -> str:
        """Return a row for each method; `to_dict` has all numbers."""
        head = ["method", "misclassified" if self.task == "classification" else "RMSE"]
        head += [*self.baseline.scores, "alignment", "seconds", ""]
        rows = [head, [self.baseline.method, *score_texts(self.baseline), "", "", ""]]
        for one in self.methods:
            numbers = f"{one.alignment_mean:.3f}", f"{one.fit_seconds:.2f}"
            rows.append([marked_name(one), *score_texts(one), *numbers, one.against_best])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if k in (0, len(row) - 1) else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return render("comparison.html", notes=self.notes, **self.to_dict())


def marked_name(result: MethodResult) -> str:
    """Return the name of a method, with a star if it is significantly better than ``unif``."""
    return result.method + (" *" if result.against_unif == "better" else "")


def score_texts(result: BaselineResult) -> list[str]:
    """Return the error with its standard deviation, and the scores, as text."""
    errors = f"{result.error_mean:.4f} ± {result.error_std:.4f}"
    scores = ("" if score is None else f"{score:.3f}" for score in result.scores.values())
    return [errors, *scores]


@dataclass(frozen=True)
class Trial:
    """One method on one fold."""

    losses: np.ndarray  # of the test samples
    error: float
    scores: dict[str, float]
    validation_error: float
    alignment: float
    test_alignment: float
    weights: np.ndarray
    seconds: float


def shares(mu: np.ndarray) -> np.ndarray:
    """Divide weights by the sum of their absolute values."""
    total = np.abs(mu).sum()
    return mu / total if total > 0 else mu


def results_of(runs: dict[str, list[Trial]]) -> list[MethodResult]:
    """Return the results of all methods, each compared with the best and with ``unif``."""
    losses = {
        label: np.concatenate([trial.losses for trial in trials]) for label, trials in runs.items()
    }
    best = min(runs, key=lambda label: np.mean([trial.error for trial in runs[label]]))

    def verdict(label: str, other: str) -> str:
        return paired_difference(losses[label], losses[other]).verdict

    words = {"lower": "better", "higher": "worse", "unclear": ""}
    return [
        result_of(
            label,
            trials,
            "best" if label == best else words[verdict(label, best)].replace("better", ""),
            words[verdict(label, "unif")] if "unif" in runs else "",
        )
        for label, trials in runs.items()
    ]


def result_of(label: str, trials: list[Trial], best: str, unif: str) -> MethodResult:
    """Return the means over the trials of one method."""
    alignments = np.array([(trial.alignment, trial.test_alignment) for trial in trials])
    means, spreads = alignments.mean(axis=0), alignments.std(axis=0, ddof=1)
    return MethodResult(
        **means_of(trials),
        method=label,
        alignment_mean=float(means[0]),
        alignment_std=float(spreads[0]),
        test_alignment_mean=float(means[1]),
        test_alignment_std=float(spreads[1]),
        validation_errors=[trial.validation_error for trial in trials],
        weights_mean=np.mean([shares(trial.weights) for trial in trials], axis=0).tolist(),
        fit_seconds=float(np.mean([trial.seconds for trial in trials])),
        against_best=best,
        against_unif=unif,
    )


def means_of(trials: Sequence[Any]) -> dict[str, Any]:
    """Return errors and scores over folds, as arguments of `BaselineResult`."""
    errors = np.array([trial.error for trial in trials])

    def mean_of(name: str) -> float | None:
        known = [trial.scores[name] for trial in trials if np.isfinite(trial.scores[name])]
        return float(np.mean(known)) if known else None

    return {
        "error_mean": float(errors.mean()),
        "error_std": float(errors.std(ddof=1)),
        "errors": errors.tolist(),
        "scores": {name: mean_of(name) for name in trials[0].scores},
    }
