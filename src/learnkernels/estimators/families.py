"""The default family, alone, with narrower kernels or with a learned metric, by held-out error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels import progress
from learnkernels._warnings import suppressed
from learnkernels.errors import (
    ConstantKernelWarning,
    InputError,
    TableWarning,
    UndefinedAlignmentWarning,
)
from learnkernels.estimators.fitting import gradient_products, learn, prepare
from learnkernels.execution import Backend
from learnkernels.kernels import Kernel, gaussians, kernels_by_source, laplacians, resolve, table
from learnkernels.kernels.base import TrainingData
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.learned_metric import LearnedMetric
from learnkernels.kernels.table import GAUSSIANS, LAPLACIANS, standardize
from learnkernels.kernels.tables import rows
from learnkernels.machines import Ridge
from learnkernels.methods import Candidate, LearnedWeights, LeaveOneOut
from learnkernels.significance import standard_error

# Samples that learn the metric, and as many others that compare the families: a fifth of all,
# within these bounds.
HALVES = 400, 800
# More columns have no learned metric.
MAX_COLUMNS = 100
# Tables of more columns that vary, or of fewer samples, are not tried with narrower kernels.
NARROW_COLUMNS, MIN_NARROW_SAMPLES = 3, 100
# Samples on which narrower kernels are compared.
MAX_NARROW_SAMPLES = 600
# Standard errors, and relative decrease of the error, by which narrower kernels must be better.
NARROW_STANDARD_ERRORS, NARROW_GAIN = 2.0, 0.05
# Number of samples whose neighbours the narrowest kernel separates.
FILLED = 1000


@dataclass(frozen=True)
class MetricRule:
    """When a learned metric is tried and used; chosen on the design tables of the benchmark.

    Attributes
    ----------
    full : bool
        Whether columns are combined, or only scaled.
    min_samples : int
        Fewer samples have no metric: it would fit their noise.
    standard_errors : float
        Those of the difference by which the metric must be better.
    """

    full: bool
    min_samples: int
    standard_errors: float


RULES = {
    "classification": MetricRule(full=False, min_samples=200, standard_errors=1.0),
    "regression": MetricRule(full=True, min_samples=600, standard_errors=2.0),
}


@dataclass(frozen=True)
class FamilyChoice:
    """The chosen kernels, and weights to start from.

    Attributes
    ----------
    kernels : Family
    candidates : tuple of Candidate
        The families with their held-out errors; empty if only one was possible.
    start : ndarray of shape (n_kernels,) or None
        Weights that were learned on some of the samples.
    """

    kernels: Any
    candidates: tuple[Candidate, ...] = ()
    start: np.ndarray | None = None


def choose_family(
    X: Any, Y: np.ndarray, w: np.ndarray, task: str, backend: Backend
) -> FamilyChoice:
    """Choose `table`, alone, with narrower kernels or with `learned_metric`.

    Parameters
    ----------
    X : ndarray, CSR matrix or table of shape (n_samples, n_features)
        The training samples.
    Y : ndarray of shape (n_samples, n_outputs)
        Labels -1 and 1, or real targets.
    w : ndarray of shape (n_samples,)
        Sample weights.
    task : {"classification", "regression"}
    backend : Backend
    """
    if sparse.issparse(X):
        return FamilyChoice(table())
    samples = Samples(X, Y, w, task, backend)
    order = np.random.RandomState(0).permutation(X.shape[0])
    with (
        progress.within("choosing kernels"),
        suppressed(ConstantKernelWarning),
        suppressed(TableWarning),
        suppressed(UndefinedAlignmentWarning),
    ):
        try:
            widths = choose_widths(samples, order)
            if widths.kernels != table():  # narrower kernels and a metric are not combined
                return widths
            metric = choose_metric(samples, order)
        except InputError:  # of the samples that are compared; a fit of all of them may succeed
            return FamilyChoice(table())
    return replace(metric, candidates=widths.candidates + metric.candidates)


@dataclass(frozen=True)
class Samples:
    """Training samples on which families are compared; attributes are those of `choose_family`."""

    X: Any
    Y: np.ndarray
    w: np.ndarray
    task: str
    backend: Backend

    def members(self, family: Any, chosen: np.ndarray) -> list[Kernel]:
        """Return the kernels of a family on some of the samples."""
        products = partial(gradient_products, task=self.task, backend=self.backend)
        return resolve(
            family, rows(self.X, chosen), self.w[chosen], target=self.Y[chosen],
            gradient_products=products,
        )  # fmt: skip

    def learned(
        self, kernels: list[Kernel], chosen: np.ndarray, start: np.ndarray | None = None
    ) -> LearnedWeights:
        """Return the weights of smallest leave-one-out error on some of the samples."""
        Y = self.Y[chosen]
        prepared = prepare(
            kernels, rows(self.X, chosen), Y, Y, task=self.task, normalize="trace", center=True,
            sample_weight=self.w[chosen], backend=self.backend,
        )  # fmt: skip
        return learn(prepared, LeaveOneOut(tol=1e-3), Ridge(), start=start).result


def choose_widths(samples: Samples, order: np.ndarray) -> FamilyChoice:
    """Choose `table` with or without narrower kernels, for tables of few columns of numbers.

    Both are compared on the same samples by the leave-one-out error of ridge. Narrower kernels fit
    noise, so they are used only if they are clearly better.
    """
    plain = table()
    n, columns = samples.X.shape
    numbers = isinstance(samples.X, np.ndarray) and samples.X.dtype.kind == "f"
    if not numbers or columns > MAX_COLUMNS or n < MIN_NARROW_SAMPLES:
        return FamilyChoice(plain)
    chosen = order[:MAX_NARROW_SAMPLES]
    data = TrainingData(samples.X[chosen], samples.w[chosen])
    columns = len(standardize(data).columns)  # without constant ones
    if columns > NARROW_COLUMNS:
        return FamilyChoice(plain)
    known = samples.members(plain, chosen)
    family = plain + table(narrower_kernels(known, columns))
    found = [
        samples.learned(known, chosen),
        samples.learned(samples.members(family, chosen), chosen),
    ]
    names = ("table", "table + narrower kernels")
    clear, candidates = compare_families(
        found, NARROW_STANDARD_ERRORS, names, "widths", NARROW_GAIN
    )
    if not clear:
        return FamilyChoice(plain, candidates)
    return FamilyChoice(family, candidates, found[1].weights)


def narrower_kernels(known: list[Kernel], columns: int) -> list[Any]:
    """Return families of kernels that are narrower than those of `table`, for few columns.

    n samples that fill d columns have neighbours at about n^(-1/d) of the median distance. A kernel
    of the p-th power of the distance separates them if its gamma is n^(p/d) divided by the p-th
    power of the median distance.

    Parameters
    ----------
    known : list of Kernel
        Kernels of `table`.
    columns : int
        Number of columns d.
    """
    formulas, _ = kernels_by_source(known)
    found: list[Any] = []
    for family, kind, largest, power in (
        (gaussians, Gaussian, GAUSSIANS[-1], 2), (laplacians, Laplacian, LAPLACIANS[-1], 1),
    ):  # fmt: skip
        last = max(one.gamma for one in formulas if isinstance(one, kind))
        steps = int(np.log(FILLED ** (power / columns) / largest) / np.log(4))
        if steps > 0:
            found.append(family((last * 4.0 ** np.arange(1, steps + 1)).tolist()))
    return found


def choose_metric(samples: Samples, order: np.ndarray) -> FamilyChoice:
    """Choose `table` with or without `learned_metric`.

    The metric is learned on some samples, and both families are compared on others by the
    leave-one-out error of ridge: on its own samples a learned metric looks better than it is.
    """
    rule = RULES[samples.task]
    plain = table()
    n, columns = samples.X.shape
    if n < rule.min_samples or not 2 <= columns <= MAX_COLUMNS:
        return FamilyChoice(plain)
    h = min(n // 2, int(np.clip(n // 5, *HALVES)))
    first, second = order[:h], order[h : 2 * h]
    known = samples.members(plain, first)
    start = samples.learned(known, first).weights
    metric = LearnedMetric(full=rule.full, start=tuple(start.tolist()))
    found = [
        samples.learned(known, second, start),
        samples.learned(known + samples.members(metric, first), second, np.tile(start, 2)),
    ]
    names = ("table", "table + learned metric")
    clear, candidates = compare_families(found, rule.standard_errors, names, "kernels")
    if not candidates:
        return FamilyChoice(plain)
    return FamilyChoice(plain + metric if clear else plain, candidates, found[clear].weights)


def compare_families(
    found: list[LearnedWeights],
    standard_errors: float,
    names: tuple[str, str],
    question: str,
    min_gain: float = 0.0,
) -> tuple[bool, tuple[Candidate, ...]]:
    """Return whether the second of two families is clearly better, and both as candidates.

    There are no candidates if there is nothing to learn from.

    Parameters
    ----------
    found : list of LearnedWeights
        Those of the simpler family, and of the other one.
    standard_errors : float
        The other one must be better by this many standard errors of the difference.
    names : tuple of str
    question : str
        What the families are alternatives for.
    min_gain : float, default=0.0
        Relative decrease of the error that the other one must reach as well.
    """
    errors = [one.errors for one in found if one.errors is not None]
    if len(errors) < len(found):
        return False, ()
    gain = errors[0] - errors[1]
    limit = max(standard_errors * standard_error(gain), min_gain * float(errors[0].mean()))
    clear = float(gain.mean()) > limit
    limits = ["one standard error" if standard_errors == 1 else "two standard errors"]
    limits += [f"{100 * min_gain:g} %"] if min_gain else []
    reasons = (f"simpler; the other is not lower by more than {' and '.join(limits)}", "")
    if clear:
        reasons = ("", f"lower by more than {' and '.join(limits)}")
    candidates = tuple(
        Candidate.of(name, losses, reason, question=question)
        for name, losses, reason in zip(names, errors, reasons, strict=True)
    )
    return clear, candidates
