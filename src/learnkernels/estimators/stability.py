"""Stability of a fitted model: how far a prediction can move if one training sample is replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels import theory
from learnkernels.checks import is_number
from learnkernels.estimators.fitting import Prepared, regularization
from learnkernels.gram import CenteredKernels
from learnkernels.machines import Machine
from learnkernels.methods import Align, AlignF, L2Ridge, Uniform, WeightMethod


class NoBound(Exception):
    """Raised with the reason why a bound does not apply to a model."""


@dataclass(frozen=True)
class Extent:
    """How far the training samples are apart; new samples are assumed to be no farther.

    Attributes
    ----------
    distances : ndarray of shape (n_kernels,)
        Largest squared distance of two samples in the feature space of each base kernel.
    diagonals : ndarray of shape (n_kernels,)
        Largest k(x, x) of each base kernel, not centered if `center` is False.
    target : float
        Largest squared distance of two targets of alignment.
    """

    distances: np.ndarray
    diagonals: np.ndarray
    target: float

    @classmethod
    def of(cls, part: Prepared) -> Extent:
        """Return the extent of some samples, for the base kernels before scaling."""
        kernels = part.centered()
        grams = (kernels.gram_of(k) for k in range(kernels.n_kernels))
        found = np.array([(squared_distances(K).max(), np.diag(K).max()) for K in grams])
        target = squared_distances(part.sums.Y @ part.sums.Y.T).max()
        return cls(found[:, 0], found[:, 1], float(target)).scaled(1 / kernels.statistics.scales)

    def scaled(self, scales: np.ndarray) -> Extent:
        """Return the same for kernels that are divided by scales."""
        return Extent(self.distances / scales, self.diagonals / scales, self.target)


def squared_distances(K: np.ndarray) -> np.ndarray:
    """Return the squared distances of all pairs of samples in feature space, (n, n)."""
    diagonal = np.diag(K)
    return np.asarray(np.maximum(diagonal[:, None] + diagonal - 2 * K, 0.0))


@dataclass(frozen=True)
class Stability:
    """Bounds for one fitted ridge model.

    Attributes
    ----------
    change : float
        Bound on the change of a prediction if one training sample is replaced.
    residual : float
        Bound on ``|h(x) - y|``.
    uniform : bool
        Whether `change` is the same for every training set within the extent, as a bound on the
        error of new samples needs it.
    """

    change: float
    residual: float
    uniform: bool


def stability_of(
    estimator: Any, method: WeightMethod, machine: Machine | None, prepared: Prepared,
    kernels: CenteredKernels, extent: Extent,
) -> Stability:  # fmt: skip
    """Return the stability of a fitted model; raise `NoBound` if none is known.

    Parameters
    ----------
    estimator, method, machine
        The fitted model and its two stages.
    prepared, kernels
        All training samples.
    extent : Extent
        For the kernels after scaling.
    """
    alpha = given_alpha(estimator, machine, prepared)
    lambda_0, center = alpha / kernels.n_samples, prepared.center
    Y = prepared.Y
    M = float(np.ptp(Y, axis=0).max() / 2 if center else np.abs(Y).max())
    bounds = extent.distances if center else extent.diagonals
    if isinstance(method, L2Ridge):
        return one_stage(method, prepared, bounds, M, lambda_0)
    change = weight_change(method, prepared, kernels, extent)
    radius = float(estimator.weights_.sum()) + change
    kappa = radius * float(bounds.max())
    moved = theory.two_stage_stability(
        len(Y), float(bounds.max()), M, lambda_0, radius=radius, change=change, intercept=center
    )
    residual = theory.largest_residual(kappa, M, lambda_0, intercept=center)
    fixed = has_fixed_weights(method, kernels.n_kernels) and prepared.normalize is None
    return Stability(moved, residual, fixed)


def given_alpha(estimator: Any, machine: Machine | None, prepared: Prepared) -> float:
    """Return ridge's alpha, if the machine is ridge on all samples and the user gave one value."""
    if machine is None or machine.name != "ridge":
        raise NoBound(
            "it is known for ridge only; an SVM with an unpenalised intercept is not stable "
            "(theory.svm_stability is for one without)"
        )
    name = "C" if prepared.task == "classification" else "alpha"
    value = getattr(estimator, name)
    if not is_number(value):
        raise NoBound(f"{name} was chosen by the samples; it must be given as a number")
    if prepared.n_components is not None and prepared.n_components < len(prepared.Y):
        raise NoBound("the landmarks of n_components depend on the samples")
    return regularization(machine, value, prepared.task)


def one_stage(
    method: L2Ridge, prepared: Prepared, bounds: np.ndarray, M: float, lambda_0: float
) -> Stability:
    """Return the stability of `l2-krr`."""
    if prepared.normalize is not None or prepared.Y.shape[1] > 1:
        raise NoBound("for l2-krr it is known for normalize=None and one output")
    mu0 = np.broadcast_to(np.asarray(method.mu0, dtype=float), bounds.shape)
    # max_mu sum_k mu_k D_k^2 over |mu - mu0| <= radius
    kappa = float(mu0 @ bounds + method.radius * np.linalg.norm(bounds))
    center = prepared.center
    B = theory.largest_residual(kappa, M, lambda_0, intercept=center)
    moved = theory.learned_ridge_stability(len(prepared.Y), kappa, B, lambda_0, intercept=center)
    return Stability(moved, B, True)


def has_fixed_weights(method: WeightMethod, n_kernels: int) -> bool:
    """Return whether the weights do not depend on the samples."""
    return isinstance(method, Uniform) or (n_kernels == 1 and isinstance(method, (Align, AlignF)))


def weight_change(
    method: WeightMethod, prepared: Prepared, kernels: CenteredKernels, extent: Extent
) -> float:
    """Return a bound on the change of the weights of fixed kernels, if one sample is replaced.

    The kernels are those with the scales of the training samples; other samples have other
    scales, which changes the weights of the fixed kernels too.
    """
    found, n = kernels.statistics, kernels.n_samples
    if found.constant.any() or (found.observed < n).any():
        raise NoBound("a base kernel is constant, or missing for some training samples")
    scale = scale_change(prepared, kernels, extent)
    # mu_k / c_k with c_k in [1 - scale, 1 + scale]
    rescaled = scale / (1 - scale)
    if has_fixed_weights(method, kernels.n_kernels):
        return rescaled
    a, square = np.maximum(found.a, 0.0) / n**2, (found.target_norm / n) ** 2
    if isinstance(method, Align) and method.q == 2:
        change = theory.align_change(
            n, a, found.squares / n**2, square, extent.distances, extent.target
        )
        total = change + rescaled
    elif isinstance(method, AlignF):
        M = np.maximum(found.M, 0.0) / n**2
        change = theory.alignf_change(n, a, M, extent.distances, extent.target)
        # v / sum_k c_k v_k: with t = |dv|_1 / |v|_1 at most t + (t + (1 + t) scale) / (1 - scale)
        t = change / 2
        total = t + (t + (1 + t) * scale) / (1 - scale)
    else:
        raise NoBound(f"the change of the weights of {method.name!r} is not bounded")
    if change >= 2:
        raise NoBound("the samples are too few to bound the change of the weights")
    return total


def scale_change(prepared: Prepared, kernels: CenteredKernels, extent: Extent) -> float:
    """Return the largest relative change of a scale of ``normalize=`` if a sample is replaced."""
    n = kernels.n_samples
    if prepared.normalize is None:
        return 0.0
    if prepared.normalize == "trace":
        bounds = extent.distances if prepared.center else extent.diagonals
        found = float(np.max(bounds / kernels.traces))
    elif prepared.normalize == "frobenius":
        found = float(np.max(2 * extent.distances / np.sqrt(kernels.statistics.squares)))
    else:
        raise NoBound(f"the scales of normalize={prepared.normalize!r} depend on all samples")
    if found >= 1:
        raise NoBound(f"{n} samples are too few to bound the change of the scales of the kernels")
    return found
