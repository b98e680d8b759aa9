"""Stability of the weights: learn them again on random halves of the samples.

A half drawn without replacement has the variance of a bootstrap sample: the mean of n/2 of n
samples has variance s^2 / (n/2) * (1 - 1/2) = s^2 / n. No sample is drawn twice, which would favour
kernels that are close to the identity matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels._warnings import counted_unconverged, suppressed
from learnkernels.errors import UndefinedAlignmentWarning
from learnkernels.estimators import learn, refit
from learnkernels.machines import Ridge
from learnkernels.methods import as_method
from learnkernels.progress import track, within
from learnkernels.reporting.scores import fitted_regularization


def shares(weights: np.ndarray) -> np.ndarray:
    """Divide weights by the sum of their absolute values, shape (..., n_kernels)."""
    total = np.abs(weights).sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def shares_on_halves(
    fitted: Any, X: Any, y: Any, draws: int, random_state: int, sample_weight: Any = None
) -> tuple[np.ndarray, int]:
    """Learn the weights on random halves of the samples.

    Parameters
    ----------
    fitted : KernelClassifier, KernelRegressor or KernelLearner
        Estimator with the kernels, the method and the regularisation parameter.
    X, y
        Its training data.
    draws : int
        Number of halves.
    random_state : int
        Seed of the halves.
    sample_weight : ndarray of shape (n_samples,) or None
        The sample weights of the fit.

    Returns
    -------
    shares : ndarray of shape (draws, n_kernels)
        Weights divided by the sum of their absolute values.
    unconverged : int
        Number of halves on which the method did not converge.
    """
    again = refit(fitted, X, y, sample_weight)
    prepared, machine = again.prepared, again.machine or Ridge()
    method = as_method(fitted.method)
    rng = np.random.default_rng(random_state)
    weights, unconverged = np.empty((draws, len(fitted.weights_))), 0
    for draw in track(range(draws), draws, "random halves"):
        half = random_half(prepared.Y, prepared.task, rng)
        # Losses are sums over samples: half of the samples need half of alpha, or twice C.
        w = prepared.sums.weights
        fraction = float(w[half].sum() / w.sum())
        value = fitted_regularization(fitted) * (
            1 / fraction if hasattr(fitted, "C_") else fraction
        )
        # Where the alignment is undefined, the weights are uniform.
        with (
            within(f"random half {draw + 1} of {draws}"),
            counted_unconverged() as found,
            suppressed(UndefinedAlignmentWarning),
        ):
            learned = learn(prepared.take(half), method, machine, value)
            weights[draw] = learned.result.weights
        unconverged += found.count
    return shares(weights), unconverged


def random_half(Y: np.ndarray, task: str, rng: np.random.Generator) -> np.ndarray:
    """Draw the sorted indices of half of the samples; of each class half, rounded up."""
    order = rng.permutation(len(Y))
    if task != "classification":
        return np.sort(order[: max(2, (len(Y) + 1) // 2)])
    _, codes = np.unique(Y, axis=0, return_inverse=True)
    members = [order[codes[order] == code] for code in range(codes.max() + 1)]
    return np.sort(np.concatenate([indices[: (len(indices) + 1) // 2] for indices in members]))
