"""What can be promised of a fitted model, with a sentence on how to read each number."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnkernels import theory
from learnkernels.estimators.learning import Stage
from learnkernels.gram import alignment
from learnkernels.machines import Ridge

__all__ = ["Guarantee", "Guarantees", "guarantees_of"]

# Samples beyond which eigenvalues and draws of the bootstrap come from some of them.
MOST_SAMPLES = 2000


@dataclass(frozen=True)
class Guarantee:
    """One number.

    Attributes
    ----------
    name : str
        What it is about.
    value : float
        The bound, or the quantity.
    vacuous : bool
        Whether the bound is no better than what is trivially true.
    sentence : str
        How to read it, and when it says nothing.
    """

    name: str
    value: float
    vacuous: bool
    sentence: str


@dataclass(frozen=True)
class Guarantees:
    """All that can be said of a model, printed as a small table.

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

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {"delta": self.delta, "entries": [asdict(entry) for entry in self.entries]}


def guarantees_of(
    stage: Stage, rho: float, mu, machine, alpha, residual, delta, seed
) -> Guarantees:
    """The guarantees of a learned kernel on its training samples.

    Parameters
    ----------
    stage : Stage
        Of the training samples.
    rho : float
        Alignment of the learned kernel with the target.
    mu : ndarray of shape (n_kernels,)
        The learned weights.
    machine : Machine
        The second stage.
    alpha : float or None
        Its regularisation, where it is ridge.
    residual : float or None
        Its mean squared error on the training samples, where it is ridge.
    delta : float
        Probability with which a bound may fail.
    seed : int
        Of the bootstrap.
    """
    n = len(stage.Y)
    some = np.linspace(0, n - 1, min(n, MOST_SAMPLES)).round().astype(int)
    part = stage if len(some) == n else stage.take(some)
    oracle = part.oracle()
    K, Y = oracle.gram(mu), part.sums.Y
    entries = alignment_entries(rho, n, K, Y, delta, seed)
    if Y.shape[1] == 1:
        entries.append(existence_entry(rho, K, stage.task))
    if isinstance(machine, Ridge):
        entries.append(stability_entry(n, part, oracle, mu, alpha, residual, delta))
    entries.append(rademacher_entry(K, n, delta))
    return Guarantees(tuple(entries), delta)


def alignment_entries(rho, n, K, Y, delta, seed) -> list[Guarantee]:
    m = len(K)
    target = Y - Y.mean(axis=0)
    sizes = float(np.diag(K).max()), float(np.sum(target**2, axis=1).max())
    # Alignment does not depend on the kernels' scales; this one makes theorem 12 sharpest.
    square = float(np.linalg.norm(K) / m) * float(np.linalg.norm(target.T @ target) / m)
    distance = theory.alignment_concentration(n, *sizes, square, square, delta)
    ends = theory.bootstrap_alignment(K, target, level=1 - delta, n_draws=200, random_state=seed)
    # K may be that of some samples: around the alignment of all.
    low, high = np.clip(np.array(ends) + rho - alignment(K, target @ target.T), 0.0, 1.0)
    return [
        Guarantee("alignment", rho, False, "of the learned kernel with the target, from 0 to 1"),
        Guarantee(
            "alignment, distance", distance, distance >= 1,
            "how far the true alignment may be (2012, theorem 12); says nothing from 1 on",
        ),
        Guarantee(
            "alignment, lowest", float(low), False,
            f"lower end of the bootstrap's {100 * (1 - delta):g} % interval; no proof, but near "
            "the truth",
        ),
        Guarantee("alignment, highest", float(high), False, "its upper end"),
    ]  # fmt: skip


def existence_entry(rho, K, task) -> Guarantee:
    if task == "classification":
        gamma = theory.spread(K)
        value = theory.aligned_classifier_error(min(rho, 1.0), gamma)
        return Guarantee(
            "error of a predictor", value, value >= 0.5,
            f"some predictor of this kernel errs no more often (2012, theorem 13, Gamma = "
            f"{gamma:.2f}); says nothing from 0.5 on, and not which predictor it is",
        )  # fmt: skip
    value = theory.aligned_regressor_error(min(rho, 1.0))
    return Guarantee(
        "error of a predictor", value, value >= 1,
        "some predictor of this kernel has no larger squared error, in variances of y (2012, "
        "theorem 14); says nothing from 1 on",
    )  # fmt: skip


def stability_entry(n, part: Stage, oracle, mu, alpha, residual, delta) -> Guarantee:
    centered = part.Y - (part.Y.mean(axis=0) if part.center else 0.0)
    diagonals = [float(np.diag(oracle.gram_of(k)).max()) for k in np.flatnonzero(mu)]
    value = theory.two_stage_generalization(
        residual, n, max(diagonals), float(np.abs(centered).max()), alpha / n, delta,
        radius=float(mu.sum()), change=2 * float(mu.sum()) * n,
    )  # fmt: skip
    variance = float(np.mean(centered**2))
    return Guarantee(
        "squared error, new samples", value, value >= variance,
        f"of ridge with this kernel, by stability (2012, theorem 17; the weights may change in any "
        f"way); says nothing from {variance:.3g}, the variance of y, on",
    )  # fmt: skip


def rademacher_entry(K, n, delta) -> Guarantee:
    eigenvalues = np.maximum(np.linalg.eigvalsh(K), 0.0) / len(K)
    r_star = theory.fixed_point(eigenvalues, n, factor=8, shrink=1 / 16)
    value = theory.excess_risk(r_star, n, delta)
    return Guarantee(
        "excess risk", value, value >= 2,
        f"how much worse than the best function of the kernel's unit ball least squares is, by its "
        f"local Rademacher complexity (2013, theorem 8, r* = {r_star:.3g}); says nothing from 2 on",
    )  # fmt: skip
