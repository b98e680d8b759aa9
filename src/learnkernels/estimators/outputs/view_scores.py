"""The part of R^2 that each view explains: the product measure.

With r = y - mean(y), predictions f_v of the views, minus their means, and their sum f:

    R^2 = sum_v  sum_i w_i f_v (2 r - f) / sum_i w_i r^2  -  (mean(prediction) - mean(y))^2 / var(y)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.kernels.sources import ALL_COLUMNS

# Name of the last term.
MEAN_ERROR = "mean error"


def kernels_by_view(estimator: Any) -> dict[str, np.ndarray]:
    """Return the positions of the kernels of each view; a kernel without a view is its own."""
    found: dict[str, list[int]] = {}
    pairs = zip(estimator.kernel_views_, estimator.kernel_names_, strict=True)
    for k, (view, name) in enumerate(pairs):
        found.setdefault(str(name if view == ALL_COLUMNS else view), []).append(k)
    return {view: np.array(kernels) for view, kernels in found.items()}


def score_terms(
    outputs: np.ndarray, parts: Iterable[tuple[str, np.ndarray]], Y: np.ndarray, w: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the terms of R^2, each of shape (n_targets,); NaN for constant targets.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_targets)
        Predictions.
    parts : iterable of (str, ndarray of shape (n_samples, n_targets))
        Name and prediction of each view, up to a constant.
    Y : ndarray of shape (n_samples, n_targets)
    w : ndarray of shape (n_samples,)
        Sample weights.
    """
    w = w / w.sum()
    r, shift = Y - w @ Y, w @ outputs - w @ Y
    f = outputs - w @ outputs
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(np.ptp(Y, axis=0) > 0, w @ r**2, np.nan)
        found = {name: w @ ((part - w @ part) * (2 * r - f)) / scale for name, part in parts}
        found[MEAN_ERROR] = found.get(MEAN_ERROR, 0.0) - shift**2 / scale
    return found


def validated_targets(
    y: Any, sample_weight: Any, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return targets of shape (n_samples, n_targets) and sample weights.

    Parameters
    ----------
    y, sample_weight
        As given by the user.
    shape : tuple of int
        Shape of the predictions.
    """
    if sample_weight is not None and not np.any(sample_weight):
        raise InputError("sample_weight is 0 for all samples; give some a positive weight.")
    with as_input_error("y: "):
        Y = check_array(y, ensure_2d=False, dtype=float)
    with as_input_error():
        w = _check_sample_weight(sample_weight, Y, dtype=float, ensure_non_negative=True)
    if Y.shape != shape:
        raise InputError(
            f"y has shape {Y.shape}, and the predictions have shape {shape}; pass the targets of "
            "these samples, with as many columns as in fit."
        )
    return Y.reshape(len(Y), -1), w
