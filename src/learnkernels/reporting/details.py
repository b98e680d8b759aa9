"""Details of held-out predictions: scores of single classes, probabilities, residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.estimators.outputs.scoring import class_scores
from learnkernels.reporting.held_out import HeldOut

# Bins of probabilities, and points of the plot of residuals.
BINS, MAX_POINTS = 10, 400
# A class with fewer samples may have none predicted by chance.
OFTEN = 5


def class_details(
    codes: np.ndarray, names: list[str], found: HeldOut, weights: np.ndarray | None
) -> dict[str, Any]:
    """Return scores, the confusion matrix, scores of each class and the calibration.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Classes, from 0.
    names : list of str
        Their names.
    found : HeldOut
        With outputs.
    weights : ndarray of shape (n_samples,) or None
        Sample weights of the scores; the confusion matrix counts samples.
    """
    outputs = np.asarray(found.outputs)
    k, predicted = len(names), outputs.argmax(axis=1)
    confusion = np.bincount(codes * k + predicted, minlength=k * k).reshape(k, k)
    rows, columns, hits = confusion.sum(axis=1), confusion.sum(axis=0), confusion.diagonal()
    return {
        "scores": class_scores(codes, outputs, weights, probabilities=found.probabilities),
        "confusion": confusion.tolist(),
        "classes": [
            {
                "name": name,
                "samples": int(rows[c]),
                "predicted": int(columns[c]),
                "recall": float(hits[c] / rows[c]) if rows[c] else None,
                "precision": float(hits[c] / columns[c]) if columns[c] else None,
            }
            for c, name in enumerate(names)
        ],
        "never_predicted": [
            names[c] for c in np.flatnonzero((columns == 0) & (rows >= OFTEN)).tolist()
        ],
        "calibration": calibration(codes, outputs) if found.probabilities else None,
    }


def calibration(codes: np.ndarray, logs: np.ndarray) -> list[dict[str, float]]:
    """Return the predicted probability and the observed frequency in bins of equal width.

    With two classes, of the second class; with more, of the class that is predicted.
    """
    if logs.shape[1] == 2:
        p, event = np.exp(logs[:, 1]), codes == 1
    else:
        p, event = np.exp(logs.max(axis=1)), logs.argmax(axis=1) == codes
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        {
            "predicted": float(p[bins == b].mean()),
            "observed": float(event[bins == b].mean()),
            "samples": int((bins == b).sum()),
        }
        for b in np.unique(bins)
    ]


def residual_details(
    y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
) -> dict[str, Any]:
    """Return R^2, the mean absolute error, and predictions with residuals of some samples.

    Parameters
    ----------
    y, predictions : ndarray of shape (n_samples,) or (n_samples, n_targets)
    weights : ndarray of shape (n_samples,) or None
    """
    residuals = y - predictions
    around = y - np.average(y, axis=0, weights=weights)
    squares, total = (
        np.average(one**2, axis=0, weights=weights).mean() for one in (residuals, around)
    )
    absolute = np.average(np.abs(residuals), axis=0, weights=weights).mean()
    points = []
    if residuals.size == len(y):
        some = np.arange(len(y))[:: max(1, -(-len(y) // MAX_POINTS))]
        pairs = np.column_stack([predictions.ravel()[some], residuals.ravel()[some]])
        points = [[float(f"{value:.4g}") for value in pair] for pair in pairs.tolist()]
    scores = {"R²": float(1 - squares / total) if total else None, "mean absolute error": absolute}
    return {"scores": scores, "residuals": points}
