"""The default family with or without a learned metric, chosen by held-out error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels import progress
from learnkernels._warnings import suppressed
from learnkernels.errors import ConstantKernelWarning, TableWarning, UndefinedAlignmentWarning
from learnkernels.estimators.fitting import gradient_products, learn, prepare
from learnkernels.execution import Backend
from learnkernels.kernels import Kernel, resolve, table
from learnkernels.kernels.learned_metric import LearnedMetric
from learnkernels.kernels.tables import rows
from learnkernels.machines import Ridge
from learnkernels.methods import Candidate, LearnedWeights, LeaveOneOut
from learnkernels.significance import standard_error

# Samples that learn the metric, and as many others that compare the families: a fifth of all,
# within these bounds.
HALVES = 400, 800
# More columns have no learned metric.
MAX_COLUMNS = 100


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
    """Choose `table`, alone or with `learned_metric`.

    The metric is learned on some samples, and both families are compared on others by the
    leave-one-out error of ridge: on its own samples a learned metric looks better than it is.

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
    rule = RULES[task]
    plain = table()
    n, columns = X.shape
    if sparse.issparse(X) or n < rule.min_samples or not 2 <= columns <= MAX_COLUMNS:
        return FamilyChoice(plain)
    order = np.random.RandomState(0).permutation(n)
    h = min(n // 2, int(np.clip(n // 5, *HALVES)))
    first, second = order[:h], order[h : 2 * h]

    def members(family: Any) -> list[Kernel]:
        products = partial(gradient_products, task=task, backend=backend)
        return resolve(
            family, rows(X, first), w[first], target=Y[first], gradient_products=products
        )

    def learned(
        kernels: list[Kernel], samples: np.ndarray, start: np.ndarray | None
    ) -> LearnedWeights:
        prepared = prepare(
            kernels, rows(X, samples), Y[samples], Y[samples], task=task, normalize="trace",
            center=True, sample_weight=w[samples], backend=backend,
        )  # fmt: skip
        return learn(prepared, LeaveOneOut(tol=1e-3), Ridge(), start=start).result

    with (
        progress.within("choosing kernels"),
        suppressed(ConstantKernelWarning),
        suppressed(TableWarning),
        suppressed(UndefinedAlignmentWarning),
    ):
        known = members(plain)
        start = learned(known, first, None).weights
        metric = LearnedMetric(full=rule.full, start=tuple(start.tolist()))
        found = [
            learned(known, second, start),
            learned(known + members(metric), second, np.tile(start, 2)),
        ]
    errors = [one.errors for one in found if one.errors is not None]
    if len(errors) < len(found):  # nothing to learn from
        return FamilyChoice(plain)
    gain = errors[0] - errors[1]
    clear = float(gain.mean()) > rule.standard_errors * standard_error(gain)
    within = "one standard error" if rule.standard_errors == 1 else "two standard errors"
    reasons = ("", f"lower by more than {within}") if clear else (f"simpler, within {within}", "")
    names = ("table", "table + learned metric")
    candidates = tuple(
        Candidate.of(name, losses, reason, question="kernels")
        for name, losses, reason in zip(names, errors, reasons, strict=True)
    )
    return FamilyChoice(plain + metric if clear else plain, candidates, found[clear].weights)
