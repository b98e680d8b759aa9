"""`alignment_statistics`: the numbers behind the two-stage methods, for those who want them."""

from __future__ import annotations

import numpy as np

from learnkernels.estimators.learner import KernelLearner
from learnkernels.gram import Statistics

__all__ = ["alignment_statistics"]


def alignment_statistics(
    kernels, X, y, normalize="trace", backend=None, task="auto", missing="error"
) -> Statistics:
    """Centered inner products of base kernels with each other and with the target.

    One symmetric pass over tiles of pairs; memory does not grow with the square of n.

    Parameters
    ----------
    kernels : list, family, kernel, str or None
        The base kernels, as in `KernelClassifier`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples, or a stack of Gram matrices for ``kernels="precomputed"``.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Classes or real targets.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels.
    backend : None or Backend, default=None
        Where the pass runs; None is all cores of this process.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes text, booleans and at most 20 different whole numbers as
        classes.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that a view has not seen, as in `KernelClassifier`.

    Returns
    -------
    Statistics
        ``.a`` of shape (n_kernels,) and ``.M`` of shape (n_kernels, n_kernels), of the centered and
        normalised kernels; ``.traces`` of shape (n_kernels,), of the centered ones before
        normalising.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> statistics = lk.alignment_statistics(lk.gaussians([0.1, 1.0]), X, y)
    >>> statistics.M.shape
    (2, 2)
    >>> statistics.alignments().round(2)
    array([0.77, 0.74])
    """
    learner = KernelLearner(
        kernels, normalize=normalize, backend=backend, missing=missing, task=task
    )
    X, y = learner._validated(X, y, multi_output=True)
    target = learner._targets(y)
    stage = learner._stage(X, target, target, np.ones(X.shape[0]), "regression")
    return stage.sums.statistics().normalized(normalize)
