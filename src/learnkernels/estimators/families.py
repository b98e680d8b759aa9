"""The default family with or without a learned metric, chosen by held-out error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from learnkernels import progress
from learnkernels._warnings import suppressed
from learnkernels.errors import ConstantKernelWarning, UndefinedAlignmentWarning
from learnkernels.estimators.fitting import gradient_products, learn, prepare
from learnkernels.execution import Backend
from learnkernels.kernels import learned_metric, resolve, table
from learnkernels.machines import Ridge
from learnkernels.methods import Candidate, LeaveOneOut
from learnkernels.methods.candidates import standard_error

# Samples that learn the metric, and as many others that compare the families.
HALF = 400
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


def choose_family(
    X: Any, Y: np.ndarray, w: np.ndarray, task: str, backend: Backend
) -> tuple[Any, tuple[Candidate, ...]]:
    """Return `table`, alone or with `learned_metric`, and the candidates.

    The metric is learned on some samples, and both families are compared on others by the
    leave-one-out error of ridge: on its own samples a learned metric looks better than it is.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The training samples.
    Y : ndarray of shape (n_samples, n_outputs)
        Labels -1 and 1, or real targets.
    w : ndarray of shape (n_samples,)
        Sample weights.
    task : {"classification", "regression"}
    backend : Backend
    """
    rule = RULES[task]
    plain, metric = table(), learned_metric(full=rule.full)
    n, columns = X.shape
    if not isinstance(X, np.ndarray) or n < rule.min_samples or not 2 <= columns <= MAX_COLUMNS:
        return plain, ()
    order = np.random.RandomState(0).permutation(n)
    h = min(HALF, n // 2)
    first, second = order[:h], order[h : 2 * h]
    products = partial(gradient_products, task=task, backend=backend)
    errors = []
    with (
        progress.within("choosing kernels"),
        suppressed(ConstantKernelWarning),
        suppressed(UndefinedAlignmentWarning),
    ):
        for family in (plain, plain + metric):
            kernels = resolve(
                family, X[first], w[first], target=Y[first], gradient_products=products
            )
            prepared = prepare(
                kernels, X[second], Y[second], Y[second], task=task, normalize="trace",
                center=True, sample_weight=w[second], backend=backend,
            )  # fmt: skip
            found = learn(prepared, LeaveOneOut(), Ridge()).result.errors
            if found is None:  # nothing to learn from
                return plain, ()
            errors.append(found)
    gain = errors[0] - errors[1]
    clear = float(gain.mean()) > rule.standard_errors * standard_error(gain)
    reasons = ("", "clearly lower") if clear else ("simpler, not clearly worse", "")
    names = ("table", "table + learned metric")
    rows = tuple(
        Candidate.of(name, found, reason, question="kernels")
        for name, found, reason in zip(names, errors, reasons, strict=True)
    )
    return (plain + metric if clear else plain), rows
