"""How sure the weights are: learned again from random halves of the samples.

A half without replacement varies as much as a bootstrap sample of all does: the variance of a mean
over n/2 of n samples, s^2 / (n/2) * (1 - 1/2), is s^2 / n. Unlike there no sample is drawn twice,
which would make a kernel that finds each sample like itself alone look better than it is.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnkernels.errors import ConstantKernelWarning, UndefinedAlignmentWarning
from learnkernels.progress import Progress
from learnkernels.weights import as_method

__all__ = ["shares", "shares_of_halves"]

IGNORED = (ConstantKernelWarning, ConvergenceWarning, UndefinedAlignmentWarning)


def shares(weights: np.ndarray) -> np.ndarray:
    """Weights over the sum of their sizes, shape (..., n_kernels)."""
    total = np.abs(weights).sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def shares_of_halves(fitted, X, y, draws: int, seed: int, progress: Progress) -> np.ndarray:
    """Shares of the kernels in weights learned from random halves.

    Parameters
    ----------
    fitted : KernelClassifier, KernelRegressor or KernelLearner
        Gives kernels, method and regularisation.
    X, y
        Its training data.
    draws : int
        Halves.
    seed : int
        Chooses them.
    progress : Progress
        Shows the draw.

    Returns
    -------
    ndarray of shape (draws, n_kernels)
    """
    stage, _, machine = fitted._again(X, y)
    method = as_method(fitted.method)
    n = len(stage.Y)
    rng = np.random.default_rng(seed)
    weights = np.empty((draws, len(fitted.weights_)))
    for draw in progress.track(range(draws), draws, "random halves"):
        progress.say(f"random half {draw + 1} of {draws}")
        half = half_of(stage.Y, stage.task, rng)
        # Losses are summed over samples: a half of them balances half of alpha, or twice C.
        part = len(half) / n
        value = fitted.C_ / part if hasattr(fitted, "C_") else part * regularization(fitted)
        with warnings.catch_warnings():
            for category in IGNORED:
                warnings.simplefilter("ignore", category)
            weights[draw] = stage.take(half).learn(method, machine, value).weights
    return shares(weights)


def regularization(fitted) -> float:
    return getattr(fitted, "alpha_", None) or 1.0


def half_of(Y: np.ndarray, task: str, rng: np.random.Generator) -> np.ndarray:
    """Half of the samples, of every class half (rounded up, so that none is lost)."""
    order = rng.permutation(len(Y))
    if task != "classification":
        return np.sort(order[: max(2, (len(Y) + 1) // 2)])
    _, codes = np.unique(Y, axis=0, return_inverse=True)
    mine = [order[codes[order] == code] for code in range(codes.max() + 1)]
    return np.sort(np.concatenate([one[: (len(one) + 1) // 2] for one in mine]))
