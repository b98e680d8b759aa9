"""How sure the weights are: learned again from random halves of the samples.

A half without replacement varies as much as a bootstrap sample of all does: the variance of a mean
over n/2 of n samples, s^2 / (n/2) * (1 - 1/2), is s^2 / n. Unlike there no sample is drawn twice,
which would make a kernel that finds each sample like itself alone look better than it is.
"""

from __future__ import annotations

import numpy as np

from learnkernels.errors import UndefinedAlignmentWarning
from learnkernels.inspect.heard import listening
from learnkernels.progress import Progress
from learnkernels.reports.scores import fitted_value
from learnkernels.telling import unheard
from learnkernels.weights import as_method

__all__ = ["shares", "shares_of_halves"]


def shares(weights: np.ndarray) -> np.ndarray:
    """Weights over the sum of their sizes, shape (..., n_kernels)."""
    total = np.abs(weights).sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def shares_of_halves(fitted, X, y, draws: int, seed: int, progress: Progress):
    """Shares of the kernels in weights learned from random halves, and fits without a proof.

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
    shares : ndarray of shape (draws, n_kernels)
    unproved : int
        How many of the fits ended above their tolerance.
    """
    stage, _, machine = fitted._again(X, y)
    method = as_method(fitted.method)
    n = len(stage.Y)
    rng = np.random.default_rng(seed)
    weights, unproved = np.empty((draws, len(fitted.weights_))), 0
    for draw in progress.track(range(draws), draws, "random halves"):
        progress.say(f"random half {draw + 1} of {draws}")
        half = half_of(stage.Y, stage.task, rng)
        # Losses are summed over samples: a half of them balances half of alpha, or twice C.
        part = len(half) / n
        value = fitted_value(fitted) * (1 / part if hasattr(fitted, "C_") else part)
        # Where alignment is undefined, all weights are alike.
        with listening() as heard, unheard(UndefinedAlignmentWarning):
            weights[draw] = stage.take(half).learn(method, machine, value).weights
        unproved += heard.unproved
    return shares(weights), unproved


def half_of(Y: np.ndarray, task: str, rng: np.random.Generator) -> np.ndarray:
    """Half of the samples, of every class half (rounded up, so that none is lost)."""
    order = rng.permutation(len(Y))
    if task != "classification":
        return np.sort(order[: max(2, (len(Y) + 1) // 2)])
    _, codes = np.unique(Y, axis=0, return_inverse=True)
    mine = [order[codes[order] == code] for code in range(codes.max() + 1)]
    return np.sort(np.concatenate([one[: (len(one) + 1) // 2] for one in mine]))
