"""`KernelLearner`: the learned Gram matrix for any estimator that takes one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import as_input_error, require_choice
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.fitting import Prepared, learn
from learnkernels.estimators.input.samples import Rows, class_codes, class_targets
from learnkernels.execution import Backend, as_backend, saving_backend
from learnkernels.gram import LearnedKernel
from learnkernels.kernels import input_kind
from learnkernels.machines import Ridge
from learnkernels.methods import WeightMethod, as_method

# Whole numbers with at most this many different values, which occur this often on average, are
# taken as classes.
MAX_CLASSES, PER_CLASS = 20, 5


class KernelLearner(TransformerMixin, BaseKernelEstimator):
    """Transformer that learns a kernel and returns its Gram matrices.

    For pipelines that end in an estimator with ``kernel="precomputed"``, such as SVC.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    method : str or WeightMethod, default="auto"
        How the weights are learned, as in `KernelClassifier`.
    center : bool, default=True
        Center the base kernels in feature space.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels, as in `KernelClassifier`.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where passes over pairs of samples run, as in `KernelClassifier`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that are missing in a view, as in `KernelClassifier`.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes text, booleans, and whole numbers with two different values
        or at most 20 that occur five times on average, as classes.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn; None and -1 take all cores. Only without `backend`.
    verbose : bool, default=False
        Show progress.
    checkpoint : path-like or None, default=None
        A file for the sums of an unfinished pass over pairs of samples: the same call continues
        from there. It is removed at the end of the pass.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    kernel_views_ : ndarray of shape (n_kernels,)
        The view that each belongs to.
    view_weights_ : dict of str to float
        Sum of the weights of each view's kernels.
    alignment_ : float
        Centered alignment of the learned kernel with the target.
    kernel_alignments_ : ndarray of shape (n_kernels,)
        Centered alignment of each base kernel alone.
    certificate_ : Certificate
        Optimality of the weights.
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
        kernels: Any = None,
        method: Any = "auto",
        center: bool = True,
        normalize: str | None = "trace",
        backend: Any = None,
        missing: str = "error",
        task: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: Any = None,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.missing = missing
        self.task = task
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint

    def _pass_backend(self, *data: Any) -> Backend:
        return saving_backend(as_backend(self.backend, self.n_jobs), self.checkpoint, *data)

    def fit(self, X: Any, y: Any) -> Self:
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
        with self._progress():
            self._fit(X, y)
        return self

    def _fit(self, X: Any, y: Any) -> tuple[LearnedKernel, Backend]:
        """Learn the weights; return the kernel on the training samples, and the backend."""
        method = as_method(self.method)
        if method.one_stage:
            raise InputError(
                f"method {method.name!r} learns weights together with a machine, and KernelLearner "
                "has no machine; use KernelClassifier or KernelRegressor, or an alignment method."
            )
        X, y = self._validate(X, y, multi_output=True)
        target, task = self._target(y)
        rows = self._rows(X, target, np.ones(len(target)), np.arange(len(target)), method)
        target = target[rows.samples]
        prepared = self._prepare(X, target, target, rows, task)
        learned = learn(prepared, method, Ridge(), 1.0)
        back = np.argsort(rows.samples)  # to the user's order
        # Copy the samples and drop training Grams: the user's data may change.
        self._kernel = learned.problem.kernel.as_columns(back)
        self._store(prepared, learned)
        return learned.problem.kernel.take(back), learned.kernels.backend

    def fit_transform(self, X: Any, y: Any) -> np.ndarray:
        """Learn the weights, and return the learned Gram matrix of the training samples.

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
        with self._progress():
            kernel, backend = self._fit(X, y)
            return kernel.gram(backend)

    def _rows(
        self, X: Any, Y: np.ndarray, w: np.ndarray, kept: np.ndarray, method: WeightMethod
    ) -> Rows:
        """Return all samples: each of them has a column in the Gram matrix."""
        if input_kind(self.kernels) == "precomputed":
            return Rows.as_given(w, kept, X.shape[0])
        return Rows.of(X, Y, w, kept, "never")

    def _training(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Prepared, None]:
        """Return the training data after the pass over pairs; there is no machine."""
        X, y = self._validate(X, y, multi_output=True)
        target, task = self._target(y)
        w, _ = self._sample_weights(sample_weight, X)
        return self._prepare_again(X, target, target, w, task), None

    def transform(self, X: Any) -> np.ndarray:
        """Return the learned Gram matrix of new samples against the training samples.

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
        X = self._validate(X, reset=False)
        with self._progress():
            return self._kernel.cross_gram(X, as_backend(self.backend, self.n_jobs))

    def _target(self, y: np.ndarray) -> tuple[np.ndarray, str]:
        """Return the target of alignment, and the task."""
        require_choice("task", self.task, ("auto", "classification", "regression"))
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if self.task == "classification" or (self.task == "auto" and looks_like_classes(y)):
            classes, codes = class_codes(y)
            return class_targets(codes, len(classes))[0], "classification"
        with as_input_error("y: "):
            Y = np.asarray(y, dtype=float)
        return Y[:, None] if Y.ndim == 1 else Y, "regression"


def looks_like_classes(y: np.ndarray) -> bool:
    """Return whether y is one column of text, booleans, or few different whole numbers.

    Few are two, or at most 20 that occur five times on average.
    """
    if y.ndim > 1 and y.shape[1] > 1:
        return False
    if y.dtype.kind not in "iuf":
        return True
    count = len(np.unique(y))
    few = count <= 2 or count <= min(MAX_CLASSES, len(y) / PER_CLASS)
    return bool(np.equal(np.mod(y, 1), 0).all()) and few
