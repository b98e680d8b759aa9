"""Guarantees of a fitted model: bounds of the papers, and how to read each number."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnkernels import theory
from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Prepared, regularization
from learnkernels.estimators.html import guarantees_html
from learnkernels.estimators.refit import refit
from learnkernels.gram import CenteredKernels, alignment
from learnkernels.theory.checks import fraction

# Samples beyond which eigenvalues and bootstrap draws use a subset.
MAX_SAMPLES = 2000


@dataclass(frozen=True)
class Guarantee:
    """One bound or quantity.

    Attributes
    ----------
    name : str
        Name of the quantity.
    value : float
        The bound, or the quantity.
    vacuous : bool
        Whether the bound is not better than the trivial one.
    sentence : str
        How to read it, and when it is vacuous.
    """

    name: str
    value: float
    vacuous: bool
    sentence: str


@dataclass(frozen=True)
class Guarantees:
    """All guarantees of a model, printed as a small table.

    Attributes
    ----------
    entries : tuple of Guarantee
    delta : float
        Probability with which a bound may fail.
    """

    entries: tuple[Guarantee, ...]
    delta: float

    def __getitem__(self, name: str) -> Guarantee:
        return next(entry for entry in self.entries if entry.name == name)

    def __str__(self) -> str:
        width = max(len(entry.name) for entry in self.entries)
        rows = []
        for entry in self.entries:
            mark = "vacuous" if entry.vacuous else ""
            rows.append(f"{entry.name:<{width}}  {entry.value:>10.4g}  {mark:<7}  {entry.sentence}")
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        return guarantees_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {"delta": self.delta, "entries": [asdict(entry) for entry in self.entries]}


def guarantees_of(estimator: Any, X: Any, y: Any, delta: float, random_state: Any) -> Guarantees:
    """Return the guarantees of a fitted estimator on its training data.

    Parameters
    ----------
    estimator : KernelClassifier, KernelRegressor or KernelLearner
    X, y
        The training data.
    delta : float
        Probability with which a bound may fail.
    random_state : int, RandomState or None
        Of the bootstrap.
    """
    fraction("delta", delta)
    again = refit(estimator, X, y)
    prepared, mu = again.prepared, estimator.weights_
    if again.kernels.statistics.target_norm == 0:
        raise InputError(
            "the target is constant, so the model has no guarantees; pass a target that varies."
        )
    n = len(prepared.Y)
    some = np.linspace(0, n - 1, min(n, MAX_SAMPLES)).round().astype(int)
    part = prepared if len(some) == n else prepared.take(some)
    kernels = part.centered()
    K, Y, rho = kernels.gram(mu), part.sums.Y, estimator.alignment_
    entries = alignment_entries(rho, n, K, Y, delta, random_state)
    if Y.shape[1] == 1:
        entries.append(existence_entry(rho, K, prepared.task))
    if again.machine is not None and again.machine.name == "ridge":
        value: float = estimator.alpha_ if hasattr(estimator, "alpha_") else estimator.C_
        alpha = regularization(again.machine, value, prepared.task)
        residual = float(np.mean((prepared.Y - estimator._outputs(X)) ** 2))
        entries.append(stability_entry(n, part, kernels, mu, alpha, residual, delta))
    entries.append(rademacher_entry(K, n, delta))
    return Guarantees(tuple(entries), delta)


def alignment_entries(
    rho: float, n: int, K: np.ndarray, Y: np.ndarray, delta: float, random_state: Any
) -> list[Guarantee]:
    """Return the alignment, its concentration bound and a bootstrap interval."""
    m = len(K)
    target = Y - Y.mean(axis=0)
    sizes = float(np.diag(K).max()), float(np.sum(target**2, axis=1).max())
    # Alignment does not depend on the kernels' scales; this one makes theorem 12 sharpest.
    square = float(np.linalg.norm(K) / m) * float(np.linalg.norm(target.T @ target) / m)
    distance = theory.alignment_concentration(n, *sizes, square, square, delta)
    ends = theory.bootstrap_alignment(
        K, target, level=1 - delta, n_draws=200, random_state=random_state
    )
    # K may be that of some samples: around the alignment of all.
    low, high = np.clip(np.array(ends) + rho - alignment(K, target @ target.T), 0.0, 1.0)
    return [
        Guarantee("alignment", rho, False, "of the learned kernel with the target, from 0 to 1"),
        Guarantee(
            "alignment, distance", distance, distance >= 1,
            "upper bound on the distance to the true alignment (2012, theorem 12); vacuous from 1",
        ),
        Guarantee(
            "alignment, lowest", float(low), False,
            f"lower end of the {100 * (1 - delta):g} % bootstrap interval, which is not a proof",
        ),
        Guarantee("alignment, highest", float(high), False, "its upper end"),
    ]  # fmt: skip


def existence_entry(rho: float, K: np.ndarray, task: str) -> Guarantee:
    """Return the error bound of a predictor with this kernel."""
    if task == "classification":
        gamma = theory.spread(K)
        value = theory.aligned_classifier_error(min(rho, 1.0), gamma)
        return Guarantee(
            "error of a predictor", value, value >= 0.5,
            "upper bound on the error of some predictor with this kernel (2012, theorem 13, "
            f"Gamma = {gamma:.2f}); vacuous above 0.5",
        )  # fmt: skip
    value = theory.aligned_regressor_error(min(rho, 1.0))
    return Guarantee(
        "error of a predictor", value, value >= 1,
        "upper bound on the squared error of some predictor with this kernel, in variances of y "
        "(2012, theorem 14); vacuous from 1",
    )  # fmt: skip


def stability_entry(
    n: int, part: Prepared, kernels: CenteredKernels, mu: np.ndarray, alpha: float,
    residual: float, delta: float,
) -> Guarantee:  # fmt: skip
    """Return the stability bound of ridge."""
    centered = part.Y - (part.Y.mean(axis=0) if part.center else 0.0)
    diagonals = [float(np.diag(kernels.gram_of(int(k))).max()) for k in np.flatnonzero(mu)]
    value = theory.two_stage_generalization(
        residual, n, max(diagonals), float(np.abs(centered).max()), alpha / n, delta,
        radius=float(mu.sum()), change=2 * float(mu.sum()) * n,
    )  # fmt: skip
    variance = float(np.mean(centered**2))
    return Guarantee(
        "squared error, new samples", value, value >= variance,
        "upper bound for ridge with this kernel, by stability (2012, theorem 17, for any change of "
        f"the weights); vacuous from {variance:.3g}, the variance of y",
    )  # fmt: skip


def rademacher_entry(K: np.ndarray, n: int, delta: float) -> Guarantee:
    """Return the excess risk bound by local Rademacher complexity."""
    eigenvalues = np.maximum(np.linalg.eigvalsh(K), 0.0) / len(K)
    r_star = theory.fixed_point(eigenvalues, n, factor=8, shrink=1 / 16)
    value = theory.excess_risk(r_star, n, delta)
    return Guarantee(
        "excess risk", value, value >= 2,
        "upper bound on the excess risk over the best function in the unit ball (2013, theorem 8, "
        f"r* = {r_star:.3g}); vacuous from 2",
    )  # fmt: skip
