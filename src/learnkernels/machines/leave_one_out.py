"""The leave-one-out error of ridge, shared by the strategies that have a closed form."""

from __future__ import annotations

import numpy as np


def squared_errors(residuals: np.ndarray, complement: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted mean squared leave-one-out residual over samples and outputs.

    Parameters
    ----------
    residuals : ndarray of shape (n_samples, n_outputs)
        ``w^1/2 (y - f)`` of the fit to all samples.
    complement : ndarray of shape (n_samples,)
        ``1 - H_ii`` with the hat matrix H.
    weights : ndarray of shape (n_samples,)
    """
    left_out = residuals / np.maximum(complement, np.finfo(float).tiny)[:, None]
    return float(np.sum(left_out**2) / (weights.sum() * residuals.shape[1]))
