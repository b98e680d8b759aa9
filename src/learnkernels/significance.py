"""The one test of differences between held-out losses: `compare`, `fit` and the report use it.

The losses of two models on the same held-out samples are compared by the mean of their differences
and its standard error over the samples:

    d_i = l_i - m_i,    significant if |mean(d)| > z s(d) / sqrt(n),    z for 95 %

Folds share training samples, so the test rejects somewhat too often: two models of equal expected
error differ significantly in 5 % to 9 % of data sets with 40 to 400 samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

# Probability with which the interval of a difference covers it.
LEVEL = 0.95
# Differences below this part of the larger loss are never significant: they can be rounding.
SMALL = 0.01


@dataclass(frozen=True)
class Difference:
    """Mean difference of two models' losses on the same samples.

    Attributes
    ----------
    mean, standard_error : float
    low, high : float
        Ends of the 95 % interval.
    verdict : {"lower", "higher", "unclear"}
        Whether the losses of the first model are significantly lower or higher.
    """

    mean: float
    standard_error: float
    low: float
    high: float
    verdict: str


def paired_difference(
    losses: np.ndarray, others: np.ndarray, weights: np.ndarray | None = None
) -> Difference:
    """Compare the losses of two models on the same samples.

    Parameters
    ----------
    losses, others : ndarray of shape (n_samples,)
        Held-out losses.
    weights : ndarray of shape (n_samples,) or None
        Sample weights.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.significance import paired_difference
    >>> paired_difference(np.repeat([0.0, 1.0], [18, 2]), np.repeat([0.0, 1.0], [8, 12])).verdict
    'lower'
    """
    d = np.subtract(losses, others, dtype=float)
    w = np.full(len(d), 1 / len(d)) if weights is None else weights / weights.sum()
    mean, error = float(w @ d), standard_error(d, weights)
    half = error * float(student.ppf((1 + LEVEL) / 2, max(len(d) - 1, 1)))
    relevant = abs(mean) > max(half, SMALL * max(float(w @ losses), float(w @ others)))
    verdict = ("lower" if mean < 0 else "higher") if relevant else "unclear"
    return Difference(mean, error, mean - half, mean + half, verdict)


def standard_error(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Return the standard error of the (weighted) mean of some values."""
    if weights is None:
        return float(np.std(values) / np.sqrt(len(values)))
    w = weights / weights.sum()
    return float(np.sqrt(np.sum((w * (values - w @ values)) ** 2)))
