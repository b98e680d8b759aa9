"""Guarantees of a fitted model: bounds of the papers, and how to read each number."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnkernels import theory
from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Prepared
from learnkernels.estimators.outputs.html import guarantees_html
from learnkernels.estimators.refit import Refit, refit
from learnkernels.estimators.stability import (
    Extent,
    NoBound,
    Stability,
    squared_distances,
    stability_of,
)
from learnkernels.gram import alignment
from learnkernels.methods import as_method
from learnkernels.theory.checks import fraction

# Samples beyond which eigenvalues, distances and bootstrap draws use a subset.
MAX_SAMPLES = 2000
# Base kernels beyond which their distances, which need a Gram matrix each, are not computed.
MAX_KERNELS = 100
STABILITY = "change of a prediction", "squared error, new samples"
ASSUMPTIONS = (
    "The bounds hold for independent samples, for base kernels that were chosen without these "
    "samples, and if no two possible samples are farther apart, in feature space and in the "
    "target, than two of the training samples."
)


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
class Omitted:
    """A bound that does not apply to the model.

    Attributes
    ----------
    name : str
        Name of the quantity.
    reason : str
        Why it does not apply.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Guarantees:
    """All guarantees of a model, printed as a small table.

    Attributes
    ----------
    entries : tuple of Guarantee
    omitted : tuple of Omitted
        Bounds that do not apply to the model.
    delta : float
        Probability with which a bound may fail.
    assumptions : str
        Under which the bounds hold.
    """

    entries: tuple[Guarantee, ...]
    omitted: tuple[Omitted, ...]
    delta: float
    assumptions: str = ASSUMPTIONS

    def __getitem__(self, name: str) -> Guarantee:
        return next(entry for entry in self.entries if entry.name == name)

    def __str__(self) -> str:
        names = [entry.name for entry in self.entries] + [one.name for one in self.omitted]
        width = max(map(len, names))
        rows = []
        for entry in self.entries:
            mark = "vacuous" if entry.vacuous else ""
            rows.append(f"{entry.name:<{width}}  {entry.value:>10.4g}  {mark:<7}  {entry.sentence}")
        rows += [f"{one.name:<{width}}  does not apply: {one.reason}" for one in self.omitted]
        return "\n".join([*rows, self.assumptions])

    def _repr_html_(self) -> str:
        return guarantees_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {
            "delta": self.delta,
            "entries": [asdict(entry) for entry in self.entries],
            "omitted": [asdict(one) for one in self.omitted],
            "assumptions": self.assumptions,
        }


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
    if again.kernels.statistics.target_norm == 0:
        raise InputError(
            "the target is constant, so the model has no guarantees; pass a target that varies."
        )
    prepared = again.prepared
    n = len(prepared.Y)
    some = np.linspace(0, n - 1, min(n, MAX_SAMPLES)).round().astype(int)
    part = prepared if len(some) == n else prepared.take(some)
    K, Y = part.centered().gram(estimator.weights_), part.sums.Y
    found = Collected(alignment_entries(estimator.alignment_, K, Y, delta, random_state), [])
    found.add("error of a predictor", lambda: existence_entry(K, part))
    try:
        raw = extent_of(part)
    except NoBound as reason:
        names = ["alignment, distance", "excess risk"]
        names += STABILITY if again.machine is not None else ()
        found.omitted.extend(Omitted(name, str(reason)) for name in names)
        return Guarantees(tuple(found.entries), tuple(found.omitted), delta)
    weights, extent = estimator.weights_, raw.scaled(again.kernels.statistics.scales)
    found.add("alignment, distance", lambda: distance_entry(again, weights, Y, extent, delta))
    found.add("excess risk", lambda: excess_risk_entry(part, raw, n, delta))
    if again.machine is not None:
        errors = np.mean((prepared.Y - estimator._outputs(X)) ** 2)
        add_stability(found, estimator, again, extent, float(errors), delta)
    return Guarantees(tuple(found.entries), tuple(found.omitted), delta)


@dataclass(frozen=True)
class Collected:
    """Entries so far, and bounds that do not apply."""

    entries: list[Guarantee]
    omitted: list[Omitted]

    def add(self, name: str, entry: Any) -> None:
        """Add an entry, or the reason why the bound does not apply."""
        try:
            self.entries.append(entry())
        except NoBound as reason:
            self.omitted.append(Omitted(name, str(reason)))


def extent_of(part: Prepared) -> Extent:
    """Return how far samples are apart, for the base kernels before scaling."""
    p = len(part.sums.kernels.names)
    if p > MAX_KERNELS:
        raise NoBound(f"distances are computed for at most {MAX_KERNELS} base kernels, not {p}")
    return Extent.of(part)


def alignment_entries(
    rho: float, K: np.ndarray, Y: np.ndarray, delta: float, random_state: Any
) -> list[Guarantee]:
    """Return the alignment and a bootstrap interval."""
    target = Y - Y.mean(axis=0)
    ends = theory.bootstrap_alignment(
        K, target, level=1 - delta, n_draws=200, random_state=random_state
    )
    # K may be that of some samples: around the alignment of all.
    low, high = np.clip(np.array(ends) + rho - alignment(K, target @ target.T), 0.0, 1.0)
    return [
        Guarantee("alignment", rho, False, "of the learned kernel with the target, from 0 to 1"),
        Guarantee(
            "alignment, lowest", float(low), False,
            f"lower end of the {100 * (1 - delta):g} % bootstrap interval, an estimate and not a "
            "bound",
        ),
        Guarantee("alignment, highest", float(high), False, "its upper end"),
    ]  # fmt: skip


def distance_entry(
    again: Refit, mu: np.ndarray, Y: np.ndarray, extent: Extent, delta: float
) -> Guarantee:
    """Return the concentration bound of the alignment, for weights that were learned."""
    found, n, t = again.kernels.statistics, again.kernels.n_samples, Y.shape[1]
    # Jung's theorem: points at distances up to D lie in a ball of radius^2 D^2 t / (2 t + 2).
    value = theory.alignment_concentration(
        n,
        float(np.abs(mu) @ extent.distances) / 2,
        extent.target * t / (2 * t + 2),
        found.inner.form(mu) / n**2,
        (found.target_norm / n) ** 2,
        delta,
        n_kernels=len(mu),
    )
    return Guarantee(
        "alignment, distance", value, value >= 1,
        "upper bound on the distance to the alignment of infinitely many samples, for learned "
        "weights too (2012, theorem 12); vacuous from 1",
    )  # fmt: skip


def existence_entry(K: np.ndarray, part: Prepared) -> Guarantee:
    """Return the bound on the training error of the alignment predictor with this kernel."""
    Y = part.sums.Y
    if Y.shape[1] > 1:
        raise NoBound("theorems 13 and 14 of 2012 are about two classes or one target")
    rho = float(np.clip(alignment(K, Y @ Y.T), 0.0, 1.0))
    if part.task == "regression":
        value = theory.aligned_regressor_error(rho)
        return Guarantee(
            "error of a predictor", value, value >= 1,
            'upper bound on the squared training error of machine="alignment" with this kernel, in '
            "variances of y (2012, theorem 14); vacuous from 1",
        )  # fmt: skip
    share = float(np.mean(part.Y > 0))
    variance, gamma = 4 * share * (1 - share), theory.spread(K)
    value = min(
        theory.aligned_classifier_error(rho, gamma, variance),
        theory.moment_classifier_error(rho, variance),
    )
    rare = min(share, 1 - share)
    return Guarantee(
        "error of a predictor", value, value >= rare,
        'upper bound on the training error of machine="alignment" with this kernel (2012, theorem '
        f"13, Gamma = {gamma:.2f}); vacuous from {rare:.3g}, the share of the rarer class",
    )  # fmt: skip


def excess_risk_entry(part: Prepared, extent: Extent, n: int, delta: float) -> Guarantee:
    """Return the excess risk of the class of all learned kernels, by local complexity."""
    if part.Y.shape[1] > 1:
        raise NoBound("theorem 8 of 2013 is about one target")
    kernels = part.centered()
    # Each base kernel in units of its largest squared distance, which no sample changes.
    distances = extent.scaled(kernels.statistics.scales).distances
    units = np.divide(1.0, distances, out=np.zeros(len(distances)), where=distances > 0)
    G = kernels.gram(units)
    D2 = float(squared_distances(G).max())
    G -= G.mean(axis=0)
    G -= G.mean(axis=1, keepdims=True)
    eigenvalues = np.maximum(np.linalg.eigvalsh(G), 0.0) / len(G)
    value = theory.learned_class_excess_risk(eigenvalues, n, D2, delta)
    half = float(np.ptp(part.Y) / 2)
    trivial = float(np.var(part.Y) / half**2) / 2
    return Guarantee(
        "excess risk", value, value >= trivial,
        "upper bound on the excess risk of least squares (halved, in units of half the range of y, "
        "squared) over the functions of all combinations of the base kernels that vary by at most "
        f"the range of y (2013, theorem 8); vacuous from {trivial:.3g}, that of the mean",
    )  # fmt: skip


def add_stability(
    found: Collected, estimator: Any, again: Refit, extent: Extent, error: float, delta: float
) -> None:
    """Add how stable predictions are, and the bound on the error that follows."""
    prepared = again.prepared
    method = as_method(estimator.method, prepared.task)
    try:
        stable = stability_of(estimator, method, again.machine, prepared, again.kernels, extent)
    except NoBound as reason:
        found.omitted.extend(Omitted(name, str(reason)) for name in STABILITY)
        return
    size = float(np.ptp(prepared.Y, axis=0).max())
    found.entries.append(
        Guarantee(
            STABILITY[0], stable.change, stable.change >= size,
            "upper bound if one training sample is replaced (2012, theorem 16); vacuous from "
            f"{size:.3g}, the range of y",
        )
    )  # fmt: skip
    found.add(STABILITY[1], lambda: error_entry(stable, prepared, error, delta))


def error_entry(stable: Stability, prepared: Prepared, error: float, delta: float) -> Guarantee:
    """Return the bound on the squared error of new samples."""
    if not stable.uniform:
        raise NoBound(
            "the change of the weights or of the scales of normalize= is bounded for these "
            "training samples only; unif and l2-krr with normalize=None have a bound"
        )
    value = theory.learned_ridge_generalization(
        error, 2 * stable.residual * stable.change, len(prepared.Y), stable.residual, delta
    )
    variance = float(np.mean(np.var(prepared.Y, axis=0)))
    return Guarantee(
        "squared error, new samples", value, value >= variance,
        f"upper bound by stability (2012, theorem 17); vacuous from {variance:.3g}, the variance "
        "of y",
    )  # fmt: skip
