"""`KernelLearner`: the learned Gram for any estimator that takes one."""

from __future__ import annotations

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.classifier import alignment_targets
from learnkernels.gram import as_backend
from learnkernels.weights import as_method

__all__ = ["KernelLearner"]


class KernelLearner(TransformerMixin, BaseKernelEstimator):
    """Learn a kernel and hand out its Gram matrices.

    In a pipeline before any estimator with ``kernel="precomputed"``, scikit-learn's SVC for one.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    method : str or WeightMethod, default="alignf"
        How the weights are learned, as in `KernelClassifier`.
    center : bool, default=True
        Center the base kernels in feature space.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels, as in `KernelClassifier`.
    backend : None or Backend, default=None
        Where the passes over pairs of samples run; None is all cores of this process.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes whole numbers, strings and booleans as classes.
    verbose : bool, default=False
        Show progress on the terminal.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    alignment_ : float
        Centered alignment of the learned kernel with the target.
    kernel_alignments_ : ndarray of shape (n_kernels,)
        Centered alignment of each base kernel alone.
    certificate_ : Certificate
        Proof of the weights' optimality.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(lk.KernelLearner(), SVC(kernel="precomputed")).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        kernels=None,
        method="alignf",
        center=True,
        normalize="trace",
        backend=None,
        task="auto",
        verbose=False,
    ):
        self.kernels = kernels
        self.method = method
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.task = task
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Labels or targets.

        Returns
        -------
        self : KernelLearner
            The fitted transformer.
        """
        X, y = self._validated(X, y, multi_output=True)
        stage = self._stage(X, self._targets(y), np.ones(X.shape[0]))
        learned = stage.learn(as_method(self.method))
        self._kernel = learned.kernel
        self._store(learned, stage.bank.names)
        return self

    def transform(self, X):
        """The learned Gram of new samples against the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, or their similarities to the training samples.

        Returns
        -------
        ndarray of shape (n_samples, n_samples_train)
            The Gram matrix, centered with the training means.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return self._kernel.cross_gram(X, as_backend(self.backend, self.verbose))

    def _targets(self, y) -> np.ndarray:
        if self.task not in ("auto", "classification", "regression"):
            raise InputError(
                f"task={self.task!r}; expected 'auto', 'classification' or 'regression'."
            )
        discrete = type_of_target(y) in ("binary", "multiclass")
        if self.task == "classification" or (self.task == "auto" and discrete):
            classes, codes = np.unique(y, return_inverse=True)
            return alignment_targets(codes, len(classes))
        Y = np.asarray(y, dtype=float)
        return Y[:, None] if Y.ndim == 1 else Y
