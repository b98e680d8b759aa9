"""Classes and their probabilities from decision values.

    p(class | x) = softmax(T z(x))        two classes: 1 / (1 + exp(-T f(x)))

The factor T has the smallest log loss on decision values for held-out samples. It keeps
the order of the decision values, so that the most probable class is the predicted one. As in Platt
(1999), the target of a sample is its class with probability (m + 1) / (m + 2) if the class has the
total weight m: few samples that are all correct do not make a model certain.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

# Range of T: decision values are in units of the margin.
RANGE = 1e-3, 1e3


def decide(outputs: np.ndarray) -> np.ndarray:
    """Return class codes from decision values of shape (n_samples, n_outputs)."""
    return (outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(axis=1)


def log_probabilities(outputs: np.ndarray, temperature: float) -> np.ndarray:
    """Return log p, shape (n_samples, n_classes).

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_outputs)
        Decision values: one column for two classes, else one for each class.
    temperature : float
        The factor T.
    """
    if outputs.shape[1] == 1:
        outputs = np.hstack([np.zeros_like(outputs), outputs])
    return np.asarray(log_softmax(temperature * outputs, axis=1))


def fit_temperature(outputs: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> float | None:
    """Return the factor of smallest weighted log loss; None if no sample was left out.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_outputs)
        Decision values for held-out samples; rows with NaN do not count.
    codes : ndarray of shape (n_samples,)
        Their classes, from 0.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    """
    known = np.isfinite(outputs).all(axis=1)
    if not known.any():
        return None
    outputs, codes, weights = outputs[known], codes[known], weights[known]
    n_classes = max(outputs.shape[1], 2)
    other = 1 / (np.bincount(codes, weights)[codes] + 2)  # (n,), of all other classes
    targets = np.repeat(other[:, None] / (n_classes - 1), n_classes, axis=1)
    targets[np.arange(len(codes)), codes] = 1 - other

    def loss(log_factor: float) -> float:
        logs = log_probabilities(outputs, np.exp(log_factor))
        return float(-weights @ np.sum(targets * logs, axis=1) / weights.sum())

    found = minimize_scalar(loss, bounds=np.log(RANGE), method="bounded")
    return float(np.exp(found.x))
