"""Results of a comparison of methods."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ttest_rel

from learnkernels.templates import render

# A paired one-sided t-test below this level is marked.
LEVEL = 0.1


@dataclass(frozen=True)
class MethodResult:
    """One method over all folds.

    Attributes
    ----------
    method : str
    error_mean, error_std : float
        Test error: misclassification rate, or root mean squared error.
    alignment_mean, alignment_std : float
        Centered alignment of the learned kernel on the training part.
    test_alignment_mean, test_alignment_std : float
        The same on the test part, where the weights have not seen the target.
    errors : list of float
        Test error of each fold.
    validation_errors : list of float
        Error of the chosen regularisation on the validation fold of each trial.
    weights_mean : list of float
        Mean share of each kernel: weights divided by the sum of their sizes.
    fit_seconds : float
        Mean time of a fit: the pass over pairs, the weights, the machine for every regularisation
        and, of several methods under one name, for each.
    beats_unif : bool
        Whether a paired one-sided t-test at 0.1 finds the errors below those of ``unif``.
    """

    method: str
    error_mean: float
    error_std: float
    alignment_mean: float
    alignment_std: float
    test_alignment_mean: float
    test_alignment_std: float
    errors: list[float]
    validation_errors: list[float]
    weights_mean: list[float]
    fit_seconds: float
    beats_unif: bool


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several methods on one data set.

    Attributes
    ----------
    task : {"classification", "regression"}
    n : int
        Number of samples.
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
    methods: list[MethodResult]
    kernels: list[str]
    not_applicable: dict[str, str]
    unconverged: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain lists and numbers."""
        return asdict(self)

    def __repr__(self) -> str:
        """Return a row for each method; `to_dict` has all numbers."""
        error = "misclassified" if self.task == "classification" else "RMSE"
        width = max(len("method"), *(len(one.method) for one in self.methods))
        lines = [
            f"{'method':{width}}  {error:>17}  {'alignment':>9}  {'seconds':>7}  better than unif"
        ]
        for one in self.methods:
            errors = f"{one.error_mean:.4f} ± {one.error_std:.4f}"
            better = "yes" if one.beats_unif else ""
            lines.append(
                f"{one.method:{width}}  {errors:>17}  {one.alignment_mean:9.3f}  "
                f"{one.fit_seconds:7.2f}  {better}".rstrip()
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return render("comparison.html", **self.to_dict())


@dataclass(frozen=True)
class Trial:
    """One method on one fold."""

    error: float
    validation_error: float
    alignment: float
    test_alignment: float
    weights: np.ndarray
    seconds: float


def shares(mu: np.ndarray) -> np.ndarray:
    total = np.abs(mu).sum()
    return mu / total if total > 0 else mu


def errs_less(errors: ArrayLike, others: ArrayLike) -> bool:
    """Whether errors are below others by a paired one-sided t-test at level 0.1."""
    difference = np.subtract(others, errors)
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():  # no variance to test against
        return bool(difference[0] > 0)
    return bool(ttest_rel(others, errors, alternative="greater").pvalue < LEVEL)


def result_of(label: str, trials: list[Trial], baseline: list[Trial] | None) -> MethodResult:
    errors = np.array([trial.error for trial in trials])
    alignments = np.array([(trial.alignment, trial.test_alignment) for trial in trials])
    means, spreads = alignments.mean(axis=0), alignments.std(axis=0, ddof=1)
    beats = baseline is not None and errs_less(errors, [trial.error for trial in baseline])
    return MethodResult(
        label,
        float(errors.mean()),
        float(errors.std(ddof=1)),
        float(means[0]),
        float(spreads[0]),
        float(means[1]),
        float(spreads[1]),
        errors.tolist(),
        [trial.validation_error for trial in trials],
        np.mean([shares(trial.weights) for trial in trials], axis=0).tolist(),
        float(np.mean([trial.seconds for trial in trials])),
        beats,
    )
