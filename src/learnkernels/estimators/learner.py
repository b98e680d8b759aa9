"""`KernelLearner`: the learned Gram for any estimator that takes one."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import as_input_error, require_choice
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.models import Learned
from learnkernels.estimators.targets import alignment_targets, class_codes_of, looks_like_classes
from learnkernels.gram import as_backend
from learnkernels.machines import Ridge
from learnkernels.progress import Progress, shown
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
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where the passes over pairs of samples run: all cores of this process (None), a Dask cluster
        (``"dask"``, the address of a scheduler, a client), or `Threads` or `Dask`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that a view has not seen (no value in any of its columns; of a
        precomputed stack, NaN in a matrix's row and column). ``"neutral"`` puts them at the view's
        mean in feature space, in training and prediction; new tables may lack the view's columns.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes text, booleans and at most 20 different whole numbers as
        classes.
    verbose : bool, default=False
        Show progress on the terminal.
    checkpoint : path-like or None, default=None
        A file for the sums of an unfinished pass over pairs of samples: the same call goes on from
        there. It is removed at the end of the pass.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    kernel_views_ : ndarray of shape (n_kernels,)
        The view that each belongs to.
    view_weights_ : dict of str to float
        Sum of the weights of each view's kernels; their sum is that of all weights, which is one
        for the methods by alignment and ``"l1-svm"``.
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
        missing="error",
        task="auto",
        verbose=False,
        checkpoint=None,
    ):
        self.kernels = kernels
        self.method = method
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.missing = missing
        self.task = task
        self.verbose = verbose
        self.checkpoint = checkpoint

    def fit(self, X, y) -> Self:
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
        with shown(self.verbose) as progress:
            self._fit(X, y, progress)
        return self

    def _fit(self, X, y, progress: Progress) -> Learned:
        X, y = self._validated(X, y, multi_output=True)
        target = self._targets(y)
        method = as_method(self.method)
        if method.one_stage:
            raise InputError(
                f"method {method.name!r} learns weights together with a machine; KernelLearner has "
                "none: use KernelClassifier or KernelRegressor, or a method by alignment."
            )
        stage = self._stage(X, target, target, np.ones(X.shape[0]), "regression", progress=progress)
        learned = stage.learn(method, Ridge(), 1.0)
        # Copies of the samples, and no training Gram: the user's data may change.
        self._kernel = learned.kernel.only(np.arange(X.shape[0]))
        self._store(learned, stage.bank, method)
        return learned

    def fit_transform(self, X, y) -> np.ndarray:
        """Learn the weights, and give the learned Gram of the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Labels or targets.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The Gram matrix.
        """
        with shown(self.verbose) as progress:
            learned = self._fit(X, y, progress)
            return learned.kernel.gram(as_backend(self.backend, progress))

    def _training(self, X, y):
        """Stage one on the training data again; there is no machine."""
        X, y = self._validated(X, y, multi_output=True)
        target = self._targets(y)
        task = "classification" if set(np.unique(target)) <= {-1.0, 0.0, 1.0} else "regression"
        return self._stage(X, target, target, np.ones(len(target)), task), None

    def transform(self, X) -> np.ndarray:
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
        with shown(self.verbose) as progress:
            return self._kernel.cross_gram(X, as_backend(self.backend, progress))

    def _targets(self, y) -> np.ndarray:
        require_choice("task", self.task, ("auto", "classification", "regression"))
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if self.task == "classification" or (self.task == "auto" and looks_like_classes(y)):
            classes, codes = class_codes_of(y)
            return alignment_targets(codes, len(classes))
        with as_input_error("y: "):
            Y = np.asarray(y, dtype=float)
        return Y[:, None] if Y.ndim == 1 else Y
