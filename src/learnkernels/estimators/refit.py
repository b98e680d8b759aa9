"""The training data of a fitted estimator again, for reports, displays and guarantees."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnkernels._warnings import suppressed
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.fitting import Prepared
from learnkernels.gram import CenteredKernels, SampledSums
from learnkernels.machines import Machine
from learnkernels.plurals import count_text

# Difference of alignments that is rounding: weights of both signs cancel many digits.
SAME = 1e-4
# The same for statistics of some samples, among which equal samples may have been merged.
SAMPLED_SAME = 0.02


@dataclass(frozen=True)
class Refit:
    """A fitted estimator on its training data.

    Attributes
    ----------
    prepared : Prepared
    kernels : CenteredKernels
    machine : Machine or None
        None for a transformer.
    """

    prepared: Prepared
    kernels: CenteredKernels
    machine: Machine | None


def shared_weights(estimator: Any) -> np.ndarray:
    """Return the weights of a fitted estimator; raise if every target has its own.

    Parameters
    ----------
    estimator : KernelClassifier, KernelRegressor or KernelLearner
    """
    check_is_fitted(estimator)
    weights: np.ndarray = estimator.weights_
    if weights.ndim > 1:
        raise InputError(
            f"the model has weights of its own for each of {count_text(len(weights), 'target')} "
            '(weights="per_target"), and guarantees, reports and displays need one weight vector; '
            'fit with weights="shared", or read weights_ and score_by_view.'
        )
    return weights


def refit(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Refit:
    """Return the kernels of a fitted estimator on its training data, which it does not keep.

    Parameters
    ----------
    estimator : KernelClassifier, KernelRegressor or KernelLearner
    X, y
        The training data; others are refused.
    sample_weight : array of shape (n_samples,) or None
        The sample weights of the fit, positive.
    """
    mu = shared_weights(estimator)
    if getattr(estimator, "_weighted", False) and sample_weight is None:
        raise InputError(
            "the model was fitted with sample weights; pass them to lk.report as sample_weight=. "
            "Guarantees and displays are for samples of equal weight: fit without sample_weight."
        )
    # A copy, so that wrong data do not change the fitted attributes.
    with suppressed(TableWarning):
        prepared, machine = copy(estimator)._training(X, y, sample_weight)
    kernels = prepared.centered()
    same = len(mu) == kernels.n_kernels
    most = SAMPLED_SAME if isinstance(prepared.sums, SampledSums) else SAME
    if not same or abs(kernels.statistics.alignment(mu) - estimator.alignment_) > most:
        raise InputError(
            "X and y are not the data that the model was trained on: the learned kernel has "
            "another alignment there; pass the training data."
        )
    return Refit(prepared, kernels, machine)
